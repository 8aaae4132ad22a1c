"""A plot as it stands in the column of a page at a desk: letters of one size, and air between its rows.

A plot wider than the column would be shown smaller, and its letters with it: its panels flow into more lines
instead, as they do for a phone. Where the title of a panel is near what stands below the one above it, the
rows move apart, so that one sees to which panel it belongs.
"""

import re
from itertools import pairwise
from xml.etree import ElementTree

from stacking import Panel, gather, move, rows_of, stacked
from svg_text import named, texts, written
from widening import widened

COLUMN = 630.0  # points: 655 pixels (`lean_pages.PIXELS`), what the card of a figure has room for
LITTLE = 1.02  # times the column: nobody sees that it is shown smaller
MUCH = 1.1  # times: letters would be too small, so that panels rather go below one another
HALF = 0.6  # of the column: a plot of several rows that is no wider may lie down
AIR = 14.0  # points above a title


def _sides(svg: str) -> list[float]:
    return [float(re.search(rf'\b{side}="([\d.]+)', svg)[1]) for side in ("width", "height")]  # type: ignore[index]


def in_column(drawn: str) -> str:
    """The plot with rows that have air, and no wider than the column if it can be taken apart.

    >>> from support.view import style
    >>> from support.view.image_files import svg
    >>> fig, axes = style.subplots(1, 4, figsize=(10, 2))
    >>> _sides(in_column(svg(fig)))[0] <= LITTLE * COLUMN
    True
    """
    wide, high = _sides(drawn)
    flat = stacked(drawn, COLUMN, lying=True) if wide < HALF * COLUMN else ""
    made = flat or (stacked(drawn, COLUMN, beside=True) if wide > LITTLE * COLUMN else "")
    if not made or (not flat and _sides(made)[1] > 1.4 * high and wide < MUCH * COLUMN):
        made = aired(widened(drawn, COLUMN))
    least = re.search(r'data-least="(\d+)"', drawn)
    if least and (share := _sides(made)[0] / wide) != 1:
        made = made.replace(least[0], f'data-least="{round(int(least[1]) * share)}"', 1)
    return made


def _bounds(row: list[Panel]) -> tuple[float, float]:
    boxes = [panel.box() for panel in row]
    return min(box[1] for box in boxes), max(box[3] for box in boxes)


def titled(row: list[Panel]) -> bool:
    """Whether words of its own stand above the frame of a panel, and not beside it."""
    for panel in row:
        left, top, right, _ = panel.frame
        middle = (left + right) / 2
        words = [box for axes in panel.axes for box in texts(axes)]
        if any(box[3] <= top + 1 and box[0] < middle < box[2] for box in words):
            return True
    return False


def aired(drawn: str) -> str:
    """Rows whose titles are near what is above them are moved down.

    >>> from support.view import style
    >>> from support.view.figure import fit
    >>> from support.view.image_files import svg
    >>> fig, axes = style.subplots(2, 1)
    >>> words = [ax.set(title="title", xlabel="steps") for ax in axes]
    >>> fit(fig); drawn = svg(fig)
    >>> 3 < _sides(aired(drawn))[1] - _sides(drawn)[1] < AIR
    True
    """
    root = ElementTree.fromstring(drawn)
    figure = next((g for g in root if g.get("id") == "figure_1"), None)
    panels = (gather(figure) if figure is not None else None) or []
    rows = rows_of(panels)
    if figure is None or len(rows) < 2 or len({id(a) for p in panels for a in p.axes}) < len(panels):
        return drawn
    own = {id(axes) for panel in panels for axes in panel.axes}
    steps, moved = 0.0, []
    for upper, lower in pairwise(rows):
        gap = _bounds(lower)[0] - _bounds(upper)[1]
        step = AIR - gap if titled(lower) and -4 < gap < AIR else 0.0
        steps += step
        moved.append((_bounds(lower)[0], [axes for panel in lower for axes in panel.axes], steps))
    if not steps:
        return drawn
    last = max(panel.frame[3] for panel in panels)
    for element in list(figure):
        down = next((by for _, axes, by in moved if any(element is a for a in axes)), 0.0)
        boxes = texts(element)
        if id(element) not in own and boxes and min(box[1] for box in boxes) > last:
            down = steps  # what stands below all rows
        if down:
            place = list(figure).index(element)
            figure.remove(element)
            figure.insert(place, move([element], 0, down))
    wide, high = _sides(drawn)
    background = named(figure, "path")[0]
    background.set("d", f"M 0 {high + steps:.2f} L {wide:.2f} {high + steps:.2f} L {wide:.2f} 0 L 0 0 z ")
    root.set("height", f"{high + steps:.2f}pt")
    root.set("viewBox", f"0 0 {wide:g} {high + steps:.2f}")
    return written(root)
