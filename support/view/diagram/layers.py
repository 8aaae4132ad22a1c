"""The block, what it is made of, and the whole model."""

from support.model import GPTConfig
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.experts import swiglu
from support.view.diagram.shapes import Box, Drawing, Point
from support.view.diagram.sizes import Sizes


def _sublayer(
    d: Drawing, stream: Number, y: Number, words: str, role: str, x: Number, w: Number, note: str
) -> Number:
    """A pre-norm sublayer beside the stream: read, norm, compute, add; where its sum stands."""
    norm = d.box(x, y + 24, 62, 26, "norm", "norm", size=12)
    high = 34 if not note else 34 + 15 * (note.count("\n") + 1)
    box = d.box(x, y + 56 + high / 2, w, high, words, role, bold=True, note=note)
    d.arrow((stream, y), (x, y), norm.top)
    d.arrow(norm.bottom, box.top)
    end = box.bottom[1] + 22
    d.arrow(box.bottom, (x, end), (stream + 11, end))
    d.node(stream, end)
    return end


def block() -> Diagram:
    """A block in both orders: norm before a sublayer (GPT-2, Llama) and after it (Vaswani et al. 2017)."""
    d = Drawing(452)
    for left, title, who in ((8, "pre-norm", "GPT-2, Llama"), (178, "post-norm", "2017")):
        d.text(left + 78, 16, title, bold=True)
        d.text(left + 78, 33, who, "faint", size=12)
    stream, x, w = 24, 104, 98
    d.text(stream + 10, 58, "[T, d_model]", "faint", size=12, anchor="start")
    end = 86 + 2 * 112 + 32
    d.stream((stream, 50), (stream, end + 62))
    first = _sublayer(d, stream, 86, "attention", "attention", x, w, "")
    second = _sublayer(d, stream, first + 32, "feed-\nforward", "ffn", x, w, "")
    d.text(stream + 12, second + 40, "no norm on\nthe stream", "stream", size=12, anchor="start")

    stream, x = 216, 286
    d.text(stream + 10, 58, "[T, d_model]", "faint", size=12, anchor="start")
    d.stream((stream, 50), (stream, second + 62))
    for top, words, role in ((86, "attention", "attention"), (first + 32, "feed-\nforward", "ffn")):
        part = d.box(x, top + 45, 94, 34, words, role, bold=True)
        d.arrow((stream, top), (x, top), part.top)
        d.arrow(part.bottom, (x, top + 84), (stream + 11, top + 84))
        d.node(stream, top + 84)
        d.box(stream, top + 116, 62, 26, "norm", "norm", size=12)
    d.size = (d.size[0], second + 70)
    return d.done(
        "One block in two orders. Pre-norm, as in GPT-2 and Llama: a norm, then attention, whose output "
        "is added to the residual stream, then a norm and the feed-forward network, whose output is "
        "added, too; the stream itself, [T, d_model], runs through untouched. Post-norm, as in 2017: each "
        "sublayer reads the stream as it is, and the norm stands on the stream after each sum."
    )


def decoder(config: GPTConfig | None = None) -> Diagram:
    """A whole decoder-only transformer (as GPT-2), and one of its blocks magnified.

    Args:
        config: where the numbers on the arrows come from; without it they are names.

    >>> decoder(GPTConfig(vocab_size=28, d_model=64, n_layers=3)).alt[:38]
    'A decoder-only transformer of 3 blocks'
    """
    s, d, x = Sizes(config), Drawing(600), 66
    wide = 116
    ids = d.box(x, 24, wide, 28, "token ids", "token")
    placed = config is None or config.positions in ("learned", "sinusoidal")
    table = d.box(x, 100, wide, 58, "embedding" + placed * "\n+ position", "stream", note=s("T", "d_model"))
    d.arrow(ids.bottom, table.top, words="[T]")
    d.stream(table.bottom, (x, 452))
    final = "last block" if config is None else f"block {config.n_layers - 1}"
    for y, name in ((184, "block 0"), (234, "block 1"), (334, final)):
        d.box(x, y, 92, 34, name, "ink" if y == 234 else "line")
    d.box(x, 284, 14, 28, "⋮", "stream")
    d.box(x, 400, 92, 30, "final norm", "norm")
    head = d.box(x, 476, wide, 48, "unembedding", "output", note=f"{s('T', 'V')} logits")
    soft = d.box(x, 540, wide, 30, "softmax", "output")
    d.arrow(head.bottom, soft.top)
    d.arrow(soft.bottom, (x, 576))
    d.text(8, 587, "next-token distributions, " + s("T", "V"), "faint", size=12, anchor="start")

    frame = d.frame(146, 112, 186, 434)
    d.line((x + 46, 220), (146, 116), role="line", dashed=True)
    d.line((x + 46, 248), (146, 542), role="line", dashed=True)
    d.text(frame.x, 128, "one block, magnified", bold=True)
    stream, side = 170, 258
    d.stream((stream, 144), (stream, 538))
    d.text(stream + 10, 150, s("T", "d_model"), "faint", size=12, anchor="start")
    heads = f"${s.one('n_heads')} heads, Q K V:$\n{s('T', 'd_head')}, between\npositions"
    first = _sublayer(d, stream, 176, "attention", "attention", side, 138, heads)
    ff = f"${s.one('d_model')} → {s.one('d_ff')} →$\n${s.one('d_model')}, $at each\nposition alone"
    last = _sublayer(d, stream, first + 28, "feed-forward", "ffn", side, 138, ff)
    d.text(stream + 14, last + 21, "residual stream", "stream", size=12, anchor="start")
    return d.done(
        f"A decoder-only transformer of {s.one('L')} blocks. Token ids, [T], are looked up as rows of the "
        f"embedding, and positions are added: the residual stream, {s('T', 'd_model')}. It runs straight "
        f"through the blocks. In each one attention, with {s.one('n_heads')} heads, and then the "
        f"feed-forward network, {s.one('d_model')} to {s.one('d_ff')} to {s.one('d_model')}, read a "
        "normalised copy of the stream and add their output to it. A final norm and the unembedding give "
        f"logits, {s('T', 'V')}, and softmax a next-token distribution at every position."
    )


def _bar(
    d: Drawing, x: Number, y: Number, n: int, cell: Number, role: str, on: set[int] | None = None
) -> Box:
    """A vector as a row of cells; those that are not on are empty."""
    row = [1.0 if on is None or k in on else None for k in range(n)]
    shades = [None if v is None else 0.4 + 0.6 * ((5 * k) % 7) / 6 for k, v in enumerate(row)]
    return d.grid(x - n * cell / 2, y, [shades], role, cell=cell)


def _wedge(
    d: Drawing, x: Number, y0: Number, w0: Number, y1: Number, w1: Number, words: str, role: str
) -> None:
    """A matrix between a narrow and a wide vector."""
    corners: list[Point] = [(x - w0 / 2, y0), (x + w0 / 2, y0), (x + w1 / 2, y1), (x - w1 / 2, y1)]
    d.curve(corners, role, width=1.5, closed=True, fill=0.1)
    d.text(x, (y0 + y1) / 2, words, bold=True, inside=True)


def feed_forward(config: GPTConfig | None = None) -> Diagram:
    """The feed-forward network at one position: up projection, activation, down projection.

    Args:
        config: where the sizes come from; without it they are names. With SwiGLU, `swiglu` is drawn.
    """
    if config is not None and config.activation == "swiglu":
        return swiglu(config)
    s, d, x = Sizes(config), Drawing(416), 150
    name = {"gelu_tanh": "GELU", "relu": "ReLU", "gelu": "GELU"}.get(
        getattr(config, "activation", ""), "ReLU"
    )
    d.stream((26, 6), (26, 410))
    d.text(38, 14, f"residual stream, {s('T', 'd_model')}", "stream", size=12, anchor="start")
    norm = d.box(x, 58, 62, 26, "norm", "norm", size=12)
    d.arrow((26, 34), (x, 34), norm.top)
    start = _bar(d, x, 90, 6, 14, "stream")
    d.arrow(norm.bottom, start.top)
    d.text(x + 50, 98, f"${s.one('d_model')}$", "faint", size=12, anchor="start")
    _wedge(d, x, 110, 84, 150, 224, "$W_{1}, $up", "ffn")
    wide = _bar(d, x, 154, 16, 14, "ffn")
    d.text(x + 119, 162, f"${s.one('d_ff')}$", "faint", size=12, anchor="start")
    act = d.box(x, 202, 110, 28, name, "ffn", bold=True)
    d.arrow(wide.bottom, act.top)
    on = {1, 2, 6, 11, 14}
    sparse = _bar(d, x, 238, 16, 14, "ffn", on)
    d.arrow(act.bottom, sparse.top)
    d.text(x + 119, 246, "few stay\nabove 0", "faint", size=12, anchor="start")
    _wedge(d, x, 258, 224, 298, 84, "$W_{2}, $down", "ffn")
    out = _bar(d, x, 302, 6, 14, "ffn")
    d.text(x + 50, 310, f"${s.one('d_model')}$", "faint", size=12, anchor="start")
    d.arrow(out.bottom, (x, 350), (37, 350))
    d.node(26, 350)
    d.text(x + 8, 340, "each active unit adds\nits row$ of W_{2}$", "faint", size=12, anchor="start")
    d.text(40, 392, "each position alone, with the same matrices", "faint", size=12, anchor="start")
    return d.done(
        f"The feed-forward network at one position. A normalised copy of the stream, {s.one('d_model')} "
        f"numbers, is multiplied by W_1 up to {s.one('d_ff')} numbers; the activation function, {name}, "
        f"leaves few of them above zero; W_2 brings them down to {s.one('d_model')}, each active unit "
        "adding its row, and the sum is added to the stream."
    )
