"""Lines that are named where they end, instead of in a legend."""

import math
import textwrap
from collections.abc import Iterable
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from support.view import style


def name_ends(ax: Axes, names: Iterable[str], width: int = 16) -> None:
    """The names of lines at their right ends, in their colours, broken into short lines.

    >>> fig, ax = style.subplots()
    >>> lines = [ax.plot([1, 2], [1, end], label=name) for name, end in (("one", 2), ("two", 1.9))]
    >>> name_ends(ax, ["one", "two"])
    >>> [text.get_text() for text in ax.texts]
    ['two', 'one']
    """
    ax.autoscale_view()
    high = ax.get_window_extent().height / ax.figure.dpi * 72  # points
    lines = {str(line.get_label()): line for line in ax.get_lines()}
    found = []
    for k, name in enumerate(names):
        x, y = (np.asarray(data, dtype=float) for data in lines[name].get_data())
        last = np.flatnonzero(np.isfinite(y))[-1]
        at = high * float(ax.transAxes.inverted().transform(ax.transData.transform((x[last], y[last])))[1])
        found.append((at, textwrap.fill(name, width, break_long_words=False), (x[last], y[last]), k))
    taken = -math.inf
    for at, words, end, k in sorted(found):  # upwards, so that none stands on another
        half = 0.6 * style.LETTERS * (words.count("\n") + 1)
        middle = max(at, taken + half)
        taken = middle + half
        form: Any = {"color": style.ink(k), "fontsize": style.LETTERS, "va": "center", "linespacing": 1.0}
        ax.annotate(words, end, (6, middle - at), textcoords="offset points", annotation_clip=False, **form)
