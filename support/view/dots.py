"""Things compared by several measures: their names once, and beside them a panel of dots for each measure."""

import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support.core import InputError
from support.view import style
from support.view.figure import legend_above
from support.view.plots import numbers

ROW = 0.22  # inches of a name
LETTER = 0.56  # of the size of letters: how wide one is


def plot_dots(
    measures: Mapping[str, Sequence[Any]],
    labels: Sequence[Any],
    groups: Sequence[str] | None = None,
    limits: Mapping[str, tuple[float | int, float | int]] | None = None,
    title: str = "",
    size: tuple[float | int, float | int] | None = None,
) -> Figure:
    """A row for each thing, with its name, and a dot in the panel of each measure; a phone shows all of it.

    Args:
        measures: for each measure a number for each label, or several, each of which is a dot.
        labels: what each row stands for, from the top.
        groups: the kind of each label, shown by colour and marker.
        limits: the ends of a measure's axis; by default from zero to a little more than the largest.
        title: a heading.
        size: width and height in inches; by default as high as the names need.

    Raises:
        InputError: there are not as many values, or groups, as labels.

    >>> fig = plot_dots({"heads": [12, 96], "layers": [[12, 24], 96]}, ["small", "large"])
    >>> [text.get_text() for text in fig.axes[0].get_yticklabels()], [ax.get_xlabel() for ax in fig.axes]
    (['small', 'large'], ['heads', 'layers'])
    """
    if not measures or any(len(values) != len(labels) for values in measures.values()):
        raise InputError(f"give a value for each of the {len(labels)} labels, in one measure at least")
    if groups is not None and len(groups) != len(labels):
        raise InputError(f"{len(groups)} groups do not fit {len(labels)} labels; give one for each")
    kinds = list(dict.fromkeys(groups or [""]))
    many = len(measures)
    high = 0.9 + ROW * len(labels) + 0.3 * (len(kinds) > 1)
    fig, axes = style.subplots(
        1, many, row=True, figsize=size or (style.WIDTH, high), sharey=True, squeeze=False
    )
    longest = max(len(str(label)) for label in labels) * LETTER * style.LETTERS
    left = 72 * style.WIDTH - min(longest, style.NAMES * 72 * style.WIDTH)
    letters = int(left / many / (LETTER * style.LETTERS))
    for ax, (name, values) in zip(axes[0], measures.items(), strict=True):
        for k, kind in enumerate(kinds):
            rows = [i for i in range(len(labels)) if groups is None or groups[i] == kind]
            found = [np.atleast_1d(numbers(values[i])) for i in rows]
            at = np.repeat(rows, [len(row) for row in found])
            form: dict[str, Any] = {"color": style.colour(k), "marker": style.marker(k)}
            ax.plot(np.concatenate(found), at, linestyle="none", label=kind, zorder=3, **form)
        ax.set_xlabel(textwrap.fill(name, max(letters, max(map(len, name.split()))), break_on_hyphens=False))
        ax.set_xlim(*(limits or {}).get(name, _ends(values)))
        ax.grid(axis="y", color="#dddddd", linewidth=0.8)
        ax.tick_params(axis="y", length=0)
    axes[0, 0].set_yticks(range(len(labels)), labels=[str(label) for label in labels])
    axes[0, 0].set_ylim(len(labels) - 0.4, -0.6)
    if title:
        fig.suptitle(title)
    if len(kinds) > 1:
        legend_above(fig, kinds, axes[0, 0].get_lines())
    return fig


def _ends(values: Sequence[Any]) -> tuple[float, float]:
    """From zero, or a little less than the smallest if that is below it, to a little beyond the largest."""
    every = np.concatenate([np.atleast_1d(numbers(value)) for value in values])
    low, high = min(0.0, float(every.min())), max(0.0, float(every.max()))
    room = 0.08 * (high - low or 1.0)
    return low - room, high + room
