"""Encoder, decoder and encoder–decoder, each with its attention mask."""

from support.core import InputError
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Box, Drawing


def _mask(
    d: Drawing, x: Number, y: Number, rows: int, columns: int, causal: bool, words: str, role: str
) -> Box:
    """A square for each query (row) and key (column): filled where the query may attend."""
    seen = [[1.0 if not causal or j <= i else None for j in range(columns)] for i in range(rows)]
    grid = d.grid(x, y, seen, role, cell=13)
    d.text(grid.x, grid.bottom[1] + (22 if "\n" in words else 14), words, "faint", size=12)
    return grid


def families(source: int = 5, target: int = 5) -> Diagram:
    """The three families of transformers, each with its masks.

    Args:
        source: how many tokens are read.
        target: how many are written.

    Raises:
        InputError: not 3 to 6 tokens, which is what a phone shows.
    """
    if not (3 <= source <= 6 and 3 <= target <= 6):
        raise InputError(f"source={source}, target={target}: give 3 to 6 tokens")
    d = Drawing(646)

    def part(
        x: Number, y: Number, w: Number, words: str, role: str, below: str, above: str, shape: str
    ) -> Box:
        box = d.box(x, y, w, 40, words, role, bold=True)
        d.text(x, y - 50, above, "token")
        d.arrow((x, y - 40), box.top)
        d.arrow(box.bottom, (x, y + 40), words=shape)
        d.text(x, y + 50, below, "output")
        return box

    d.text(8, 16, "encoder", bold=True, anchor="start")
    d.text(74, 16, "BERT: reads", "faint", size=12, anchor="start")
    part(92, 96, 120, "$L $blocks", "attention", "a label, or a vector", "all tokens", "[T, d_model]")
    _mask(d, 222, 58, source, source, False, "all positions\nattend to all", "attention")
    d.line((8, 172), (332, 172), role="line", width=1)

    d.text(8, 192, "decoder", bold=True, anchor="start")
    d.text(74, 192, "GPT, Llama: writes", "faint", size=12, anchor="start")
    part(92, 272, 120, "$L $blocks", "attention", "the next token", "tokens so far", "[T, V] logits")
    _mask(d, 222, 234, target, target, True, "none attends to\nlater positions", "attention")
    d.line((8, 348), (332, 348), role="line", width=1)

    d.text(8, 368, "encoder–decoder", bold=True, anchor="start")
    d.text(146, 368, "T5, the 2017 transformer", "faint", size=12, anchor="start")
    read = d.box(76, 446, 112, 40, "encoder", "attention", bold=True)
    write = d.box(252, 446, 112, 52, "decoder", "query", bold=True, note="cross-attention")
    d.text(76, 396, "source$, S tokens$", "token")
    d.text(252, 396, "target so far$, T$", "token")
    d.arrow((76, 406), read.top)
    d.arrow((252, 406), write.top)
    d.arrow(read.right, (write.left[0], 446), role="key")
    d.text((read.right[0] + write.left[0]) / 2, 432, "K, V", "key", size=12)
    d.arrow(write.bottom, (252, 496), words="[T, V] logits")
    d.text(252, 506, "the next token", "output")
    d.text(76, 480, "[S, d_model]", "faint", size=12)
    y = 528
    _mask(d, 60 - 6.5 * source, y, source, source, False, "encoder", "attention")
    _mask(d, 170 - 6.5 * source, y, target, source, False, "cross: all of\nthe source", "key")
    _mask(d, 280 - 6.5 * target, y, target, target, True, "decoder", "attention")
    d.size = (d.size[0], y + 13 * max(source, target) + 44)
    return d.done(
        "Three families of transformers with their masks; a row is a query, a column a key. An encoder "
        "(BERT) reads all tokens, each sees every other, and gives vectors, [T, d_model]. A decoder (GPT, "
        "Llama) sees only tokens up to its own place and gives logits of the next token, [T, V]. An "
        f"encoder–decoder (T5, the 2017 transformer) has both, here with {source} source and {target} "
        "target tokens, and between them cross-attention: each target position takes keys and values from "
        "the whole source."
    )
