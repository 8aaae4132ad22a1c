"""Lines that are named where they end, instead of in a legend."""

import math
import textwrap
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from support.view import style

NAMED = "named"  # the mark of a line whose name waits for its place
SHORT = 16  # letters in a line of words
LITTLE = 30  # points between two ends, whose names stand right of both


def name_ends(ax: Axes) -> None:
    """The names of marked lines at their right ends, or where they leave the window, in their colours.

    `support.view.figure.fit` does it, when all limits are known.

    >>> fig, ax = style.subplots()
    >>> marked = [ax.plot([1, 2], [1, y], label=name, gid=NAMED) for name, y in (("one", 2), ("two", 1.9))]
    >>> name_ends(ax)
    >>> [text.get_text() for text in ax.texts]
    ['two', 'one']
    """
    points = 72 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    found: list[tuple[float, float, str, Any, Any]] = []
    for line in ax.get_lines():
        if line.get_gid() == NAMED:
            line.set_gid(None)
            data = np.column_stack([np.asarray(values, dtype=float) for values in line.get_data()])
            low, high = sorted(ax.get_ylim())
            x, y = data[np.flatnonzero((data[:, 1] >= low) & (data[:, 1] <= high))[-1]]
            place = points * ax.transData.transform((x, y))
            words = textwrap.fill(str(line.get_label()), SHORT, break_long_words=False)
            found.append((float(place[1]), float(place[0]), words, (x, y), line.get_color()))
    taken: list[tuple[float, float]] = []
    for up, across, words, end, colour in sorted(found, key=lambda one: one[0]):
        half = 0.6 * style.LETTERS * (words.count("\n") + 1)
        near = [top for left, top in taken if abs(left - across) < SHORT * style.LETTERS / 2]
        # Upwards, so that none stands on another, or on the axis.
        middle = max(up, points * ax.bbox.y0 + half, max(near, default=-math.inf) + half)
        taken.append((across, middle + half))
        codes = [code.lower() for code in style.COLOURS.values()]
        number = codes.index(str(colour).lower()) if str(colour).lower() in codes else 6
        form: Any = {"color": style.ink(number), "fontsize": style.LETTERS, "linespacing": 1.0}
        form |= {"va": "center", "textcoords": "offset points", "annotation_clip": False}
        beside = max(other for _, other, *_ in found if 0 <= other - across < LITTLE)  # right of both lines
        ax.annotate(words, end, (6 + beside - across, middle - up), **form)
