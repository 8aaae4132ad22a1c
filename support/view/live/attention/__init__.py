"""One head's attention pattern over a text of the calling game.

`figure.js` beside this file computes and draws the same in the page.
"""

import numpy as np
from matplotlib.figure import Figure

from support.view.grids import plot_attention
from support.view.live.controls import Slider, fill
from support.view.live.description import LiveFigure
from support.view.live.model_text import (
    BOS,
    GAME,
    HEADS,
    LAYERS,
    Values,
    placed,
    prompt_of,
    seen,
)


def attention(prompt: str, layer: float | int, head: float | int) -> Values:
    """The attention weights of one head, for every query; blocks and heads are counted from 0.

    >>> found = attention("Pietro chiama Paolo", 0, 1)
    >>> found["queries"][-1]["word"], len(found["weights"]), len(found["weights"][-1])
    ('Paolo', 4, 4)
    """
    words = [BOS, *prompt.split()]
    pattern = seen(prompt).patterns[int(layer), 0, int(head)].tolist()
    weights = [row[: i + 1] for i, row in enumerate(pattern)]
    queries = []
    for i, row in enumerate(weights):
        most = max(range(len(row)), key=lambda k: (row[k], -k))
        queries.append({"word": words[i], "most": words[most], "weight": row[most], "itself": row[i]})
        queries[-1] |= {"first": row[0], "place": i + 1, "most_place": most + 1}
    last = queries[-1]
    whom = "itself" if last["most_place"] == last["place"] else placed(words, last["most_place"] - 1)
    said = (
        "In block {layer:.0f}, head {head:.0f}, the last word “{word}” attends most to {whom}, "
        "with an attention weight of {weight:.1%}."
    )
    finding = fill(said, last | {"layer": layer, "head": head, "whom": whom})
    return {"words": words, "weights": weights, "queries": queries, "finding": finding}


def draw_attention(values: Values, found: Values) -> Figure:
    """The head's weights as a map."""
    n = len(found["words"])
    weights = np.zeros((n, n))
    for i, row in enumerate(found["weights"]):
        weights[i, : i + 1] = row
    title = f"block {values['layer']:.0f}, head {values['head']:.0f}"
    return plot_attention(weights, found["words"], titles=[title])


FIGURE = LiveFigure(
    name="attention",
    title="Attention weights: which word attends to which?",
    controls=(
        prompt_of(GAME, "The text", "5 chiama Paolo vice Paolo chiama Pietro"),
        Slider("layer", "Block", 0, LAYERS - 1, 1, LAYERS - 1, "{layer:.0f}", few=True),
        Slider("head", "Head", 0, HEADS - 1, 1, 0, "{head:.0f}", few=True),
    ),
    compute=attention,
    draw=draw_attention,
    says="{finding}",
    columns=("", "query", "attends most to", "weight", "to itself", "to <BOS>"),
    rows=(("{place}", "{word}", "{most}", "{weight:.1%}", "{itself:.1%}", "{first:.1%}"),),
    each="queries",
    model=GAME,
)
