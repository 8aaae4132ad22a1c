"""Byte-pair encoding: a text in tokens, after as many merges as the reader allows.

`figure.js` beside this file computes and draws the same in the page.
"""

import unicodedata
from functools import lru_cache
from typing import Any

from matplotlib.figure import Figure

from support import zoo
from support.text import BPETokenizer
from support.text.byte_alphabet import BYTES, from_printable
from support.text.pretokenise import split
from support.view import style
from support.view.live.controls import Slider, Text, fill
from support.view.live.description import LiveFigure

Values = dict[str, Any]


@lru_cache
def merges() -> tuple[tuple[bytes, bytes], ...]:
    """The merges learned from a thousand stories, oldest first."""
    return tuple((from_printable(a), from_printable(b)) for a, b in zoo.record("page_bpe")["merges"])


@lru_cache(maxsize=64)
def tokenizer(count: int) -> BPETokenizer:
    """The tokenizer that has learned so many merges and no more."""
    return BPETokenizer(merges()[:count])


def told(token: bytes) -> str:
    """A token to look at: ␣ for a space, a code for what is invisible, bytes for half a character.

    >>> told(b" the"), told("é".encode()), told(b"\\xc3"), told(b"\\t")
    ('␣the', 'é', 'C3', 'U+0009')
    """
    try:
        text = token.decode()
    except UnicodeDecodeError:
        return token.hex(" ").upper()
    unseen = {c for c in text if unicodedata.category(c) in ("Cc", "Cf", "Zs", "Zl", "Zp")}
    return "".join("␣" if c == " " else f"U+{ord(c):04X}" if c in unseen else c for c in text)


def tokens_of(text: str, merges: float | int) -> Values:
    """A text's tokens and ids with the first merges of the story tokenizer.

    Args:
        text: what is cut.
        merges: how many may happen, the oldest first.

    >>> [token["token"] for token in tokens_of("the cat", 400)["tokens"]]
    ['t', 'he', '␣cat']
    """
    count = int(merges)
    known = tokenizer(count)
    pairs = known.merges
    found: list[Values] = []
    pieces = split(text)
    for number, piece in enumerate(pieces):
        for i in known.encode(piece):
            token = known.token(i)
            origin = "a byte" if i < 256 else f"merge {i - 255}: {' + '.join(map(told, pairs[i - 256]))}"
            found.append({"place": len(found) + 1, "token": told(token), "id": i, "piece": number})
            found[-1] |= {"bytes": token.hex(" ").upper(), "origin": origin}
    size = len(text.encode())
    newest = (
        f"the newest is {told(pairs[-1][0])} + {told(pairs[-1][1])}" if count else "every token is a byte"
    )
    said = "{count} merges, {newest}: {characters} and {size} become {tokens}"
    about = {
        "count": str(count) if count else "No",
        "newest": newest,
        "characters": _many(len(text), "character"),
        "size": _many(size, "byte"),
        "tokens": _many(len(found), "token"),
    }
    if count == 1:
        said = said.replace("merges", "merge")
    finding = fill(said, about)
    if found:
        finding += fill(", {each:.2f} bytes to a token", {"each": size / len(found)})
    return {"tokens": found, "pieces": pieces, "finding": finding + "."}


def _many(n: int, what: str) -> str:
    return f"{n} {what}" if n == 1 else f"{n} {what}s"


def draw_tokens(values: Values, found: Values) -> Figure:
    """The tokens in boxes, line by line; the boxes of one piece have one colour."""
    rows: list[list[Values]] = [[]]
    used = 0.0
    for item in found["tokens"]:
        # A typeface lacks most of the world's signs; what is not Latin is shown in bytes.
        text = item["token"] if all(ord(c) < 0x250 or c == "␣" for c in item["token"]) else item["bytes"]
        wide = max(len(text), len(str(item["id"]))) + 1.6
        if used + wide > 62 and rows[-1]:
            rows.append([])
            used = 0.0
        rows[-1].append(item | {"text": text, "x": used, "wide": wide})
        used += wide
    fig, ax = style.subplots(wide=True, figsize=(style.WIDE, 1.0 + 0.72 * len(rows)))
    fonts = {"ha": "center", "va": "center", "family": "monospace"}
    for y, row in enumerate(rows):
        for item in row:
            edge = style.COLOURS[("blue", "vermilion")[item["piece"] % 2]]
            line = {"linestyle": "--", "linewidth": 1.0} if item["id"] < 256 else {"linewidth": 1.6}
            ax.barh(y, item["wide"] - 0.3, 0.78, item["x"], color="white", edgecolor=edge, **line)
            middle = item["x"] + item["wide"] / 2 - 0.15
            ax.text(middle, y - 0.13, item["text"], fontsize=11, **fonts)
            ax.text(middle, y + 0.22, str(item["id"]), fontsize=8, **fonts)
    key = "A box is a token, with its id below it; dashed: a single byte; ␣ is a space.\n"
    key += "Colours alternate from piece to piece of the text; no merge crosses their border."
    ax.text(0, len(rows) - 0.4, key, fontsize=9, va="top", color=style.GREY)
    ax.set(xlim=(-0.5, 62.5), ylim=(len(rows) + 0.15, -0.6))
    ax.set_axis_off()
    return fig


START = "the kind girl found a café happily"
OFFERED = (
    "the squirrel",
    "unhappily",
    "Straße, 12 345",
    "naïve café 🙂",
    "  two  spaces",
    "<EOS>",
    "日本語",
)


_MERGES = zoo.record("page_bpe")["merges"]

FIGURE = LiveFigure(
    name="bpe",
    title="Letters grow together: byte-pair encoding",
    controls=(
        Text("text", "Your text", OFFERED, 200, START),
        Slider("merges", "Merges", 0, len(_MERGES), 1, 150, "{merges:.0f}"),
    ),
    compute=tokens_of,
    draw=draw_tokens,
    says="{finding}",
    columns=("place", "token", "id", "bytes", "made by"),
    rows=(("{place}", "{token}", "{id}", "{bytes}", "{origin}"),),
    each="tokens",
    data={"merges": _MERGES, "bytes": [byte[0] for byte in BYTES]},
)
