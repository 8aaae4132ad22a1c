"""A step as a still picture: all matrices, those made so far filled, the newest outlined."""

import re
from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from support.view import style
from support.view.live.controls import Values
from support.view.live.stepper.matrix import Matrix
from support.view.live.stepper.story import Story

SIGNED = LinearSegmentedColormap.from_list("signed", ["#8db6d0", "#ffffff", "#f6c579"])
LETTER = 0.068  # inches that a letter needs
LINE = 0.19  # inches from row to row
GAP = 0.16
BOX = 0.07  # inches that the box of a token is wider than its letters
BOXES = {"letter": style.PALE, "token": style.tint("sky"), "new": style.tint("orange")}


def _boxes(tokens: str) -> list[tuple[str, float, float]]:
    """Each token of a text with the left edge of its box and the width, in inches."""
    boxes, left = [], 0.02
    for token in tokens.split(" "):
        boxes.append((token, left, len(token) * LETTER + BOX))
        left += boxes[-1][2] + 0.02
    return boxes


def _sizes(matrix: Matrix) -> tuple[float, float, float, float]:
    """Widths of the row names and of a cell; width and height of the whole, in inches."""
    names = max(map(len, matrix.rows), default=0) * LETTER + (0.08 if matrix.rows else 0)
    longest = max([len(c.text) for c in matrix.cells.values()] + [len(name) for name in matrix.columns] + [3])
    cell = longest * LETTER + 0.08
    if matrix.tokens:
        ends = [_boxes(str(cell.value))[-1] for cell in matrix.cells.values()]
        cell = max(left + width for _, left, width in ends) + 0.03
    wide = max(names + matrix.shape[1] * cell, len(matrix.title) * LETTER * 1.12)
    return names, cell, wide, LINE * (matrix.shape[0] + 1.15 + bool(matrix.columns))


def _places(story: Story) -> tuple[dict[str, tuple[float, float]], float]:
    """Where each matrix stands, in inches from the upper left corner, and how high they are together."""
    places, x, y, high = {}, 0.0, 0.0, 0.0
    for name, matrix in story.matrices.items():
        *_, wide, tall = _sizes(matrix)
        if x and x + wide > 1.4 * style.WIDE:
            x, y, high = 0.0, y + high + GAP, 0.0
        places[name] = (x, y)
        x, high = x + wide + 2 * GAP, max(high, tall)
    return places, y + high


def _draw_tokens(ax: Axes, left: float, upper: float, tokens: str, newest: str) -> None:
    for token, start, width in _boxes(tokens):
        kind = "new" if token == newest else "token" if len(token) > 1 else "letter"
        face: dict[str, Any] = {"facecolor": BOXES[kind], "edgecolor": style.GREY, "linewidth": 0.5}
        ax.add_artist(Rectangle((left + start, upper + 0.03), width, LINE - 0.06, **face, zorder=3.5))
        middle = (left + start + width / 2, upper + LINE / 2)
        ax.text(*middle, token, fontsize=7.5, ha="center", va="center", zorder=4)


def draw_story(values: Values, found: Values, story: Story) -> Figure:
    """The canvas after a step; of a chosen cell the sources are outlined, too."""
    places, high = _places(story)
    wide, now = 1.4 * style.WIDE, found["place"]
    fig, ax = style.subplots(wide=True, figsize=(wide, high + 0.1), layout="none")
    ax.set_position((0, 0, 1, 1))
    ax.set(xlim=(-0.05, wide), ylim=(high + 0.05, -0.05))
    ax.set_axis_off()
    chosen = values["cell"]
    sources = () if chosen == "none" else story.find(chosen).sources
    for name, matrix in story.matrices.items():
        x, y = places[name]
        names, cell_wide, *_ = _sizes(matrix)
        role = style.ROLES[matrix.role][0]
        begun = any(cell.step <= now for cell in matrix.cells.values())
        ax.text(
            x,
            y,
            re.sub(r"([_^])(\w)", r"$\1\2$", matrix.title),
            fontsize=9,
            va="top",
            color=role,
            alpha=1 if begun else 0.45,
            weight="bold",
        )
        top = y + LINE * (1.1 + bool(matrix.columns))
        small = {"fontsize": 7.5, "color": style.GREY, "va": "center"}
        for c, word in enumerate(matrix.columns):
            ax.text(x + names + (c + 0.5) * cell_wide, top - 0.5 * LINE, word, ha="center", **small)
        for r, word in enumerate(matrix.rows):
            ax.text(x + names - 0.05, top + (r + 0.5) * LINE, word, ha="right", **small)
        for (r, c), cell in matrix.cells.items():
            left, upper = x + names + c * cell_wide, top + r * LINE
            made = cell.step <= now and (cell.gone is None or now < cell.gone)
            shade = SIGNED(0.5 + matrix.shade(cell) / 200) if made else "white"
            key = matrix.key(r, c)
            edge, thick, above = "#d5dbe1", 0.5, 1
            if cell.step == now and (cell.sum or not matrix.tokens):
                edge, thick, above = role, 1.2, 2
            if key in sources or key == chosen:
                edge, thick, above = "#222222", 1.6 if key in sources else 3, 3
            ax.add_artist(  # the limits stand: add_patch would seek them anew
                Rectangle(
                    (left + 0.01, upper + 0.01),
                    cell_wide - 0.02,
                    LINE - 0.02,
                    facecolor=shade,
                    edgecolor=edge,
                    linewidth=thick,
                    linestyle="--" if key in sources else "-",
                    zorder=above,
                )
            )
            if made and matrix.tokens:
                _draw_tokens(ax, left, upper, cell.text, newest="".join(matrix.pair))
            elif made:
                ax.text(
                    left + cell_wide / 2,
                    upper + LINE / 2,
                    cell.text,
                    fontsize=7.5,
                    ha="center",
                    va="center",
                    zorder=4,
                )
    return fig
