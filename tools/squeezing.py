"""A panel of a plot made narrower: what is drawn is drawn closer together, and letters keep their size.

Horizontal places within the frame are scaled, those right of it move to the left. A panel whose letters would
then lie over one another stays as it is; so does one with a legend, and one whose axes have the same scale,
since a map would no longer show distances. A negative excess makes a panel wider (`widening`): then a legend
keeps its place at a side of the frame, where it covers no more than before.
"""

import copy
import re
from collections.abc import Callable, Iterable
from itertools import combinations

from svg_text import SVG, XLINK, Box, Element, named, texts, union

LINK = f"{{{XLINK}}}href"
LEAST = 0.4  # of its width at least remains
SPACE = 1.5  # points between two texts
UNEVEN = 0.04  # of a text's width: lines whose ends differ by less end at one place


def crossing(boxes: Iterable[Box], space: float = SPACE) -> int:
    """How many pairs of texts lie over one another, or touch.

    >>> crossing([(0, 0, 10, 10), (8, 0, 20, 10), (23, 0, 30, 10)])
    1
    """
    return sum(
        min(a[2], b[2]) - max(a[0], b[0]) > -space and min(a[3], b[3]) - max(a[1], b[1]) > 2.5
        for a, b in combinations(boxes, 2)
    )


def steps(axis: Element | None, across: int) -> float:
    """Points that a unit takes on an axis with numbers; nothing if it has none."""
    found = []
    for text in named(axis, "text") if axis is not None else ():
        words = "".join(text.itertext()).replace("−", "-")
        turned = re.search(r"rotate\(\S+ (\S+) (\S+)\)", text.get("transform", ""))
        if turned and re.fullmatch(r"-?\d+(\.\d+)?", words):
            found.append((float(words), float(turned[1 + across])))
    if len(found) < 2 or found[0][0] == found[-1][0]:
        return 0.0
    return abs((found[-1][1] - found[0][1]) / (found[-1][0] - found[0][0]))


def moved_path(d: str, place: Callable[[float], float], down: int = 0) -> str:
    """A path with its places across moved, or with ``down`` those downwards.

    >>> moved_path("M 1 2 L 3 4", lambda x: 2 * x), moved_path("M 1 2 L 3 4", lambda y: y + 1, 1)
    ('M 2.00 2 L 6.00 4', 'M 1 3.00 L 3 5.00')
    """
    turn = iter(range(10**9))
    return re.sub(
        r"-?\d+(?:\.\d+)?(?:e-?\d+)?",
        lambda m: f"{place(float(m[0])):.2f}" if next(turn) % 2 == down else m[0],
        d,
    )


def _in_several_lines(group: Element) -> bool:
    """Whether this is a text of which each line has its own place."""
    lines = named(group, "text")
    return 1 < len(lines) == len(group) and all("translate(" in line.get("transform", "") for line in lines)


def _move_lines(group: Element, place: Callable[[float], float]) -> None:
    """The lines of a text are moved together, by the side at which they align."""
    starts, ends = ([box[side] for box in texts(group)] for side in (0, 2))
    at = (min(starts) + max(ends)) / 2
    if max(starts) - min(starts) < 1:
        at = min(starts)
    elif max(ends) - min(ends) < UNEVEN * (max(ends) - min(starts)):
        at = max(ends)
    by = place(at) - at
    for line in group:
        moved = line.get("transform", "")
        line.set(
            "transform",
            re.sub(r"(?<=translate\()[-\d.]+", lambda m: f"{float(m[0]) + by:.2f}", moved, count=1),
        )


def _squeeze(element: Element, place: Callable[[float], float], known: dict[str, Element]) -> None:
    done: set[int] = set()
    for part in element.iter():
        kind, moved = part.tag.rpartition("}")[2], part.get("transform", "")
        if kind == "g" and _in_several_lines(part):
            _move_lines(part, place)
            done |= {id(line) for line in part}
        elif id(part) in done:
            continue
        elif kind == "path" and part.get("id") is None:
            part.set("d", moved_path(part.get("d", ""), place))
        elif kind in ("image", "rect"):
            left, wide = float(part.get("x", "0")), float(part.get("width", "0"))
            part.set("x", f"{place(left):.2f}")
            part.set("width", f"{place(left + wide) - place(left):.2f}")
            part.set("preserveAspectRatio", "none")
        elif kind == "use" and float(part.get("x", "0")):
            part.set("x", f"{place(float(part.get('x', '0'))):.2f}")
        elif kind == "use" and (shape := known.pop(part.get(LINK, "")[1:], None)) is not None:
            shape.set("d", moved_path(shape.get("d", ""), place))  # an area, drawn where it is
        elif kind in ("text", "g"):
            if part.get("x"):
                part.set("x", f"{place(float(part.get('x', '0'))):.2f}")
            change = r"(rotate\(\S+ |translate\()([-\d.]+)(?= [-\d.]+\))"
            if moved and not ("translate" in moved and "rotate" in moved):
                part.set(
                    "transform", re.sub(change, lambda m: f"{m[1]}{place(float(m[2])):.2f}", moved, count=1)
                )
            elif moved:
                begin = r"(translate\()([-\d.]+)"
                part.set("transform", re.sub(begin, lambda m: f"{m[1]}{place(float(m[2])):.2f}", moved))


def _without_legends(axes: Element, place: Callable[[float], float], frame: Box) -> list[Element]:
    """The legends within axes, taken out and moved as a whole: each stays at its side of the frame."""
    found = []
    for legend in [g for g in axes if g.get("id", "").startswith("legend")]:
        axes.remove(legend)
        left, _, right, _ = union(*texts(legend))
        part = ((left + right) / 2 - frame[0]) / (frame[2] - frame[0])
        anchor = frame[0] if part < 0.35 else frame[2] if part > 0.65 else (left + right) / 2
        shift = {"transform": f"translate({place(anchor) - anchor:.2f} 0)"}
        found.append(Element(f"{{{SVG}}}g", shift))
        found[-1].append(legend)
    return found


def same_scale(axes: list[Element]) -> bool:
    """Whether a unit is as long across as downwards."""
    axis = [g for g in axes[0] if g.get("id", "").startswith("matplotlib.axis")]
    across, down = (steps(axis[k] if k < len(axis) else None, k) for k in (0, 1))
    return bool(down and abs(across / down - 1) < 0.01)


def squeezed(
    axes: list[Element], frame: Box, excess: float, root: Element, scaled: bool = False
) -> list[Element]:
    """The axes of a panel, narrower by ``excess`` points; as they were if that cannot be done.

    With ``scaled``, also those whose axes have the same scale.
    """
    left, _, right, _ = frame
    scale = 1 - excess / (right - left)
    legend = any(g.get("id", "").startswith("legend") for each in axes for g in each)
    if scale < LEAST or (legend and excess > 0) or (same_scale(axes) and not scaled):
        return axes

    def place(x: float) -> float:
        return x if x < left else left + (x - left) * scale if x <= right else x - excess

    narrow = [copy.deepcopy(a) for a in axes]
    shapes = {p.get("id", ""): p for each in narrow for p in named(each, "path") if p.get("id")}
    kept = [_without_legends(each, place, frame) for each in narrow]
    for each, own in zip(narrow, kept, strict=True):
        _squeeze(each, place, shapes)
        each.extend(own)
    before, after = ([box for each in some for box in texts(each)] for some in (axes, narrow))
    if any(crossing(after, space) > crossing(before, space) for space in (SPACE, 0.0)):
        return axes
    clips = {c for each in axes for g in each.iter() if (c := g.get("clip-path"))}
    for clip in named(root, "clipPath"):
        if f"url(#{clip.get('id')})" in clips:
            _squeeze(clip, place, {})
    return narrow
