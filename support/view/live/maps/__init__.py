"""One vocabulary under many maps: concept plane, PCA, t-SNE.

`figure.js` beside this file computes and draws the same in the page.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support import zoo
from support.view.live.controls import Action, Choice, Slider, Text, fill
from support.view.live.description import LiveFigure
from support.view.maps import plot_map

_MAPS = zoo.record("semantic_maps")
Values = dict[str, Any]


FREE = tuple(f"t-SNE, perplexity {p}" for p in (2, 5, 15))
MAPS = ("concept plane", "PCA", *FREE)
AXES = ("man ← → woman", "man ← → king")  # of the concept plane
NEAR = 5


def found_word(typed: str, words: Sequence[str]) -> int | None:
    """The number of the word that is typed, or else of the first that begins so.

    >>> found_word(" Lion", ["lioness", "lion"]), found_word("q", ["lion"]), found_word("", ["lion"])
    (1, None, None)
    """
    typed = typed.strip(" ").lower()
    if not typed or typed in words:
        return words.index(typed) if typed else None
    return next((i for i, word in enumerate(words) if word.startswith(typed)), None)


def near_on_map(points: Sequence[Sequence[float | int]], i: int) -> list[int]:
    """The five points nearest to point i, the nearest first.

    >>> near_on_map([[0, 0], [2, 0], [1, 0]], 0)
    [2, 1]
    """
    x, y = points[i]
    apart = [(a - x) * (a - x) + (b - y) * (b - y) for a, b in points]
    return sorted((k for k in range(len(points)) if k != i), key=lambda k: (apart[k], k))[:NEAR]


def under(which: str, seed: float | int, find: str) -> Values:
    """The nouns on one of the maps, and who is near whom there and in the space itself.

    Args:
        which: of `MAPS`.
        seed: it matters to t-SNE only.
        find: the beginning of a word.

    >>> under("PCA", 0, "king")["near"][0]
    {'rank': 1, 'there': 'soldier', 'truly': 'lion'}
    """
    record = _MAPS
    words = record["words"]
    free = which in FREE
    perplexity = which.split()[-1]
    drawn = record["maps"][f"t-SNE {perplexity} {seed:.0f}" if free else which]
    seeded = {"seed_shown": f"{seed:.0f}" if free else "not used"}
    shown = {"points": drawn["points"], "chosen": found_word(find, words)}
    what = f"This t-SNE (perplexity {perplexity}, seed {seed:.0f})" if free else f"This {which}"
    said = "{what} shows {share:.1%} of the variance and keeps {kept:.1%} of the five nearest neighbours. "
    if free:
        said = "{what} has no axes and no share; it keeps {kept:.1%} of the five nearest neighbours. "
    finding = fill(said, drawn | {"what": what})
    i = shown["chosen"]
    if i is None:
        rest = f"No word here begins with “{find.strip(' ')}”." if find.strip(" ") else "Choose a word."
        return seeded | shown | {"near": [], "shared": 0, "finding": finding + rest}
    there, truly = near_on_map(drawn["points"], i), record["near"][i]
    near = [
        {"rank": k + 1, "there": words[a], "truly": words[b]}
        for k, (a, b) in enumerate(zip(there, truly, strict=True))
    ]
    shared = len(set(there) & set(truly))
    rest = f"Of the five nearest to “{words[i]}” on the map, {shared} are among "
    rest += "its five nearest in all dimensions."
    return seeded | shown | {"near": near, "shared": shared, "finding": finding + rest}


def other_word(values: Values, uniform: float, step: int = 1) -> Values:
    """The next word of the list, or the one before.

    >>> other_word({"find": "king"}, 0.0), other_word({"find": "king"}, 0.0, -1)
    ({'find': 'queen'}, {'find': 'coin'})
    """
    words = _MAPS["words"]
    i = found_word(values["find"], words)
    return {"find": words[0] if i is None else words[(i + step) % len(words)]}


def word_before(values: Values, uniform: float) -> Values:
    """The word before."""
    return other_word(values, uniform, -1)


def draw_under(values: Values, found: Values) -> Figure:
    """The map; the chosen word and its nearest in the space are named."""
    record = _MAPS
    i = found["chosen"]
    named = record["words"] if i is None else [record["words"][k] for k in (i, *record["near"][i])]
    across, along = AXES if values["which"] == "concept plane" else ("", "")
    return plot_map(
        np.array(found["points"], dtype=float),
        record["words"],
        groups=record["kinds"],
        show_only=named,
        xlabel=across,
        ylabel=along,
        title=values["which"] if i is None else f"{values['which']}: {record['words'][i]} and its nearest",
    )


FIGURE = LiveFigure(
    name="maps",
    title="One vocabulary, many maps",
    controls=(
        Choice("which", "The map", MAPS, FREE[1]),
        Slider("seed", "Seed (t-SNE)", 0, 5, 1, 0, "{seed_shown}"),
        Text("find", "Find a word", tuple(_MAPS["words"]), 100, "king"),
    ),
    compute=under,
    draw=draw_under,
    says="{finding}",
    columns=("", "nearest on the map", "nearest in the space"),
    rows=(("{rank}", "{there}", "{truly}"),),
    each="near",
    actions=(
        Action("back", "Word before", word_before),
        Action("on", "Next word", other_word),
    ),
    data={name: _MAPS[name] for name in ("words", "kinds", "near", "maps")} | {"axes": AXES},
    needs=("word_map.js",),
)
