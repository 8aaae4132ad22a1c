"""Three masks on one small attention matrix: causal, padding, and the wall between packed texts.

`figure.js` beside this file computes and draws the same in the page.
"""

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support.view.grids import plot_attention
from support.view.live.controls import Slider, Switch, fill
from support.view.live.description import LiveFigure

Values = dict[str, Any]
# Two short texts in one row, filled up with padding. A verb looks for a noun: its query fits their keys.
WORDS = ("the", "cat", "sat", "a", "dog", "ran", "<PAD>", "<PAD>")
TEXTS = (1, 1, 1, 2, 2, 2, 0, 0)  # to which text a position belongs
QUERIES = ((1, 1), (0, 2), (2, 0), (1, 1), (0, 2), (2, 0), (1, 1), (1, 1))
KEYS = ((1, 0), (2, 1), (0, 2), (1, 0), (2, 1), (0, 2), (0, 0), (0, 0))


def masks(causal: bool, padding: bool, packed: bool, query: float | int) -> Values:
    """Which keys are open to each query, and the attention weights on them.

    Args:
        causal: hides later positions.
        padding: hides padding.
        packed: hides the other text.
        query: the position that the sentence is about, counted from 1.

    >>> found = masks(True, True, True, 6)
    >>> found["open"], [round(p, 2) for p in found["weights"][5]]
    (12, [0.0, 0.0, 0.0, 0.19, 0.77, 0.05, 0.0, 0.0])
    """
    places = range(len(WORDS))
    weights: list[list[float]] = []
    rows: list[dict[str, Any]] = []
    for i in places:
        seen = [
            not ((causal and j > i) or (padding and WORDS[j] == "<PAD>") or (packed and TEXTS[i] != TEXTS[j]))
            for j in places
        ]
        scores = [sum(a * b for a, b in zip(QUERIES[i], KEYS[j], strict=True)) for j in places]
        powers = [math.exp(s / math.sqrt(2)) if free else 0.0 for s, free in zip(scores, seen, strict=True)]
        whole = sum(powers)
        row = [p / whole if whole else 0.0 for p in powers]
        weights.append(row)
        most = max(places, key=lambda j: (row[j], -j))
        about: dict[str, Any] = {"place": i + 1, "word": WORDS[i], "open": sum(seen), "weight": row[most]}
        about["most"] = f"{WORDS[most]} ({most + 1})" if whole else "nothing"
        about["other"] = sum(row[j] for j in places if TEXTS[j] not in (0, TEXTS[i]))
        about["pads"] = sum(row[j] for j in places if TEXTS[j] == 0)
        rows.append(about)
    chosen = rows[int(query) - 1]
    said = (
        "“{word}” (position {place}) attends most to {most}, with {weight:.1%}; {other:.1%} of its weight "
        "goes to another text and {pads:.1%} to padding."
        if chosen["open"]
        else "To “{word}” (position {place}) no key is left open; its output is not used."
    )
    on = [name for name, set_ in (("causal", causal), ("padding", padding), ("packed", packed)) if set_]
    total = sum(row["open"] for row in rows)
    masked = f"With the masks {', '.join(on)}" if on else "Without any mask"
    finding = f"{masked}, {total} of 64 cells are open. {fill(said, chosen)}"
    return {"weights": weights, "queries": rows, "open": total, "here": int(query) - 1, "finding": finding}


def draw_masks(values: Values, found: Values) -> Figure:
    """The weights as a map; the chosen query is outlined."""
    words = [f"{word} {i + 1}" for i, word in enumerate(WORDS)]
    fig = plot_attention(np.array(found["weights"]), words, size=(6, 5))
    axes = fig.axes[0]
    axes.axhline(found["here"] - 0.5, color="#b3243f")
    axes.axhline(found["here"] + 0.5, color="#b3243f")
    return fig


FIGURE = LiveFigure(
    name="masks",
    title="Three masks: what may a position see?",
    controls=(
        Switch("causal", "causal: no later position", True, "Masks"),
        Switch("padding", "padding: no padding token", True, "Masks"),
        Switch("packed", "packed: no other text", False, "Masks"),
        Slider("query", "Query", 1, len(WORDS), 1, 6, "{query:.0f}"),
    ),
    compute=masks,
    draw=draw_masks,
    says="{finding}",
    columns=("", "query", "open keys", "attends most to", "weight", "to another text", "to padding"),
    rows=(("{place}", "{word}", "{open}", "{most}", "{weight:.1%}", "{other:.1%}", "{pads:.1%}"),),
    each="queries",
    data={"words": WORDS, "texts": TEXTS, "queries": QUERIES, "keys": KEYS},
)
