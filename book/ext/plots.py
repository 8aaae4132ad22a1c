"""Plots follow the theme that the reader has chosen: each colour of a plot gets its partner on a dark ground.

`support.view.show` stores a plot as SVG on a white card. Here its colours become variables: one file holds
both themes, and ``plot.svg#dark`` is the dark one. Colours of the book's palette have their dark partner in
`support.view.style`; of any other, the lightness is turned round and the hue stays.
"""

import base64
import io
import math
import re
from functools import cache
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from cell_ink import inked, luminance
from docutils import nodes
from lettering import lettered
from PIL import Image
from sphinx.transforms import SphinxTransform

from support.view import style
from support.view.image_files import MARK

GROUND = ("#ffffff", "#121212")  # the page's own
ENDING = ".plot.svg"
LIFT = 1.2  # how much faint shades become lighter in the dark, where they belong to no map of the book
# The ends of a map of shades in the dark, in OKLab: lightness and chroma, the hue on the way from zero, and
# how much more chroma there is in the middle. Zero is a little lighter than the ground, and the other end no
# lighter than the bars and lines of the page, so that a large area does not glare.
ZERO = (0.225, 0.005)
COLD, WARM = (0.81, 0.075, (250, 244), 0.075), (0.81, 0.095, (25, 40), 0.105)
NEAR = 2.5 / 255  # a colour that is no further from one of a map belongs to it
SMALLEST = 11  # pixels of a letter on a phone, see `least`
COLOUR = re.compile(r"#[0-9a-f]{6}\b")
TEXT = re.compile(r"(<(?:text|tspan)\b[^>]*>)([^<]+)")
APOSTROPHE = re.compile(r"(?<=\w)(?:'|&apos;|&#(?:39|x27);)(?=s?(?!\w))")  # after a word, or before its s
# Bars and other areas without an edge, if their colour is light in the dark: so much of it is left there.
AREA = re.compile(r'(<g id="patch_\d+">\s*<path [^>]*\bstyle="fill: (#[0-9a-f]{6})")/>')
GLARING, LEFT = 0.35, 0.78
PICTURE = re.compile(r'<image\b[^>]*?href="data:image/png;base64,(?P<data>[^"]*)"[^>]*?/>', re.S)
# Linear sRGB to the cone responses of OKLab and from there to lightness and two opponent colours.
CONES = np.array(
    [[0.4122214708, 0.5363325363, 0.0514459929], [0.2119034982, 0.6806995451, 0.1073969566],
     [0.0883024619, 0.2817188376, 0.6299787005]]
)  # fmt: skip
OPPONENT = np.array(
    [[0.2104542553, 0.7936177850, -0.0040720468], [1.9779984951, -2.4285922050, 0.4505937099],
     [0.0259040371, 0.7827717662, -0.8086757660]]
)  # fmt: skip


def _channels(code: str) -> np.ndarray:
    return np.array([int(code[i : i + 2], 16) for i in (1, 3, 5)]) / 255


def oklab(rgb: np.ndarray) -> np.ndarray:
    """sRGB from 0 to 1, ``[..., 3]``, as OKLab (Ottosson, 2020).

    >>> oklab(np.ones(3)).round(3).tolist()
    [1.0, 0.0, 0.0]
    """
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return np.cbrt(linear @ CONES.T) @ OPPONENT.T


def srgb(lab: np.ndarray) -> np.ndarray:
    """OKLab as sRGB from 0 to 1; what a screen cannot show is cut off."""
    linear = ((lab @ np.linalg.inv(OPPONENT).T) ** 3) @ np.linalg.inv(CONES).T
    linear = linear.clip(0, 1)
    return np.where(linear <= 0.0031308, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055).clip(0, 1)


def turned(rgb: np.ndarray, lift: float = 0) -> np.ndarray:
    """Colours with their lightness turned round: white becomes the dark ground, ink becomes nearly white.

    With ``lift``, what is nearly white becomes lighter; white, the middle and ink stay about the same.
    """
    lab = oklab(rgb)
    paper, ink = (oklab(_channels(code))[0] for code in (GROUND[1], style.DARK["black"]))
    black = oklab(_channels(style.COLOURS["black"]))[0]
    part = ((1 - lab[..., 0]) / (1 - black)).clip(0)
    part += lift * part * (1 - part).clip(0) ** 4
    lab[..., 0] = (paper + part * (ink - paper)).clip(0, 0.98)
    return srgb(lab)


def _night(amount: np.ndarray, end: tuple[float, float, tuple[int, int], float]) -> np.ndarray:
    """Shades for amounts from 0 to 1 on a dark ground, the lighter the more."""
    light, chroma, (first, last), more = end
    angle = np.deg2rad(first + (last - first) * amount)
    far = ZERO[1] + (chroma - ZERO[1]) * amount + more * np.sin(np.pi * amount**1.3)  # and hue comes later
    up = ZERO[0] + (light - ZERO[0]) * amount**0.68  # small amounts rise fast from the ground
    return srgb(np.stack([up, far * np.cos(angle), far * np.sin(angle)], axis=-1))


@cache
def _maps() -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """The 256 shades of each map that the book draws with, and their partners in the dark."""
    amount = np.linspace(0, 1, 256)
    both = np.abs(amount * 2 - 1)
    night = {
        style.UP: _night(amount, COLD),
        "Reds": _night(amount, WARM),
        style.BOTH: np.where(amount[:, None] < 0.5, _night(both, COLD), _night(both, WARM)),
    }
    return tuple((matplotlib.colormaps[name](np.arange(256))[:, :3], dark) for name, dark in night.items())


def shaded(rgb: np.ndarray) -> np.ndarray:
    """The shades of a map on a dark ground, ``[colour, 3]``; colours of no map are turned round.

    >>> zero, small, much = shaded(matplotlib.colormaps[style.UP](np.array([0, 26, 255]))[:, :3]).sum(-1)
    >>> bool(zero < small < much)
    True
    """
    found = turned(rgb, lift=LIFT)
    best: tuple[np.ndarray, np.ndarray] | None = None
    for light, dark_ones in _maps():
        apart = np.abs(rgb[:, None] - light).max(-1)
        belongs = apart.min(-1) < NEAR
        if best is None or belongs.sum() > best[0].sum():
            best = belongs, dark_ones[apart.argmin(-1)]
    assert best is not None
    found[best[0]] = best[1][best[0]]
    return found


@cache
def dark(code: str) -> str:
    """The partner of a colour on a dark ground.

    >>> dark("#0072b2") == style.ROLES["stream"][1], dark("#ffffff"), dark("#222222")
    (True, '#121212', '#e8edf2')
    """
    known = {GROUND[0]: GROUND[1], style.GREY: style.ROLES["faint"][1], "#000000": style.DARK["black"]}
    known |= dict(style.ROLES.values())
    for name, shade in style.DARK_AREAS.items():
        known[(style.tint(name) if name in style.COLOURS else name).lower()] = shade
    for number, name in enumerate(style.COLOURS):
        known[style.COLOURS[name].lower()] = known[style.ink(number).lower()] = style.DARK[name]
    if code in known:
        return known[code]
    return "#" + "".join(f"{round(255 * part):02x}" for part in turned(_channels(code)))


def dark_picture(png: bytes) -> bytes:
    """A PNG picture in dark colours, a map of shades; what is transparent stays so.

    On a dark ground faint shades are harder to tell from it than on white, so they are lighter there.
    """
    picture = Image.open(io.BytesIO(png)).convert("RGBA")
    pixels = np.ascontiguousarray(picture)
    words, places = np.unique(pixels.view(np.uint32), return_inverse=True)  # a pixel's four bytes as one
    colours = words.view(np.uint8).reshape(-1, 4)
    colours[:, :3] = np.rint(255 * shaded(colours[:, :3] / 255))
    out = io.BytesIO()
    Image.fromarray(colours[places.reshape(-1)].reshape(pixels.shape)).save(out, "PNG", optimize=True)
    return out.getvalue()


def softened(svg: str) -> str:
    """A drawing whose glaring areas have a class of their own, by which the dark file makes them quieter.

    >>> bar = '<g id="patch_3"><path d="M 0 0 z" style="fill: {}"/></g>'
    >>> [softened(bar.format(code)).count('class="a"') for code in ("#0072b2", "#222222", "#eeeeee")]
    [1, 0, 0]
    """
    known = {code.lower() for code in style.COLOURS.values()} | {light for light, _ in style.ROLES.values()}

    def mark(found: re.Match[str]) -> str:
        code = found[2]
        glares = code in known - {style.COLOURS["black"]} and luminance(_channels(dark(code))) > GLARING
        return f'{found[1]} class="a"/>' if glares else found[0]

    return AREA.sub(mark, svg)


def _both(found: re.Match[str]) -> str:
    light = re.sub(r' id="[^"]*"', "", found[0])
    data = base64.b64encode(dark_picture(base64.b64decode(found["data"]))).decode()
    after = light.replace(found["data"], data)
    return light.replace("<image", '<image class="l"', 1) + after.replace("<image", '<image class="d"', 1)


def letters(svg: str) -> float:
    """The size of the smallest letters, in points; exponents belong to what they stand on.

    >>> letters('<text style="font: 12px a">x</text><text><tspan style="font: 9px a"/></text>')
    9.0
    """
    texts = re.findall(r"<text\b.*?</text>", svg, re.S)
    size = r"font(?:-size)?: (?:\w+ )*?([\d.]+)px"
    return min((max(map(float, re.findall(size, text))) for text in texts if "font" in text), default=0.0)


def printed(words: str) -> str:
    """Words with the apostrophes of the page's text; those of a token stay as they are.

    >>> printed("torch's"), printed("two models' rows"), printed("␣wasn't"), printed("'s")
    ('torch’s', 'two models’ rows', "␣wasn't", "'s")
    """
    return words if "␣" in words else APOSTROPHE.sub("’", words)


def themed(svg: str) -> str:
    """A plot with its colours as variables, light and, under the address ``#dark``, dark.

    >>> drawn = '<svg class="plot" width="72pt" height="9pt"><path style="fill: #0072b2"/></svg>'
    >>> themed(drawn).partition("</style>")[2]
    '<path style="fill: var(--c1)"/></svg>'
    """
    svg, inks = inked(TEXT.sub(lambda m: m[1] + printed(m[2]), svg), shaded, dark)
    svg, face = lettered(softened(svg))
    # The white card of the notebook is not drawn: the page has its own.
    svg = re.sub(r'(<g id="patch_1">\s*<path [^>]*style="[^"]*?)fill: #ffffff', r"\1fill: none", svg, count=1)
    names = {"#000000": "--c0"}

    def named(found: re.Match[str]) -> str:
        return COLOUR.sub(lambda m: f"var({names.setdefault(m[0], f'--c{len(names)}')})", found[0])

    pictures: list[str] = []

    def kept(found: re.Match[str]) -> str:
        pictures.append(_both(found))
        return f"<picture {len(pictures) - 1}>"

    svg = re.sub(r'style="[^"]*"', named, PICTURE.sub(kept, svg))
    svg = re.sub(r"<picture (\d+)>", lambda m: pictures[int(m[1])], svg)
    both = {name: inks.get(code) or (code, dark(code)) for code, name in names.items()}
    light = "".join(f"{name}:{one};" for name, (one, _) in both.items())
    night = "".join(f"{name}:{other};" for name, (_, other) in both.items())
    rules = (
        f"svg{{{light}fill:var(--c0)}}svg:target{{{night}}}"
        f".d,svg:target .l{{display:none}}svg:target .d{{display:inline}}"
        f"svg:target .a{{opacity:{LEFT}}}{face}"
    )
    wide = re.search(r'\bwidth="([\d.]+)pt"', svg)
    small = letters(svg)
    least = float(wide[1]) * SMALLEST / small if wide and small else 0
    head = f'<svg id="dark" data-least="{math.ceil(least)}" '
    return re.sub(r"^<svg ([^>]*)>", lambda m: f"{head}{m[1]}><style>{rules}</style>", svg, count=1)


class Themed(SphinxTransform):
    """Gives the page of each plot the file with both themes; `tools/lean_pages.py` writes its two images."""

    default_priority = 412

    def apply(self, **_: Any) -> None:
        for image in list(self.document.findall(nodes.image)):
            path = Path(self.env.srcdir) / image["uri"].lstrip("/")
            if path.suffix == ".svg" and not path.name.endswith(ENDING) and path.exists():
                svg = path.read_text(encoding="utf8")
                if MARK in svg[:200]:
                    path.with_suffix(ENDING).write_text(themed(svg), encoding="utf8")
                    image["uri"] = image["uri"].removesuffix(".svg") + ENDING


def setup(app: Any) -> dict[str, Any]:
    app.add_transform(Themed)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
