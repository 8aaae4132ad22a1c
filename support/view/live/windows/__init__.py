"""The loss of an n-gram model of the calling game, split: entropy, what the window hides, what counts lack.

The numbers are recorded (`benchmarks/windows.py`); `figure.js` beside this file computes and draws the same.
"""

from typing import Any

from matplotlib.figure import Figure

from support import zoo
from support.view import style
from support.view.live.controls import Choice, Slider
from support.view.live.description import LiveFigure

RECORD = zoo.record("windows")
ENTROPY: float = RECORD["entropy"]
POSSIBLE: list[float] = RECORD["possible"]  # F_n: the lowest loss that a window of n words allows
WORDS = range(1, len(POSSIBLE))  # of context, as drawn
RUNS: dict[str, list[float]] = {f"{int(n):,} games": losses for n, losses in RECORD["runs"].items()}


def windows(n: float | int, games: str) -> dict[str, Any]:
    """The three parts of a Kneser–Ney model's loss on new games, in nats per token.

    Args:
        n: words of context, from 1 to 6 (or 0).
        games: from what it was counted, such as ``"100 games"``.

    Returns:
        the loss; the best possible one with this window, ``F``; the entropy of the game; what the window
        ``hides`` and what the counts ``lack``; the window with the lowest loss for this number of games.

    >>> found = windows(3, "100 games")
    >>> [round(found[name], 4) for name in ("entropy", "hides", "lacks", "loss")], found["best"]
    ([1.1789, 0.0224, 0.2821, 1.4834], 2)
    """
    losses, place = RUNS[games], round(n)
    loss, lowest = losses[place], POSSIBLE[place]
    return {
        **{"loss": loss, "F": lowest, "entropy": ENTROPY},
        **{"hides": lowest - ENTROPY, "lacks": loss - lowest, "above": loss - ENTROPY},
        "best": losses.index(min(losses)),
    }


def draw_windows(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """For every window the two parts above the entropy, one upon the other; the chosen one is outlined."""
    fig, ax = style.subplots(wide=True, figsize=(style.WIDE, 3.6))
    parts = [windows(n, values["games"]) for n in WORDS]
    hides, lacks = ([part[name] for part in parts] for name in ("hides", "lacks"))
    ax.bar(WORDS, hides, color=style.colour(0), label="window too short")
    ax.bar(WORDS, lacks, bottom=hides, color=style.colour(1), hatch="//", label="too few counts")
    ax.bar(round(values["n"]), found["above"], width=0.92, fill=False, edgecolor=style.GREY, linestyle="--")
    for n, part in zip(WORDS, parts, strict=True):
        ax.text(n, part["above"] + 0.01, f"{part['above']:.2f}", ha="center")
    ax.set(xlabel="words of context", ylabel="nats above the entropy", ylim=(0, 0.9))
    ax.legend()
    return fig


FIGURE = LiveFigure(
    name="windows",
    title="What a window hides, and what counts lack",
    controls=(
        Slider("n", "Words of context", WORDS[0], WORDS[-1], 1, 3, "{n:.0f}"),
        Choice("games", "Counted from", tuple(RUNS), "100 games"),
    ),
    compute=windows,
    draw=draw_windows,
    says="Counted from {games}, a model that sees a window of {n:.0f} has a loss of {loss:.3f} nats per "
    "token on new games: {entropy:.3f} are the entropy of the game, {hides:.3f} are hidden by the window, "
    "and the counts lack {lacks:.3f}. With so many games a window of {best:.0f} has the lowest loss.",
    columns=("part of the loss", "nats per token"),
    rows=(
        ("entropy of the game", "{entropy:.3f}"),
        ("window too short", "{hides:.3f}"),
        ("best possible with this window", "{F:.3f}"),
        ("too few counts", "{lacks:.3f}"),
        ("loss", "{loss:.3f}"),
    ),
    data={"entropy": ENTROPY, "possible": POSSIBLE, "runs": RUNS},
)
