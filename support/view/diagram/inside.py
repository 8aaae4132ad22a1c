"""Hook points on the residual stream, and a checkpoint's names beside our own."""

import math
from collections.abc import Sequence

from support.core import InputError
from support.model import GPTConfig
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing, Point
from support.view.diagram.sizes import Sizes

MIDDLE, FRONT, ROW, SEAT = 190, 44, 28, 13  # the middle of the hall, its first arc, the next, a seat
ORCHESTRAS = (
    ("Watch", "who looks there", "query", ((0.1, 0.2), (0.9, 0.1))),
    ("Send home", "what is lost", "loss", ((0.1, 0.0), (0.3, 3.0))),
)


def hooks(config: GPTConfig | None = None, layer: int = 0) -> Diagram:
    """A block with its hook points, each with its name, its shape and, in words, what is there.

    Args:
        config: where the sizes come from; without it they are names.
        layer: which block, counted from 0.

    Raises:
        InputError: the model has no such block.
    """
    if layer < 0 or (config is not None and layer >= config.n_layers):
        raise InputError(f"layer={layer}: there is no such block")
    s, d, x, at = Sizes(config), Drawing(560), 26, 92

    def point(a: float | int, y: float | int, name: str, shape: str, says: str) -> None:
        d.node(a, y, "", "ink", r=5)
        d.text(a + 12, y - 8, f"${name}$", "ink", size=12, anchor="start")
        told = f"{says}\n${shape}$" if a > at else f"{shape}, {says}"  # a point on a box has less room
        d.text(a + 12, y + (14 if a > at else 7), told, "faint", size=12, anchor="start")

    d.stream((x, 28), (x, 562))
    d.text(8, 14, f"block {layer}: each circle can be recorded or replaced", "ink", size=12, anchor="start")
    wide = s("B", "T", "d_model")
    point(x, 46, f"residual.{2 * layer}", wide, "the residual stream")
    y = 78
    d.arrow((x, y), (at, y), (at, y + 8))
    norm = d.box(at, y + 21, 62, 24, "norm", "norm", size=12)
    attn = d.box(at, y + 128, 96, 92, "attention", "attention", bold=True, size=12)
    d.arrow(norm.bottom, attn.top)
    point(at, y + 57, "attention.input", wide, "what attention reads")
    for row, name, shape, says in (
        (96, "attention.pattern", s("B", "n_heads", "T", "T"), "who attends to whom"),
        (140, "attention.z", s("B", "n_heads", "T", "d_head"), "each head’s sum of values"),
    ):
        point(at + 48, y + row, name, shape, says)
    d.arrow(attn.bottom, (at, y + 214), (x + 12, y + 214))
    point(at, y + 194, "attention.output", wide, "what attention adds")
    d.node(x, y + 214)
    point(x, y + 250, f"residual.{2 * layer + 1}", wide, "the residual stream")

    y = 350
    d.arrow((x, y), (at, y), (at, y + 8))
    norm = d.box(at, y + 21, 62, 24, "norm", "norm", size=12)
    ffn = d.box(at, y + 96, 96, 48, "feed-\nforward", "ffn", bold=True, size=12)
    d.arrow(norm.bottom, ffn.top)
    point(at, y + 53, "feed_forward.input", wide, "what the FFN reads")
    point(at + 48, y + 86, "feed_forward.activations", s("B", "T", "d_ff"), "how active each unit is")
    d.arrow(ffn.bottom, (at, y + 158), (x + 12, y + 158))
    point(at, y + 138, "feed_forward.output", wide, "what the FFN adds")
    d.node(x, y + 158)
    point(x, y + 188, f"residual.{2 * layer + 2}", wide, "the residual stream")
    d.size = (d.size[0], 572)
    return d.done(
        f"The hook points of block {layer}. On the residual stream, {wide}: residual.{2 * layer} before "
        f"it, residual.{2 * layer + 1} between its sublayers, residual.{2 * layer + 2} behind it. In "
        f"attention: its input, the pattern {s('B', 'n_heads', 'T', 'T')}, z "
        f"{s('B', 'n_heads', 'T', 'd_head')} and the output. In the feed-forward network: its input, the "
        f"activations {s('B', 'T', 'd_ff')} and the output. Each can be recorded or replaced."
    )


GPT2_NAMES: tuple[tuple[str, str, str], ...] = (
    ("wte", "embedding", "token"),
    ("wpe", "position", "ink"),
    ("h.0.ln_1", "blocks.0.norm_1", "norm"),
    ("h.0.attn.c_attn ᵀ", "blocks.0.attention.qkv", "attention"),
    ("h.0.attn.c_proj ᵀ", "blocks.0.attention.output", "attention"),
    ("h.0.ln_2", "blocks.0.norm_2", "norm"),
    ("h.0.mlp.c_fc ᵀ", "blocks.0.feed_forward.up", "ffn"),
    ("h.0.mlp.c_proj ᵀ", "blocks.0.feed_forward.down", "ffn"),
    ("ln_f", "final_norm", "norm"),
)


def checkpoint(names: Sequence[tuple[str, str, str]] = GPT2_NAMES, title: str = "GPT-2’s file") -> Diagram:
    """The names of a checkpoint's tensors, each with its place in our `GPT`.

    Args:
        names: for each tensor its name in the file (``ᵀ`` if it is stored transposed), its name here, and the
            role that gives its colour.
        title: what stands above the file's names.

    Raises:
        InputError: there is none, or more than sixteen.
    """
    if not 1 <= len(names) <= 16:
        raise InputError(f"{len(names)} names; give one to sixteen")
    d, high = Drawing(90 + 33 * len(names)), 33
    d.text(70, 16, title, bold=True)
    d.text(244, 16, "our GPT", bold=True)
    for k, (theirs, ours, role) in enumerate(names):
        y = 48 + high * k
        left = d.box(70, y, 124, 25, theirs, role, size=11, round=4)
        right = d.box(244, y, 184, 25, ours, role, size=11, round=4)
        d.arrow(left.right, right.left, role=role)
    y = 48 + high * len(names)
    d.text(8, y, "$ᵀ stored [input, output]; ours is [output, input]$", "faint", size=12, anchor="start")
    d.text(8, y + 20, "nothing left over, nothing missing, equal logits", bold=True, size=12, anchor="start")
    d.size = (d.size[0], y + 36)
    turned = sum("ᵀ" in theirs for theirs, _, _ in names)
    listed = ", ".join(f"{a.replace(' ᵀ', '')} is {b}" for a, b, _ in names)
    return d.done(
        f"The names of a checkpoint's tensors and their places in our GPT: {listed}. {turned} of them are "
        "stored transposed. Loading is right when nothing is left over, nothing is missing, and the "
        "logits are equal."
    )


def _ring(x: Number, y: Number, r: Number, half: bool = False) -> list[Point]:
    """The points of a circle, or of its upper half."""
    turns = [math.pi * (k if half else 2 * k) / 40 for k in range(41)]
    return [(x + r * math.cos(turn), y - r * math.sin(turn)) for turn in turns]


def _seat(number: int, among: int) -> float:
    """The angle at which a head sits in its arc."""
    return math.pi * (1 - (number + 0.6) / (among + 0.2))


def orchestra(
    panels: Sequence[tuple[str, str, str, Sequence[Sequence[Number]]]] = ORCHESTRAS, words: str = "{:.2g}"
) -> Diagram:
    """The heads of a model as an orchestra, once for each way to find out who plays the melody.

    Each arc is a block, the first at the back; each seat is a head. A seat is filled the more, the larger its
    number is; numbers above a quarter of the largest are written, negative ones count as none. In the middle
    stands whose number is the largest.

    Args:
        panels: for each way its name, what it measures, the role of its colour, and a row of numbers for each
            block; up to four blocks of up to four heads.
        words: how a number is written.

    Raises:
        InputError: there are more panels, blocks or heads than can be drawn, or nothing is above zero.
    """
    if not 1 <= len(panels) <= 3 or any(
        len(rows) > 4 or max(map(len, rows)) > 4 or max(map(max, rows)) <= 0 for *_, rows in panels
    ):
        raise InputError("an orchestra has up to three panels of up to four blocks with up to four heads")
    d, told = Drawing(150), []
    for k, (name, measures, role, rows) in enumerate(panels):
        base = 158 + 176 * k
        d.text(8, base - 148, name, bold=True, anchor="start")
        d.text(8, base - 131 + 7.3 * measures.count("\n"), measures, role, size=12, anchor="start")
        most = max(map(max, rows))
        heads = max(map(len, rows))
        back = FRONT + ROW * (len(rows) - 1) + SEAT + 9
        for j in range(heads):  # heads with the same number sit in one line
            turn = _seat(j, heads)
            x, y = MIDDLE + back * math.cos(turn), base - back * math.sin(turn)
            d.text(x + 4 * (j == 0), y, f"head {j}" if j == 0 else str(j), "faint", size=11,
                   anchor="end" if j == 0 else "middle")  # fmt: skip
        for i, row in enumerate(rows):
            far = FRONT + ROW * (len(rows) - 1 - i)
            d.curve(_ring(MIDDLE, base, far, half=True), "line", width=1)
            d.text(MIDDLE + far, base + 9, str(i), "faint", size=11)
            for j, value in enumerate(row):
                turn = _seat(j, len(row))
                x, y = MIDDLE + far * math.cos(turn), base - far * math.sin(turn)
                d.node(x, y, "", "line", r=SEAT)
                if value > 0:
                    disc = _ring(x, y, SEAT * math.sqrt(value / most))
                    d.curve(disc, role, width=1, closed=True, fill=0.45)
                if value > most / 4:
                    d.text(x, y, words.format(value), size=11, inside=True)
        d.text(MIDDLE - FRONT - ROW * (len(rows) - 1), base + 9, "block", "faint", size=11)
        i, j = max(
            ((i, j) for i, row in enumerate(rows) for j in range(len(row))), key=lambda at: rows[at[0]][at[1]]
        )
        d.text(MIDDLE, base - 7, f"block {i},\nhead {j}", role, size=11, bold=True)
        told.append(
            f"{name}, {measures.replace(chr(10), ' ')}: most for block {i}, head {j}, {words.format(most)}"
        )
    d.size = (d.size[0], base + 22)
    return d.done(
        f"The heads of a model as an orchestra, each arc a block and each seat a head. {'. '.join(told)}."
    )
