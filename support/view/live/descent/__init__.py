"""Gradient descent on a loss surface over two weights, with a learning rate, steps and a method to choose.

`figure.js` beside this file computes and draws the same in the page.
"""

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support.view import style
from support.view.live.controls import Action, Choice, Slider
from support.view.live.description import LiveFigure

METHODS = ("gradient descent", "momentum", "Adam")
HOURS = tuple(
    k / 10 for k in range(1, 11)
)  # a tenth of the hours studied, so that both weights are of a size
MARKS = (0.28, 0.35, 0.31, 0.48, 0.45, 0.62, 0.66, 0.60, 0.79, 0.84)  # of 1
START = (-0.8, 0.2)
MOST = 100  # steps
SHEET = {"w": (-1.6, 2.6), "b": (-1.2, 2.0)}  # what is drawn; a walk that leaves it is over
LEVELS = (0.01, 0.05, 0.15, 0.35, 0.7, 1.2, 2.0, 3.2)  # of the contours, above the lowest loss
SHARES = (0.9, 0.999, 1e-8)  # momentum's and Adam's usual β₁, β₂ and ε


def surface(w: Any, b: Any) -> tuple[Any, Any, Any]:
    """The mean squared error of mark = w · hours + b over the ten students, with its gradient.

    Args:
        w: marks for each ten hours, a float or an array.
        b: the mark without any work, of the same shape.

    Returns:
        the loss, ∂L/∂w and ∂L/∂b, of the same shape.

    >>> [round(float(x), 3) for x in surface(-0.8, 0.2)]
    [0.775, -1.091, -1.556]
    """
    loss, by_w, by_b = 0 * w, 0 * w, 0 * w
    for x, y in zip(HOURS, MARKS, strict=True):
        error = w * x + b - y
        loss, by_w, by_b = loss + error**2 / 10, by_w + error * x / 5, by_b + error / 5
    return loss, by_w, by_b


def lowest() -> tuple[float, float]:
    """The two weights at which the loss is lowest: the line of least squares.

    >>> [round(x, 3) for x in lowest()]
    [0.623, 0.195]
    """
    x, y = sum(HOURS) / 10, sum(MARKS) / 10
    w = sum((a - x) * (b - y) for a, b in zip(HOURS, MARKS, strict=True)) / sum((a - x) ** 2 for a in HOURS)
    return w, y - w * x


def walk(
    rate: float, steps: float | int, method: str, start: tuple[float, float] = START
) -> list[tuple[float, float]]:
    """The path of the two weights, from the start to where the steps lead or to where it leaves the sheet.

    Args:
        rate: the learning rate.
        steps: how many updates.
        method: one of `METHODS`; momentum adds nine tenths of the last step's velocity.
        start: the two weights before the first step.

    >>> len(walk(0.3, 20, "gradient descent")), len(walk(0.8, 100, "gradient descent"))
    (21, 10)
    """
    b1, b2, eps = SHARES
    path, m, s = [start], [0.0, 0.0], [0.0, 0.0]
    for t in range(1, int(steps) + 1):
        gradient = surface(*path[-1])[1:]
        new = []
        for i, g in enumerate(gradient):
            if method == "Adam":
                m[i], s[i] = b1 * m[i] + (1 - b1) * g, b2 * s[i] + (1 - b2) * g * g
                step = m[i] / (1 - b1**t) / (math.sqrt(s[i] / (1 - b2**t)) + eps)
            else:
                m[i] = (b1 if method == "momentum" else 0.0) * m[i] + g
                step = m[i]
            new.append(path[-1][i] - rate * step)
        path.append((new[0], new[1]))
        if any(not low <= x <= high for x, (low, high) in zip(new, SHEET.values(), strict=True)):
            break
    return path


def descend(
    rate: float, steps: float | int, method: str, start_w: float = START[0], start_b: float = START[1]
) -> dict[str, Any]:
    """Where the walk stands, the loss and the gradient there, and what is to be said about it.

    >>> found = descend(0.3, 20, "gradient descent")
    >>> round(found["loss"], 3), found["verdict"]
    (0.023, 'is still on its way along the flat direction')
    """
    path = walk(rate, steps, method, (start_w, start_b))
    w, b = path[-1]
    loss, by_w, by_b = surface(w, b)
    best_w, best_b = lowest()
    best = surface(best_w, best_b)[0]
    if any(not low <= x <= high for x, (low, high) in zip((w, b), SHEET.values(), strict=True)):
        verdict = "has left the map: the learning rate is too large"
    elif loss - best < 0.001:
        verdict = "has arrived near the minimum"
    elif loss > surface(*path[0])[0]:
        verdict = "moves away from the minimum: the learning rate is too large"
    elif abs(by_w) + abs(by_b) < 0.3:
        verdict = "is still on its way along the flat direction"
    else:
        verdict = "is still where the gradient is large"
    found: dict[str, Any] = {"w": w, "b": b, "loss": loss, "by_w": by_w, "by_b": by_b, "best": best}
    found |= {"best_w": best_w, "best_b": best_b, "first": surface(*path[0])[0], "taken": len(path) - 1}
    return found | {"verdict": verdict}


def move(values: dict[str, Any], _uniform: float, by: int) -> dict[str, Any]:
    """A step more or less, as long as there is one and the walk has not left the map.

    >>> begun = {"rate": 0.3, "steps": 20, "method": "gradient descent", "start_w": -0.8, "start_b": 0.2}
    >>> move(begun, 0.5, 1), move(begun | {"steps": 0}, 0.5, -1), move(begun | {"rate": 0.8}, 0.5, 1)
    ({'steps': 21}, {}, {})
    """
    steps = int(values["steps"]) + by
    start = values["start_w"], values["start_b"]
    over = by > 0 and len(walk(values["rate"], values["steps"], values["method"], start)) <= values["steps"]
    return {"steps": steps} if 0 <= steps <= MOST and not over else {}


def draw_descent(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The contours of the loss from above with the path on them, and the loss after each step."""
    start = values["start_w"], values["start_b"]
    path = np.array(walk(values["rate"], values["steps"], values["method"], start))
    fig, (top, under) = style.subplots(2, 1, wide=True, figsize=(style.WIDE, 7), height_ratios=[5, 2])
    w, b = np.meshgrid(np.linspace(*SHEET["w"], 200), np.linspace(*SHEET["b"], 150))
    levels = [found["best"] + level for level in LEVELS]
    top.contour(w, b, surface(w, b)[0], levels=levels, colors=style.ROLES["loss"][0], linewidths=1, alpha=0.6)
    top.plot(*path.T, "-o", color=style.colour(0), markersize=3.5, linewidth=1.8)
    top.plot(*start, "s", color=style.colour(0), markersize=9)
    top.plot(found["best_w"], found["best_b"], "*", color=style.ROLES["loss"][0], markersize=13)
    top.set(xlabel="weight w", ylabel="bias b", xlim=SHEET["w"], ylim=SHEET["b"], aspect="equal")
    under.plot([surface(*point)[0] for point in path], color=style.colour(0))
    under.set(xlabel="step", ylabel="loss", xlim=(0, MOST), ylim=(0, 1.5))
    return fig


FIGURE = LiveFigure(
    name="descent",
    title="Gradient descent on a loss surface",
    controls=(
        Slider("rate", "Learning rate", 0.01, 0.8, 0.01, 0.3, "{rate:.2f}"),
        Slider("steps", "Steps", 0, MOST, 1, 20, "{steps:.0f}"),
        Choice("method", "Method", METHODS, METHODS[0]),
        Slider("start_w", "Start: weight w", -1.5, 2.5, 0.1, START[0], "{start_w:.1f}"),
        Slider("start_b", "Start: bias b", -1.1, 1.9, 0.1, START[1], "{start_b:.1f}"),
    ),
    compute=descend,
    draw=draw_descent,
    says="With {method} and a learning rate of {rate:.2f} the loss goes from {first:.3f} to {loss:.3f} "
    "by step {taken:.0f}; the lowest is {best:.3f}. The walk {verdict}.",
    columns=("parameter", "now", "gradient here", "at the minimum"),
    rows=(
        ("w", "{w:.3f}", "{by_w:.3f}", "{best_w:.3f}"),
        ("b", "{b:.3f}", "{by_b:.3f}", "{best_b:.3f}"),
    ),
    actions=(
        Action("back", "Back", lambda values, uniform: move(values, uniform, -1)),
        Action("step", "Step", lambda values, uniform: move(values, uniform, 1)),
    ),
    plays="step",
    data={
        **{"hours": HOURS, "marks": MARKS, "sheet": SHEET},
        **{"levels": LEVELS, "shares": SHARES, "methods": METHODS, "most": MOST},
    },
)
