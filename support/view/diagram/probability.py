"""From logits to probabilities, to the loss, and to a token; and three ways to predict a word."""

import math
from collections.abc import Sequence

import torch

from support.core import InputError
from support.generation import next_token
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing
from support.view.tables import raised

WORDS = ("mat", "floor", "moon", "cat", "of")
LOGITS = (4.1, 3.6, 2.4, 1.5, -1.0)
OUTLINED = 4  # pixels: with an outline, a lower bar would seem as high as this one


def _signed(number: Number, digits: int = 2) -> str:
    return f"{number:.{digits}f}".replace("-", "−")


def loss_of_logits(
    words: Sequence[str] = ("mat", "floor", "moon"),
    logits: Sequence[Number] = (2.1, 1.4, -0.5),
    target: int = 0,
) -> Diagram:
    """Logits, softmax, probabilities, cross-entropy, and the gradient that comes back.

    Args:
        words: two to four words.
        logits: one for each.
        target: the place of the word that really came.

    Raises:
        InputError: not two to four words with a logit each, or the target is none of them.
    """
    n = len(words)
    if not 2 <= n <= 4 or len(logits) != n or not 0 <= target < n:
        raise InputError(
            f"{n} words, {len(logits)} logits, target={target}; give two to four and one of them"
        )
    d, step, x0 = Drawing(470), 244 / n, 92
    probabilities = torch.tensor(logits, dtype=torch.float64).softmax(dim=-1).tolist()
    places = [x0 + step * (k + 0.5) for k in range(n)]
    for x, word, z in zip(places, words, logits, strict=True):
        d.text(x, 18, word, "token", bold=True)
        d.box(x, 48, min(64, step - 8), 28, _signed(z, 1), "output")
        d.arrow((x, 62), (x, 88))
    d.text(8, 48, "logits z", "output", bold=True, anchor="start")
    d.text(8, 66, f"$[V], here {n}$", "faint", size=12, anchor="start")
    box = d.box(x0 + 122, 106, 244, 34, "softmax$:  exp(z), divided by the sum$", "output", size=12)
    base, high = 244, 84
    d.text(8, 206, "probabilities", "output", bold=True, size=12, anchor="start")
    d.text(8, 224, "$p, $sum to 1", "faint", size=12, anchor="start")
    for k, (x, p) in enumerate(zip(places, probabilities, strict=True)):
        d.arrow((x, box.bottom[1]), (x, 138))
        tall = high * p / max(probabilities)
        d.box(x, base - tall / 2, 34, max(tall, 3), "", "loss" if k == target else "output", round=2)
        d.text(x, base - tall - 10, _signed(p), size=12)
    d.line((x0 - 4, base), (336, base), role="line")
    at = places[target]
    d.text(8, 262, "target y", "token", bold=True, anchor="start")
    for k, x in enumerate(places):
        d.text(x, 262, "1" if k == target else "0", "token", bold=k == target)
    loss = -math.log(probabilities[target])
    node = d.box(
        x0 + 122,
        320,
        244,
        44,
        f"loss $= −ln {_signed(probabilities[target])} $= {_signed(loss)}",
        "loss",
        bold=True,
        note="cross-entropy: of the target alone",
    )
    d.arrow((at, 272), (at, node.top[1]), role="loss")
    d.arrow(node.bottom, (node.x, 374), role="loss", words="backward")
    d.text(8, 392, "gradient", "loss", bold=True, anchor="start")
    d.text(8, 410, "$p − y$", "faint", size=12, anchor="start")
    for k, (x, p) in enumerate(zip(places, probabilities, strict=True)):
        d.box(x, 394, min(64, step - 8), 28, _signed(p - (k == target)), "loss")
    d.text(x0 + 122, 426, "descent: target’s logit up, others down", "faint", size=11)
    d.size = (d.size[0], 440)
    listed = ", ".join(
        f"{w} {_signed(z, 1)} to {_signed(p)}" for w, z, p in zip(words, logits, probabilities, strict=True)
    )
    return d.done(
        f"From logits to the loss and back. Softmax turns logits into probabilities: {listed}. The "
        f"cross-entropy loss is minus the logarithm of the target's probability, {words[target]}: "
        f"{_signed(loss)}. The gradient with respect to the logits is the probabilities minus the one-hot "
        "target; a step against it raises the target's logit and lowers the others."
    )


def sampling(
    words: Sequence[str] = WORDS,
    logits: Sequence[Number] = LOGITS,
    temperature: Number = 1.5,
    top_k: int = 3,
    top_p: Number = 0.8,
) -> Diagram:
    """From logits to a token: temperature, top-k, top-p, a draw. A dashed outline is a temperature of 1.

    Args:
        words: three to five words.
        logits: one for each.
        temperature: what the logits are divided by.
        top_k: so many of the most probable tokens stay.
        top_p: of these the fewest that together have so much probability stay.

    Raises:
        InputError: not three to five words with a logit each, or an impossible parameter.
    """
    n = len(words)
    if not 3 <= n <= 5 or len(logits) != n:
        raise InputError(f"{n} words and {len(logits)} logits; give three to five of each")
    scores = torch.tensor(logits, dtype=torch.float64)
    plain, warm, first, last = (
        next_token(scores, t, k, p).tolist()
        for t, k, p in (
            (1, None, None),
            (temperature, None, None),
            (temperature, top_k, None),
            (temperature, top_k, top_p),
        )
    )
    d, step, x0 = Drawing(540), 250 / n, 86
    places = [x0 + step * (k + 0.5) for k in range(n)]
    for x, word, z in zip(places, words, logits, strict=True):
        d.text(x, 16, word, "token", bold=True, size=12)
        d.box(x, 44, step - 8, 26, _signed(z, 1), "output")
    d.text(8, 44, "logits", "output", bold=True, anchor="start")

    def bars(
        base: Number,
        values: Sequence[Number],
        title: str,
        note: str,
        size: Number = 13,
        before: Sequence[Number] = (),
    ) -> None:
        d.text(8, base - 46, title, "output", bold=True, anchor="start", size=size)
        d.text(8, base - 24, note, "faint", size=12, anchor="start")
        for x, p, was in zip(places, values, before or [0] * n, strict=True):
            tall = 70 * p
            if p:
                if tall >= OUTLINED:
                    d.box(x, base - tall / 2, 28, tall, "", "output", round=2)
                else:
                    d.line((x - 14, base - tall / 2), (x + 14, base - tall / 2), role="output", width=tall)
                d.text(x, base - max(tall, 70 * was) - 10, _signed(p), size=12)
            else:
                d.text(x, base - 12, "✕", "loss", size=14)
            if was:
                top, out = base - 70 * was, 18
                d.line(
                    (x - out, base), (x - out, top), (x + out, top), (x + out, base), role="ink", dashed=True
                )
        d.line((x0, base), (334, base), role="line")

    d.arrow((124, 60), (124, 84), words=f"÷ {temperature:g}, then softmax")
    bars(178, warm, "temperature", "dashed:\nat 1", 12, plain)
    d.arrow((124, 186), (124, 210), words=f"keep the {top_k} most probable")
    bars(304, first, "top-k", "sum is 1\nagain")
    d.arrow((124, 312), (124, 336), words=f"keep the fewest with {top_p:g}")
    bars(430, last, "top-p", "sum is 1\nagain")
    d.arrow((210, 438), (210, 462), words="draw one")
    d.box(210, 480, 110, 32, "next token", "token", bold=True)
    d.arrow((155, 480), (88, 480))
    d.text(8, 470, "appended\nto the text,\nand again", "faint", size=12, anchor="start")
    d.size = (d.size[0], 506)
    left = sum(p > 0 for p in last)
    return d.done(
        f"From logits to a token. The logits of {n} words are divided by the temperature, {temperature:g}, "
        "and softmax makes probabilities of them; dashed outlines show those at a temperature of 1. Top-k "
        f"keeps the {top_k} most probable; top-p keeps the fewest that together have {top_p:g}, here {left}; "
        "each time what is left is divided by its sum. "
        "One token is drawn and appended to the text, and the model is asked again."
    )


def predictors(vocab_size: int = 10_000, width: int = 64, hidden: int = 128, context: int = 3) -> Diagram:
    """A count table, a window network (Bengio et al. 2003) and attention: what each stores for a context.

    Args:
        vocab_size: how many words there are.
        width: how long a word's vector is.
        hidden: how many hidden units the window network has.
        context: how many words are read.
    """
    d = Drawing(520)
    words = ["the", "cat", "sat"]

    def title(y: Number, name: str, note: str) -> None:
        d.text(8, y, name, bold=True, anchor="start")
        d.text(8, y + 17, note, "faint", size=12, anchor="start")

    title(16, "count table (n-gram)", f"{context} words are one row$: V{raised(context)} rows, V columns$")
    rows = [("a cat sat", [3, 0, 1]), ("the cat sat", [9, 2, 4]), ("the dog sat", [0, 0, 0])]
    for k, (name, counts) in enumerate(rows):
        y = 64 + 24 * k
        d.text(112, y, name, "token", size=12, anchor="end", bold=k == 1)
        d.grid(122, y - 12, [[float(c) if c else None for c in counts]], "output", cell=36, high=24, digits=0)
    d.text(240, 64, "a context never", "faint", size=12, anchor="start")
    d.text(240, 82, "counted gives", "faint", size=12, anchor="start")
    d.text(240, 100, "nothing", "faint", size=12, anchor="start")
    cells = vocab_size ** (context + 1)
    factor, power = f"{cells:.1e}".split("e+")
    rounded = "" if factor == "1.0" else f"{factor} · "
    total = f"{vocab_size:,}{raised(context + 1)} = {rounded}10{raised(int(power))} counts"
    d.text(8, 142, total, "output", anchor="start")
    d.line((8, 160), (332, 160), role="line", width=1)

    title(178, "window network", f"{context} vectors side by side into one hidden layer")
    for k, word in enumerate(words):
        x = 60 + 110 * k
        d.text(x, 220, word, "token", size=12)
        d.grid(x - 36, 230, [[0.9, 0.3, 0.6, 0.4]], "token", cell=18)
        d.arrow((x, 248), (170 + (x - 170) * 0.5, 270))
    d.box(170, 284, 200, 26, f"hidden layer, {hidden}", "ffn")
    d.arrow((170, 298), (170, 318), words=f"$V = ${vocab_size:,} logits")
    weights = context * width * hidden
    d.text(
        8,
        332,
        f"grows with the window: {context} · {width} · {hidden} = {weights:,}",
        "ffn",
        anchor="start",
        size=12,
    )
    d.line((8, 350), (332, 350), role="line", width=1)

    title(368, "attention", "each word is weighed by what it is, not by its place")
    shares = (0.1, 0.6, 0.3)
    for k, (word, share) in enumerate(zip(words, shares, strict=True)):
        x = 60 + 110 * k
        d.text(x, 410, word, "token", size=12)
        d.grid(x - 36, 420, [[0.9, 0.3, 0.6, 0.4]], "token", cell=18)
        d.line((x, 438), (170, 474), role="attention", width=1 + 7 * share, fade=0.75)
    d.box(170, 484, 200, 26, "weighted sum of values", "value")
    d.text(
        8,
        514,
        f"any length: 4 · {width}² = {4 * width * width:,} weights",
        "attention",
        anchor="start",
        size=12,
    )
    d.size = (d.size[0], 528)
    return d.done(
        f"Three ways to predict a word from {context} before it, with {vocab_size:,} words. A count table "
        f"has a row for each context, {cells:.0e} counts, and nothing for a context that it never saw. A "
        f"window network puts {context} vectors of {width} numbers into one hidden layer of {hidden}: "
        f"{weights:,} weights, which grow with the window. Attention weighs each word by what it is, with "
        f"{4 * width * width:,} weights for any length."
    )
