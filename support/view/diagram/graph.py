"""The computation graph of a small model, with the value and the gradient at each node."""

import math
from collections.abc import Sequence

from support.core import InputError
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing

PARTS = ("attention 0", "FFN 0", "attention 1", "FFN 1")


def forward_backward(
    weights: Sequence[Number], start: Number, reader: Number
) -> tuple[list[float], list[float]]:
    """States and gradients of a stream of one number: h ← h + w·h, p = σ(reader · h), L = −ln p.

    Returns:
        The states from the first to the last, the logit, the probability and the loss; and the derivative of
        the loss with respect to each state and to the logit.

    >>> [len(part) for part in forward_backward((0.5, 0.5), 1.0, 1.0)]
    [6, 4]
    """
    states = [float(start)]
    for w in weights:
        states.append(states[-1] * (1 + w))
    logit = reader * states[-1]
    p = 1 / (1 + math.exp(-logit))
    gradients = [p - 1]
    gradients.append(gradients[0] * reader)
    for w in reversed(weights):
        gradients.append(gradients[-1] * (1 + w))
    return [*states, logit, p, -math.log(p)], gradients[::-1]


def computation_graph(
    weights: Sequence[Number] = (0.5, -0.2, 0.3, 0.4), start: Number = 0.8, reader: Number = 0.9
) -> Diagram:
    """Forward and backward through two blocks, here with a stream of a single number.

    Each sublayer is h ← h + w·h; the logit is reader · h, the probability its sigmoid, the loss −ln p.

    Args:
        weights: one for each of the four sublayers.
        start: the embedding.
        reader: the weight of the unembedding.

    Raises:
        InputError: there are not four weights.
    """
    if len(weights) != 4:
        raise InputError(f"{len(weights)} weights; two blocks have four sublayers")
    values, gradients = forward_backward(weights, start, reader)

    def shown(number: Number) -> str:
        return f"{number:.2f}".replace("-", "−")

    def factor(weight: Number) -> str:
        return f"× {weight:g}".replace("-", "−")

    d, x, step = Drawing(560), 128, 84
    d.text(8, 14, "value, forward ↓", "stream", bold=True, anchor="start")
    d.text(332, 14, "gradient, backward ↑", "loss", bold=True, anchor="end")
    ys = [50 + step * k for k in range(5)]
    d.stream((x, ys[0]), (x, ys[4] + 42))
    for k, y in enumerate(ys):
        d.node(x, y, "" if k == 0 else "+", "stream", r=12)
        d.text(x - 22, y, f"$h_{{{k}}} = ${shown(values[k])}", "stream", anchor="end", bold=True)
        d.text(322, y, f"$∂L/∂h_{{{k}}} = ${shown(gradients[k])}", "loss", anchor="end")
        if k:
            role = "attention" if k % 2 else "ffn"
            w = weights[k - 1]
            part = d.box(212, y - 42, 110, 36, PARTS[k - 1], role, note=factor(w), size=12)
            d.arrow((x, y - 66), (212, y - 66), part.top)
            d.arrow(part.bottom, (212, y), (x + 13, y))
    d.text(x + 14, ys[4] + 27, factor(reader), "faint", size=12, anchor="start")
    y = ys[4] + 60
    logit = d.box(x, y, 124, 36, f"logit {shown(values[5])}", "output", note="")
    d.text(322, y, f"$∂L/∂z = p − 1$\n$= ${shown(gradients[5])}", "loss", anchor="end")
    soft = d.box(x, y + 60, 150, 36, f"probability $p = ${shown(values[6])}", "output", size=12)
    loss = d.box(x, y + 120, 150, 36, f"loss $= −ln p $= {shown(values[7])}", "loss", bold=True, size=12)
    d.arrow(logit.bottom, soft.top)
    d.arrow(soft.bottom, loss.top)
    d.text(212, y + 60, "$σ, $the softmax\nof two", "faint", size=12, anchor="start")
    d.arrow(loss.right, (331, y + 120), (331, ys[0]), role="loss")
    d.text(
        8, y + 158, "At each + the gradient goes both ways: $2⁴ = $16 paths.", "loss", size=12, anchor="start"
    )
    d.size = (d.size[0], y + 174)
    listed = "; ".join(f"h{k} {shown(values[k])} and {shown(gradients[k])}" for k in range(5))
    return d.done(
        "The computation graph of a model with two blocks and a stream of one number. Each sublayer adds "
        f"w times the stream to it. Value forward and gradient backward at each state: {listed}. The logit, "
        f"{reader:g} times the last state, is {shown(values[5])}, the probability of the target "
        f"{shown(values[6])}, the loss {shown(values[7])}. At each sum the gradient goes on unchanged and "
        "into the sublayer as well, so it reaches the embedding on 2 to the power of 4 paths, which makes 16."
    )


def walk_back(x: Number = 2, weight: Number = 4, target: Number = 5) -> Diagram:
    """Three stations, (weight · x − target)²: values on the way down, gradients on the way back up.

    Args:
        x: what goes in.
        weight: by which the first station multiplies it.
        target: what the second station takes away.

    >>> "the weight 12" in walk_back().alt
    True
    """
    product = weight * x
    error = product - target
    values = [x, product, error, error**2]
    factors = [weight, 1, 2 * error]
    gradients = [math.prod(factors[k:]) for k in range(4)]
    stations = [
        (f"times the weight, {weight:g}", f"note: {x:g} came in"),
        (f"minus the target, {target:g}", "nothing to note"),
        ("squared", f"note: {error:g} came in"),
    ]

    def shown(number: Number) -> str:
        return f"{number:g}".replace("-", "−")

    d, left, right, step = Drawing(470), 40, 300, 118
    d.text(8, 16, "forward pass ↓", "stream", bold=True, anchor="start")
    d.text(332, 16, "↑ backward pass", "loss", bold=True, anchor="end")
    ys = [56 + step * k for k in range(4)]
    told = [d.node(right, y, shown(g), "loss", r=18) for y, g in zip(ys, gradients, strict=True)]
    made = [d.node(left, y, shown(v), "stream", r=18) for y, v in zip(ys, values, strict=True)]
    d.text(left + 26, ys[0], "what goes in", "stream", size=12, anchor="start")
    d.text(left + 26, ys[3], "the loss", "stream", size=12, anchor="start", bold=True)
    d.text(right - 26, ys[3], "starts with 1", "loss", size=12, anchor="end")
    for k, (name, note) in enumerate(stations):
        y = (ys[k] + ys[k + 1]) / 2
        station = d.box(170, y, 148, 46, name, "ink", note=note, size=12, bold=True)
        d.arrow(made[k].bottom, (left, y), station.left, role="stream", width=2)
        d.arrow((station.left[0], y + 12), (left, y + 12), made[k + 1].top, role="stream", width=2)
        d.arrow(told[k + 1].top, (right, y + 12), (station.right[0], y + 12), role="loss", width=2)
        d.arrow(station.right, (right, y), told[k].bottom, role="loss", width=2)
        d.text(right + 8, y - 18, f"× {shown(factors[k])}", "loss", size=12, anchor="start", bold=True)
    of_weight = f"{shown(gradients[1])} · {shown(x)} = {shown(gradients[1] * x)}"
    d.text(170, ys[0] + 22, f"for the weight: {of_weight}", "loss", size=12, bold=True)
    d.size = (d.size[0], ys[3] + 30)
    return d.done(
        f"Three stations: times {weight:g}, minus {target:g}, squared. Forward the values are "
        f"{', '.join(map(shown, values))}, and the last is the loss. Backward each station multiplies the "
        f"gradient that it is told: {', '.join(map(shown, gradients[::-1]))}. From the note of the first "
        f"station follows the gradient of the weight {shown(gradients[1] * x)}."
    )
