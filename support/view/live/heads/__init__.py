"""All heads of a trained model at once: how each of them divides the attention of one word.

`figure.js` beside this file computes and draws the same in the page.
"""

from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support.view import style
from support.view.grids import shade
from support.view.live.controls import Slider, fill
from support.view.live.description import LiveFigure
from support.view.live.model_text import BOS, GAME, HEADS, LAYERS, Values, prompt_of, seen

BACK = 11  # so far from the last word the one that attends can stand
SAID = (
    "At “{word}” the {heads:.0f} heads attend most to {different:.0f} {places} of the text. Head "
    "{head} gives {weight:.1%} of its attention to {most}, more than any other head gives to one word."
)
ALIKE = "At “{word}” all {heads:.0f} heads attend only to that word itself: no other stands before it."


def heads(prompt: str, back: float | int) -> Values:
    """The attention weights of one word in every head.

    Args:
        prompt: words without ``<BOS>``.
        back: how far before the last word the one stands that attends; the first stands for all before it.

    >>> found = heads("Pietro chiama Paolo", 0)
    >>> found["word"], len(found["rows"]), [round(x, 2) for x in found["rows"][1]["weights"]]
    ('Paolo', 8, [0.0, 0.01, 0.98, 0.01])
    """
    words = [BOS, *prompt.split()]
    here = max(0, len(words) - 1 - int(back))
    rows: list[dict[str, Any]] = []
    for i in range(LAYERS):
        for h in range(HEADS):
            weights = seen(prompt).patterns[i, 0, h, here].tolist()[: here + 1]
            most = max(range(here + 1), key=lambda k: (weights[k], -k))
            rows.append({"head": f"{i}.{h}", "weights": weights, "most": words[most], "place": most + 1})
            rows[-1] |= {"weight": weights[most], "itself": weights[here]}
    sharpest: dict[str, Any] = max(rows, key=lambda row: row["weight"])
    different = len({row["place"] for row in rows})
    whom = "that word itself" if sharpest["place"] == here + 1 else f"“{sharpest['most']}”"
    about = {"word": words[here], "here": here, "different": different}
    blanks = about | {
        "places": "place" if different == 1 else "different places",
        "heads": len(rows),
        "most": whom,
    }
    blanks |= {"head": sharpest["head"], "weight": sharpest["weight"]}
    return about | {"tokens": words, "rows": rows, "finding": fill(SAID if here else ALIKE, blanks)}


def draw_heads(values: Values, found: Values) -> Figure:
    """A row for each head, a column for each word."""
    tokens, here = found["tokens"], found["here"]
    weights = np.full((len(found["rows"]), len(tokens)), np.nan)
    for i, row in enumerate(found["rows"]):
        weights[i, : here + 1] = row["weights"]
    fig, ax = style.subplots(
        wide=True, figsize=(max(4.2, 0.62 * len(tokens) + 1.4), 4.2), layout="constrained"
    )
    shade(ax, 100 * weights, [f"head {row['head']}" for row in found["rows"]], tokens, digits=0, top=100.0)
    ax.get_xticklabels()[here].set_fontweight("bold")
    return fig


FIGURE = LiveFigure(
    name="heads",
    title="All heads at once: what does one word attend to?",
    controls=(
        prompt_of(GAME, "The text", "5 chiama Paolo vice Paolo chiama Pietro"),
        Slider("back", "The word that attends", 0, BACK, 1, 0, "{word}"),
    ),
    compute=heads,
    draw=draw_heads,
    says="{finding}",
    columns=("head", "attends most to", "weight", "on itself"),
    rows=(("{head}", "{most} ({place})", "{weight:.1%}", "{itself:.1%}"),),
    each="rows",
    data={"back": BACK, "layers": LAYERS, "heads": HEADS, "says": [SAID, ALIKE]},
    model=GAME,
)
