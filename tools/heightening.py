"""A panel of a plot made higher: what is drawn is drawn further apart, and letters keep their size.

What `squeezing` does across, downwards. A map that shows distances keeps its scale if it becomes wider by the
same factor: then what is round stays round.
"""

import copy
import re
from collections.abc import Callable

from squeezing import LINK, moved_path
from svg_text import Box, Element, named, texts, union

NUMBER = r"[-\d.]+"


def scaled_down(top: float, bottom: float, more: float) -> Callable[[float], float]:
    """Where a height goes if what is between two heights takes ``more`` points.

    >>> [scaled_down(10, 20, 10)(y) for y in (5, 15, 25)]
    [5, 20.0, 35]
    """
    scale = 1 + more / (bottom - top)
    return lambda y: y if y < top else top + (y - top) * scale if y <= bottom else y + more


def heightened(axes: list[Element], frame: Box, more: float, root: Element) -> list[Element]:
    """The axes of a panel, higher by ``more`` points; its top stays where it is."""
    place = scaled_down(frame[1], frame[3], more)
    high = [copy.deepcopy(each) for each in axes]
    shapes = {p.get("id", ""): p for each in high for p in named(each, "path") if p.get("id")}
    for each in high:
        stretch(each, place, shapes)
    clips = {c for each in axes for g in each.iter() if (c := g.get("clip-path"))}
    for clip in named(root, "clipPath"):
        if f"url(#{clip.get('id')})" in clips:
            stretch(clip, place, {})
    return high


def _lower(text: Element, by: float) -> None:
    """A text moved down."""
    if text.get("y"):
        text.set("y", f"{float(text.get('y', '0')) + by:.2f}")
    place = rf"((?:rotate\({NUMBER} {NUMBER}|translate\({NUMBER}) )({NUMBER})(?=\))"
    moved = text.get("transform", "")
    text.set("transform", re.sub(place, lambda m: f"{m[1]}{float(m[2]) + by:.2f}", moved, count=1))


def stretch(element: Element, place: Callable[[float], float], known: dict[str, Element]) -> None:
    """Everything in an element at the height that `place` gives it; a text and a legend move as a whole."""
    for part in element:
        kind = part.tag.rpartition("}")[2]
        boxes = texts(part) if kind == "g" else []
        if kind == "g" and part.get("id", "").startswith("legend"):
            box = union(*boxes)
            by = place((box[1] + box[3]) / 2) - (box[1] + box[3]) / 2
            part.set("transform", f"translate(0 {by:.2f})")
        elif boxes and all(line.tag.endswith("}text") for line in part):
            box = union(*boxes)
            for line in part:
                _lower(line, place((box[1] + box[3]) / 2) - (box[1] + box[3]) / 2)
        elif kind == "path" and part.get("id") is None:
            part.set("d", moved_path(part.get("d", ""), place, 1))
        elif kind == "image":
            _image(part, place)
        elif kind == "rect":
            top, high = float(part.get("y", "0")), float(part.get("height", "0"))
            part.set("y", f"{place(top):.2f}")
            part.set("height", f"{place(top + high) - place(top):.2f}")
        elif kind == "use" and float(part.get("x", "0")):
            part.set("y", f"{place(float(part.get('y', '0'))):.2f}")
        elif kind == "use" and (shape := known.pop(part.get(LINK, "")[1:], None)) is not None:
            down = float(part.get("y", "0"))  # an area, whose places begin there
            shape.set("d", moved_path(shape.get("d", ""), lambda y, down=down: place(y + down) - down, 1))  # type: ignore[misc]
        else:
            stretch(part, place, known)


def _image(part: Element, place: Callable[[float], float]) -> None:
    """A picture; matplotlib turns it upside down."""
    y, high = float(part.get("y", "0")), float(part.get("height", "0"))
    turned = re.fullmatch(r"scale\(1 -1\) translate\(0 (\S+)\)", part.get("transform", ""))
    top = -y - float(turned[1]) - high if turned else y
    made = place(top + high) - place(top)
    part.set("y", f"{-place(top) - float(turned[1]) - made if turned else place(top):.2f}")
    part.set("height", f"{made:.2f}")
    part.set("preserveAspectRatio", "none")
