"""A plot that would leave a part of the column empty, made as wide as the column, with letters of its size.

The inverse of what `squeezing` does for a phone: what is drawn is drawn further apart. A legend above the
panels flows into fewer and longer lines. What shows distances, or is nearly square, stays as it is.
"""

import re
from xml.etree import ElementTree

from squeezing import squeezed
from stacking import Panel, entries, gather, may_be_wider, move, rows_of
from svg_text import SVG, Element, named, texts, union, written

FILLED = 0.9  # of the column: nobody misses the rest
APART, LEADING = 14.0, 4.0  # between the entries of a legend, and between its lines


def widened(drawn: str, width: float) -> str:
    """The plot with its panels drawn so much wider that it fills the width; as it was if that cannot be.

    >>> from support.view import plot_lines
    >>> from support.view.image_files import svg
    >>> wide = widened(svg(plot_lines([1, 2], {"a": [1, 3]})), 504)
    >>> re.search('width="([0-9.]+)', wide)[1]
    '504.00'
    """
    root = ElementTree.fromstring(drawn)
    figure = next((g for g in root if g.get("id") == "figure_1"), None)
    panels = None if figure is None else gather(figure)
    before, high = (float(root.get(side, "0").removesuffix("pt")) for side in ("width", "height"))
    if figure is None or not panels or before > FILLED * width or not all(map(may_be_wider, panels)):
        return drawn
    rows = rows_of(panels)
    across = max(map(len, rows))
    if across > 1 < len(rows):
        return drawn
    more = (width - before) / across  # of each panel of a row
    for k, panel in enumerate(rows[0] if across > 1 else panels):
        wide = squeezed(panel.axes, panel.frame, -more, root)
        if wide is panel.axes:
            return drawn
        if across > 1:
            wide = [move([axes], k * more, 0) for axes in wide]
        for old, new in zip(panel.axes, wide, strict=True):
            figure[list(figure).index(old)] = new
        panel.axes = wide
    saved = _unbroken(rows[-1][0], width) + _around(figure, panels, before, width)
    background = named(figure, "path")[0]
    background.set("d", f"M 0 {high - saved:.2f} L {width:.2f} {high - saved:.2f} L {width:.2f} 0 L 0 0 z ")
    root.set("width", f"{width:.2f}pt")
    root.set("height", f"{high - saved:.2f}pt")
    root.set("viewBox", f"0 0 {width:.2f} {high - saved:.2f}")
    return written(root)


def _around(figure: Element, panels: list[Panel], before: float, width: float) -> float:
    """Place what stands outside of the panels; the height that a legend in longer lines saves."""
    own = {id(axes) for panel in panels for axes in panel.axes}
    first = min(panel.box()[1] for panel in panels)
    saved = 0.0
    for element in [e for e in figure if id(e) not in own]:
        boxes = texts(element)
        if not boxes:
            continue
        box, place = union(*boxes), list(figure).index(element)
        if element.get("id", "").startswith(("legend", "fitted")):
            if box[3] < first + 2:
                figure[place], lower = _in_lines(element, width)
                saved = max(saved, box[3] - lower)
        elif abs((box[0] + box[2]) / 2 - before / 2) < 0.1 * before:  # a heading of all
            figure[place] = move([element], (width - before) / 2, 0)
    for element in figure if saved > 1 else ():
        if element.get("id") not in ("patch_1", "fitted"):
            figure[list(figure).index(element)] = move([element], 0, -saved)
    return saved if saved > 1 else 0.0


def _in_lines(legend: Element, width: float) -> tuple[Element, float]:
    """A legend in lines of this width, and how low it reaches."""
    found = entries(legend)
    left, low = min(box[0] for box, _ in found), min(box[3] for box, _ in found)
    pitch = min(box[3] - box[1] for box, _ in found) + LEADING
    out = ElementTree.Element(f"{{{SVG}}}g", {"id": "fitted"})
    x = left
    for box, elements in found:
        wide = box[2] - box[0]
        if x > left and x + wide > width - left:
            x, low = left, low + pitch
        out.append(move(elements, x - box[0], low - box[3]))
        x += wide + APART
    return out, low


def _unbroken(panel: Panel, width: float) -> float:
    """Put the lines of a label below a panel into one, if there is room; the height that it saves."""
    axis = panel.axis(0)
    labels = [g for g in axis if g.get("id", "").startswith("text")] if axis is not None else []
    if not labels or len(labels[-1]) < 2:
        return 0.0
    lines = list(labels[-1])
    boxes = texts(labels[-1])
    left, _, right, bottom = union(*boxes)
    middle, room = (left + right) / 2, min(left + right, 2 * width - left - right)
    if sum(box[2] - box[0] for box in boxes) + 4 * len(boxes) > room or named(labels[-1], "tspan"):
        return 0.0
    first = lines[0]
    down = re.search(r"(?:translate\(|rotate\(-0 )\S+ ([-\d.]+)\)$", first.get("transform", ""))
    if down is None:
        return 0.0
    first.text = " ".join(line.text or "" for line in lines)
    first.set("transform", f"translate({middle:.2f} {down[1]})")
    first.set("style", f"{first.get('style')}; text-anchor: middle")
    for place in {"x", "y"} & set(first.attrib):
        del first.attrib[place]
    for line in lines[1:]:
        labels[-1].remove(line)
    return bottom - boxes[0][3]
