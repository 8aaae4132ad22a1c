"""A training run to scrub through: loss, next words and a made-up game at every step that was kept.

The run is recorded (`benchmarks/training_scrub.py`); `figure.js` beside this file draws the same.
"""

from typing import Any

from matplotlib.figure import Figure

from support import zoo
from support.view import style
from support.view.live.controls import Action, Choice, Slider
from support.view.live.description import LiveFigure
from support.worlds import CallingGame

WORLD = CallingGame()


def broken_at(game: str) -> int:
    """Which word of a made-up game is the first that no rule allows, counted from 0; −1 if there is none.

    >>> broken_at("Pietro chiama Paolo vice Paolo …"), broken_at("2 chiama Pietro capo <EOS>")
    (3, -1)
    """
    at = WORLD.broken_at(["<BOS>", *game.removesuffix(" …").split()])
    return -1 if at is None else at - 1


RECORD = zoo.record("training_scrub")
RUN: list[dict[str, Any]] = [{**row, "broken": broken_at(row["game"])} for row in RECORD["runs"]]
LINES: dict[str, float] = RECORD["lines"]  # losses of counting models, and the lowest possible one
TEXTS = tuple(RUN[0]["next"])
LAST = len(RUN) - 1


def scrub(at: float | int, text: str) -> dict[str, Any]:
    """What the model was at one of the steps that were kept.

    Args:
        at: which of them, counted from 0.
        text: after which the next word is asked.

    >>> found = scrub(0, "Pietro chiama Paolo")
    >>> found["step"], found["loss"], len(found["words"])
    (0, 3.2736, 6)
    """
    row = RUN[round(at)]
    words = [{"word": word, "p": p, "exact": exact} for word, p, exact in row["next"][text]]
    passed = [name for name, loss in LINES.items() if row["loss"] < loss]
    verdict = f"better than the {passed[-1]} model" if passed else "not yet better than counting single words"
    legal, above = row["legal"], row["loss"] - LINES["floor"]
    keeping = "none keeps" if legal == 0 else "1 keeps" if legal == 1 else f"{legal} keep"
    brief = f"Step {row['step']}: loss {row['loss']:.3f}, {above:.3f} above the floor. "
    return {
        **{name: row[name] for name in ("step", "loss", "legal", "game", "broken")},
        "keeping": keeping,
        **{"words": words, "best": words[0]["word"], "p": words[0]["p"], "exact": words[0]["exact"]},
        "brief": f"{brief}Of 100 games that it makes up, {keeping} every rule.",
        "verdict": verdict,
        "above": above,
    }


def draw_scrub(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The loss over the steps with the chosen one marked, and the next words there."""
    fig, axes = style.subplots(1, 2, figsize=(style.WIDTH * 1.3, 3.8), width_ratios=(3, 2))
    steps, losses = [row["step"] for row in RUN], [row["loss"] for row in RUN]
    axes[0].plot(steps, losses, marker=".")
    axes[0].plot([found["step"]], [found["loss"]], "o", color=style.colour(1), markersize=11)
    for name, loss in LINES.items():
        axes[0].axhline(loss, color=style.GREY, linestyle=":", linewidth=1)
        axes[0].text(400, loss + 0.03, name, ha="right", fontsize=9, color=style.GREY)
    axes[0].set(xlabel="step", ylabel="loss on new games, nats per word", ylim=(1, 3.4))
    words = found["words"]
    places = range(len(words))
    axes[1].barh(places, [item["p"] for item in words], label="model")
    axes[1].barh(
        places,
        [item["exact"] for item in words],
        fill=False,
        edgecolor=style.GREY,
        linestyle="--",
        label="game",
    )
    axes[1].set_yticks(places, labels=[item["word"] for item in words])
    axes[1].invert_yaxis()
    axes[1].set(xlim=(0, 1), title=f"after {values['text']}")
    axes[1].legend()
    fig.suptitle(found["game"][:100], fontsize=9)
    return fig


def move(values: dict[str, Any], _uniform: float, by: int) -> dict[str, Any]:
    """The next or the previous of the kept steps, if there is one.

    >>> move({"at": 0}, 0.5, 1), move({"at": 0}, 0.5, -1)
    ({'at': 1}, {})
    """
    at = round(values["at"]) + by
    return {"at": at} if 0 <= at <= LAST else {}


FIGURE = LiveFigure(
    name="scrub",
    title="Scrub through a training run",
    controls=(
        Slider("at", "Training step", 0, LAST, 1, 0, "{step:.0f}"),
        Choice("text", "Next word after", TEXTS, TEXTS[1]),
    ),
    compute=scrub,
    draw=draw_scrub,
    says="After {step:.0f} steps the loss on new games is {loss:.3f} nats per word, {above:.3f} above the "
    "lowest possible: {verdict}. Of 100 games that it makes up, {keeping} every rule. The most probable next "
    "word is “{best}”, with {p:.1%}; by the rules of the game it has {exact:.1%}.",
    columns=("next word", "the model’s probability", "the game’s"),
    rows=(("{word}", "{p:.1%}", "{exact:.1%}"),),
    each="words",
    actions=(
        Action("back", "Back", lambda values, uniform: move(values, uniform, -1)),
        Action("step", "Step", lambda values, uniform: move(values, uniform, 1)),
    ),
    plays="step",
    still={"at": LAST},
    data={"run": RUN, "lines": LINES},
)
