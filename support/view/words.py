"""Texts as plots: the weight of each word, seen by its ground, and how a word grows together from letters."""

from collections.abc import Mapping, Sequence
from typing import Any

import matplotlib
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from support.core import InputError
from support.view import style
from support.view.image_files import text_width
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
            wide = text_width(label, style.LETTERS) + 2 * EDGE
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


def plot_merges(words: Mapping[str, Sequence[tuple[str, Sequence[str]]]]) -> Figure:
    """How words grow together: a row for each stage, with a thick frame around what the last merge has made.

    Args:
        words: a word → its stages, each with a name and the tokens of the word at that stage.

    Raises:
        InputError: there is no word, or one has no stage.

    >>> fig = plot_merges({"the": [("start", ["t", "h", "e"]), ("merge 1", ["t", "he"])]})
    >>> [text.get_text() for text in fig.axes[0].texts]
    ['t', 'h', 'e', 't', 'he']
    """
    if not words or not all(words.values()):
        raise InputError("a word without a stage cannot be drawn; give each word at least one")
    heights = [len(stages) for stages in words.values()]
    size = (style.WIDTH, 0.38 * sum(heights) + 0.5 * len(words))
    fig, axes = style.subplots(len(words), 1, figsize=size, height_ratios=heights, squeeze=False)
    for ax, (name, stages) in zip(axes[:, 0], words.items(), strict=True):
        before, left = set(stages[0][1]), 0
        for row, (_, tokens) in enumerate(stages):
            left = 0
            for token in tokens:
                old = style.PALE if len(token) == 1 else style.tint("sky")
                fill, edge, thick = old, style.GREY, 1.0
                if token not in before:
                    fill, edge, thick = style.tint("orange"), style.COLOURS["black"], 2.0
                form = {"height": 0.72, "color": fill, "edgecolor": edge, "linewidth": thick}
                ax.barh(row, len(token) - 0.12, left=left + 0.06, **form)
                ax.text(left + len(token) / 2, row, token, ha="center", va="center")
                left += len(token)
            before = set(tokens)
        ax.set_yticks(range(len(stages)), labels=[stage for stage, _ in stages])
        ax.set(xticks=[], xlim=(-0.1, left + 0.1))
        ax.tick_params(length=0)
        ax.invert_yaxis()
        ax.spines[:].set_visible(False)
        ax.set_title(f"“{name}”", loc="left")
    return fig
