"""Where the letters and the frames of a plot's SVG stand."""

import math
import re
from functools import cache
from xml.etree import ElementTree

import matplotlib
from PIL import ImageFont

SVG, XLINK = "http://www.w3.org/2000/svg", "http://www.w3.org/1999/xlink"
Element = ElementTree.Element
Box = tuple[float, float, float, float]  # left, top, right, bottom


@cache
def _font() -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(f"{matplotlib.get_data_path()}/fonts/ttf/DejaVuSans.ttf", 100)


def union(*boxes: Box) -> Box:
    """The smallest box around all.

    >>> union((0, 0, 1, 1), (2, -1, 3, 0))
    (0, -1, 3, 1)
    """
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def written(root: Element) -> str:
    """An SVG as text, its elements without prefixes: searches in the text rely on ``<text``.

    >>> written(ElementTree.fromstring(f'<svg xmlns="{SVG}"><text>x</text></svg>')).partition(">")[2]
    '<text>x</text></svg>'
    """
    for prefix, space in (("", SVG), ("xlink", XLINK)):
        ElementTree.register_namespace(prefix, space)
    return ElementTree.tostring(root, encoding="unicode")


def named(element: Element, tag: str) -> list[Element]:
    """All elements of a kind."""
    return list(element.iter(f"{{{SVG}}}{tag}"))


def _size(style: str) -> float:
    found = re.search(r"font(?:-size)?: (?:[\w-]+ )*?([\d.]+)px", style)
    return float(found[1]) if found else 0.0


def _shift(element: Element) -> tuple[float, float]:
    found = re.search(r"translate\(([-\d.]+)[ ,]([-\d.]+)\)", element.get("transform", ""))
    return (float(found[1]), float(found[2])) if found else (0.0, 0.0)


def _of_text(text: Element, at: tuple[float, float] = (0.0, 0.0)) -> Box:
    """About the place that one text takes."""
    spans = named(text, "tspan")
    if spans:
        ends = [
            (float((s.get("x") or "0").split()[0]), _size(s.get("style", "")), s.text or "") for s in spans
        ]
        right = max(x + _font().getlength(words) * size / 100 for x, size, words in ends)
        return at[0], at[1] - 1.2 * max(size for _, size, _ in ends), at[0] + right, at[1] + 4
    style = text.get("style", "")
    size, words = _size(style), "".join(text.itertext())
    wide = _font().getlength(words) * size / 100
    x, y = (float(text.get(name, "0")) + more for name, more in zip("xy", at, strict=True))
    anchor = re.search(r"text-anchor: (\w+)", style)
    before = {"middle": 0.5, "end": 1.0}.get(anchor[1] if anchor else "", 0.0) * wide
    moved = text.get("transform", "")
    dx, dy = _shift(text)
    turn = re.search(r"rotate\(([-\d.]+)", moved)
    angle = math.radians(float(turn[1])) if turn else 0.0
    across, along = math.cos(angle), math.sin(angle)
    corners = [(a - before, b) for a in (0.0, wide) for b in (-0.8 * size, 0.25 * size)]
    right = [x + dx + across * a - along * b for a, b in corners]
    down = [y + dy + along * a + across * b for a, b in corners]
    return min(right), min(down), max(right), max(down)


def texts(element: Element, at: tuple[float, float] = (0.0, 0.0)) -> list[Box]:
    """The places of all texts in an element."""
    found = []
    shift = _shift(element)
    at = at[0] + shift[0], at[1] + shift[1]
    for child in element:
        if child.tag == f"{{{SVG}}}text":
            if "".join(child.itertext()).strip():
                found.append(_of_text(child, at))
        else:
            found += texts(child, at)
    return found


def _points(path: Element) -> list[tuple[float, float]]:
    numbers = [float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", path.get("d", ""))]
    return list(zip(numbers[::2], numbers[1::2], strict=False))


def frame_of(axes: Element) -> Box | None:
    """Where the axes are: their background, or else their picture."""
    first = axes if axes.get("id", "").startswith("patch") else next(iter(axes), None)
    if first is not None and first.get("id", "").startswith("patch") and (paths := named(first, "path")):
        x, y = zip(*_points(paths[0]), strict=True)
        return min(x), min(y), max(x), max(y)
    if (image := next(iter(named(axes, "image")), None)) is not None:
        x, y, wide, high = (float(image.get(name, "0")) for name in ("x", "y", "width", "height"))
        turned = re.fullmatch(r"scale\(1 -1\) translate\(0 (\S+)\)", image.get("transform", ""))
        y = -y - float(turned[1]) - high if turned else y
        return x, y, x + wide, y + high
    return None
