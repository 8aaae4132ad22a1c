"""The live figures of the book: the student's exam, three losses, softmax with a temperature; and all names.

Those that run a model are in `support.view.model_figures`, that of a text's tokens in `text_figures`, maps of
words in `map_figures`, places in a text in `position_figures`.

`compute` and the drawing of each stand once more, in JavaScript, in the book's `live.js`.
"""

import math
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure

from support.generation import next_token
from support.view import style
from support.view.controls import Choice, LiveFigure, Slider
from support.view.map_figures import FIGURES as MAP_FIGURES
from support.view.model_figures import FIGURES as MODEL_FIGURES
from support.view.plots import plot_bars
from support.view.position_figures import FIGURES as POSITION_FIGURES
from support.view.text_figures import FIGURES as TEXT_FIGURES

# The worked example of "Large Language Models from scratch", part 1: hours of study a day (ten are 1) and
# classes attended (all are 1) to the probability of passing an exam.
STUDENT: dict[str, Any] = {
    "w_hidden": [[0.82, 0.65], [0.71, 0.89], [-0.45, 0.78]],
    "b_hidden": [-0.50, -0.60, -0.30],
    "w_out": [0.85, 0.72, -0.55],
    "b_out": -0.20,
}


def student(hours: float | int, attendance: float | int) -> dict[str, Any]:
    """The student network at work, in double precision.

    Args:
        hours: of study a day, 0 to 10.
        attendance: of classes, in percent.

    Returns:
        ``x1, x2`` (inputs), ``z1, z2, z3`` (sums), ``h1, h2, h3`` (rectified), ``z``, ``p``, ``verdict``.

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
    return found | {"verdict": "passes" if p >= 0.5 else "fails"}


def draw_student(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The network with the number that leaves each neuron; a line is as thick as what it carries."""
    fig, ax = style.subplots(figsize=(style.WIDTH, 4.4))
    inputs = [(0, 1.5, found["x1"], "hours ÷ 10"), (0, 0.5, found["x2"], "attendance")]
    hidden = [(1, 2 - i, found[f"h{i + 1}"], f"hidden {i + 1}") for i in range(3)]
    out = (2, 1, found["p"], "probability")
    edges = [(a, b, STUDENT["w_hidden"][j][i]) for i, a in enumerate(inputs) for j, b in enumerate(hidden)]
    edges += [(a, out, w) for a, w in zip(hidden, STUDENT["w_out"], strict=True)]
    for a, b, weight in edges:
        name, dash = ("blue", "-") if weight > 0 else ("vermilion", "--")
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


LOSSES = ("squared", "absolute", "log")
VIEWS = ("the losses", "the slopes in p", "the slopes in the score")
SHOWN = {VIEWS[0]: (0.0, 5.0), VIEWS[1]: (-10.0, 0.0), VIEWS[2]: (-1.0, 0.0)}  # what fits on the picture


def losses(p: Any) -> dict[str, Any]:
    """Three losses of one answer out of two, with their slopes in p and in its score's lead (p = σ(lead)).

    The error of both answers is 1 − p, so that the mean square is (1 − p)² and the mean absolute error 1 − p.

    Args:
        p: the right answer's probability, a float or an array, between 0 and 1.

    Returns:
        for each loss: its value, its slope in p, its slope in the score.

    >>> [round(float(x), 2) for x in losses(0.1)["log"]]
    [2.3, -10.0, -0.9]
    """
    flat = p * (1 - p)  # the slope of p in the score
    return {
        "squared": ((1 - p) ** 2, -2 * (1 - p), -2 * (1 - p) * flat),
        "absolute": (1 - p, -1.0 + 0 * p, -flat),
        "log": (-np.log(p), -1 / p, -(1 - p)),
    }


def race(p: float, steps: float | int, what: str) -> dict[str, Any]:
    """The losses and slopes at p, and where each leads within some steps of gradient descent on the score.

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
            f"{name}_{k}": float(v) for k, v in zip(("loss", "in_p", "in_score"), now[name], strict=True)
        }
        found[f"{name}_pull"] = -found[f"{name}_in_score"]
        lead, end = math.log(p / (1 - p)), p
        for _ in range(int(steps)):
            lead -= float(losses(end)[name][2])
            end = 1 / (1 + math.exp(-lead))
        found[f"{name}_end"] = end
    best = max(LOSSES, key=lambda name: found[f"{name}_end"])
    first = f"the {best} loss is ahead" if steps else "nobody has moved yet"
    return found | {"first": first}


def draw_race(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The chosen curves over p, with a mark where p stands; below, how far the steps lead."""
    view = VIEWS.index(values["what"])
    key = ("loss", "in_p", "in_score")[view]
    low, high = SHOWN[values["what"]]
    grid = np.linspace(0.001, 0.999, 500)
    fig, (top, lanes) = style.subplots(2, 1, figsize=(style.WIDTH, 5), sharex=True, height_ratios=[3, 1])
    for i, name in enumerate(LOSSES):
        look = {"color": style.colour(i), "linestyle": style.LINES[i]}
        mark = {"color": style.colour(i), "marker": style.marker(i), "markersize": 9, "clip_on": False}
        y = losses(grid)[name][view]
        top.plot(grid, np.where((low <= y) & (y <= high), y, np.nan), label=f"{name} loss", **look)
        top.plot(values["p"], min(max(found[f"{name}_{key}"], low), high), **mark)
        lanes.plot([values["p"], found[f"{name}_end"]], [i, i], **look)
        lanes.plot(found[f"{name}_end"], i, **mark)
    for ax in (top, lanes):
        ax.axvline(values["p"], color=style.GREY, linewidth=1, linestyle=":")
    top.set(ylabel=("loss", "slope of the loss in p", "slope of the loss in the score")[view])
    top.legend()
    lanes.set(ylim=(2.6, -0.6), xlabel="p, the probability of the right answer")
    lanes.set_yticks(range(3), labels=LOSSES)
    return fig


# Three of the words of "Building a Transformer: The Complete Guide", with the scores that it gives them.
WORDS = ("is", "the", "cat")


def temperature(temperature: float | int, **scores: float | int) -> dict[str, Any]:
    """Softmax of three words' scores at a temperature.

    Args:
        temperature: above 0.
        scores: ``is_``, ``the_`` and ``cat_``.

    Returns:
        for each word its divided score and its probability; the likeliest word; how many equally likely words
        would be as uncertain (e to the entropy).

    >>> round(temperature(0.5, is_=4.7, the_=3.2, cat_=2.1)["is_p"], 3)
    0.948
    """
    logits = torch.tensor([scores[f"{word}_"] for word in WORDS], dtype=torch.float64)
    page = next_token(logits, temperature=temperature)
    found = {f"{w}_z": z for w, z in zip(WORDS, (logits / temperature).tolist(), strict=True)}
    found |= {f"{w}_p": p for w, p in zip(WORDS, page.tolist(), strict=True)}
    found |= {f"{w}_one": p for w, p in zip(WORDS, next_token(logits).tolist(), strict=True)}
    best = int(page.argmax())
    spread = torch.special.entr(page).sum().exp().item()
    return found | {"best": WORDS[best], "best_p": page[best].item(), "as_many": spread}


def draw_temperature(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The page at this temperature beside the page at temperature 1."""
    groups = {f"temperature {values['temperature']:.1f}": [found[f"{w}_p"] for w in WORDS]}
    if values["temperature"] != 1:
        groups["temperature 1.0, to compare"] = [found[f"{w}_one"] for w in WORDS]
    fig = plot_bars(groups, WORDS, xlabel="probability", digits=3)
    fig.axes[0].set_xlim(0, 1.12)
    return fig


FIGURES = {
    figure.name: figure
    for figure in (
        LiveFigure(
            name="student",
            title="Will the student pass?",
            controls=(
                Slider("hours", "Hours of study a day", 0, 10, 0.5, 5, "{hours:.1f}"),
                Slider("attendance", "Classes attended", 0, 100, 1, 60, "{attendance:.0f}%"),
            ),
            compute=student,
            draw=draw_student,
            says="With {hours:.1f} hours a day and {attendance:.0f}% of the classes the student {verdict}: "
            "the network says {p:.1%}.",
            columns=("neuron", "weighted sum and bias", "what it passes on"),
            rows=(
                ("hidden 1", "{z1:.4f}", "{h1:.4f}"),
                ("hidden 2", "{z2:.4f}", "{h2:.4f}"),
                ("hidden 3", "{z3:.4f}", "{h3:.4f}"),
                ("output", "{z:.4f}", "{p:.4f}"),
            ),
            data=STUDENT,
        ),
        LiveFigure(
            name="losses",
            title="Three losses in a race",
            controls=(
                Slider("p", "p of the right answer", 0.001, 0.999, 0.001, 0.1, "{p:.3f}"),
                Slider("steps", "Steps of training", 0, 200, 1, 20, "{steps:.0f}"),
                Choice("what", "Draw", VIEWS, VIEWS[0]),
            ),
            compute=race,
            draw=draw_race,
            says="At p = {p:.3f} a step pulls the score up by {squared_pull:.4f} (squared), "
            "{absolute_pull:.4f} (absolute) and {log_pull:.4f} (log). "
            "After {steps:.0f} steps {first}.",
            columns=("loss", "value", "slope in p", "slope in the score", "p after the steps"),
            rows=tuple(
                (
                    name,
                    f"{{{name}_loss:.4f}}",
                    f"{{{name}_in_p:.3f}}",
                    f"{{{name}_in_score:.4f}}",
                    f"{{{name}_end:.4f}}",
                )
                for name in LOSSES
            ),
            data={"names": LOSSES, "views": VIEWS, "shown": SHOWN},
        ),
        LiveFigure(
            name="temperature",
            title="Softmax with a temperature",
            controls=(
                Slider("temperature", "Temperature", 0.1, 5, 0.1, 1, "{temperature:.1f}"),
                Slider("is_", "Score of is", -5, 10, 0.1, 4.7, "{is_:.1f}"),
                Slider("the_", "Score of the", -5, 10, 0.1, 3.2, "{the_:.1f}"),
                Slider("cat_", "Score of cat", -5, 10, 0.1, 2.1, "{cat_:.1f}"),
            ),
            compute=temperature,
            draw=draw_temperature,
            says="At temperature {temperature:.1f} the likeliest word is “{best}” with {best_p:.1%}. "
            "The page is as uncertain as one of {as_many:.2f} equally likely words.",
            columns=("word", "score ÷ temperature", "probability"),
            rows=tuple((word, f"{{{word}_z:.2f}}", f"{{{word}_p:.1%}}") for word in WORDS),
            data={"words": WORDS},
        ),
    )
} | {**MODEL_FIGURES, **TEXT_FIGURES, **MAP_FIGURES, **POSITION_FIGURES}
