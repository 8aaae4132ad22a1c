"""Vectors in space: from many dimensions to a map, and positions added or rotated."""

import math

from support.core import InputError
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing, Point

POINTS: dict[str, Point] = {
    "cat": (-0.8, 0.5),
    "dog": (-0.6, 0.75),
    "cow": (-0.9, 0.9),
    "king": (0.75, 0.5),
    "queen": (0.95, 0.75),
    "run": (-0.2, -0.7),
    "walk": (0.1, -0.9),
    "jump": (0.25, -0.55),
}


def projection(words: dict[str, Point] | None = None, width: int = 64) -> Diagram:
    """From many dimensions to a map: the table of vectors, two numbers for each word, the map.

    Args:
        words: the place of each word on the map, both numbers from −1 to 1; up to twelve words.
        width: how many numbers each vector has.

    Raises:
        InputError: a place is outside of the map, or there are more than twelve words.
    """
    words = POINTS if words is None else words
    if not 2 <= len(words) <= 12 or any(max(abs(x), abs(y)) > 1 for x, y in words.values()):
        raise InputError("give 2 to 12 words with places from −1 to 1")
    d, shown = Drawing(520), list(words)[:4]
    for i, word in enumerate(shown):
        d.text(58, 34 + 18 * i, word, "token", size=12, anchor="end")
        d.grid(
            66,
            25 + 18 * i,
            [[0.1 + ((5 * i + 3 * j + i * j) % 9) / 9 for j in range(12)]],
            "stream",
            cell=16,
            high=18,
        )
    d.text(58, 34 + 18 * 4, "⋮", "faint", anchor="end")
    d.text(66, 14, f"vectors [{len(words)}, {width}]", "stream", bold=True, anchor="start")
    d.text(266, 62, f"{width} numbers\na word", "faint", size=12, anchor="start")
    d.arrow((162, 108), (162, 126))
    for y, name, note in (
        (146, "concept plane, PCA", "two directions: a shadow"),
        (194, "t-SNE, UMAP", "new places that keep neighbours"),
    ):
        d.box(162, y, 250, 40, name, "ink", bold=True, note=note, size=12)
    d.arrow((162, 215), (162, 240), words=f"[{len(words)}, 2]")
    frame = d.frame(52, 244, 236, 236)
    for word, (across, up) in words.items():
        a, b = frame.x + 96 * across, frame.y - 100 * up
        d.node(a, b, "", "stream", r=4)
        d.text(a, b - 12, word, "token", size=12)
    d.text(170, 496, "how much is lost? print a number:", size=12)
    d.text(170, 512, "variance kept, or neighbours kept", "loss", size=12)
    d.size = (d.size[0], 526)
    return d.done(
        f"From {width} dimensions to a map. The vectors of {len(words)} words, [{len(words)}, {width}], "
        "become two numbers each, either their shadow on two directions (a concept plane, PCA) or new "
        f"places that keep neighbours together (t-SNE, UMAP). On the map stand {', '.join(words)}. What "
        "the map has lost is told by a number: the variance or the neighbours it has kept."
    )


def positions(first: int = 1, second: int = 4, angle: Number = 0.3) -> Diagram:
    """Two ways to tell a model the order: a position's vector added, or queries and keys rotated (RoPE).

    Args:
        first: the key's position.
        second: the query's position.
        angle: by how many radians a vector is rotated for each position.

    Raises:
        InputError: the positions are not from 0 to 9.
    """
    if not (0 <= first <= 9 and 0 <= second <= 9):
        raise InputError(f"first={first}, second={second}: give positions from 0 to 9")
    d = Drawing(470)
    d.text(8, 16, "added to the embedding", bold=True, anchor="start")
    d.text(8, 33, "sinusoids (2017), learned (GPT-2)", "faint", size=12, anchor="start")
    for k, (role, name) in enumerate(
        (("token", "embedding"), ("ink", f"position {second}"), ("stream", "stream"))
    ):
        y = 50 + 46 * k
        values = [0.2 + ((4 * j + 3 * k) % 7) / 8 for j in range(8)]
        d.grid(60, y, [values], role, cell=20)
        d.text(232, y + 10, name, role, bold=True, anchor="start")
        if k < 2:
            d.text(140, y + 33, "+" if k == 0 else "=", size=16)
    d.line((8, 186), (332, 186), role="line", width=1)
    d.text(8, 204, "rotated (RoPE)", bold=True, anchor="start")
    d.text(8, 221, "each pair of numbers of a query and a key", "faint", size=12, anchor="start")
    r, cy = 62, 300
    for cx, start, place, role, name in (
        (90, 0.35, first, "key", "key"),
        (250, 0.9, second, "query", "query"),
    ):
        ring = [
            (cx + r * math.cos(t), cy + r * math.sin(t)) for t in (2 * math.pi * k / 60 for k in range(60))
        ]
        d.curve(ring, "line", width=1, closed=True)
        for turned, dashed in ((start, True), (start + place * angle, False)):
            tip = (cx + 56 * math.cos(turned), cy - 56 * math.sin(turned))
            d.arrow((cx, cy), tip, role=role, width=1.3 if dashed else 2.6, dashed=dashed)
        arc = [
            (
                cx + 30 * math.cos(start + place * angle * k / 20),
                cy - 30 * math.sin(start + place * angle * k / 20),
            )
            for k in range(21)
        ]
        d.curve(arc, role, width=1.2)
        d.text(cx, cy + 80, f"{name}, position {place}", role, bold=True)
        d.text(cx, cy + 98, f"rotated by {place} · {angle:g}", "faint", size=12)
    d.text(170, 424, f"positions enter only as {second} − {first} = {second - first}", "attention", bold=True)
    d.text(170, 444, "each pair of numbers rotates at its own speed", "faint", size=12)
    d.size = (d.size[0], 458)
    return d.done(
        "Two ways to tell a model the order of words. Added: each position has a vector, and the "
        f"embedding plus that of position {second} is the start of the residual stream. Rotated (RoPE): "
        f"each pair of numbers of a key at position {first} is rotated by {first} times {angle:g} radians, "
        f"that of a query at position {second} by {second} times {angle:g}; positions enter their score only "
        f"through the distance, {second - first}."
    )
