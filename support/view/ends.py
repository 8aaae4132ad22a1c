"""Lines that are named where they end, instead of in a legend."""

import textwrap
from collections.abc import Collection
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

from support.view import style

NAMED = "named"  # the mark of a line whose name waits for its place
SHORT = 16  # letters in a line of words
SPACED = 1.15  # of the height of letters: from line to line
LITTLE = 30  # points between two ends, whose names stand right of both
FAR = 0.55  # of the size of letters: a name that is further from its end is tied to it


def name_lines(ax: Axes, names: Collection[str] | None = None) -> None:
    """Have lines named where they end, in their colours, instead of in a legend.

    Args:
        ax: the axes, drawn and labelled.
        names: the labels of the lines; by default of all that have one.

    >>> fig, ax = style.subplots()
    >>> line = ax.plot([1, 2], [1, 2], label="loss"); legend = ax.legend()
    >>> name_lines(ax); ax.get_legend() is None
    True
    """
    for line in ax.get_lines():
        name = str(line.get_label())
        if name in names if names is not None else not name.startswith("_"):
            line.set_gid(NAMED)
    if (legend := ax.get_legend()) is not None:
        legend.remove()


def name_ends(ax: Axes) -> None:
    """The names of marked lines at their right ends, or where they leave the window, in their colours.

    Names that would stand on one another move apart, each as little as it can; one that has moved is tied to
    its end by a thin line. `support.view.figure.fit` does it, when all limits are known.

    >>> fig, ax = style.subplots()
    >>> marked = [ax.plot([1, 2], [1, y], label=name, gid=NAMED) for name, y in (("one", 2), ("two", 1.9))]
    >>> name_ends(ax)
    >>> [text.get_text() for text in ax.texts]
    ['two', 'one']
    """
    ax.get_xlim()  # brings limits up to date that autoscaling has left for later
    points = 72 / ax.get_figure(root=True).dpi  # type: ignore[union-attr]
    low, high = points * ax.bbox.y0, points * ax.bbox.y1
    found: list[tuple[float, float, str, Any, Any]] = []
    for line in ax.get_lines():
        if line.get_gid() == NAMED:
            line.set_gid(None)
            data = np.column_stack([np.asarray(values, dtype=float) for values in line.get_data()])
            places = points * line.get_transform().transform(data)
            seen = (places[:, 1] >= low - 0.5) & (places[:, 1] <= high + 0.5)
            visible = np.flatnonzero(seen)
            last = visible[places[visible, 0] == places[visible, 0].max()][-1]
            place = places[last]
            apart = line.get_transform() != ax.transData  # a level, from edge to edge
            end = ax.transData.inverted().transform(place / points) if apart else data[last]
            words = in_lines(str(line.get_label()), SHORT)
            found.append((float(place[0]), float(place[1]), words, tuple(end), to_hex(line.get_color())))
    found.sort(key=lambda one: one[0])
    columns: list[list[tuple[float, float, str, Any, Any]]] = []
    for one in found:
        if columns and one[0] - columns[-1][-1][0] < SHORT * style.LETTERS / 2:
            columns[-1].append(one)
        else:
            columns.append([one])
    for column in columns:
        column.sort(key=lambda one: one[1])
        highs = np.array(
            [SPACED * 1.2 * style.LETTERS * (words.count("\n") + 1) for _, _, words, *_ in column]
        )
        middles = _apart([up for _, up, *_ in column], highs, low, high)
        moves = [
            abs(middle - one[1]) > FAR * style.LETTERS for one, middle in zip(column, middles, strict=True)
        ]
        for (across, up, words, end, colour), middle, moved in zip(column, middles, moves, strict=True):
            form: Any = {"color": line_ink(colour), "fontsize": style.LETTERS, "linespacing": SPACED}
            form |= {"va": "center", "textcoords": "offset points", "annotation_clip": False}
            if moved:
                form["arrowprops"] = {"arrowstyle": "-", "color": colour, "linewidth": 0.8}
                form["arrowprops"] |= {"shrinkA": 1, "shrinkB": 3, "relpos": (0, 0.5)}
            beside = max(other for other, *_ in found if 0 <= other - across < LITTLE)  # right of both lines
            away = (6 + 8 * any(moves) + beside - across, middle - up)
            ax.annotate(words, end, away, **form)


def line_ink(colour: str) -> str:
    """The colour of a line's name: that of the line, as dark as letters on white need to be.

    >>> line_ink("#0072b2"), line_ink("#33638d"), line_ink("#1e9c89")
    ('#005A8D', '#33638d', '#198373')
    """
    codes = [code.lower() for code in style.COLOURS.values()]
    if colour in codes:
        return style.ink(codes.index(colour))
    return colour if style.readable_on(to_rgb(colour)) == "white" else style.dark_enough(to_rgb(colour))


def in_lines(words: str, broad: int) -> str:
    """Words in as few lines as they need, of about the same length.

    >>> in_lines("the loss falls fastest in the beginning", 22)
    'the loss falls fastest\\nin the beginning'
    >>> in_lines("post-norm, scaled init", SHORT), in_lines("post-norm", SHORT)
    ('post-norm,\\nscaled init', 'post-norm')
    """
    fewest = len(textwrap.wrap(words, broad, break_long_words=False, break_on_hyphens=False))
    for width in range(-(-len(words) // max(1, fewest)), broad + 1):
        lines = textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False)
        if len(lines) <= fewest:
            return "\n".join(lines)
    return textwrap.fill(words, broad, break_long_words=False, break_on_hyphens=False)


def _apart(ups: list[float], highs: np.ndarray, low: float, high: float) -> list[float]:
    """Middles for names of these heights, each as near to where it belongs as the others allow.

    >>> _apart([10.0, 10.0, 90.0], np.array([20.0, 20.0, 20.0]), 0.0, 100.0)
    [10.0, 30.0, 90.0]
    """
    from scipy.optimize import isotonic_regression  # a second that only those need who draw such names

    steps = np.concatenate([[0.0], np.cumsum((highs[:-1] + highs[1:]) / 2)])
    levels = isotonic_regression(np.asarray(ups) - steps).x  # of neighbours that touch, the mean
    least = low + highs[0] / 2
    most = max(least, high + highs[-1] / 4 - steps[-1])
    return [float(x) for x in levels.clip(least, most) + steps]
