"""Which words a word may attend to, in each of the three families of transformers.

`figure.js` beside this file computes and draws the same in the page.
"""

from typing import Any

from matplotlib.figure import Figure
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch

from support.view import style
from support.view.live.controls import Choice, Slider, fill
from support.view.live.description import LiveFigure

Values = dict[str, Any]
FAMILIES = ("encoder", "decoder", "encoder and decoder")
ONE = ("my", "old", "cat", "slept", "all", "day")
SOURCE, TARGET = ("the", "red", "cat"), ("il", "gatto", "rosso")
SAYS = (
    "In an encoder “{word}” attends to all {all} words of the text, also to those after it.",
    "In an encoder “{word}” attends to all {all} words of the text.",
    "In a decoder “{word}” attends only to itself: no other word stands before it.",
    "In a decoder “{word}” attends to {open} of {all} words, to itself and to those before it.",
    "The encoder lets “{word}” attend to all {source} words of the source. To the target it never attends.",
    "The decoder lets “{word}” attend to {target} of the target, and through cross-attention to all {source} "
    "words of the source.",
)
WHY = {
    "itself": "yes: itself",
    "text": "yes",
    "cross": "yes: cross-attention",
    "later": "no: it comes later",
    "never": "no: the encoder never sees the target",
}


def kind_of(family: str, query: int, key: int) -> str:
    """Why a word may attend to another, or may not (a key of `WHY`); the words are counted from 0.

    >>> kind_of("encoder", 0, 5), kind_of("decoder", 0, 5), kind_of("encoder and decoder", 3, 0)
    ('text', 'later', 'cross')
    """
    if query == key:
        return "itself"
    if family == "encoder":
        return "text"
    if family == "decoder":
        return "text" if key < query else "later"
    first = len(SOURCE)  # of the target
    if query < first:
        return "text" if key < first else "never"
    return "cross" if key < first else "text" if key < query else "later"


def families(family: str, place: float | int) -> Values:
    """Of each word, whether the chosen one may attend to it.

    Args:
        family: one of `FAMILIES`.
        place: the word that attends, counted from 1.

    >>> [row["word"] for row in families("decoder", 3)["words"] if row["open"]]
    ['my', 'old', 'cat']
    """
    pair = family == FAMILIES[2]
    words, here = (*SOURCE, *TARGET) if pair else ONE, int(place) - 1
    rows: list[Values] = []
    for key, word in enumerate(words):
        kind = kind_of(family, here, key)
        stands = ("source" if key < len(SOURCE) else "target") if pair else "text"
        rows.append({"place": key + 1, "word": word, "stands": stands, "kind": kind, "why": WHY[kind]})
        rows[-1]["open"] = kind in ("itself", "text", "cross")
    count, own = sum(row["open"] for row in rows), here + 1 - len(SOURCE)
    about: Values = {"word": words[here], "open": count, "all": len(words), "source": len(SOURCE)}
    about["target"] = "itself alone" if own == 1 else f"the first {own} words"
    if pair:
        said = 4 if here < len(SOURCE) else 5
    elif family == FAMILIES[0]:
        said = int(here == len(words) - 1)
    else:
        said = 3 if here else 2
    return {
        "words": rows,
        "here": here,
        "word": words[here],
        "count": count,
        "finding": fill(SAYS[said], about),
    }


def draw_families(values: Values, found: Values) -> Figure:
    """Words as boxes; an arrow from each word that the chosen one attends to."""
    fig, ax = style.subplots(figsize=(style.WIDTH, 3.6))
    pair, here = values["family"] == FAMILIES[2], found["here"]

    def spot(k: int) -> tuple[float, float]:
        if not pair:
            return 0.95 + 1.1 * k, 1.0
        return 2.3 + 1.7 * (k % 3), 2.4 if k < len(SOURCE) else 0.6

    attention, cross = style.colour(1), style.colour(2)
    for k, row in enumerate(found["words"]):
        x, y = spot(k)
        now = k == here
        edge = style.GREY if not row["open"] else cross if row["kind"] == "cross" else attention
        box = FancyBboxPatch(
            (x - 0.4, y - 0.22), 0.8, 0.44, boxstyle="round,pad=0.06", facecolor=edge if now else "none"
        )
        box.set(edgecolor=edge, linestyle="-" if row["open"] else ":", linewidth=1.6)
        ax.add_patch(box)
        ink = "white" if now else style.GREY if not row["open"] else "black"
        ax.text(x, y, row["word"], ha="center", va="center", color=ink)
        if row["open"] and not now:
            to = spot(here)
            below = pair and here >= len(SOURCE) and row["kind"] == "text"
            straight = row["kind"] == "cross"
            side = -1 if below else 1
            curving = 0.0 if straight else side * (-0.55 if x < to[0] else 0.55)
            from_y, to_y = (y - 0.3, to[1] + 0.3) if straight else (y + side * 0.3, to[1] + side * 0.3)
            arrow = FancyArrowPatch((x, from_y), (to[0], to_y), connectionstyle=f"arc3,rad={curving}")
            arrow.set(arrowstyle="-|>", mutation_scale=12, color=edge, linewidth=1.4)
            ax.add_patch(arrow)
    if pair:
        for y, label in ((2.4, "source"), (0.6, "target")):
            ax.text(0.35, y, label, ha="left", va="center", color=style.GREY)
    ax.set(xlim=(0.2, 7.2), ylim=(-0.6, 3.6))
    ax.axis("off")
    return fig


FIGURE = LiveFigure(
    name="families",
    title="Three families: what may a word attend to?",
    controls=(
        Choice("family", "Family", FAMILIES, "decoder"),
        Slider("place", "Word that attends", 1, len(ONE), 1, 3, "{word}"),
    ),
    compute=families,
    draw=draw_families,
    says="{finding}",
    columns=("", "word", "stands in", "attended to?"),
    rows=(("{place}", "{word}", "{stands}", "{why}"),),
    each="words",
    data={
        "families": FAMILIES,
        "one": ONE,
        "source": SOURCE,
        "target": TARGET,
        "says": SAYS,
        "why": WHY,
    },
)
