"""A text in which the weight of each word is seen: its ground is the darker the more weight it has."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.patches import Rectangle
from matplotlib.textpath import text_to_path

from support.core import InputError
from support.view import style
from support.view.plots import numbers

LINE, GAP, EDGE = 23, 4, 3  # points: from line to line, between words, and at the sides of a word


def plot_words(words: Sequence[str], weights: Mapping[str, Any], notable: float = 0.1) -> Figure:
    """The text once for each set of weights, each word on a ground that is the darker the more it weighs.

    Args:
        words: the text.
        weights: name → a weight in 0 … 1 for each word.
        notable: from this weight on, the number stands behind the word.

    Raises:
        InputError: there are not as many weights as words, or one of them is not in 0 … 1.

    >>> fig = plot_words(["a", "boy"], {"head 0": [0.08, 0.92]})
    >>> [text.get_text() for text in fig.axes[0].texts]
    ['head 0', 'a', 'boy 0.92']
    """
    rows = {name: numbers(values) for name, values in weights.items()}
    for name, row in rows.items():
        if row.shape != (len(words),) or not ((row >= 0) & (row <= 1)).all():
            raise InputError(
                f"{name!r} has weights of shape {row.shape} for {len(words)} words; "
                "give each word one weight in 0 … 1"
            )
    across = style.WIDTH * 72 - 2 * EDGE
    placed, titles, y = [], [], 0.0
    for name, row in rows.items():
        titles.append((name, y + LINE / 2))
        y, x = y + LINE, 0.0
        for word, weight in zip(words, row.tolist(), strict=True):
            label = f"{word} {weight:.2f}" if weight >= notable else word
            wide = _width(label) + 2 * EDGE
            if x and x + wide > across:
                x, y = 0.0, y + LINE
            placed.append((label, weight, x, y, wide))
            x += wide + GAP
        y += 1.6 * LINE
    high = y - 0.4 * LINE
    fig, ax = style.subplots(figsize=(style.WIDTH, high / 72), layout="none")
    ax.set_position((0, 0, 1, 1))
    ax.set(xlim=(-EDGE, across + EDGE), ylim=(high, 0))
    ax.set_axis_off()
    for name, at in titles:
        ax.text(0, at, name, va="center", fontsize=12)
    shades = matplotlib.colormaps[style.UP]
    for label, weight, x, y, wide in placed:
        ground = shades(weight)
        ax.add_patch(Rectangle((x, y + 2), wide, LINE - 4, facecolor=ground, edgecolor="none"))
        ink = style.readable_on(ground)
        ax.text(x + EDGE, y + LINE / 2, label, va="center", color=ink, fontsize=style.LETTERS)
    return fig


def _width(words: str) -> float:
    """How wide words are, in points."""
    font = FontProperties("DejaVu Sans", size=style.LETTERS)
    return text_to_path.get_text_width_height_descent(words, font, ismath=False)[0]
