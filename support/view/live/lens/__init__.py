"""The logit lens: what the residual stream would predict after each sublayer.

`figure.js` beside this file computes and draws the same in the page.
"""

import matplotlib
import numpy as np
from matplotlib.figure import Figure

from support.inside import logit_lens
from support.view import style
from support.view.live.controls import Slider, fill
from support.view.live.description import LiveFigure
from support.view.live.model_text import (
    BOS,
    GAME,
    LAYERS,
    Values,
    after,
    loaded,
    prompt_of,
    seen,
)

STAGES = (
    "word and place",
    *(f"{part} {i}" for i in range(LAYERS) for part in ("attention", "feed-forward")),
)


def lens(prompt: str, stage: float | int) -> Values:
    """What the model would answer if it stopped after each component, at every word.

    Args:
        prompt: words without ``<BOS>``.
        stage: 0 for the embedding, then one for each component.

    >>> [item["best"] for item in lens("Pietro chiama Paolo", 0)["stages"]][-1]
    'Tarso'
    """
    model, vocabulary = loaded(GAME)
    shares = logit_lens(model, seen(prompt))[:, 0].softmax(dim=-1)
    tokens = vocabulary.tokens
    final = max(range(len(tokens)), key=lambda i: (shares[-1, -1, i].item(), -i))
    grid, stages = [], []
    for k, name in enumerate(STAGES):
        best = [max(range(len(tokens)), key=lambda i: (row[i].item(), -i)) for row in shares[k]]
        grid.append([{"word": tokens[i], "p": row[i].item()} for i, row in zip(best, shares[k], strict=True)])
        last = shares[k, -1]
        first, second = sorted(range(len(tokens)), key=lambda i: (-last[i].item(), i))[:2]
        stages.append({"stage": name, "best": tokens[first], "p": last[first].item()})
        stages[-1] |= {"second": tokens[second], "p2": last[second].item(), "right": last[final].item()}
    now = int(stage)
    here = shares[now, -1]
    order = sorted(range(len(tokens)), key=lambda i: (-here[i].item(), i))[:5]
    answer = tokens[final]
    since = next(k for k in range(len(STAGES)) if all(s["best"] == answer for s in stages[k:]))
    said = (
        "{after} the answer after “{stage}” would be “{best}” with {p:.1%}. "
        "The final answer “{answer}” leads from “{since}” on."
    )
    about = {"after": after(prompt), "answer": answer, "since": STAGES[since]}
    return {
        "words": [BOS, *prompt.split()],
        "grid": grid,
        "stages": stages,
        "top": [{"word": tokens[i], "p": here[i].item()} for i in order],
        "stage_name": STAGES[now],
        "answer": answer,
        "finding": fill(said, stages[now] | about),
    }


def draw_lens(values: Values, found: Values) -> Figure:
    """A row for each stage, a column for each word read: the answer there, the darker the surer."""
    shares = np.array([[cell["p"] for cell in row] for row in found["grid"]])
    columns = len(found["words"])
    fig, ax = style.subplots(wide=True, figsize=(max(style.WIDE, 1.1 * columns), 3.6))
    ax.imshow(shares, cmap=style.UP, vmin=0, vmax=1, aspect="auto")
    ax.spines[:].set_visible(False)
    ax.tick_params(length=0)
    for (i, j), p in np.ndenumerate(shares):
        ink = style.readable_on(matplotlib.colormaps[style.UP](p))
        text = f"{found['grid'][i][j]['word']}\n{p:.2f}"
        ax.text(j, i, text, ha="center", va="center", color=ink, fontsize=11)
    ax.set_yticks(range(len(STAGES)), labels=STAGES)
    ax.set_xticks(range(columns), labels=found["words"], rotation=90 if columns > 9 else 0)
    ax.axhspan(values["stage"] - 0.5, values["stage"] + 0.5, fill=False, edgecolor=style.COLOURS["vermilion"])
    ax.set(xlabel="read so far", ylabel="answer after")
    return fig


FIGURE = LiveFigure(
    name="lens",
    title="What would it say now? The logit lens",
    controls=(
        prompt_of(GAME, "The text", "Pietro chiama Paolo"),
        Slider("stage", "Stop after", 0, len(STAGES) - 1, 1, len(STAGES) - 1, "{stage_name}"),
    ),
    compute=lens,
    draw=draw_lens,
    says="{finding}",
    columns=("answer after", "first", "with", "second", "with", "final answer"),
    rows=(("{stage}", "{best}", "{p:.1%}", "{second}", "{p2:.1%}", "{right:.1%}"),),
    each="stages",
    data={"stages": STAGES},
    model=GAME,
)
