"""Numbers in the cells of a map, words on an area: of each theme's inks, the one that reads best there.

The notebook's own choice, black or white, is made for the light theme. In the dark the shades are others, so
that the better ink may be the other one, too.
"""

import base64
import io
import re
import sys
from collections.abc import Callable
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
from PIL import Image

sys.path.append(str(Path(__file__).resolve().parents[2] / "tools"))
from svg_text import Box, Element, frame_of, named, texts

INKS = (("#222222", "#ffffff", "#000000"), ("#e8edf2", "#121212", "#ffffff", "#000000"))  # light, dark
ENOUGH = 4.5  # to one; only if no ink that comes first has it is one of the last taken
CORNER = re.compile(r"[ML] (-?[\d.]+) (-?[\d.]+)")
FILL = re.compile(r"fill: (#[0-9a-f]{6})")
OPACITY = re.compile(r"opacity: ([\d.]+)")
GROUND = ("#ffffff", "#121212")  # the page's own: what is seen through an area that lets light through
CHOSEN = re.compile(r"fill: (?:#222222|#ffffff|#000000)")


def luminance(rgb: np.ndarray) -> float:
    """Of a colour from 0 to 1, as the guidelines for contrast define it."""
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(one: np.ndarray, other: np.ndarray) -> float:
    """How far two colours are apart, from 1 to 21.

    >>> round(contrast(np.zeros(3), np.ones(3)))
    21
    """
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def _rgb(code: str) -> np.ndarray:
    return np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def best(shade: np.ndarray, inks: tuple[str, ...]) -> str:
    """The better of the first two inks, or of all if neither is enough.

    >>> best(np.ones(3), INKS[0]), best(np.array([0.5, 0.5, 0.5]), INKS[0])
    ('#222222', '#000000')
    """
    found = {ink: contrast(shade, _rgb(ink)) for ink in inks}
    first = max(inks[:2], key=found.__getitem__)
    return first if found[first] >= ENOUGH else max(inks, key=found.__getitem__)


def _shades(image: Element) -> tuple[np.ndarray, bool]:
    """The colours of a picture, and whether it is stored upside down."""
    data = next(value for name, value in image.items() if name.endswith("href"))
    picture = Image.open(io.BytesIO(base64.b64decode(data.partition(",")[2]))).convert("RGB")
    return np.asarray(picture) / 255, image.get("transform", "").startswith("scale(1 -1)")


Area = tuple[np.ndarray, np.ndarray, str, float]


def _areas(axes: Element) -> list[Area]:
    """The coloured rectangles of axes, in their order: two corners, the colour, and how opaque it is."""
    found = []
    for path in named(axes, "path"):
        fill = FILL.search(path.get("style", ""))
        corners = np.array(CORNER.findall(path.get("d", "")), dtype=float)
        if fill and len(corners) == 4 and fill[1] != "#ffffff":
            faint = OPACITY.search(path.get("style", ""))
            found.append((corners.min(0), corners.max(0), fill[1], float(faint[1]) if faint else 1.0))
    return found


def _on_area(ink: str, box: Box, areas: list[Area], partner: Callable[[str], str]) -> tuple[str, str] | None:
    """Better inks for a word on an area, if its own has too little contrast in one of the themes."""
    left, top, right, bottom = box
    middle = np.array([(left + right) / 2, (top + bottom) / 2])
    light, night = map(_rgb, GROUND)
    below = [area[2:] for area in areas if (area[0] < middle).all() and (middle < area[1]).all()]
    if not below:
        return None
    for code, part in below:
        light = part * _rgb(code) + (1 - part) * light
        night = part * _rgb(partner(code)) + (1 - part) * night
    if min(contrast(light, _rgb(ink)), contrast(night, _rgb(partner(ink)))) >= ENOUGH:
        return None
    return best(light, INKS[0]), best(night, INKS[1])


def inked(
    svg: str, dark: Callable[[np.ndarray], np.ndarray], partner: Callable[[str], str]
) -> tuple[str, dict[str, tuple[str, str]]]:
    """The drawing with a code for the ink of each number in a cell; and for each code, the two inks.

    Words on a coloured area keep their ink where it has enough contrast in both themes.

    Args:
        svg: a drawing of matplotlib.
        dark: the colour of a cell in the dark, from that in the light.
        partner: the same for the code of any other colour.
    """
    if "fill: #" not in svg:
        return svg, {}
    root = ElementTree.fromstring(svg)
    order = {id(text): k for k, text in enumerate(named(root, "text"))}
    codes: dict[tuple[str, str], str] = {}
    at: dict[int, str] = {}
    for axes in (g for g in root.iter() if g.get("id", "").startswith("axes_")):
        image = next(iter(named(axes, "image")), None)
        words = [g for g in axes if g.get("id", "").startswith("text_")]
        if image is None and words and (areas := _areas(axes)):
            for group in words:
                for text, box in zip(named(group, "text"), texts(group), strict=False):
                    chosen = FILL.search(text.get("style", ""))
                    ink = chosen[1] if chosen else "#000000"  # matplotlib says nothing of black
                    if ink in INKS[0] and (pair := _on_area(ink, box, areas, partner)):
                        at[order[id(text)]] = codes.setdefault(pair, f"#0b0b{len(codes):02x}")
        if image is None or not words:
            continue
        shades, turned = _shades(image)
        left, top, right, bottom = frame_of(image_only(image)) or (0.0, 0.0, 0.0, 0.0)
        for group in words:
            for text, (x, y, u, v) in zip(named(group, "text"), texts(group), strict=False):
                across, down = ((x + u) / 2 - left) / (right - left), ((y + v) / 2 - top) / (bottom - top)
                if not (0 < across < 1 and 0 < down < 1):
                    continue
                down = 1 - down if turned else down
                shade = shades[int(down * len(shades)), int(across * shades.shape[1])]
                pair = best(shade, INKS[0]), best(dark(shade[None])[0], INKS[1])
                at[order[id(text)]] = codes.setdefault(pair, f"#0b0b{len(codes):02x}")
    count = iter(range(len(order)))

    def mend(found: re.Match[str]) -> str:
        code = at.get(next(count))
        if not code:
            return found[0]
        if "fill:" not in found[0]:
            return found[0].replace('style="', f'style="fill: {code}; ', 1)
        return CHOSEN.sub(f"fill: {code}", found[0], count=1)

    return re.sub(r"<text\b[^>]*>", mend, svg), {code: pair for pair, code in codes.items()}


def image_only(image: Element) -> Element:
    """A group that holds nothing but a picture."""
    group = ElementTree.Element("g")
    group.append(image)
    return group
