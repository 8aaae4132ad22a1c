"""Recurrent networks: unrolled in time, an LSTM's cell, and an encoder–decoder with attention."""

from collections.abc import Sequence

from support.core import InputError
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing


def rnn(words: Sequence[str] = ("the", "cat", "sat"), hidden: int | None = None) -> Diagram:
    """A recurrent network unrolled: one cell, used again at each word, hands on its hidden state.

    Args:
        words: two to four words.
        hidden: how long the hidden state is; a name stands for it without.

    Raises:
        InputError: there are not two to four words.
    """
    n = len(words)
    if not 2 <= n <= 4:
        raise InputError(f"{n} words; give two to four")
    d, size = Drawing(314), f"[{hidden or 'd_hidden'}]"
    step = (340 - 30) / n
    for k, word in enumerate(words):
        x = 30 + step * (k + 0.5)
        d.text(x, 20, word, "token", bold=True)
        vector = d.box(x, 66, 56, 26, f"x_{{{k + 1}}}", "token")
        d.arrow((x, 32), vector.top)
        cell = d.box(x, 134, min(64, step - 34), 46, "cell", "stream", bold=True)
        d.arrow(vector.bottom, cell.top)
        start = (8, 134) if k == 0 else (x - step + min(64, step - 34) / 2, 134)
        d.arrow(start, cell.left, role="stream", width=3)
        d.text((start[0] + cell.left[0]) / 2, 164, f"h_{{{k}}}", "stream", size=12)
        out = d.box(x, 222, 64, 26, "logits", "output", size=12)
        d.arrow(cell.bottom, out.top)
        d.arrow(out.bottom, (x, 262))
    d.text(170, 274, "at each place: a distribution over the next word", "output", size=12)
    d.text(8, 104, size, "stream", size=12, anchor="start")
    d.text(170, 298, "$h_{t} = tanh(x_{t} W_{x} + h_{t−1} W_{h} + b)$", "stream", size=13)
    return d.done(
        f"A recurrent network unrolled over {n} words, {' '.join(words)}. At each word the same cell takes "
        f"the word's vector and the hidden state before it, {size}, and gives a new hidden state, which it "
        "hands on to the right, and logits of the next word. What was read first reaches the end only "
        "through all the states between."
    )


def lstm(hidden: int | None = None) -> Diagram:
    """The cell of an LSTM (Hochreiter and Schmidhuber 1997; forget gate Gers et al. 2000).

    Args:
        hidden: how long the states are; a name stands for it without.
    """
    d, size = Drawing(374), f"[{hidden or 'd_hidden'}]"
    d.frame(40, 34, 268, 280)
    d.text(298, 300, "LSTM cell", "faint", size=12, anchor="end")
    d.stream((6, 66), (334, 66))
    d.text(6, 46, "c_{t−1}", "stream", anchor="start")
    d.text(334, 46, "c_{t}", "stream", anchor="end", bold=True)
    d.text(170, 20, f"cell state {size}: kept unless a gate acts", "stream", size=12)
    d.node(88, 66, "×", "stream", r=12)
    d.node(186, 66, "+", "stream", r=12)
    join = d.node(186, 118, "×", "stream", r=12)
    d.arrow(join.top, (186, 78))
    gates = (
        (88, "forget", "σ", "ink"),
        (150, "input", "σ", "ink"),
        (212, "new", "tanh", "token"),
        (272, "output", "σ", "ink"),
    )
    for x, name, activation, role in gates:
        d.box(x, 196, 52, 42, name, role, size=12, note=activation)
        d.arrow((x, 262), (x, 218))
    d.arrow((88, 174), (88, 79))
    d.arrow((150, 174), (150, 118), join.left)
    d.arrow((212, 174), (212, 118), join.right)
    tanh = d.box(254, 106, 44, 22, "tanh", "token", size=12, round=5)
    d.arrow((254, 68), tanh.top)
    out = d.node(254, 146, "×", "stream", r=12)
    d.arrow(tanh.bottom, out.top)
    d.arrow((272, 174), (272, 160), (264, 153))
    d.line((30, 262), (272, 262))
    d.line((30, 262), (30, 284), role="faint")
    d.line((6, 284), (30, 284), role="stream", width=3)
    d.text(6, 300, "h_{t−1}", "stream", anchor="start")
    d.arrow((120, 346), (120, 264), role="token")
    d.text(120, 358, "x_{t}", "token", bold=True)
    d.text(128, 334, "beside h_{t−1}, a matrix per gate", "faint", size=12, anchor="start")
    d.arrow((266, 146), (334, 146), role="stream", width=3)
    d.text(334, 164, "h_{t}", "stream", anchor="end", bold=True)
    return d.done(
        f"The cell of an LSTM. The cell state, {size}, runs through: the forget gate multiplies it, and "
        "the input gate times a new candidate is added to it. Its tanh times the output gate is the "
        "hidden state that is handed on. All four read the word's vector beside the last hidden "
        "state, each with its own matrix; three end in a sigmoid, the candidate in a tanh."
    )


def seq2seq(
    source: Sequence[str] = ("the", "old", "house"),
    target: Sequence[str] = ("la", "vieille", "maison"),
    weights: Sequence[Number] = (0.1, 0.7, 0.2),
) -> Diagram:
    """An encoder–decoder with additive attention (Bahdanau et al. 2015), at its second output word.

    Args:
        source: three words to be read.
        target: three words to be written.
        weights: what share of its attention the second output word gives each source word; their sum is 1.

    Raises:
        InputError: there are not three of each, or the weights do not sum to 1.
    """
    if not len(source) == len(target) == len(weights) == 3 or abs(sum(weights) - 1) > 1e-6:
        raise InputError(
            f"weights={tuple(weights)}: give three words, three words and three weights that sum to 1"
        )
    d, places = Drawing(392), (66, 170, 274)
    d.text(8, 12, "encoder", bold=True, anchor="start")
    for k, x in enumerate(places):
        d.text(x, 32, source[k], "token", bold=True)
        cell = d.box(x, 74, 58, 30, f"s_{{{k + 1}}}", "key")
        d.arrow((x, 42), cell.top)
        if k:
            d.arrow((places[k - 1] + 29, 74), cell.left, role="stream", width=3)
        d.line((x, 89), (170, 182), role="attention", width=1 + 7 * weights[k], fade=0.75)
        d.text(
            x + (170 - x) * 0.36 + (-13 if k == 0 else 15),
            89 + 93 * 0.36,
            f"{weights[k]:g}".replace("0.", "."),
            "attention",
            size=12,
            bold=True,
        )
    context = d.box(170, 196, 190, 28, "context = Σ weight · state", "value", size=12)
    d.text(8, 236, "decoder", bold=True, anchor="start")
    for k, x in enumerate(places):
        cell = d.box(x, 286, 58, 30, f"h_{{{k + 1}}}", "query")
        if k:
            d.arrow((places[k - 1] + 29, 286), cell.left, role="stream", width=3)
        d.arrow(cell.bottom, (x, 326))
        d.text(x, 338, target[k], "output", bold=True)
        before = "<BOS>" if k == 0 else target[k - 1]
        if k == 1:
            d.arrow(context.bottom, cell.top)
            d.text(x + 8, 238, before, "token", size=12, anchor="start")
        else:
            d.text(x, 252, before, "token", size=12)
            d.arrow((x, 260), cell.top)
    d.line((332, 74), (303, 74), role="stream", width=3)
    d.arrow((332, 74), (332, 264), (22, 264), (22, 286), (37, 286), role="stream", width=1.5, dashed=True)
    d.text(170, 362, "h_{1} gives each s a score; softmax makes weights", "attention", size=12)
    d.text(170, 380, "without attention only the dashed line is left", "stream", size=12)
    shares = ", ".join(f"{w:g} to {word}" for w, word in zip(weights, source, strict=True))
    return d.done(
        f"An encoder–decoder with attention. The encoder reads {' '.join(source)} and keeps a state for "
        f"each word. To write its second word the decoder gives them weights, {shares}, and their weighted "
        f"sum is the context from which, with its own state, it writes {target[1]}. Without attention the "
        "encoder's last state, along the dashed line, would have to carry everything."
    )


def postcards(
    plain: Sequence[Number] = (1, 0.7, 0.49, 0.34, 0.24), gated: Sequence[Number] = (1, 0.9, 0.81, 0.73, 0.66)
) -> Diagram:
    """A card that is rewritten at every stop, and what arrives: of one card, of a guarded one, of many.

    Args:
        plain: how much of a day's writing still counts no, one, two … stops later, in a plain network; of
            three to six days, no number below 0 or above 1.
        gated: the same in a network with gates.

    Raises:
        InputError: the numbers are others.
    """
    days = len(plain)
    if not 3 <= days == len(gated) <= 6 or not all(0 <= left <= 1 for left in (*plain, *gated)):
        raise InputError("give as many numbers from 0 to 1 for both networks, three to six")
    d, wide, high = Drawing(200), 38, 11
    step = 320 / days
    d.text(8, 14, "One card, rewritten at every stop", bold=True, anchor="start")
    for stop in range(days):
        x, y = 10 + step * (stop + 0.5), 32
        written = [[plain[stop - day]] if day <= stop else [None] for day in range(days)]
        d.grid(x - wide / 2, y, written, "stream", cell=wide, high=high)
        d.text(x, y + high * days + 12, f"day {stop + 1}", "token", size=12)
        if stop:
            d.arrow((x - step + wide / 2 + 2, y + high * days / 2), (x - wide / 2 - 2, y + high * days / 2))
    top = 32 + high * days + 42
    d.line((8, top - 14), (332, top - 14), role="line", width=1)
    d.text(8, top + 4, "What of each day arrives in the evening", bold=True, anchor="start")
    below, room = top + 62, 21
    for day in range(days):
        d.text(10, below + room * (day + 0.5), f"day {day + 1}", "token", size=12, anchor="start")
    for k, (name, role, left) in enumerate(
        (
            ("a plain\nnetwork", "stream", [*reversed(plain)]),
            ("with a gate\n(LSTM)", "ffn", [*reversed(gated)]),
            ("attention: a card\nfrom every stop", "attention", [1.0] * days),
        )
    ):
        x = 53 + 96 * k
        d.text(x + 38, top + 38, name, role, size=12)
        if role == "attention":
            for day in range(days):
                d.grid(x, below + room * day + 2, [[1.0]], role, cell=76, high=room - 4)
        else:
            d.grid(x, below, [[share] for share in left], role, cell=76, high=room)
        for day, share in enumerate(left):
            d.text(x + 38, below + room * (day + 0.5), f"{share:.0%}", size=12, inside=True)
    d.size = (d.size[0], below + room * days + 12)
    told = " and ".join(
        f"{left[-1]:.0%} in {name}" for name, left in (("a plain network", plain), ("one with a gate", gated))
    )
    return d.done(
        f"A postcard that a traveller rewrites at each of {days} stops: every day's writing fades with each "
        f"rewriting. In the evening the share of the first day is {told}. With attention a card comes from "
        "every stop and none is rewritten, so each day arrives whole, 100%."
    )
