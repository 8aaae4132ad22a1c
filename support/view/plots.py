"""Data in, figure out: the plots that several chapters draw. Put them on the page with `show`."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from torch import Tensor

from support.core import InputError
from support.view import style
from support.view.ends import name_lines
from support.view.figure import legend_above
from support.view.tables import cell_text


def numbers(values: Any) -> np.ndarray:
    """Tensors (on any device), arrays and lists as float64 NumPy.

    >>> numbers([1, 2]).dtype
    dtype('float64')
    """
    return np.asarray(values.detach().cpu() if isinstance(values, Tensor) else values, dtype=np.float64)


def plot_lines(
    x: Any,
    lines: Mapping[str, Any],
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    log: str = "",
    marks: bool | None = None,
    level: Mapping[str, Any] | None = None,
    size: tuple[float | int, float | int] = (style.WIDTH, 3.4),
    direct: bool = False,
    accent: Collection[str] = (),
) -> Figure:
    """Lines over one axis, told apart by colour, dash and marker (by name, if `style.LINE_STYLES` has it).

    Args:
        x: where the values stand; or a mapping with its own positions for each line.
        lines: the values of each line, by name.
        xlabel: what runs to the right, with its unit.
        ylabel: what goes up, with its unit.
        title: a heading.
        log: ``"x"``, ``"y"`` or ``"xy"`` for logarithmic axes.
        marks: draw a marker at each value; by default where there are at most 30.
        level: named horizontal lines to compare with, such as a floor or a baseline.
        size: width and height in inches.
        direct: write the name of each line, and of each level, at its right end instead of in a legend.
        accent: the lines that matter; the others are grey.

    Raises:
        InputError: a line has not as many values as there are positions.

    >>> fig = plot_lines([1, 2, 3], {"loss": [3.0, 2.0, 1.5]}, level={"floor": 1.2})
    >>> len(fig.axes[0].get_lines())
    2
    """
    fig, ax = style.subplots(figsize=size)
    for i, (name, values) in enumerate(lines.items()):
        y, at = numbers(values), numbers(x[name] if isinstance(x, Mapping) else x)
        if len(y) != len(at):
            raise InputError(f"line {name!r} has {len(y)} values for {len(at)} positions; make them equal")
        drawn = style.line_style(name, i)
        if not (len(y) <= 30 if marks is None else marks):
            drawn["marker"] = ""
        if accent and name not in accent:
            drawn |= {"color": style.QUIET, "linewidth": 1.5, "zorder": 1.8}
        ax.plot(at, y, label=name, **drawn)
    draw_levels(ax, level or {})
    if "x" in log:
        ax.set_xscale("log")
    if "y" in log:
        ax.set_yscale("log")
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    names = [*lines, *(level or {})]
    if direct:
        name_lines(ax)
    elif len(names) > 1:
        legend_above(fig, names)
    return fig


def plot_points(
    x: Any,
    y: Any,
    labels: Sequence[str] | None = None,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    diagonal: bool = False,
    size: tuple[float | int, float | int] = (style.WIDTH, 3.8),
) -> Figure:
    """One thing against another, point by point.

    Args:
        x: a value per point.
        y: a value per point.
        labels: a name per point, placed so that they do not overlap.
        xlabel: what runs to the right.
        ylabel: what goes up.
        title: a heading.
        diagonal: draw the line on which the two are equal, with the same scale in both directions.
        size: width and height in inches.

    Raises:
        InputError: the two have not the same length.

    >>> len(plot_points([0, 1], [0, 2], labels=["a", "b"]).axes[0].texts)
    2
    """
    from support.view.maps import place_labels

    across, up = numbers(x), numbers(y)
    if across.shape != up.shape or (labels is not None and len(labels) != len(up)):
        raise InputError(
            f"{across.size} and {up.size} values do not make points; give equally many, and labels"
        )
    fig, ax = style.subplots(figsize=size)
    ax.scatter(across, up, s=32, color=style.colour(0), zorder=2)
    if diagonal:
        ends = [min(across.min(), up.min()), max(across.max(), up.max())]
        ax.plot(ends, ends, ":", color=style.GREY, zorder=1)
        ax.set_aspect("equal")
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    if labels is not None:
        place_labels(ax, np.column_stack([across, up]), labels)
    return fig


def plot_bars(
    values: Any,
    labels: Sequence[Any],
    errors: Any = None,
    xlabel: str = "",
    ylabel: str = "",
    title: str = "",
    digits: int | None = None,
    level: Mapping[str, Any] | None = None,
    size: tuple[float | int, float | int] | None = None,
    stacked: bool = False,
    accent: Collection[Any] = (),
    colours: Mapping[str, str] = {},
) -> Figure:
    """Horizontal bars, with room for long names; several values a label make groups, or parts of one bar.

    The names of groups and parts stand above the bars, in the order of the bars. One level without a heading
    over it has its name over its line.

    Args:
        values: one number per label, or a mapping from the name of each group of bars to its numbers.
        labels: what each bar stands for, from the top.
        errors: half the length of an error bar for each value (in the form of `values`).
        xlabel: what the length means, with its unit.
        ylabel: what the labels are.
        title: a heading.
        digits: write each value beside its bar with so many digits.
        level: named lines to compare with.
        size: width and height in inches; by default as high as the bars need.
        stacked: put the values of a label one behind the other, as parts of a sum; `digits` then writes the
            sum beside it. None of them may be negative.
        accent: the names of the groups, or the labels, that matter; all other bars are grey.
        colours: those of groups, by name; the others take those of the style, in order.

    Raises:
        InputError: there are not as many values as labels, or a part of a sum is negative.

    >>> len(plot_bars([0.7, 0.3], ["cat", "law"], digits=1).axes[0].patches)
    2
    """
    groups = values if isinstance(values, Mapping) else {"": values}
    halves = errors if isinstance(errors, Mapping) else {"": errors}
    if any(len(numbers(v)) != len(labels) for v in groups.values()):
        raise InputError(f"give one value for each of the {len(labels)} labels")
    if stacked and any(numbers(v).min() < 0 for v in groups.values()):
        raise InputError("parts of a sum cannot be negative; draw groups of bars instead")
    rows = 1 if stacked else len(groups)  # bars for each label
    thick, ends = 0.8 / rows, np.zeros(len(labels))
    fig, ax = style.subplots(figsize=size or (style.WIDTH, 1.2 + len(labels) * max(0.3, 0.24 * rows)))
    for i, (name, group) in enumerate(groups.items()):
        length, half = numbers(group), halves.get(name)
        at = np.arange(len(labels)) - 0.4 + thick * (i % rows + 0.5)
        error = None if half is None else numbers(half)
        hues = [
            colours.get(name, style.colour(i)) if not accent or {name, label} & {*accent} else style.QUIET
            for label in labels
        ]
        form = {"xerr": error, "color": hues, "label": name, "capsize": 3}
        bars = ax.barh(at, length, thick * 0.92, left=ends if stacked else 0, **form)
        ends = ends + length if stacked else length
        texts = [""] * len(labels)
        if digits is not None and (not stacked or name == [*groups][-1]):
            texts = [cell_text(value, digits) for value in ends.tolist()]
        if any(texts):
            written = ax.bar_label(bars, texts, padding=3, fontsize=style.LETTERS)
            for text in written if level else []:  # readable where a level crosses it
                text.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1})
    named = len(level or {}) == 1 and not title
    for i, (name, value) in enumerate((level or {}).items()):
        ax.axvline(value, color="#222222", linestyle=style.LINES[1 + i % 3], linewidth=1.5, label=name)
        if named:
            over: Any = {"xycoords": ("data", "axes fraction"), "textcoords": "offset points", "ha": "center"}
            ax.annotate(name, (value, 1), (0, 3), fontsize=style.LETTERS, annotation_clip=False, **over)
    if digits is not None:
        low = min(float(numbers(group).min()) for group in groups.values())
        ax.margins(x=0.12 if low >= 0 else 0.28)  # room for the numbers, on both sides if need be
    ax.set_yticks(range(len(labels)), labels=[str(label) for label in labels])
    ax.invert_yaxis()
    ax.set(xlabel=xlabel, ylabel=ylabel, title=title)
    names = [*(groups if len(groups) > 1 else []), *((level or {}) if not named else [])]
    if names:
        legend_above(fig, names)
    return fig


def draw_levels(ax: Axes, level: Mapping[str, Any]) -> None:
    """Named values to compare with, as lines across the plot."""
    for i, (name, value) in enumerate(level.items()):
        dash = style.LINES[1 + i % 3]
        ax.axhline(value, color="#222222", linestyle=dash, linewidth=1.5, label=name, zorder=1)
