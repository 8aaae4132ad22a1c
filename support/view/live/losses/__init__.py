"""Three losses of one right answer out of two, and gradient descent on each of them.

`figure.js` beside this file computes and draws the same in the page.
"""

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support.view import style
from support.view.live.controls import Choice, Slider
from support.view.live.description import LiveFigure

LOSSES = ("squared", "absolute", "log")
VIEWS = ("the losses", "the derivatives by p", "the derivatives by the logit")
AXES = ("loss", "gradient at the probability", "gradient at the logit")
SHOWN = {VIEWS[0]: (0.0, 5.0), VIEWS[1]: (-10.0, 0.0), VIEWS[2]: (-1.0, 0.0)}  # what fits on the picture


def losses(p: Any) -> dict[str, Any]:
    """Three losses of one answer out of two, with their derivatives by p and by its logit z (p = σ(z)).

    The error of both answers is 1 − p, so that the mean square is (1 − p)² and the mean absolute error 1 − p.

    Args:
        p: the right answer's probability, a float or an array, between 0 and 1.

    Returns:
        for each loss: its value, its derivative by p, its derivative by the logit.

    >>> [round(float(x), 2) for x in losses(0.1)["log"]]
    [2.3, -10.0, -0.9]
    """
    flat = p * (1 - p)  # dp/dz
    return {
        "squared": ((1 - p) ** 2, -2 * (1 - p), -2 * (1 - p) * flat),
        "absolute": (1 - p, -1.0 + 0 * p, -flat),
        "log": (-np.log(p), -1 / p, -(1 - p)),
    }


def race(p: float, steps: float | int, what: str) -> dict[str, Any]:
    """The losses and derivatives at p, and where some steps of gradient descent on the logit lead.

    Args:
        p: where all three start.
        steps: how many steps, each of size 1.
        what: what the picture shows; it changes no number.

    >>> [round(race(0.1, 20, "the losses")[f"{name}_end"], 3) for name in LOSSES]
    [0.809, 0.797, 0.943]
    """
    now = losses(p)
    found: dict[str, Any] = {}
    for name in LOSSES:
        found |= {
            f"{name}_{k}": float(v) for k, v in zip(("loss", "in_p", "in_logit"), now[name], strict=True)
        }
        found[f"{name}_step"] = -found[f"{name}_in_logit"]
        logit, end = math.log(p / (1 - p)), p
        for _ in range(int(steps)):
            logit -= float(losses(end)[name][2])
            end = 1 / (1 + math.exp(-logit))
        found[f"{name}_end"] = end
    best = max(LOSSES, key=lambda name: found[f"{name}_end"])
    first = f"the {best} loss is ahead" if steps else "nobody has moved yet"
    return found | {"first": first}


def draw_race(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The chosen curves over p, with a mark where p stands; below, how far the steps lead."""
    view = VIEWS.index(values["what"])
    key = ("loss", "in_p", "in_logit")[view]
    low, high = SHOWN[values["what"]]
    grid = np.linspace(0.001, 0.999, 500)
    fig, (top, below) = style.subplots(
        2, 1, wide=True, figsize=(style.WIDE, 5), sharex=True, height_ratios=[3, 1]
    )
    for i, name in enumerate(LOSSES):
        line = {"color": style.colour(i), "linestyle": style.LINES[i]}
        mark = {"color": style.colour(i), "marker": style.marker(i), "markersize": 9, "clip_on": False}
        y = losses(grid)[name][view]
        top.plot(grid, np.where((low <= y) & (y <= high), y, np.nan), label=f"{name} loss", **line)
        top.plot(values["p"], min(max(found[f"{name}_{key}"], low), high), **mark)
        below.plot([values["p"], found[f"{name}_end"]], [i, i], **line)
        below.plot(found[f"{name}_end"], i, **mark)
    for ax in (top, below):
        ax.axvline(values["p"], color=style.GREY, linewidth=1, linestyle=":")
    top.set(ylabel=AXES[view])
    top.legend()
    below.set(ylim=(2.6, -0.6), xlabel="p, the probability of the right answer")
    below.set_yticks(range(3), labels=LOSSES)
    return fig


FIGURE = LiveFigure(
    name="losses",
    title="Three losses in a race",
    controls=(
        Slider("p", "p of the right answer", 0.001, 0.999, 0.001, 0.1, "{p:.3f}"),
        Slider("steps", "Steps of training", 0, 200, 1, 20, "{steps:.0f}"),
        Choice("what", "Draw", VIEWS, VIEWS[0]),
    ),
    compute=race,
    draw=draw_race,
    says="At p = {p:.3f} a step of gradient descent raises the logit by {squared_step:.4f} (squared), "
    "{absolute_step:.4f} (absolute) and {log_step:.4f} (log). "
    "After {steps:.0f} steps {first}.",
    columns=("loss", "value", *AXES[1:], "p after the steps"),
    rows=tuple(
        (
            name,
            f"{{{name}_loss:.4f}}",
            f"{{{name}_in_p:.3f}}",
            f"{{{name}_in_logit:.4f}}",
            f"{{{name}_end:.4f}}",
        )
        for name in LOSSES
    ),
    data={"names": LOSSES, "views": VIEWS, "axes": AXES, "shown": SHOWN},
)
