"""Activation patching: activations of a clean pass are put, one by one, into a corrupted one."""

from collections.abc import Callable, Sequence
from typing import Literal

import torch
from jaxtyping import Float, Int
from torch import Tensor

from support.core import InputError
from support.core.validation import check
from support.inside.hooks import as_batch, hooked, only, run_with_cache
from support.model import GPT, evaluating


@torch.no_grad()
def activation_patching(
    model: GPT,
    clean: Int[Tensor, "*batch position"] | Sequence[int],
    corrupted: Int[Tensor, "*batch position"] | Sequence[int],
    metric: Callable[[Float[Tensor, "batch position vocab"]], Float[Tensor, ""] | float],
    names: Sequence[str],
    each: Literal["point", "position", "head"] = "point",
) -> Float[Tensor, "point place"]:
    """How much of the clean answer comes back when one clean activation is put into the corrupted pass.

    0: nothing changed; 1: the metric is as in the clean pass. It can be above 1 or below 0.

    Args:
        model: runs the two texts.
        clean: a text, or a batch of texts.
        corrupted: the same with something exchanged, of the same shape.
        metric: the clean or corrupted pass's logits → one number, such as a difference of two logits.
        names: of `hook_points`; each is tried on its own.
        each: put in the whole activation (one column), or what it holds at one position, or of one head
            (for patterns and z): one column each.

    Raises:
        InputError: the texts differ in shape, the metric does not tell them apart, there are no heads at a
            point, or ``each`` is none of the three.

    Follows Vig et al. 2020; Meng et al. 2022 (ROME), who call it causal tracing.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=5))
    >>> last = ["blocks.0.attention.output", "residual.4"]
    >>> activation_patching(model, [1, 2, 3], [1, 4, 3], lambda logits: logits[0, -1, 2], last)[1].tolist()
    [1.0]
    """
    check("activation_patching: each", each, Literal["point", "position", "head"])
    clean, corrupted = as_batch(model, clean), as_batch(model, corrupted)
    if clean.shape != corrupted.shape:
        raise InputError(
            f"The texts have the shapes {list(clean.shape)} and {list(corrupted.shape)}; a word must stand "
            "in the place of a word."
        )
    with evaluating(model):
        good, bad = (float(metric(model(ids))) for ids in (clean, corrupted))
        if good == bad:
            raise InputError(f"The metric is {good:.4g} for both texts; there is no difference to carry.")
        _, seen = run_with_cache(model, clean, names)
        rows = []
        for name in names:
            row = []
            for place in _places(name, seen[name], each):
                with hooked(model, {name: only(seen[name], **place)}):
                    row.append((float(metric(model(corrupted))) - bad) / (good - bad))
            rows.append(row)
    return torch.tensor(rows)


def _places(name: str, value: Tensor, each: str) -> list[dict[str, list[int]]]:
    if each == "point":
        return [{}]
    if each == "position":
        return [{"positions": [i]} for i in range(value.shape[-2])]
    if value.ndim != 4:
        raise InputError(f"{name} has no heads; those that have end in .pattern or .z.")
    return [{"heads": [i]} for i in range(value.shape[1])]
