"""The student network: hours of study and attendance to the probability of passing.

`figure.js` beside this file computes and draws the same in the page.
"""

from typing import Any

import torch
from matplotlib.figure import Figure

from support.view import style
from support.view.live.controls import Slider
from support.view.live.description import LiveFigure

# The worked example of "Large Language Models from scratch", part 1: hours of study a day (ten are 1) and
# classes attended (all are 1) to the probability of passing an exam.
STUDENT: dict[str, Any] = {
    "w_hidden": [[0.82, 0.65], [0.71, 0.89], [-0.45, 0.78]],
    "b_hidden": [-0.50, -0.60, -0.30],
    "w_out": [0.85, 0.72, -0.55],
    "b_out": -0.20,
}
THIRD = (
    " Found: the third neuron is active. It responds to students who come to class and hardly study, and its "
    "negative weight makes a pass less probable."
)


def student(hours: float | int, attendance: float | int) -> dict[str, Any]:
    """The student network at work, in double precision.

    Args:
        hours: of study a day, 0 to 10.
        attendance: of classes, in percent.

    Returns:
        ``x1, x2`` (inputs), ``z1, z2, z3`` (sums), ``h1, h2, h3`` (rectified), ``z``, ``p``, ``verdict``, and
        ``third``: what is said once the third neuron is active, as the chapter asks.

    >>> round(student(5, 60)["p"], 4), student(5, 60)["verdict"]
    (0.5654, 'passes')
    """
    x = torch.tensor([hours / 10, attendance / 100], dtype=torch.float64)
    weights, biases = (torch.tensor(STUDENT[k], dtype=torch.float64) for k in ("w_hidden", "b_hidden"))
    sums = weights @ x + biases
    hidden = torch.relu(sums)
    z = torch.tensor(STUDENT["w_out"], dtype=torch.float64) @ hidden + STUDENT["b_out"]
    p = torch.sigmoid(z).item()
    found = {"x1": x[0].item(), "x2": x[1].item(), "z": z.item(), "p": p}
    found |= {f"z{i + 1}": value for i, value in enumerate(sums.tolist())}
    found |= {f"h{i + 1}": value for i, value in enumerate(hidden.tolist())}
    third = THIRD if found["h3"] > 0 else ""
    return found | {"verdict": "passes" if p >= 0.5 else "fails", "third": third}


def draw_student(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The network with the number that leaves each neuron; a line is as thick as what it carries."""
    fig, ax = style.subplots(wide=True, figsize=(style.WIDE, 4.4))
    inputs = [(0, 1.5, found["x1"], "hours ÷ 10"), (0, 0.5, found["x2"], "attendance")]
    hidden = [(1, 2 - i, found[f"h{i + 1}"], f"hidden {i + 1}") for i in range(3)]
    out = (2, 1, found["p"], "probability")
    edges = [(a, b, STUDENT["w_hidden"][j][i]) for i, a in enumerate(inputs) for j, b in enumerate(hidden)]
    edges += [(a, out, w) for a, w in zip(hidden, STUDENT["w_out"], strict=True)]
    for a, b, weight in edges:
        name, dash = ("vermilion", "-") if weight > 0 else ("blue", "--")
        thick = 0.8 + 7 * abs(weight * a[2])
        ax.plot([a[0], b[0]], [a[1], b[1]], dash, color=style.COLOURS[name], linewidth=thick, alpha=0.7)
        at = 0.66 if a[0] == 0 else 0.45
        place = (a[0] + at * (b[0] - a[0]), a[1] + at * (b[1] - a[1]))
        ax.annotate(f"{weight:+.2f}".replace("-", "−"), place, ha="center", va="center", backgroundcolor="w")
    for x, y, value, label in [*inputs, *hidden, out]:
        ax.plot(x, y, "o", markersize=44, color="white", markeredgecolor="#222222")
        ax.annotate(f"{value:.3f}", (x, y), ha="center", va="center")
        ax.annotate(label, (x, y - 0.34), ha="center", va="center", backgroundcolor="w")
    ax.set(xlim=(-0.35, 2.35), ylim=(-0.5, 2.4))
    ax.set_axis_off()
    return fig


FIGURE = LiveFigure(
    name="student",
    title="Will the student pass?",
    controls=(
        Slider("hours", "Hours of study a day", 0, 10, 0.5, 5, "{hours:.1f}"),
        Slider("attendance", "Classes attended", 0, 100, 1, 60, "{attendance:.0f}%"),
    ),
    compute=student,
    draw=draw_student,
    says="With {hours:.1f} hours a day and {attendance:.0f}% of the classes the student {verdict}: "
    "the network gives the pass a probability of {p:.1%}.{third}",
    columns=("neuron", "weighted sum and bias", "what it passes on"),
    rows=(
        ("hidden 1", "{z1:.4f}", "{h1:.4f}"),
        ("hidden 2", "{z2:.4f}", "{h2:.4f}"),
        ("hidden 3", "{z3:.4f}", "{h3:.4f}"),
        ("output", "{z:.4f}", "{p:.4f}"),
    ),
    data=STUDENT | {"third": THIRD},
)
