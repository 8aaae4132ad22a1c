"""Plots of matrices: each number a square whose shade says how large it is."""

from collections.abc import Sequence
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from support.core import InputError
from support.view import style
from support.view.plots import numbers
from support.view.tables import cell_text

# Inches: of a letter of a name; the side of a cell at most, and from which on it has room for a number with
# two digits or with one; and below which names of the columns are turned.
LETTER, WIDEST, TWO_DIGITS, ONE_DIGIT, TURNED = 0.095, 0.62, 0.44, 0.32, 0.45
FEW = 5  # columns whose names are never turned


def plot_heatmap(
    M: Any,
    rows: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    digits: int | None = None,
    centre: bool | None = None,
    size: tuple[float | int, float | int] | None = None,
) -> Figure:
    """A matrix as shades: blue for amounts from zero, red and blue for amounts on both sides of it.

    Args:
        M: a matrix.
        rows: the names of the rows.
        columns: the names of the columns.
        xlabel: what the columns are.
        ylabel: what the rows are.
        title: a heading.
        digits: write each number into its square; by default two where there are at most
            100 squares, else none (−1 for none in any case).
        centre: put white at zero; by default if there are negative numbers.
        size: width and height in inches.

    Raises:
        InputError: `M` is not a matrix, or the names do not fit.

    >>> len(plot_heatmap([[1, 0], [0.5, 0.5]], digits=1).axes[0].texts)
    4
    """
    values = numbers(M)
    if values.ndim != 2 or not values.size:
        raise InputError(f"a heatmap needs a matrix; this has the shape {values.shape}")
    height = float(np.clip(1.3 + 0.42 * len(values), 2.4, 7.5))
    fig, ax = style.subplots(figsize=size or (style.WIDTH, height))
    written = (digits is None and values.size <= 100) or (digits or 0) > 0
    if written:  # each number needs its room
        most = max([len(line) for name in rows or () for line in str(name).splitlines()], default=0)
        fig.set_size_inches(max(style.WIDTH, 0.3 + 0.1 * most + 0.52 * values.shape[1]), fig.get_figheight())
    image = shade(ax, values, rows, columns, digits, centre)
    if not written:  # else the numbers say it
        fig.colorbar(image, ax=ax, shrink=0.9, pad=0.02)
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    return fig


def plot_attention(
    weights: Any,
    words: Sequence[str],
    titles: Sequence[str] | None = None,
    keys: Sequence[str] | None = None,
    columns: int = 2,
    size: tuple[float | int, float | int] | None = None,
) -> Figure:
    """Attention weights: a row for each query position, a column for each key position, in square cells.

    Cells that are large enough hold their numbers, but for those that are rounded to zero.

    Args:
        weights: ``[query, key]``, or ``[head, query, key]`` for several heads.
        words: the words at the query positions (and at the key positions).
        titles: a name for each head.
        keys: the words at the key positions, if they are others.
        columns: how many heads stand side by side.
        size: width and height in inches.

    Raises:
        InputError: the shape is another, or the words do not fit it.

    >>> len(plot_attention(np.tril(np.ones((4, 3, 3))), ["a", "b", "c"]).axes)
    4
    """
    maps = numbers(weights)
    maps = maps[None] if maps.ndim == 2 else maps
    if maps.ndim != 3:
        raise InputError(f"attention has the shape [head, query, key]; this has {maps.shape}")
    wide = min(columns, len(maps))
    high = -(-len(maps) // wide)
    queries, places = maps.shape[1:]
    across = (size[0] if size else style.WIDE if wide > 1 else style.WIDTH) / wide
    cell = (across - 0.5 - LETTER * max(len(str(word)) for word in words)) / places  # inches
    cell = min(cell, WIDEST if wide > 1 else 1.0)
    beneath = 0.8 if cell < TURNED else 0.55 + 0.25 * (wide == 1)
    least = (across * wide, high * (queries * cell + beneath))
    fig, axes = style.subplots(high, wide, figsize=size or least, squeeze=False)
    digits = 2 if cell >= TWO_DIGITS else 1 if cell >= ONE_DIGIT else -1
    for i, ax in enumerate(axes.flat):
        if i >= len(maps):
            ax.remove()
            continue
        shade(ax, maps[i], words, keys or words, digits=digits, top=1.0, zeros=False)
        ax.set_aspect("equal")
        ax.set_title(titles[i] if titles else f"head {i}" if len(maps) > 1 else "")
    axes[0, 0].set_ylabel("query position")
    axes[0, 0].set_xlabel("key position")
    return fig


def shade(
    ax: Axes,
    values: np.ndarray,
    rows: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    digits: int | None = None,
    centre: bool | None = None,
    top: float | None = None,
    zeros: bool = True,
) -> Any:
    """Draw a matrix into given axes, with names and, if wanted, numbers; `plot_heatmap` explains the rest.

    An entry that is NaN stays empty; without ``zeros``, a number that is rounded to zero is not written.

    >>> ax = style.subplots()[1]
    >>> shade(ax, np.eye(2), ["a", "b"]).get_array().shape
    (2, 2)
    """
    for names, length, what in ((rows, values.shape[0], "rows"), (columns, values.shape[1], "columns")):
        if names is not None and len(names) != length:
            raise InputError(f"{len(names)} names do not fit {length} {what}; give one for each")
    finite = values[np.isfinite(values)]
    centre = bool((finite < 0).any()) if centre is None else centre
    high = float(np.abs(finite).max(initial=0)) if top is None else top
    low, cmap = (-high, style.BOTH) if centre else (min(0.0, float(finite.min(initial=0))), style.UP)
    image = ax.imshow(values, cmap=cmap, vmin=low, vmax=high or 1.0, aspect="auto")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    if rows is not None:
        ax.set_yticks(range(len(rows)), labels=[str(r) for r in rows])
    if columns is not None:
        wide = sum(max(map(len, str(c).split("\n"))) for c in columns)
        long = len(columns) > 12 or (len(columns) > FEW and wide > 40)
        ax.set_xticks(range(len(columns)), labels=[str(c) for c in columns], rotation=90 if long else 0)
    if digits is None:
        digits = 2 if values.size <= 100 else -1
    if digits >= 0:
        colours = np.asarray(matplotlib.colormaps[cmap](image.norm(values)))
        for (i, j), value in np.ndenumerate(values):
            if np.isnan(value) or (not zeros and abs(value) < 0.5 * 10.0**-digits):
                continue
            ink = style.readable_on(colours[i, j])
            ax.text(
                j,
                i,
                cell_text(float(value), digits),
                ha="center",
                va="center",
                color=ink,
                fontsize=style.LETTERS,
            )
    return image
