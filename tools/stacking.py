"""A plot whose panels stand side by side, laid out anew for a phone: one below the other, each at its size.

What stands in the SVG of a plot (`support.view.image_files.svg`) is moved as it is: panels flow into lines
that a phone shows, a panel that shared an axis with its neighbour gets that axis's labels, and legends flow,
too.
"""

import copy
import math
import re
from dataclasses import dataclass, field
from itertools import combinations, pairwise
from xml.etree import ElementTree

from heightening import heightened, scaled_down, stretch
from squeezing import same_scale, squeezed
from svg_text import SVG, Box, Element, frame_of, named, texts, union, written

PHONE = 338.4  # points that a phone shows of a page: `support.view.style.WIDTH`
GAP, EDGE = 8.0, 3.0  # between panels, and around all
FIRST = 640.0  # points that a phone shows at a time, with a caption
ENOUGH = 0.85  # of the width: a map that is so wide fills it
LOWEST = 0.7  # of its height remains of a panel that becomes lower
ABOVE = 14.0  # more air above a panel that begins a line, whose title belongs to what is below it
SLENDER = 30.0  # a colour bar is narrower
SQUARE = 1.2  # times as wide as high: a map of shades that is no wider has about square cells, and keeps them
SIGN = 30.0  # what stands before the words of a legend


@dataclass
class Panel:
    """Axes that are moved together: one, and its colour bar."""

    frame: Box
    axes: list[Element]
    borrowed: list[Element] = field(default_factory=list)
    beside: tuple[float, float] | None = None  # the room left and right of the frame, if it is kept

    def place(self) -> Box:
        """The box that it is given in a line."""
        left, top, right, bottom = self.box()
        if self.beside:
            left, right = self.frame[0] - self.beside[0], self.frame[2] + self.beside[1]
        return left, top, right, bottom

    def box(self) -> Box:
        """With all that stands around the frame."""
        boxes = [self.frame]
        for element in [*self.axes, *self.borrowed]:
            boxes += [f for f in [frame_of(element)] if f] + texts(element)
        return union(*boxes)

    def words(self) -> list[str]:
        """What stands at its axes, its own or borrowed."""
        own = [axis for k in (0, 1) if (axis := self.axis(k)) is not None]
        return ["".join(text.itertext()) for each in own + self.borrowed for text in named(each, "text")]

    def axis(self, number: int) -> Element | None:
        """Its horizontal axis (0) or vertical one (1)."""
        axis = [g for g in self.axes[0] if g.get("id", "").startswith("matplotlib.axis")]
        return axis[number] if number < len(axis) else None


def rows_of(panels: list[Panel]) -> list[list[Panel]]:
    """Panels whose frames stand at the same height, from left to right."""
    rows: list[list[Panel]] = []
    for panel in sorted(panels, key=lambda p: (p.frame[1], p.frame[0])):
        for row in rows:
            _, top, _, bottom = row[0].frame
            if min(bottom, panel.frame[3]) - max(top, panel.frame[1]) > 0.5 * min(
                bottom - top, panel.frame[3] - panel.frame[1]
            ):
                row.append(panel)
                break
        else:
            rows.append([panel])
    return [sorted(row, key=lambda p: p.frame[0]) for row in rows]


def gather(figure: Element) -> list[Panel] | None:
    """The panels, each with its colour bar; nothing if some axes have no frame."""
    found: list[Panel] = []
    slender: list[Panel] = []
    solid: list[Element] = []  # axes in space: their ground, walls and ticks stand before them
    for axes in figure:
        name = axes.get("id", "")
        if re.match("pane3d|grid3d|axis3d", name) or (name.startswith("patch") and name != "patch_1"):
            solid.append(axes)
        elif name.startswith("axes"):
            frame = frame_of(solid[0] if solid else axes)
            if frame is None:
                return None
            (slender if frame[2] - frame[0] < SLENDER else found).append(Panel(frame, [*solid, axes]))
            solid = []
    for bar in slender:
        beside = [p for p in found if p.frame[2] <= bar.frame[0] + 1 and p.frame[1] < bar.frame[3]]
        if not beside:
            return None
        max(beside, key=lambda p: p.frame[2]).axes.append(bar.axes[0])
    inside = [p for p in found for q in found if p is not q and _holds(q.frame, p.frame)]
    for panel in inside:  # twin axes, and pictures in pictures
        found.remove(panel)
        next(q for q in found if _holds(q.frame, panel.frame)).axes += panel.axes
    return found


def _holds(outer: Box, inner: Box) -> bool:
    return all(a <= b + 1 for a, b in zip(outer[:2], inner[:2], strict=True)) and all(
        a >= b - 1 for a, b in zip(outer[2:], inner[2:], strict=True)
    )


def move(elements: list[Element], dx: float, dy: float) -> Element:
    group = ElementTree.Element(f"{{{SVG}}}g", {"transform": f"translate({dx:.2f} {dy:.2f})"})
    group.extend(elements)
    return group


def _borrow(panel: Panel, lender: Panel, number: int) -> None:
    """The labels of an axis that is drawn at a neighbour only."""
    own, other = panel.axis(number), lender.axis(number)
    name = f"borrowed_{number}"
    if own is None or other is None or texts(own) or not texts(other) or name in map(_id, panel.borrowed):
        return
    same = (1, 3) if number else (0, 2)
    if all(abs(panel.frame[k] - lender.frame[k]) < 1 for k in same):
        k = 0 if number else 3
        shift = panel.frame[k] - lender.frame[k]
        panel.borrowed.append(move([copy.deepcopy(other)], *((shift, 0) if number else (0, shift))))
        panel.borrowed[-1].set("id", name)


def _id(element: Element) -> str:
    return element.get("id", "")


def entries(legend: Element) -> list[tuple[Box, list[Element]]]:
    """What a legend names, each entry with its sign."""
    found, begun = [], []
    for part in legend:
        begun.append(part)
        if boxes := texts(part):
            box = union(*boxes)
            found.append(((box[0] - SIGN, *box[1:]), begun))
            begun = []
    return found


def _flow(
    items: list[tuple[Box, list[Element]]], out: Element, top: float, width: float, above: float = 0.0
) -> tuple[float, float]:
    """Put items into lines of at most this width; where the next line begins, and how wide they are.

    Between two lines is so much more air.
    """
    line: list[tuple[Box, list[Element]]] = []
    x, widest = 0.0, 0.0

    def close() -> float:
        if not line:
            return top
        highest, left = min(box[1] for box, _ in line), EDGE
        for box, elements in line:
            own = highest if box[1] - highest < 50 else box[1]  # it comes from another row
            out.append(move(elements, left - box[0], top - own))
            left += box[2] - box[0] + GAP
        return top + max(b[3] - (highest if b[1] - highest < 50 else b[1]) for b, _ in line) + GAP

    for box, elements in items:
        wide = box[2] - box[0]
        if line and x + wide > width:
            top, line, x = close() + above, [], 0.0
        line.append((box, elements))
        x += wide + GAP
        widest = max(widest, x - GAP)
    return close(), widest


def _balanced(boxes: list[Box], room: float) -> int:
    """How many stand in a line, if all do not fit into one: of four, two and two.

    >>> _balanced([(0, 0, 100, 9)] * 4, 350), _balanced([(0, 0, 100, 9)] * 4, 450)
    (2, 4)
    """
    if sum(box[2] - box[0] + GAP for box in boxes) - GAP <= room:
        return len(boxes)
    fit = max(1, int((room + GAP) / (max(box[2] - box[0] for box in boxes) + GAP)))
    return math.ceil(len(boxes) / math.ceil(len(boxes) / fit))


def in_columns(legend: Element, width: float) -> tuple[Box, list[Element]]:
    """A legend that is too wide for one line, in columns, with its names in their order."""
    found = entries(legend)
    wide: list[float] = []
    for long in range(len(found), 0, -1):
        wide = [max(box[2] - box[0] for box, _ in found[k::long]) + GAP for k in range(long)]
        if sum(wide) - GAP <= width and math.ceil(len(found) / long) * (long - 1) < len(found):
            break
    high = max(box[3] - box[1] for box, _ in found)
    out = ElementTree.Element(f"{{{SVG}}}g", {"id": "columns"})
    for k, (box, elements) in enumerate(found):
        line, column = divmod(k, len(wide))
        out.append(move(elements, sum(wide[:column]) - box[0], line * (high + GAP) + high - box[3]))
    lines = math.ceil(len(found) / len(wide))
    return (0, 0, sum(wide) - GAP, lines * (high + GAP) - GAP), [out]


def _even(items: list[tuple[Box, list[Element]]], room: float) -> list[list[tuple[Box, list[Element]]]]:
    """Many small pictures in lines of one length: eight are four and four."""
    fit = int((room + GAP) / (max(box[2] - box[0] for box, _ in items) + GAP))
    if len(items) < 5 or fit < 2 or any(texts(e) for _, elements in items for e in elements):
        return [items]
    long = _balanced([box for box, _ in items], room)
    return [items[k : k + long] for k in range(0, len(items), long)]


def _narrow(figure: Element, panel: Panel, root: Element, width: float) -> bool:
    """Squeeze a panel that is too wide by itself, if its letters allow it."""
    excess = panel.box()[2] - panel.box()[0] - width
    return excess >= GAP / 2 and _by(figure, panel, root, excess)


def _by(figure: Element, panel: Panel, root: Element, excess: float, scaled: bool = False) -> bool:
    """Squeeze a panel by so many points; with ``scaled``, its axes may have the same scale."""
    left, top, right, bottom = panel.frame
    below = any(box[2] > left for element in panel.borrowed for box in texts(element))
    if abs(excess) < 1 or below or not panel.axes[0].get("id", "").startswith("axes"):
        return False
    narrow = squeezed(panel.axes, panel.frame, excess, root, scaled)
    if narrow is panel.axes:
        return False
    _replace(figure, panel, narrow, (left, top, right - excess, bottom))
    return True


def _replace(figure: Element, panel: Panel, made: list[Element], frame: Box) -> None:
    for old, new in zip(panel.axes, made, strict=True):
        figure[list(figure).index(old)] = new
    panel.axes, panel.frame = made, frame


def _grow(figure: Element, panel: Panel, root: Element, factor: float) -> None:
    """A panel in which what is round stays round becomes larger."""
    left, _, right, _ = panel.frame
    if not panel.borrowed and _by(figure, panel, root, (1 - factor) * (right - left), scaled=True):
        _heighten(figure, panel, root, factor)


def _heighten(figure: Element, panel: Panel, root: Element, factor: float) -> None:
    left, top, right, bottom = panel.frame
    more = (factor - 1) * (bottom - top)
    made = heightened(panel.axes, panel.frame, more, root)
    _replace(figure, panel, made, (left, top, right, bottom + more))
    for each in panel.borrowed:
        if _id(each) == "borrowed_1":
            stretch(each, scaled_down(top, bottom, more), {})
        else:
            shift = [float(part) for part in re.findall(r"[-\d.]+", each.get("transform", ""))]
            each.set("transform", f"translate({shift[0]:.2f} {shift[1] + more:.2f})")


def _lowest(panel: Panel, root: Element, factor: float) -> float:
    """How low a panel may become, down to a factor, until its letters touch."""
    for part in (factor, (1 + factor) / 2):
        more = (part - 1) * (panel.frame[3] - panel.frame[1])
        made = heightened(panel.axes, panel.frame, more, copy.deepcopy(root))
        before, after = (_covered([b for each in some for b in texts(each)]) for some in (panel.axes, made))
        if after <= before + 1:
            return part
    return 1.0


def _covered(boxes: list[Box]) -> float:
    """Points by which texts overlap downwards, in all."""
    return sum(
        max(0.0, min(a[3], b[3]) - max(a[1], b[1]) + 1)
        for a, b in combinations(boxes, 2)
        if min(a[2], b[2]) > max(a[0], b[0])
    )


def _round(panel: Panel) -> bool:
    """Whether a panel is square and nothing is written at its axes: what is round there stays round."""
    left, top, right, bottom = panel.frame
    square = abs((right - left) / (bottom - top) - 1) < 0.02
    return square and not any(texts(axis) for k in (0, 1) if (axis := panel.axis(k)) is not None)


def _beside(figure: Element, row: list[Panel], root: Element, width: float) -> None:
    """Squeeze the panels of a row until they fit beside one another, each as much as its width asks for."""
    able = [p for p in row if not _round(p)]
    for _ in row:
        excess = sum(p.box()[2] - p.box()[0] + GAP for p in row) - GAP - width + 1
        whole = sum(p.frame[2] - p.frame[0] for p in able)
        if excess <= 0 or not able:
            return
        able = [p for p in able if _by(figure, p, root, excess * (p.frame[2] - p.frame[0]) / whole)]


def may_be_wider(panel: Panel, cells: bool = False) -> bool:
    """Whether it has an axis with labels, and is no map of shades that is about square.

    With ``cells``, such a map may be wider if its axes count cells or name them.
    """
    left, top, right, bottom = panel.frame
    shades = bool(named(panel.axes[0], "image")) and right - left < SQUARE * (bottom - top)
    return bool(panel.words()) and (not shades or (cells and not keeps_scale(panel)))


def keeps_scale(panel: Panel) -> bool:
    """Whether its axes have the same scale, or none, and count no cells."""
    cells = named(panel.axes[0], "image") and not any(
        re.fullmatch(r"[−-]\d.*|\d+\.\d+", word) for word in panel.words()
    )
    return not panel.words() or (same_scale(panel.axes) and not cells)


def _may_widen(line: list[Panel]) -> bool:
    """Whether all panels of a line may be wider; one without labels is what another of its size is."""
    marked = [p for p in line if p.words()]
    sizes = {(round(p.frame[2] - p.frame[0]), round(p.frame[3] - p.frame[1])) for p in line}
    return all(may_be_wider(p, cells=True) for p in (marked if marked and len(sizes) == 1 else line))


def _lines(row: list[Panel], width: float) -> list[list[Panel]]:
    """The panels of a row as they flow into lines; the first of each line gets the labels at its left."""
    lines: list[list[Panel]] = []
    room = 0.0
    for panel in row:
        if not lines or room < panel.box()[2] - panel.box()[0]:
            lines.append([])
            room = width
            _borrow(panel, row[0], 1)
        lines[-1].append(panel)
        room -= panel.box()[2] - panel.box()[0] + GAP
    return lines


def _fill(figure: Element, lines: list[list[Panel]], root: Element, width: float) -> list[Panel]:
    """Widen panels until their line is full; the frames of those that stand alone in theirs align.

    Those that may become lower, if all are too high to be seen together, are returned.
    """
    several = [line for line in lines if len(line) > 1]
    alone = [line[0] for line in lines if len(line) == 1]
    pictures = not any(panel.words() for line in lines for panel in line)
    whole = max((sum(p.box()[2] - p.box()[0] + GAP for p in line) - GAP for line in several), default=width)
    for line in several:
        wider = _may_widen(line)
        for panel in line:
            if pictures and not alone and any(texts(axes) for p in line for axes in p.axes):
                gaps = GAP * (len(line) - 1)
                _grow(figure, panel, root, max(1.0, (width - gaps - 1) / (whole - gaps)))
            elif wider:
                own = sum(p.box()[2] - p.box()[0] + GAP for p in line) - GAP
                _by(figure, panel, root, (own - width + 1) / (len(line) - line.index(panel)))
    if several:
        for panel in alone:
            if may_be_wider(panel, cells=True):
                _by(figure, panel, root, panel.box()[2] - panel.box()[0] - width)
        return []
    left = max(p.frame[0] - p.box()[0] for p in alone)
    right = max(p.box()[2] - p.frame[2] for p in alone)
    room = width - left - right
    maps = [p for p in alone if keeps_scale(p)]
    if maps:
        most = 1 + _left(alone) / sum(p.frame[3] - p.frame[1] for p in maps)
        full = room / max(p.frame[2] - p.frame[0] for p in maps)
        if most < ENOUGH * full:  # those whose scales can be read may part from one scale
            maps = [p for p in maps if not p.words()]
        if most < 1 or len(maps) > 2:  # they are not seen together anyway, so each is as large as can be
            most = full
        for panel in maps if min(most, full) > 1 else ():
            _grow(figure, panel, root, min(most, full))
    for panel in alone:
        if panel not in maps:
            _by(figure, panel, root, panel.frame[2] - panel.frame[0] - room, scaled=True)
            _join_title(panel, width)
            panel.beside = left, right
    for upper, lower in pairwise(alone):
        _share_label(upper, lower)
    return [] if maps else alone


def _left(panels: list[Panel]) -> float:
    """What panels, one below the other, leave of the height that is seen at a time; or how much they lack."""
    return FIRST - sum(p.box()[3] - p.box()[1] + GAP + ABOVE for p in panels)


def _join_title(panel: Panel, width: float) -> None:
    """A line of a title that ends with a comma or a colon goes on in the same line."""
    for title in panel.axes[0]:
        boxes = texts(title) if title.get("id", "").startswith("text") else []
        if len(boxes) != len(title) or not boxes or boxes[-1][3] > panel.frame[1] + 1:
            continue
        for upper, lower in pairwise(list(title)):
            words = f"{upper.text} {lower.text}"
            wide = sum(box[2] - box[0] for box in texts(title))
            if re.search("[,:] ", words) and (upper.text or "")[-1:] in ",:" and wide < width:
                lower.text = words
                title.remove(upper)


def _share_label(upper: Panel, lower: Panel) -> None:
    """Of two panels with the same horizontal axis only the lower one has its label."""
    axes = upper.axis(0), lower.axis(0)
    if axes[0] is None or axes[1] is None:
        return
    words = [["".join(text.itertext()) for text in named(axis, "text")] for axis in axes if axis is not None]
    ends = [[at for box in texts(axis) for at in (box[0], box[2])] for axis in axes if axis is not None]
    shift = upper.frame[0] - lower.frame[0]
    if words[0] == words[1] and all(abs(a - b - shift) < 1 for a, b in zip(*ends, strict=True)):
        for label in [g for g in axes[0] if g.get("id", "").startswith("text")]:
            axes[0].remove(label)


def stacked(drawn: str, width: float = PHONE, beside: bool = False, lying: bool = False) -> str:
    """The plot for a phone, or for another width; nothing if it fits there as it is or stays whole.

    With ``beside``, panels rather become narrower than that one goes below another. With ``lying``, pictures
    without axes that stand in more rows than columns fill the width: each row becomes a column.

    >>> from support.view import style
    >>> from support.view.image_files import svg
    >>> fig, axes = style.subplots(1, 2)
    >>> narrow = stacked(svg(fig))
    >>> re.search('width="([0-9]+)', svg(fig))[1], float(re.search('width="([0-9.]+)', narrow)[1]) < 340
    ('504', True)
    >>> stacked(svg(style.subplots()[0]))
    ''
    """
    root = ElementTree.fromstring(drawn)
    figure = next((g for g in root if g.get("id") == "figure_1"), None)
    panels = None if figure is None else gather(figure)
    fits = float(root.get("width", "0").removesuffix("pt")) <= width + 1
    if figure is None or not panels or fits != lying:
        return ""
    rows = rows_of(panels)
    if lying:
        if len(rows) <= len(rows[0]) or {len(row) for row in rows} != {len(rows[0])} - {1}:
            return ""
        if any(panel.words() for panel in panels):
            return ""
        rows = [list(column) for column in zip(*rows, strict=True)]
    lines = rows
    width -= 0 if beside else 2 * EDGE
    if beside:
        for row in rows:
            _beside(figure, row, root, width)
        long = [_balanced([panel.box() for panel in row], width) for row in rows]
        lines = [row[k : k + n] for row, n in zip(rows, long, strict=True) for k in range(0, len(row), n)]
        for row, n in zip(rows, long, strict=True):
            for panel in row[n::n]:
                _borrow(panel, row[0], 1)
    for row in () if beside else rows:
        _lines(row, width)
    narrowed = [_narrow(figure, panel, root, width) for panel in panels]
    if max(map(len, rows)) == 1 and not any(narrowed) and not beside:
        return ""
    if max(map(len, rows)) < 5 and not any(
        texts(axis) for p in panels for k in (0, 1) if (axis := p.axis(k)) is not None
    ):
        lines = [[panel for row in rows for panel in row]]  # pictures without axes may fill the lines
    lower = (
        [] if beside else _fill(figure, [line for row in lines for line in _lines(row, width)], root, width)
    )
    for above, below in pairwise(rows):
        for panel in above:
            for lender in below:
                _borrow(panel, lender, 0)
    if (high := _left(lower)) < 0:
        factor = max(LOWEST, 1 + high / sum(p.frame[3] - p.frame[1] for p in lower))
        factor = max(_lowest(panel, root, factor) for panel in lower)
        for panel in lower if factor < 1 else ():
            _heighten(figure, panel, root, factor)
    ends = min(p.frame[1] for p in panels), max(p.frame[3] for p in panels)
    around: list[list[tuple[Box, list[Element]]]] = [[], []]
    axes = {id(a) for p in panels for a in p.axes}
    for element in list(figure):
        boxes = texts(element)
        if id(element) in axes or not boxes or element.get("id", "").startswith("axes"):
            continue
        box = union(*boxes)
        parts = [(box, [element])]
        if element.get("id", "").startswith(("legend", "fitted")):  # the signs stand left of the words
            whole = [((box[0] - SIGN, *box[1:]), [element])]
            parts = whole if box[2] - box[0] + SIGN <= width else [in_columns(element, width)]
        around[0 if box[1] < ends[0] else 1] += parts
    out = ElementTree.Element(f"{{{SVG}}}g", {"id": "stacked"})
    top, widest = _flow(around[0], out, EDGE, width)
    for row in lines:
        items = [(p.place(), [*p.axes, *p.borrowed]) for p in row]
        for line in _even(items, width):
            top, wide = _flow(line, out, top + ABOVE * (top > EDGE), width, ABOVE)
            widest = max(widest, wide)
    top, wide = _flow(around[1], out, top, width)
    filled = all(
        len(_lines(row, width)) == len(row) for row in lines
    )  # letters are as large as those of other plots
    across = (width if filled and not beside else max(widest, wide)) + 2 * EDGE
    for child in [c for c in figure if c.get("id") != "patch_1"]:
        figure.remove(child)
    background = named(figure, "path")[0]
    background.set("d", f"M 0 {top:.2f} L {across:.2f} {top:.2f} L {across:.2f} 0 L 0 0 z ")
    figure.append(out)
    root.set("width", f"{across:.2f}pt")
    root.set("height", f"{top:.2f}pt")
    root.set("viewBox", f"0 0 {across:.2f} {top:.2f}")
    return written(root)
