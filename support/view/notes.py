"""What a plot shows, written into it: a few words beside the point they speak of."""

from collections.abc import Mapping
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.text import Annotation, Text

from support.core import InputError
from support.view import style
from support.view.ends import in_lines, line_ink
from support.view.image_files import no_word_of_collapse

WAITING = "note"  # the mark of a note that waits for its place
BROAD = 22  # letters in a line
ANGLES = np.linspace(0, 2 * np.pi, 24, endpoint=False)
REACHES = (6, 11, 18, 26, 36, 48, 62, 80, 100, 125)  # points from what is meant to the near edge of the words
TIED = 10  # points: words that are further away are tied to what they mean
RAGGED = 12  # points: on a page, whose face differs, lines that end at one place do not quite
OUT = 400  # how much worse a point outside of the frame is than one of distance
ABOVE = 14  # points of room over the frame
FAINT = 0.12  # of black: a ground on which words stand as well
EDGE = 4  # points around words that stay free


def note(
    where: Figure | Axes,
    words: str,
    at: Any,
    away: tuple[float | int, float | int] | None = None,
    colour: str = "",
    broad: int = BROAD,
    tie: bool | None = None,
) -> None:
    """Write a finding into a plot, beside the point that it speaks of, where it covers nothing.

    Its place is found by `support.view.figure.fit`, when all is drawn and all limits are known, or it is
    chosen; words that stand away from their point are tied to it by a thin line.

    Args:
        where: the axes, or a figure, of which the first axes are meant.
        words: a few words; they are broken into lines.
        at: the point, in the numbers of the axes.
        away: how far to the right and up of the point the words stand, in points, in lines as they are given.
        colour: that of what they speak of, darkened where letters need it; by default the ink of all letters.
        broad: how many letters a line may have.
        tie: whether a line ties words to their point whose place was chosen.

    >>> fig, ax = style.subplots()
    >>> note(ax, "lowest here", (0.5, 0.2)); ax.texts[0].get_text()
    'lowest here'
    >>> note(ax, "lowest here", (0.5, 0.2), away=(-10, 20)); ax.texts[1].get_ha()
    'right'
    """
    ax = where.axes[0] if isinstance(where, Figure) else where
    ink = line_ink(str(to_hex(colour))) if colour else style.COLOURS["black"]
    form: Any = {"color": ink, "fontsize": style.LETTERS, "linespacing": 1.15, "zorder": 5}
    form["arrowprops"] = {"arrowstyle": "-", "color": ink, "linewidth": 0.9, "shrinkA": 2, "shrinkB": 4}
    if away is not None:
        return _fixed(ax, words, at, away, form, tie)
    x, y = (float(value) for value in at)
    lines = in_lines(words, broad)
    text = ax.annotate(lines, (x, y), (0, 0), textcoords="offset points", va="center", **form)
    text.set_gid(WAITING)
    text.set_in_layout(False)


def _fixed(ax: Axes, words: str, at: Any, away: Any, form: dict[str, Any], tie: bool | None) -> None:
    """Words at a place that was chosen: they begin, end or have their middle there, whichever is nearer."""
    across, up = away
    side = "left" if across > 0 else "right" if across < 0 else "center"
    end = "center" if abs(up) <= abs(across) / 2 else "bottom" if up > 0 else "top"
    if tie is False or (tie is None and np.hypot(across, up) <= TIED + 2):
        del form["arrowprops"]
    else:
        shares = {"left": 0.0, "bottom": 0.0, "right": 1.0, "top": 1.0, "center": 0.5}
        form["arrowprops"] |= {"linewidth": 0.8, "relpos": (shares[side], shares[end])}
    form |= {"ha": side, "va": end, "annotation_clip": False}
    ax.annotate(words, at, away, textcoords="offset points", **form)


def name_at(where: Figure | Axes, places: Mapping[str, Any]) -> None:
    """Name lines beside a point of their own, in their colours, instead of in a legend: where they part best.

    Args:
        where: the axes, or a figure, of which the first axes are meant.
        places: the label of a line → where along the horizontal axis its name stands.

    Raises:
        InputError: no line has one of the labels.

    >>> fig, ax = style.subplots(); line = ax.plot([0, 1, 2], [5, 6, 8], label="loss")
    >>> name_at(ax, {"loss": 1}); ax.texts[0].xy
    (1.0, 6.0)
    """
    ax = where.axes[0] if isinstance(where, Figure) else where
    lines = {str(line.get_label()): line for line in ax.get_lines()}
    if unknown := [name for name in places if name not in lines]:
        raise InputError(f"no line is called {unknown[0]!r}; there are {', '.join(map(repr, lines))}")
    for name, across in places.items():
        x, y = (np.asarray(values, dtype=float) for values in lines[name].get_data())
        nearest = int(np.abs(x - float(across)).argmin())
        level = lines[name].get_transform() != ax.transData  # from edge to edge
        note(
            ax,
            name,
            (across if level else x[nearest], y[nearest]),
            colour=line_ink(str(to_hex(lines[name].get_color()))),
        )
    for legend in [*ax.get_figure(root=True).legends, ax.get_legend()]:  # type: ignore[union-attr]
        if legend is not None:
            legend.remove()


def place_notes(fig: Figure) -> None:
    """Give waiting notes the nearest places where they cover nothing; what is drawn is seen as pixels.

    >>> fig, ax = style.subplots(); line = ax.plot([0, 1], [0, 1])
    >>> note(ax, "half-way", (0.5, 0.5)); place_notes(fig)
    >>> ax.texts[0].get_gid() is None, ax.texts[0].xyann != (0, 0)
    (True, True)
    """
    waiting = [text for ax in fig.axes for text in ax.texts if text.get_gid() == WAITING]
    if not waiting:
        return
    for text in waiting:
        text.set_visible(False)
    with no_word_of_collapse():
        canvas = FigureCanvasAgg(fig)
        canvas.draw()
    drawn = 1 - np.asarray(canvas.buffer_rgba())[::-1, :, :3].min(-1) / 255  # from the foot of the figure
    drawn[drawn < FAINT] = 0
    for text in waiting:
        text.set_visible(True)
        _place(text, drawn, fig.dpi / 72)  # type: ignore[arg-type]
        text.set_gid(None)


def _place(text: Annotation, drawn: np.ndarray, pixel: float) -> None:
    """The best place of one note; it is then drawn for those that follow."""
    assert isinstance(text.axes, Axes)
    total = np.pad(drawn, ((1, 0), (1, 0))).cumsum(0).cumsum(1)
    box, frame = Text.get_window_extent(text), text.axes.get_window_extent()  # of the words alone
    low_end = np.array([frame.x0, frame.y0])  # above the frame there may be room as well
    above = 0 if text.axes.get_title() else ABOVE * pixel
    high_end = np.array([frame.x1, min(frame.y1 + above, drawn.shape[0] - 1)])
    half = np.array([box.width, box.height]) / 2
    dot = text.axes.transData.transform(text.xy)
    best: tuple[float, np.ndarray, float] | None = None
    for reach in REACHES:
        for way in np.column_stack([np.cos(ANGLES), np.sin(ANGLES)]):
            centre = dot + way * reach * pixel + np.sign(way.round(6)) * half * np.minimum(1, abs(way) * 1.5)
            low, high = centre - half, centre + half
            outside = np.clip([*(low_end - low), *(high - high_end)], 0, None)
            (a, b), (c, d) = (
                np.clip(np.rint(corner), 0, drawn.shape[::-1]).astype(int)
                for corner in (low - EDGE * pixel, high + EDGE * pixel)
            )
            covered = total[d, c] - total[b, c] - total[d, a] + total[b, a]
            away = float(np.hypot(*(np.clip(dot, low, high) - dot))) / pixel
            tie = _pixels(dot, centre + half * _side(dot, centre, half), drawn)
            crossed = float(drawn[tie].sum()) if away > TIED else 0.0
            ragged = RAGGED if high[0] < dot[0] and "\n" in text.get_text() else 0
            cost = away + ragged + 3 * covered + 12 * crossed + OUT * outside.sum() / pixel
            if best is None or cost < best[0]:
                best = cost, centre, away
    assert best is not None
    _, centre, away = best
    side = _side(dot, centre, half)
    name = {-1: "left", 0: "center", 1: "right"}[int(side[0])]
    text.set(ha=name, multialignment=name)
    text.set_position(tuple((centre + np.array([side[0] * half[0], 0]) - dot) / pixel))
    text._arrow_relpos = tuple((side + 1) / 2)  # type: ignore[attr-defined]
    if away <= TIED:
        text.arrow_patch.set_visible(False)  # type: ignore[union-attr]
    else:
        drawn[_pixels(dot, centre + half * side, drawn)] = 1
    a, b = np.maximum(np.rint(centre - half), 0).astype(int)
    c, d = np.maximum(np.rint(centre + half), 0).astype(int)
    drawn[b:d, a:c] = 1


def _side(dot: np.ndarray, centre: np.ndarray, half: np.ndarray) -> np.ndarray:
    """Where words are tied: at the end of them that is next to the point, or in the middle below or above."""
    if abs(centre[0] - dot[0]) > half[0]:
        return np.array([np.sign(dot[0] - centre[0]), 0])
    return np.array([0, np.sign(dot[1] - centre[1])])


def _pixels(dot: np.ndarray, end: np.ndarray, drawn: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pixels on the way from a point, but for its own mark, to the end of a tie."""
    way = end - dot
    steps = np.arange(10, max(11.0, np.hypot(*way))) / max(1.0, np.hypot(*way))
    x, y = np.clip(np.rint(dot + way * steps[:, None]), 0, np.array(drawn.shape[::-1]) - 1).astype(int).T
    return y, x
