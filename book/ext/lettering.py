"""The letters of a plot are the page's; an image cannot use the face of its page, so it brings what it needs.

matplotlib sets a plot in DejaVu Sans and finds a place for all that stands beside a word. The page's face is
narrower, so it is set larger, until its small letters are as high (``font-size-adjust``): all stays in place.
"""

import base64
import html
import io
import re
from functools import cache
from pathlib import Path

from fontTools import subset
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont
from fontTools.varLib import instancer
from PIL import ImageFont

FACE = Path(__file__).resolve().parents[1] / "assets" / "fonts" / "source-sans.woff2"
X_HEIGHT = 0.547  # of DejaVu Sans, by its size
UNUSED = ("GPOS", "GSUB", "GDEF", "STAT")  # nothing of a label is a ligature
RAISED = dict(zip("⁰⁴⁵⁶⁷⁸⁹⁻", "0456789−", strict=True))  # exponents that the face lacks, and what they raise
SMALL = (0.66, 0, 0, 0.63, 2, 410)  # how small and how high, as its ² is
STRONG = 540  # the weight of a digit whose strokes, made small, are as strong as those of the face's ²


def _add_exponents(font: TTFont) -> None:
    """Exponents in the manner of the face's own ¹, ² and ³, which are all that it has."""
    strong = instancer.instantiateVariableFont(TTFont(FACE), {"wght": STRONG})
    digits, names = strong.getGlyphSet(), strong.getBestCmap()
    for exponent, digit in RAISED.items():
        pen, name = TTGlyphPen(None), f"uni{ord(exponent):04X}"
        digits[names[ord(digit)]].draw(TransformPen(pen, SMALL))
        font["glyf"][name] = pen.glyph()
        font["hmtx"][name] = round(SMALL[0] * digits[names[ord(digit)]].width) + 2 * SMALL[4], SMALL[4]
        for table in font["cmap"].tables:
            if table.isUnicode():
                table.cmap[ord(exponent)] = name


@cache
def _regular() -> bytes:
    """The face in one weight, as TrueType."""
    font = instancer.instantiateVariableFont(TTFont(FACE), {"wght": 400})
    _add_exponents(font)
    for name in UNUSED:
        if name in font:
            del font[name]
    font.flavor = None
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


@cache
def _measure() -> tuple[ImageFont.FreeTypeFont, float]:
    font = TTFont(io.BytesIO(_regular()))
    larger = X_HEIGHT * font["head"].unitsPerEm / font["OS/2"].sxHeight
    return ImageFont.truetype(io.BytesIO(_regular()), 100), larger / 100


def width(words: str) -> float:
    """How wide words in a drawing are, by the size of their letters.

    >>> 2.6 < width("Adam") < 2.8, width("ill") < width("Mum")
    (True, True)
    """
    font, scale = _measure()
    return scale * font.getlength(words)


@cache
def few_letters(characters: frozenset[str]) -> bytes:
    """A font file (WOFF) with those of the characters that the face has, and no others.

    >>> font = TTFont(io.BytesIO(few_letters(frozenset("a−∞"))))
    >>> sorted(map(chr, font.getBestCmap()))
    ['a', '−']
    >>> font = TTFont(io.BytesIO(few_letters(frozenset("10⁻⁸"))))
    >>> "".join(sorted(map(chr, font.getBestCmap())))
    '01⁸⁻'
    """
    font = TTFont(io.BytesIO(_regular()))
    options = subset.Options(layout_features=[], hinting=False, name_IDs=[], notdef_outline=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(characters))
    subsetter.subset(font)
    font.flavor = "woff"
    out = io.BytesIO()
    font.save(out)
    return out.getvalue()


def shown(svg: str) -> frozenset[str]:
    """The characters of all texts of a drawing.

    >>> sorted(shown('<style>a</style><text x="1">b<tspan>&lt;c</tspan></text>'))
    ['<', 'b', 'c']
    """
    texts = re.findall(r"<text\b.*?</text>", svg, re.S)
    return frozenset(html.unescape("".join(re.sub(r"<[^>]*>", "", text) for text in texts)))


def lettered(svg: str) -> tuple[str, str]:
    """The drawing with the page's face before that of matplotlib, and the rules of style that bring it."""
    characters = shown(svg)
    if not characters:
        return svg, ""
    data = base64.b64encode(few_letters(characters)).decode()
    rules = f"@font-face{{font-family:Page;src:url(data:font/woff;base64,{data})}}"
    rules += f"text,tspan{{font-size-adjust:{X_HEIGHT}!important;text-rendering:geometricPrecision}}"
    return re.sub(r"(?='DejaVu Sans')", "Page, ", svg), rules
