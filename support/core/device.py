"""Where the work runs, and how large it may be."""

import os
from typing import Literal, TypeVar

import torch

from support.core.errors import InputError

T = TypeVar("T")


def device() -> torch.device:
    """The device that chapters use: the GPU when there is one, else the CPU.

    The environment variable ``SUPPORT_DEVICE`` (``cpu``, ``cuda``, ``cuda:1``) overrides the choice.

    Raises:
        InputError: the variable names no device.

    >>> device().type in ("cpu", "cuda")
    True
    """
    if chosen := os.environ.get("SUPPORT_DEVICE"):
        try:
            return torch.device(chosen)
        except RuntimeError:
            raise InputError(
                f"The environment variable SUPPORT_DEVICE={chosen!r} names no device; "
                "set it to cpu, cuda or cuda:1, or unset it."
            ) from None
    return torch.device("cuda" if torch.cuda.is_available() else "cpu")


def scale() -> Literal["cpu", "cuda"]:
    """The scale at which a chapter runs: ``"cuda"`` on a GPU of at least 12 GiB, else ``"cpu"``.

    A smaller GPU runs the small scale: it is still faster there, and nothing can run out of memory.

    >>> scale() in ("cpu", "cuda")
    True
    """
    where = device()
    if where.type != "cuda":
        return "cpu"
    return "cuda" if torch.cuda.get_device_properties(where).total_memory >= 12 * 2**30 else "cpu"


def pick(*, cpu: T, cuda: T) -> T:
    """The value for the scale of this machine, see `scale`.

    Args:
        cpu: taken on a CPU, and on a small GPU.
        cuda: taken on a GPU with enough memory.

    >>> pick(cpu=100, cuda=5000) in (100, 5000)
    True
    """
    return cuda if scale() == "cuda" else cpu
