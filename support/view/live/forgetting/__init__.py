"""What methods of fine-tuning learned of a second evening and lost of the first, step by step.

`figure.js` beside this file computes and draws the same in the page.
"""

from typing import Any

from matplotlib.figure import Figure

from support import zoo
from support.view import style
from support.view.live.controls import Choice, Slider, Switch, fill
from support.view.live.description import LiveFigure

Values = dict[str, Any]
_RECORD = zoo.record("forgetting")
STEPS = tuple(point["step"] for point in _RECORD["runs"][0]["track"])
WORLDS = {
    "announced by a word": {
        "full fine-tuning": "full, 1e-3",
        "LoRA at a high rate": "LoRA r=8, 1e-2",
        "LoRA at a low rate": "LoRA r=8, 1e-3",
        "replay": "replay, 1e-3",
        "distillation": "distillation, 1e-3",
    },
    "not announced": {
        "full fine-tuning": "unannounced: full, 1e-3",
        "LoRA at a high rate": "unannounced: LoRA r=8, 1e-2",
    },
}
FORCED = {"announced by a word": 0.0, "not announced": _RECORD["forced"]}
ENDS = {"announced by a word": (1.5, 0.32), "not announced": (0.08, 0.07)}  # of the two axes
MARKS = {"announced by a word": (0, 0.1, 0.5, 1, 1.5), "not announced": (0, 0.01, 0.04, 0.08)}
LEVELS = {"announced by a word": (0, 0.1, 0.2, 0.3), "not announced": (0, 0.02, 0.04, 0.06)}
AT_FIRST = (
    "Before the first step every method stands where the base model does, {old:.3f} nats above the old floor."
)
SAYS = (
    "After {step} steps the smallest sum of the two losses, {sum:.3f} nats above the floors, is that of "
    "{best}. Most of the first evening was lost by {worst}, which is {old:.3f} nats above its floor. "
)
HAD_TO = {
    "announced by a word": "None of this had to be lost.",
    "not announced": "Of this, {forced:.3f} nats had to be lost, whatever the method.",
}


def tracks(world: str) -> dict[str, list[list[list[float]]]]:
    """For each method its seeds, for each the points (new loss, old loss) along the steps.

    >>> [len(seeds) for seeds in tracks("not announced").values()]
    [3, 3]
    """
    return {
        name: [[[p["new"], p["old"]] for p in r["track"]] for r in _RECORD["runs"] if r["method"] == method]
        for name, method in WORLDS[world].items()
    }


_TRACKS = {world: tracks(world) for world in WORLDS}


def forgetting(world: str, point: float | int, seeds: bool) -> Values:
    """Where each method stands after some steps, in the mean of its seeds.

    Args:
        world: is the second evening announced?
        point: which of the recorded steps, from 0.
        seeds: each seed is drawn, too; it changes no number.

    >>> found = forgetting("announced by a word", 4, False)
    >>> found["step"], [round(row["old"], 3) for row in found["rows"]][:2]
    (100, [0.123, 0.238])
    """
    k, forced = int(point), FORCED[world]
    paths = {}
    for name, runs in _TRACKS[world].items():
        paths[name] = [
            [sum(run[i][j] for run in runs) / len(runs) for j in (0, 1)] for i in range(len(STEPS))
        ]
    rows = [
        {"method": name, "new": path[k][0], "old": path[k][1], "beyond": path[k][1] - forced}
        for name, path in paths.items()
    ]
    best = min(rows, key=lambda row: row["new"] + row["old"])
    worst = max(rows, key=lambda row: row["old"])
    blanks = {"step": STEPS[k], "best": best["method"], "sum": best["new"] + best["old"]}
    blanks |= {"worst": worst["method"], "old": worst["old"], "forced": forced}
    finding = fill(SAYS + HAD_TO[world] if k else AT_FIRST, blanks)
    return {"step": STEPS[k], "paths": paths, "rows": rows, "forced": forced, "finding": finding}


def draw_forgetting(values: Values, found: Values) -> Figure:
    """The old loss over the new one; each path runs to the left as the second evening is learned."""
    world, k = values["world"], int(values["point"])
    wide, high = ENDS[world]
    fig, ax = style.subplots(wide=True, figsize=(style.WIDE, 4.4))
    for i, (name, path) in enumerate(found["paths"].items()):
        x, y = [(p[0] / wide) ** 0.5 for p in path], [p[1] for p in path]
        drawn = style.line_style(name, i)
        ax.plot(x[: k + 1], y[: k + 1], label=name, **drawn | {"marker": ""})
        ax.plot(x[k], y[k], **drawn, markersize=9, clip_on=False)
        if values["seeds"]:
            for run in _TRACKS[world][name]:
                ax.plot((run[k][0] / wide) ** 0.5, run[k][1], **drawn, markersize=5, alpha=0.6)
    ax.plot(0, found["forced"], color=style.colour(6), marker="*", markersize=16, clip_on=False, zorder=5)
    ax.annotate("best possible", (0, found["forced"]), (4, 14), textcoords="offset points")
    new, old = found["paths"]["full fine-tuning"][0]
    start = ((new / wide) ** 0.5, old)
    ax.plot(*start, "o", color=style.colour(6), markersize=6, clip_on=False, zorder=5)
    ax.annotate("start", start, (0, -16), textcoords="offset points", ha="center", va="center")
    arrow = {"arrowstyle": "-|>", "color": style.GREY, "linewidth": 1.6}
    ax.annotate("", (0.06, 0.96 * high), (0.4, 0.96 * high), arrowprops=arrow)
    ax.text(0.23, 0.9 * high, f"{found['step']} steps of training", ha="center", va="center")
    ax.axhline(0, color=style.GREY, linewidth=1, linestyle=":")
    ax.set(xlim=(-0.03, 1.02), ylim=(-0.03 * high, high), ylabel="first evening: loss above its floor")
    ax.set_xticks([(m / wide) ** 0.5 for m in MARKS[world]], labels=[f"{m:g}" for m in MARKS[world]])
    ax.set_xlabel("second evening: loss above its floor (square-root axis)")
    ax.legend(loc="upper right")
    return fig


FIGURE = LiveFigure(
    name="forgetting",
    title="What is learned, and what is lost",
    controls=(
        Slider("point", "Steps of training", 0, len(STEPS) - 1, 1, len(STEPS) - 1, "{step}"),
        Choice("world", "The second evening is", tuple(WORLDS), "announced by a word"),
        Switch("seeds", "Show each seed", False),
    ),
    compute=forgetting,
    draw=draw_forgetting,
    says="{finding}",
    columns=("method", "second evening", "first evening", "of it beyond the forced part"),
    rows=(("{method}", "{new:.3f}", "{old:.3f}", "{beyond:.3f}"),),
    each="rows",
    data={
        "tracks": _TRACKS,
        "steps": STEPS,
        "forced": FORCED,
        "ends": ENDS,
        "marks": MARKS,
        "levels": LEVELS,
        "says": {world: SAYS + end for world, end in HAD_TO.items()},
        "at_first": AT_FIRST,
    },
)
