"""One helper for seeds and threads, so that a run can be repeated."""

import os
import random

import numpy as np
import torch

from support.core.errors import InputError
from support.core.validation import Count, Seed, check, checked


@checked
def seed_everything(seed: Seed = 0, threads: Count | None = None) -> None:
    """Seed Python, NumPy and torch, and set how many CPU threads torch may use.

    Denormal numbers are flushed to zero: they slow a CPU down a hundredfold and change no shown digit.

    Args:
        seed: the seed for all three generators, from -2⁶³ to 2⁶⁴ - 1.
        threads: CPU threads; by default ``OMP_NUM_THREADS``, or 1. One thread gives the same sums on
            every run, and on a shared machine it is often the faster choice for small models.

    Raises:
        InputError: an argument is no such number, or ``OMP_NUM_THREADS`` is none.

    >>> seed_everything(7); a = torch.rand(1); seed_everything(7); bool(a == torch.rand(1))
    True
    """
    threads = threads or _threads_of_the_environment()
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)
    torch.set_num_threads(threads)
    torch.set_flush_denormal(True)


def seeded_generator(seed: int, device: torch.device | str = "cpu") -> torch.Generator:
    """A generator of random numbers of its own: who draws from it changes no other's draws.

    Args:
        seed: from -2⁶³ to 2⁶⁴ - 1.
        device: where the numbers are drawn.

    Raises:
        InputError: the seed is no such number.

    >>> int(torch.randint(100, (1,), generator=seeded_generator(7)))
    15
    >>> seeded_generator(2**70)
    Traceback (most recent call last):
    support.core.errors.InputError: seed=1180591620717411303424 must be less than 18446744073709551616.
    """
    check("seed", seed, Seed)
    return torch.Generator(device).manual_seed(seed)


def _threads_of_the_environment() -> int:
    """``OMP_NUM_THREADS``; of a list, which OpenMP allows, the first number: that of the outermost loop."""
    value = os.environ.get("OMP_NUM_THREADS", "").strip() or "1"
    first = value.split(",")[0].strip()
    if not (first.isascii() and first.isdigit() and 1 <= int(first) < 2**31):
        raise InputError(
            f"The environment variable OMP_NUM_THREADS={value!r} is no number of threads; "
            "set it to a whole number of at least 1, or unset it."
        )
    return int(first)
