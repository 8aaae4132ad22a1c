"""What is left of each word in the state of a recurrent network, word by word; attention keeps them all.

The network is a minimal gated one (as `support.ancestors.MinGRU`): at each word the new state is
keep · old state + (1 − keep) · word, and what the gate keeps depends on that word alone. `figure.js` beside
this file computes and draws the same in the page.
"""

import math
from typing import Any

from matplotlib.figure import Figure

from support.view import style
from support.view.live.controls import Action, Choice, Slider, fill
from support.view.live.description import LiveFigure

Values = dict[str, Any]
WORDS = ("the", "keys", "that", "the", "old", "man", "had", "left", "on", "the", "kitchen", "table")
SUBJECT = WORDS.index("keys")  # the verb that follows must agree with it
WRITES = 0.9  # of the state, at the subject, where each word has a gate of its own
KINDS = ("one gate for all words", "a gate for each word", "attention: no state")
SAYS = (
    "After “{word}”, {subject:.1%} of the state comes from “keys” and {last:.1%} from “{word}” itself. ",
    "“Keys” has not been read yet; {last:.1%} of the state comes from “{word}”. ",
    "After “keys”, {last:.1%} of the state comes from that word. ",
    "After “{word}”, attention can read every word so far, unchanged. ",
)
ENDS = (
    "One vector holds it all, and each word is written with the same strength.",
    "The gate lets “keys” in with {writes:.0%}, and keeps {keep:.0%} of the state at each other word.",
    "It keeps a vector for each of them, {read:.0f} in all.",
    "A gate that keeps all of the old state writes no word.",
    "A gate that keeps nothing of the old state leaves the last word alone.",
)


def recurrence(read: float | int, kind: str, keep: float) -> Values:
    """The share of each word in what is kept after some words.

    Args:
        read: how many words have been read.
        kind: one of `KINDS`.
        keep: what the gate keeps of the state at a word.

    >>> found = recurrence(12, "one gate for all words", 0.9)
    >>> round(found["subject"], 3), round(found["last"], 3)
    (0.035, 0.1)
    """
    count, which = int(read), KINDS.index(kind)
    gates = [1 - WRITES if which == 1 and i == SUBJECT else keep for i in range(len(WORDS))]
    shares = [
        1.0 if which == 2 else (1 - gates[i]) * math.prod(gates[i + 1 : count]) for i in range(count)
    ] + [0.0] * (len(WORDS) - count)
    rows = [
        {"place": i + 1, "word": w, "share": p} for i, (w, p) in enumerate(zip(WORDS, shares, strict=True))
    ]
    about = {"word": WORDS[count - 1], "read": count, "writes": WRITES, "keep": keep}
    about |= {"subject": shares[SUBJECT], "last": shares[count - 1]}
    end = which if which or 0 < keep < 1 else 3 if keep else 4
    said = 3 if which == 2 else 2 if count == SUBJECT + 1 else int(count <= SUBJECT)
    return {
        "words": rows,
        "vectors": count if which == 2 else 1,
        "finding": fill(SAYS[said] + ENDS[end], about),
        **about,
    }


def draw_recurrence(values: Values, found: Values) -> Figure:
    """A bar for each word, as long as its share."""
    fig, ax = style.subplots(figsize=(style.WIDTH, 4.2))
    places, count = range(len(WORDS)), int(values["read"])
    colours = [style.colour(1 if i == SUBJECT else 0) for i in places]
    bars = ax.barh(places, [100 * item["share"] for item in found["words"]], color=colours)
    ax.bar_label(
        bars, [f"{100 * w['share']:.1f}%" if i < count else "" for i, w in enumerate(found["words"])]
    )
    ax.set_yticks(places, labels=WORDS)
    ax.invert_yaxis()
    ax.set(xlim=(0, 115), xticks=range(0, 101, 25), xlabel=f"% left after {count} words")
    return fig


def move(values: Values, _uniform: float, by: int) -> Values:
    """One word on or back, if there is one.

    >>> move({"read": 1}, 0.5, 1), move({"read": 1}, 0.5, -1)
    ({'read': 2}, {})
    """
    read = round(values["read"]) + by
    return {"read": read} if 1 <= read <= len(WORDS) else {}


FIGURE = LiveFigure(
    name="recurrence",
    title="Was or were? What is left of each word",
    controls=(
        Slider("read", "Words read", 1, len(WORDS), 1, len(WORDS), "{read:.0f}"),
        Choice("kind", "What keeps them", KINDS, KINDS[0]),
        Slider("keep", "Kept of the state at each word", 0, 1, 0.01, 0.8, "{keep:.0%}"),
    ),
    compute=recurrence,
    draw=draw_recurrence,
    says="{finding}",
    columns=("", "word", "left of it"),
    rows=(("{place}", "{word}", "{share:.1%}"),),
    each="words",
    actions=(
        Action("back", "Back", lambda values, uniform: move(values, uniform, -1)),
        Action("step", "Step", lambda values, uniform: move(values, uniform, 1)),
    ),
    plays="step",
    data={"words": WORDS, "kinds": KINDS, "subject": SUBJECT, "writes": WRITES, "says": SAYS, "ends": ENDS},
)
