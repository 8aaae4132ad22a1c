"""One training run at eight learning rates, four limits of clipping and two optimisers.

The curves are recorded (`benchmarks/rates_and_clips.py`); `figure.js` beside this file draws the same.
"""

from typing import Any

from matplotlib.figure import Figure

from support import zoo
from support.view import style
from support.view.live.controls import Choice, Slider, fill
from support.view.live.description import LiveFigure

RECORD = zoo.record("rates_and_clips")
STEPS: list[int] = RECORD["steps"]  # of which the loss is kept
FLOOR: float = RECORD["floor"]
RATES = tuple(f"{rate:g}" if rate >= 0.001 else f"{rate:.4f}" for rate in RECORD["rates"])
OPTIMISERS = {"adamw": "AdamW", "sgd": "SGD"}
CLIPS = tuple("none" if clip is None else f"{clip:g}" for clip in RECORD["clips"])
TOP = 6.0  # nats; a line that rises above leaves the frame, and a sign says how far it goes
ENDED = (
    "With {optimiser}, a learning rate of {rate_shown} and {limit}, the loss on new games ends "
    "{held:.2f} nats above the lowest possible, the entropy of the game. The lowest run with this optimiser "
    "ends {lowest:.2f} above it.{answer}"
)
STOPPED = (
    "With {optimiser}, a learning rate of {rate_shown} and {limit}, the loss is NaN at step {stopped:.0f}, "
    "which is not a number: the run is over. The lowest run with this optimiser ends {lowest:.2f} nats "
    "above the lowest possible, the entropy of the game."
)
# What is said of a limit at the highest rate of plain gradient descent: the chapter asks which one tames it.
TAMED = " Found: this limit tames the rate, and the model learns, though less than at the best rate."
UNTAMED = " This limit is not tight enough: the model is worse than before the training."


def _curve(run: dict[str, Any]) -> dict[str, Any]:
    short = [float(f"{x:.3g}") for x in run["losses"]]
    return {"losses": short, "held": run["held_out"], "stopped": run["stopped"]}


RUNS: dict[str, dict[str, Any]] = {
    f"{OPTIMISERS[run['optimiser']]} {RECORD['rates'].index(run['rate'])} "
    f"{CLIPS[RECORD['clips'].index(run['clip'])]}": _curve(run)
    for run in RECORD["runs"]
}


def rates(rate: float | int, clip: str, optimiser: str) -> dict[str, Any]:
    """One recorded run.

    Args:
        rate: the place of the learning rate among the eight, from 0.
        clip: the largest gradient norm, or ``"none"``.
        optimiser: ``"AdamW"`` or ``"SGD"``.

    Returns:
        the learning rate in words; the first loss, the last and the highest that are kept, in nats; the loss
        on new games above the entropy, as a number (of a run that stopped: none) and in words; a sentence.

    >>> found = rates(3, "1", "AdamW")
    >>> found["rate_shown"], found["end"], rates(7, "none", "SGD")["end"]
    ('0.01', '0.52', 'NaN')
    """
    run = RUNS[f"{optimiser} {round(rate)} {clip}"]
    found: dict[str, Any] = {
        "rate_shown": RATES[round(rate)],
        "limit": "no clipping" if clip == "none" else f"clipping at {clip}",
        "first": run["losses"][0],
        "last": run["losses"][-1],
        "highest": max(run["losses"]),
        "held": run["held"],
        "stopped": run["stopped"],
        "lowest": min(
            other["held"]
            for name, other in RUNS.items()
            if name.startswith(optimiser) and other["held"] is not None
        ),
    }
    found["end"] = "NaN" if run["held"] is None else fill("{held:.2f}", found)
    asked = optimiser == "SGD" and round(rate) == len(RATES) - 1 and run["held"] is not None
    tamed = asked and run["held"] < run["losses"][0] - FLOOR
    names = {**found, "optimiser": optimiser, "answer": TAMED if tamed else UNTAMED if asked else ""}
    return found | {"finding": fill(ENDED if run["stopped"] is None else STOPPED, names)}


def draw_rates(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The chosen run over those with the other rates, in grey; the floor; a cross where a run becomes NaN.

    A line that leaves the frame has a sign that says how far it goes.
    """
    fig, ax = style.subplots(figsize=(style.WIDTH, 3.6))
    for i in range(len(RATES)):
        run = RUNS[f"{values['optimiser']} {i} {values['clip']}"]
        chosen = i == round(values["rate"])
        line = {"color": style.colour(0), "linewidth": 2.2, "zorder": 3} if chosen else {"color": style.GREY}
        losses = run["losses"]
        ax.plot(STEPS[: len(losses)], losses, **({"linewidth": 0.8, "alpha": 0.6} | line))
        if chosen and found["highest"] > TOP:
            ended = "" if run["stopped"] is None else ", then NaN"
            leaves = run["stopped"] or STEPS[next(k for k, loss in enumerate(losses) if loss > TOP)]
            ax.annotate(fill("↑ up to {highest:.0f}", found) + ended, (leaves + 3, TOP - 0.5))
        if chosen and run["stopped"] is not None:
            ax.plot(run["stopped"], TOP - 0.2, "x", color=style.colour(1), markersize=10, markeredgewidth=3)
    ax.axhline(FLOOR, color=style.colour(1), linestyle="--", linewidth=1.2)
    ax.annotate("entropy of the game", (STEPS[-1], FLOOR - 0.1), ha="right", va="top")
    ax.set(
        xlabel="step",
        ylabel="loss on the batch, nats per token",
        ylim=(0, TOP + 0.1),
        xlim=(0, STEPS[-1] + 1),
    )
    ax.set_title(f"{values['optimiser']}, learning rate {found['rate_shown']}, {found['limit']}")
    return fig


FIGURE = LiveFigure(
    name="rates",
    title="Learning rate, clipping and optimiser",
    controls=(
        Slider("rate", "Learning rate", 0, len(RATES) - 1, 1, 7, "{rate_shown}"),
        Choice("clip", "Clip the gradient norm at", CLIPS, "none"),
        Choice("optimiser", "Optimiser", tuple(OPTIMISERS.values()), "SGD"),
    ),
    compute=rates,
    draw=draw_rates,
    says="{finding}",
    columns=("loss, nats per token", ""),
    rows=(
        ("at the first step", "{first:.2f}"),
        ("highest at the steps kept", "{highest:.2f}"),
        ("last that is kept", "{last:.2f}"),
        ("new games, above the entropy", "{end}"),
    ),
    data={
        "steps": STEPS,
        "floor": FLOOR,
        "rates": RATES,
        "runs": RUNS,
        "top": TOP,
        "ended": ENDED,
        "stopped": STOPPED,
        "tamed": TAMED,
        "untamed": UNTAMED,
    },
)
