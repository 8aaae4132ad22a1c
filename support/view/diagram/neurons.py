"""A neuron, and how gradient descent changes two weights."""

import itertools
import math
from collections.abc import Sequence

from support.core import InputError
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing, Point


def _written(number: Number) -> str:
    return f"{number:g}".replace("-", "−")


def neuron(
    inputs: Sequence[Number] = (1.0, 0.5, 2.0),
    weights: Sequence[Number] = (0.8, -1.2, 0.5),
    bias: Number = -0.4,
) -> Diagram:
    """One neuron: each input times its weight, the sum, the bias, ReLU.

    An arrow whose weight or bias is negative is blue and dashed, the others are orange.

    Args:
        inputs: two or three numbers.
        weights: as many.
        bias: what is added to the sum.

    Raises:
        InputError: there are not two or three inputs, or not a weight for each.

    >>> neuron((1, 2), (3, 4), 1).alt[-55:]
    'gives z = 12. ReLU keeps what is above zero: output 12.'
    """
    n = len(inputs)
    if not 2 <= n <= 3 or len(weights) != n:
        raise InputError(f"{n} inputs and {len(weights)} weights; give two or three of each")
    total = math.fsum(x * w for x, w in zip(inputs, weights, strict=True)) + bias
    z, out = round(total, 3), round(max(total, 0.0), 3)
    d, middle = Drawing(372), 170

    def role_of(negative: bool) -> str:
        return "stream" if negative else "attention"

    for k, (x, w) in enumerate(zip(inputs, weights, strict=True)):
        at = 340 * (k + 0.5) / n
        node = d.node(at, 46, _written(x), "token", r=20)
        d.text(at, 14, f"x_{{{k + 1}}}", "token")
        d.arrow(node.bottom, (middle + (at - middle) * 0.13, 154), role=role_of(w < 0), dashed=w < 0)
        side = -13 if at < middle else 13
        d.text(
            at + (middle - at) * 0.36 + side,
            84 if at == middle else 104,
            f"$w_{{{k + 1}}} = ${_written(w)}",
            role_of(w < 0),
            size=12,
            anchor="end" if side < 0 else "start",
        )
    unit = d.node(middle, 176, "Σ", "stream", r=22, size=18)
    d.arrow((72, 176), unit.left, role=role_of(bias < 0), dashed=bias < 0)
    d.text(66, 176, f"bias\n$b = ${_written(bias)}", role_of(bias < 0), anchor="end")
    d.arrow(unit.bottom, (middle, 246), words=f"$z = ${_written(z)}")
    d.text(unit.right[0] + 10, 176, "$z = x · w + b$", anchor="start")
    d.box(middle, 278, 92, 64, "", "ffn")
    d.line((middle - 34, 296), (middle + 34, 296), role="line")
    d.curve([(middle - 34, 296), (middle, 296), (middle + 30, 258)], "ffn", width=2.6)
    d.text(middle + 56, 270, "ReLU", "ffn", bold=True, anchor="start")
    d.text(middle + 56, 287, "$max(0, z)$", "faint", size=12, anchor="start")
    d.arrow((middle, 310), (middle, 344))
    d.text(middle, 356, f"output {_written(out)}", "output", bold=True)
    products = ", ".join(f"{_written(x)} times {_written(w)}" for x, w in zip(inputs, weights, strict=True))
    return d.done(
        f"One neuron. Each input is multiplied by its weight: {products}. The sum plus the bias "
        f"{_written(bias)} gives z = {_written(z)}. ReLU keeps what is above zero: output {_written(out)}."
    )


def descent(
    rate: Number = 0.2, steps: int = 12, start: Point = (-2.4, 1.5), momentum: Number = 0.0
) -> Diagram:
    """The contours of a loss over two weights, and the path of gradient descent on it, computed here.

    The loss is ½ w A w with A = [[1, ½], [½, 2]], the shape of any loss near a minimum.

    Args:
        rate: the learning rate.
        steps: how many updates are drawn.
        start: the two weights at the start, each from −3 to 3.
        momentum: how much of the last step is repeated.

    Raises:
        InputError: the start is not on the sheet, or the path leaves it (the learning rate is too large).
    """
    if not all(-3 <= w <= 3 for w in start) or steps < 1:
        raise InputError(
            f"start={start} is off the sheet, which reaches from −3 to 3, or steps={steps} is not positive"
        )

    def loss(w: Point) -> float:
        return 0.5 * w[0] ** 2 + 0.5 * w[0] * w[1] + w[1] ** 2

    path, speed = [start], [0.0, 0.0]
    for _ in range(steps):
        a, b = path[-1]
        gradient = (a + 0.5 * b, 0.5 * a + 2 * b)
        speed = [momentum * v - rate * g for v, g in zip(speed, gradient, strict=True)]
        path.append((a + speed[0], b + speed[1]))
        if max(map(abs, path[-1])) > 3:
            raise InputError(f"with rate={rate:g} the path leaves the sheet; take a smaller learning rate")
    d, scale, cx, cy = Drawing(380), 50, 172, 160

    def at(w: Point) -> Point:
        return cx + scale * w[0], cy - scale * w[1]

    half = math.atan2(0.5, -0.5) / 2  # the angle of the ellipses: A's first eigenvector
    u = (math.cos(half), math.sin(half))
    v = (-u[1], u[0])
    for level in (0.05, 0.3, 0.9, 1.9, 3.2):
        radii = [math.sqrt(level / loss(e)) for e in (u, v)]
        turn = [2 * math.pi * k / 60 for k in range(60)]
        ring = [
            at(
                (
                    radii[0] * math.cos(t) * u[0] + radii[1] * math.sin(t) * v[0],
                    radii[0] * math.cos(t) * u[1] + radii[1] * math.sin(t) * v[1],
                )
            )
            for t in turn
        ]
        d.curve(ring, "loss", width=1.3, closed=True, fill=0.05)
    for here, there in itertools.pairwise(path):
        (x0, y0), (x1, y1) = at(here), at(there)
        d.line((x0, y0), (x1, y1), role="stream", width=2.4)
    for w in path:
        d.node(*at(w), "", "stream", r=3.2)
    d.node(*at(start), "", "stream", r=6)
    d.arrow((12, 352), (328, 352), role="line")
    d.arrow((12, 352), (12, 12), role="line")
    d.text(
        24,
        316,
        f"{steps} steps: loss {loss(start):.2f} → {loss(path[-1]):.2g}",
        "stream",
        bold=True,
        anchor="start",
    )
    d.text(24, 336, "each ring: one value of the loss", "loss", size=12, anchor="start")
    d.text(322, 366, "weight w_{1}", size=12, anchor="end")
    d.text(20, 16, "w_{2}", size=12, anchor="start")
    return d.done(
        "The loss over two weights as rings around its minimum, and the path of gradient descent: from a "
        f"loss of {loss(start):.2f} it takes {steps} steps with learning rate {rate:g}, each against the "
        f"gradient and so across the ring it stands on, and arrives at {loss(path[-1]):.2g}."
    )
