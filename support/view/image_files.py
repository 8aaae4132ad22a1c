"""A figure as a file: vector graphics with real text, or a PNG; the same bytes whenever it is drawn."""

import html
import io
import re
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import matplotlib
from matplotlib.collections import Collection
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.lines import Line2D
from matplotlib.textpath import text_to_path
from PIL import Image

from support.view.style import DPI

MARK = 'class="plot"'
MANY = 1000  # an artist with more points than this is a picture inside of the drawing
SHADES = 48  # colours of the picture for readers whose notebook draws no SVG
# Verdana is about as wide as DejaVu Sans, which few readers have.
FONT = "'DejaVu Sans', Verdana, sans-serif"

SAME = 0.5  # points between the ends of lines that end at one place
LINE = re.compile(
    r'<text style="(?P<style>[^"]*?(?P<size>[\d.]+)px[^"]*)" '
    r'transform="translate\((?P<x>[-\d.]+) (?P<y>[-\d.]+)\)'
    r'(?: rotate\((?P<turn>-90)\))?">(?P<words>[^<]*)</text>'
)


@contextmanager
def no_word_of_collapse() -> Iterator[None]:
    """Long names may leave axes no room, and matplotlib 3.10 finds none in 3D before it has drawn once."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "constrained_layout not applied")
        yield


def svg(fig: Figure) -> str:
    """The figure as vector graphics with real text on a white card, the same whenever it is drawn.

    What has very many points is a picture inside of it.

    >>> from support.view import style
    >>> svg(style.subplots(figsize=(1, 1))[0])[:5]
    '<svg '
    """
    for line in fig.findobj(Line2D):
        if len(line.get_xydata()) > MANY:  # type: ignore[arg-type]
            line.set_rasterized(True)
    for many in fig.findobj(Collection):
        array = many.get_array()
        if max(len(many.get_offsets()), len(many.get_paths()), 0 if array is None else array.size) > MANY:  # type: ignore[arg-type]
            many.set_rasterized(True)
    drawn = io.StringIO()
    nothing = dict.fromkeys(("Date", "Creator", "Format", "Type"))
    with matplotlib.rc_context({"svg.fonttype": "none", "svg.hashsalt": "book"}), no_word_of_collapse():
        fig.savefig(drawn, format="svg", dpi=2 * 72, facecolor="white", metadata=nothing)
    text = drawn.getvalue()
    text = text[text.index("<svg ") :].replace("<svg ", f"<svg {MARK} ", 1)
    text = re.sub(r"<metadata>.*?</metadata>\s*|<!--.*?-->\s*", "", text, flags=re.S)
    text = re.sub(r"(?:<text [^>]*>[^<]*</text>\s*){2,}", _anchored, text)
    text = re.sub(r"(font(?:-family)?:[^;\"]*?)'DejaVu Sans'(?:, [^;\"]*)?", rf"\1{FONT}", text)
    # A hundredth of a point is less than a screen shows.
    text = re.sub(r'(?<= )((?:d|transform|x|y|points)=")([^"]*)"', lambda m: m[1] + _short(m[2]) + '"', text)
    text = re.sub(r'(?<=base64,)[^"]*', lambda m: re.sub(r"\s", "", m[0]), text)
    return re.sub(r"\s*\n\s*", " ", re.sub(r">\s+<", "><", text)).strip()


def _anchored(lines: re.Match[str]) -> str:
    """Lines of one text that end, or have their middle, at one place do so in any face, not in one only."""
    found = [LINE.fullmatch(line) for line in re.findall(r"<text.*?</text>", lines[0], re.S)]
    rows = [row for row in found if row is not None]
    if len(rows) < len(found):
        return lines[0]
    wide = [text_width(html.unescape(row["words"]), float(row["size"])) for row in rows]
    along = [-float(row["y"]) if row["turn"] else float(row["x"]) for row in rows]
    for share, anchor in ((0.0, "start"), (1.0, "end"), (0.5, "middle")):
        at = [start + share * length for start, length in zip(along, wide, strict=True)]
        if max(at) - min(at) < SAME:
            return lines[0] if anchor == "start" else "".join(map(_from, rows, at, [anchor] * len(at)))
    return lines[0]


def _from(row: re.Match[str], place: float, anchor: str) -> str:
    x, y = (row["x"], f"{-place:.6f}") if row["turn"] else (f"{place:.6f}", row["y"])
    turn = f"rotate({row['turn'] or '-0'} {x} {y})"
    style = f"{row['style']}; text-anchor: {anchor}"
    return f'<text style="{style}" x="{x}" y="{y}" transform="{turn}">{row["words"]}</text>'


def text_width(words: str, size: float | int) -> float:
    """How wide words of a size in points are, in points, in the face that figures are laid out in.

    >>> text_width("loss", 10) < text_width("loss", 12) < text_width("losses", 12)
    True
    """
    font = FontProperties("DejaVu Sans", size=size)
    return text_to_path.get_text_width_height_descent(words, font, ismath=False)[0]


def _short(numbers: str) -> str:
    return re.sub(r"-?\d+\.\d+", lambda m: f"{float(m[0]):.2f}".rstrip("0").rstrip("."), numbers)


def small_png(fig: Figure) -> bytes:
    """The figure as a PNG file in few colours, for where SVG is not shown: a notebook not yet trusted.

    It is drawn as it was laid out before.
    """
    pixels, drawn, engine = io.BytesIO(), io.BytesIO(), fig.get_layout_engine()
    fig.set_layout_engine("none")
    fig.savefig(pixels, format="rgba", dpi=DPI, facecolor="white")
    fig.set_layout_engine(engine or "none")
    wide, high = (int(inches * DPI) for inches in fig.get_size_inches())
    picture = Image.frombuffer("RGBA", (wide, high), pixels.getvalue()).convert("RGB")
    picture.quantize(SHADES, dither=Image.Dither.NONE).save(drawn, "PNG", optimize=True)
    return drawn.getvalue()


def png(fig: Figure) -> bytes:
    """The figure as a PNG file on a white card, without a trace of when or by what it was made.

    >>> from support.view import style
    >>> png(style.subplots(figsize=(1, 1))[0])[1:4]
    b'PNG'
    """
    drawn = io.BytesIO()
    with no_word_of_collapse():
        fig.savefig(drawn, format="png", dpi=DPI, facecolor="white", metadata={"Software": None})
    return drawn.getvalue()
