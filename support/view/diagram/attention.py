"""Attention: queries, keys and values; heads side by side; the cache that grows."""

import math
from collections.abc import Sequence
from typing import Any

import torch

from support.core import InputError
from support.model import GPTConfig
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Box, Drawing
from support.view.diagram.sizes import Sizes

WORDS = ("the", "key", "was", "bent")
SCORES = ((0.4, 0.0, 0.0, 0.0), (0.9, 0.2, 0.0, 0.0), (0.1, 1.4, 0.3, 0.0), (0.2, 2.1, 0.5, 0.3))


def _shades(rows: int, columns: int, seed: int) -> list[list[float]]:
    """Numbers that only look like numbers."""
    return [[0.2 + ((7 * i + 5 * j + 3 * seed) % 9) / 10 for j in range(columns)] for i in range(rows)]


def attention(
    config: GPTConfig | None = None,
    words: Sequence[str] = WORDS,
    scores: Sequence[Sequence[Number]] = SCORES,
) -> Diagram:
    """One attention head: queries, keys and values, scores, mask, softmax, mix (Vaswani et al. 2017).

    Args:
        config: where the numbers on the arrows come from; without it they are names.
        words: three to five words.
        scores: a row for each word as query, a column for each as key; the mask hides the later keys.

    Raises:
        InputError: too few or too many words, or the scores do not fit them.

    >>> attention(GPTConfig(vocab_size=28, d_model=64)).alt[:60]
    'One causal attention head over 4 tokens. The normalised resi'
    """
    t = len(words)
    if not 3 <= t <= 5 or [len(row) for row in scores] != [t] * t:
        raise InputError(
            f"{t} words and {len(scores)} rows of scores; give 3 to 5 words and a square of scores"
        )
    s, d = Sizes(config, **({} if config is None else {"T": t})), Drawing(684)
    x0, right = 58, 300
    left = x0 + 15 * t
    x = d.box(170, 22, 300, 30, "words’ vectors$ (normalised residual stream)$", "stream", size=12)
    d.text(108, 50, s("T", "d_model"), "faint", size=12)
    for k, (name, role, at) in enumerate((("Q", "query", 46), ("K", "key", 172), ("V", "value", right))):
        matrix = d.box(at, 82, 76, 30, f"matrix$ W_{{{name}}}$", role, bold=True, size=12)
        d.arrow((at, x.bottom[1]), matrix.top)
        d.arrow(matrix.bottom, (at, 120))
        grid = d.grid(at - 24, 120, _shades(t, 3, k), role, cell=16)
        d.text(at, grid.bottom[1] + 11, {"Q": "queries", "K": "keys", "V": "values"}[name], role, bold=True)
        if name == "Q":
            d.text(109, 150, s("T", "d_head"), "faint", size=12)
    low = 120 + 16 * t
    d.arrow((46, low + 22), (46, low + 40), (left - 14, low + 40), (left - 14, low + 62))
    d.arrow((172, low + 22), (172, low + 40), (left + 14, low + 40), (left + 14, low + 62))
    d.text(left + 74, low + 52, "$Q Kᵀ / √d_{head}$", size=13, anchor="start")

    top: Number = low + 64
    cell = 30
    masked = [[v if j <= i else "$−∞$" for j, v in enumerate(row)] for i, row in enumerate(scores)]
    later = torch.ones(t, t).triu(1).bool()
    weights = torch.tensor(scores, dtype=torch.float64).masked_fill(later, -math.inf).softmax(dim=-1)
    shares = [[w if j <= i else None for j, w in enumerate(row)] for i, row in enumerate(weights.tolist())]

    def square(y: Number, values: Any, digits: int, name: str, note: str) -> Box:
        """A row for each query, a column for each key, and what stands beside."""
        for i, word in enumerate(words):
            d.text(x0 - 6, y + 10 + 20 * i, word, "query", size=12, anchor="end")
        beside = x0 + cell * t + 10
        d.text(beside, y + 8, name, "attention", bold=True, anchor="start")
        d.text(beside, y + 25, s("T", "T"), "faint", size=12, anchor="start")
        d.text(beside, y + 48, note, "faint", size=12, anchor="start")
        return d.grid(x0, y, values, "attention", cell=cell, high=20, digits=digits)

    raw = square(top, masked, 1, "scores", "mask: no later\nkeys$ (−∞)$")
    top = raw.bottom[1] + 40
    d.arrow(raw.bottom, (left, top), words="softmax of each row")
    mixed = square(top, shares, 2, "weights", "each row\nsums to 1")
    mix = d.box(left, mixed.bottom[1] + 40, 216, 30, "mix of values$ = weights · V$", "value", bold=True)
    d.arrow(mixed.bottom, mix.top)
    d.arrow((right, low + 22), (right, mix.y), mix.right, role="value")
    out = d.box(left, mix.y + 66, 140, 30, "output matrix$ W_{O}$", "attention", bold=True)
    d.arrow(mix.bottom, out.top, words=f"{s('T', 'd_head')}, with other heads’")
    d.arrow(out.bottom, (left, out.y + 48), words=f"{s('T', 'd_model')}, added to the vectors")
    d.size = (d.size[0], out.y + 56)
    return d.done(
        f"One causal attention head over {t} tokens. The normalised residual stream, {s('T', 'd_model')}, "
        f"is multiplied by three matrices and gives queries, keys and values, {s('T', 'd_head')} each. "
        f"Queries times keys over the root of d_head are the scores, {s('T', 'T')}; the mask sets the "
        "scores of later keys to minus infinity, and softmax makes each row weights that sum to 1. "
        "Weights times values, beside the other heads' outputs and through W_O, are added to the stream, "
        f"{s('T', 'd_model')}."
    )
