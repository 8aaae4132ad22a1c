"""Putting a figure on the page, with words for those who do not see it."""

import sys
import textwrap
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from IPython.display import publish_display_data
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.text import Text

from support.core import InputError
from support.view.diagram import Diagram
from support.view.ends import name_ends
from support.view.image_files import no_word_of_collapse, small_png, svg
from support.view.notes import place_notes
from support.view.style import LETTERS, NAMES, WIDTH
from support.view.ticks import write_ticks


def fit(fig: Figure) -> None:
    """Letters that are large enough, headings in lines that fit, numbers with commas, names that keep apart.

    >>> from support.view import style
    >>> fig, ax = style.subplots(figsize=(3, 2))
    >>> heading = ax.set_title("A heading that is wider than its figure")
    >>> fit(fig); ax.get_title().count(chr(10))
    1
    """
    for text in fig.findobj(Text):
        if float(text.get_fontsize()) < LETTERS:
            text.set_fontsize(LETTERS)
    for ax in fig.axes:
        write_ticks(ax)
    _lay_out(fig)
    panels = [ax for ax in fig.axes if getattr(ax, "_colorbar", None) is None]
    for ax in panels:
        name_ends(ax)
    _lift(fig, panels)
    for legend in [*fig.legends, *filter(None, (ax.get_legend() for ax in panels))]:
        _narrow(legend, fig)
    for legend in fig.legends:  # one of many rows would leave the axes too little
        if legend.get_gid() != "fitted":
            legend.set_gid("fitted")
            rows = -(-len(legend.get_texts()) // legend._ncols)  # type: ignore[attr-defined]
            fig.set_figheight(fig.get_figheight() + max(0, rows - 1) * 1.4 * LETTERS / 72)
    for ax in panels:
        _break_names(ax, fig, bool(_beside(ax, panels) == 1 or fig.get_figwidth() <= WIDTH))
    for ax in fig.axes:
        room = ax.get_window_extent()
        middle = (room.x0 + room.x1) / 2
        share = fig.bbox.width / max(1, _beside(ax, panels))
        wide = min(2 * middle, 2 * (fig.bbox.width - middle), share) * 0.97
        for text in (ax.title, ax.xaxis.label):
            _wrap(text, wide)
        _wrap(ax.yaxis.label, max(room.height, fig.bbox.height * 0.6))
        _turn(ax, fig)
    for heading in (fig._suptitle, fig._supxlabel):  # type: ignore[attr-defined]
        if heading is not None:
            _wrap(heading, fig.bbox.width * 0.96)
    for _ in range(2):  # squares come to rest only when their frames have been laid out before
        _lay_out(fig)
    place_notes(fig)


def _beside(ax: Axes, panels: Sequence[Axes]) -> int:
    foot = ax.get_window_extent().y0
    return sum(bool(abs(other.get_window_extent().y0 - foot) < 2) for other in panels)


def _lay_out(fig: Figure) -> None:
    with no_word_of_collapse():
        if (engine := fig.get_layout_engine()) is None:
            fig.draw_without_rendering()
        else:  # what drawing does first, without going through every line and letter afterwards
            engine.execute(fig)


def _break_names(ax: Axes, fig: Figure, once: bool) -> None:
    """Long names on the vertical axis are broken into lines, and each has its height."""
    names = [text.get_text() for text in ax.get_yticklabels()]
    boxes = [text.get_window_extent() for text in ax.get_yticklabels()]
    room = fig.bbox.width * (NAMES if once else 0.22)
    long = any(box.width > room for box in boxes)
    if long:
        names = [
            textwrap.fill(
                n, max(8, int(len(n) * room / box.width)), break_long_words=False, break_on_hyphens=False
            )
            if box.width > room
            else n
            for n, box in zip(names, boxes, strict=True)
        ]
        ax.set_yticks(ax.get_yticks(), labels=names)
    standing = sorted(boxes, key=lambda box: box.y0)
    if long or (ax.get_yscale() == "linear" and any(a.y1 > b.y0 + 2 for a, b in pairwise(standing))):
        lines = [name.count("\n") + 1 for name in names]
        most = max([a + b for a, b in pairwise(lines)], default=2) / 2
        need = len(names) * (1.4 * LETTERS * most + 3 * long) / 72
        if need > (high := ax.get_window_extent().height / fig.dpi):
            before = fig.get_figheight()
            fig.set_figheight(before + need - high if once else before * need / high)
        _lay_out(fig)


def _lift(fig: Figure, panels: Sequence[Axes]) -> None:
    """A legend that could hide something stands above: long, of no chosen corner, or over what is drawn."""
    legends = [legend for legend in (ax.get_legend() for ax in panels) if legend is not None]
    if len(legends) != 1 or legends[0].get_title().get_text():
        return
    own, names = legends[0], [text.get_text() for text in legends[0].get_texts()]
    free = own._loc_real == 0 or own._bbox_to_anchor is not None  # type: ignore[attr-defined]
    if free or (len(panels) == 1 and len(names) > 2) or _hides(own):
        own.remove()
        for legend in list(fig.legends):
            if {text.get_text() for text in legend.get_texts()} <= set(names):
                legend.remove()
        legend_above(fig, names, own.legend_handles)


def _hides(legend: Legend) -> bool:
    """Whether bars, lines or points lie under a legend, or so near that they seem a part of it."""
    ax, box = legend.axes, legend.get_window_extent().padded(LETTERS / 2)
    assert ax is not None
    bars = [bar for bar in ax.patches if bar.get_window_extent().overlaps(box)]
    paths = [line.get_transform().transform_path(line.get_path()) for line in ax.lines]
    dots = [part.get_offset_transform().transform(part.get_offsets()) for part in ax.collections]
    crossed = any(path.intersects_bbox(box, filled=False) for path in paths if np.size(path.vertices))
    return bool(bars) or crossed or any(box.count_contains(points) for points in dots if len(points))


def legend_above(fig: Figure, names: Sequence[Any], handles: Sequence[Any] | None = None) -> None:
    """A legend over the axes, where it hides nothing, in as many columns as are wide enough.

    >>> from support.view import style
    >>> fig, ax = style.subplots(); lines = ax.plot([1, 2], label="loss")
    >>> legend_above(fig, ["loss"]); len(fig.legends)
    1
    """
    longest = max(len(str(name)) for name in names) * 0.58 * LETTERS + 44
    columns = max(1, min(len(names), int(fig.bbox.width / fig.dpi * 72 / longest)))
    form: Any = dict(
        loc="outside upper left",
        fontsize=LETTERS,
        frameon=False,
        columnspacing=1.2,
        handlelength=1.8,
        borderaxespad=0.2,
    )
    if handles is None:  # in the order of the names; by itself, lines come before bars
        drawn = {
            label: mark
            for ax in fig.axes
            for mark, label in zip(*ax.get_legend_handles_labels(), strict=True)
        }
        handles = [drawn[name] for name in names] if drawn.keys() >= {*names} else None
    chosen: Any = {} if handles is None else {"handles": handles, "labels": list(names)}
    fig.legend(ncols=columns, **form, **chosen)


def _narrow(legend: Legend, fig: Figure) -> None:
    """A legend in as many columns as the figure has room for."""
    legend.prop.set_size(max(legend.prop.get_size_in_points(), LETTERS))  # type: ignore[attr-defined]
    while legend.get_window_extent().width > fig.bbox.width and legend._ncols > 1:  # type: ignore[attr-defined]
        names = [text.get_text() for text in legend.get_texts()]
        legend._ncols -= 1  # type: ignore[attr-defined]
        legend._init_legend_box(legend.legend_handles, names)  # type: ignore[attr-defined]
        legend._set_loc(legend._loc)  # type: ignore[attr-defined]
        _lay_out(fig)


def _wrap(text: Text, room: float) -> None:
    words, box = text.get_text(), text.get_window_extent()
    long = box.height if text.get_rotation() else box.width
    if words and "\n" not in words and "$" not in words and long > room:
        lines = -(-long // room)
        text.set_text(
            textwrap.fill(words, max(int(len(words) * room / long), -(-len(words) // int(lines)) + 4))
        )


def _turn(ax: Axes, fig: Figure) -> None:
    """Names on the horizontal axis that run into one another are turned; many of them widen the figure."""
    names = [t for t in ax.get_xticklabels() if t.get_text() and t.get_visible()]
    boxes = sorted((t.get_window_extent() for t in names), key=lambda box: box.x0)
    tight = any(a.x1 > b.x0 - 4 for a, b in pairwise(boxes))
    if ax.get_xscale() == "log":
        return _thin(ax)
    if not tight:
        return
    if not any(t.get_rotation() for t in names):
        long = max(box.width for box in boxes) >= 60
        if any("\n" in t.get_text() for t in names):
            ax.set_xticks(
                ax.get_xticks(), labels=[t.get_text().replace("\n", " ") for t in ax.get_xticklabels()]
            )
        for t in ax.get_xticklabels():
            t.set(rotation=40 if long else 90, ha="right" if long else "center")
            t.set_rotation_mode("anchor" if long else "default")
    middles = [(box.x0 + box.x1) / 2 for box in boxes]
    apart = min(b - a for a, b in pairwise(middles)) / fig.dpi * 72
    if 0 < apart < LETTERS + 2:
        fig.set_figwidth(fig.get_figwidth() * (LETTERS + 2) / apart)


def _thin(ax: Axes) -> None:
    """On a logarithmic axis, of the labels between the powers of ten only those that have room."""
    taken = [t.get_window_extent() for t in ax.get_xticklabels() if t.get_text()]
    places, names = [], []
    for at, t in zip(ax.get_xticks(minor=True), ax.get_xticklabels(minor=True), strict=False):
        box = t.get_window_extent()
        if t.get_text() and not any(box.x0 < b.x1 + 4 and b.x0 < box.x1 + 4 for b in taken):
            taken.append(box)
            places.append(at)
            names.append(t.get_text())
    if any(t.get_text() for t in ax.get_xticklabels(minor=True)):
        ax.set_xticks(places, labels=names, minor=True)


def show(fig: Figure | Diagram, alt: str = "", caption: str = "") -> None:
    """Show a figure with its alternative text, which says what there is to see in it, with its numbers.

    Args:
        fig: the figure, which is closed afterwards, or a drawing.
        alt: the finding in a sentence or two, for readers who do not see the picture; a drawing has its own.
        caption: what the figure means and how to read it, in a sentence or two of Markdown, shown below it.

    Raises:
        InputError: `alt` is too short to say anything, or is given for a drawing, which has its own.

    >>> from support.view import style
    >>> show(style.subplots()[0], alt="A figure.")
    Traceback (most recent call last):
    support.core.errors.InputError: alt='A figure.' tells a blind reader nothing; say what is to be seen, ...
    """
    words = " ".join(alt.split())
    if isinstance(fig, Diagram):
        if words:
            raise InputError("a drawing brings its own alternative text; leave out alt")
        publish_display_data(*fig._repr_mimebundle_())
    elif len(words) < 20:
        raise InputError(
            f"alt={words!r} tells a blind reader nothing; say what is to be seen, with its numbers"
        )
    else:
        fit(fig)
        publish_display_data(
            {"image/svg+xml": svg(fig), "image/png": small_png(fig), "text/plain": "<figure>"},
            metadata={kind: {"alt": words} for kind in ("image/svg+xml", "image/png")},
        )
    if below := " ".join(caption.split()):
        publish_display_data({"text/markdown": below, "text/plain": below})
    if isinstance(fig, Figure) and "matplotlib.pyplot" in sys.modules:  # only then is there anything to close
        sys.modules["matplotlib.pyplot"].close(fig)
