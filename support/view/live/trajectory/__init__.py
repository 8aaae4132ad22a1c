"""The residual stream of the last token on its way through a concept plane.

`figure.js` beside this file computes and draws the same in the page.
"""

import torch
from matplotlib.figure import Figure

from support.view.live.controls import Choice, fill
from support.view.live.description import LiveFigure
from support.view.live.model_text import (
    GAME,
    HEADS,
    LAYERS,
    Values,
    loaded,
    prompt_of,
    seen,
)
from support.view.maps import plot_path
from support.worlds import CallingGame

PARTS = ("sublayers", "heads")


def trajectory(prompt: str, right: str, left: str, up: str, down: str, parts: str) -> Values:
    """The stream of the last word in a plane of two concepts, and every write as a step.

    Args:
        prompt: words without ``<BOS>``.
        right, left: the first direction leads from one word's row to the other's.
        up, down: so does the second; of it only what is at right angles to the first counts.
        parts: a step for each attention, or for each of its heads (and one for the output bias).

    >>> found = trajectory("Pietro chiama Paolo", "Tarso", "vice", "Cefa", "capo", "sublayers")
    >>> [step["part"] for step in found["steps"]][:3]
    ['the word', 'its place', 'attention 0']
    """
    model, vocabulary = loaded(GAME)
    rows = model.embedding.weight.detach()
    first, second = (rows[vocabulary.id(a)] - rows[vocabulary.id(b)] for a, b in ((right, left), (up, down)))
    plane = torch.zeros(2, rows.shape[1], dtype=rows.dtype)
    for direction, words in ((first, (right, left)), (second, (up, down))):
        if words[0] != words[1]:
            rest = direction - plane.T @ (plane @ direction)
            if rest.norm() > 1e-6 * direction.norm():
                plane[0 if direction is first else 1] = rest / rest.norm()
    flow = seen(prompt)
    word = rows[flow.ids[0, -1]]
    writes = [("the word", word), ("its place", flow.embedding[0, -1] - word)]
    for layer in range(LAYERS):
        whole = flow.attention[layer, 0, -1]
        if parts == "heads":
            heads = flow.heads[layer, 0, :, -1]
            writes += [(f"head {layer}.{h}", heads[h]) for h in range(HEADS)]
            writes.append((f"bias {layer}", whole - heads.sum(dim=0)))
        else:
            writes.append((f"attention {layer}", whole))
        writes.append((f"feed-forward {layer}", flow.feed_forward[layer, 0, -1]))
    steps, at = [], torch.zeros(2, dtype=rows.dtype)
    for part, write in writes:
        push = plane @ write
        at = at + push
        steps.append({"part": part, "dx": push[0].item(), "dy": push[1].item()})
        steps[-1] |= {"x": at[0].item(), "y": at[1].item()}
    if right == left or not plane[1].any():
        finding = "These words make no plane: choose two directions, each from one word to another."
    else:
        strongest = max(steps, key=lambda step: step["dx"])
        said = (
            "The stream of the last word ends at {x:.2f} towards “{right}” and {y:.2f} towards “{up}”. "
            "The strongest push towards “{right}” comes from {part}: {push:.2f}."
        )
        about = {"right": right, "up": up, "part": strongest["part"], "push": strongest["dx"]}
        finding = fill(said, steps[-1] | about)
    return {"steps": steps, "finding": finding}


def draw_trajectory(values: Values, found: Values) -> Figure:
    """The path, step by step."""
    points = [(0.0, 0.0), *((step["x"], step["y"]) for step in found["steps"])]
    names = ["start", *(step["part"] for step in found["steps"])]
    across, along = f"{values['left']} ← → {values['right']}", f"{values['down']} ← → {values['up']}"
    return plot_path(points, names, xlabel=across, ylabel=along)


def _directions() -> tuple[Choice, ...]:
    words = tuple(token for token in CallingGame().vocabulary.tokens if not token.startswith("<"))
    asked = [("right", "To the right", "Tarso"), ("left", "To the left", "vice")]
    asked += [("up", "Upwards", "Paolo"), ("down", "Downwards", "Pietro")]
    return tuple(Choice(name, label, words, start) for name, label, start in asked)


FIGURE = LiveFigure(
    name="trajectory",
    title="The way of the stream",
    controls=(
        prompt_of(GAME, "The text", "Pietro chiama Paolo"),
        *_directions(),
        Choice("parts", "An arrow for", PARTS, PARTS[0]),
    ),
    compute=trajectory,
    draw=draw_trajectory,
    says="{finding}",
    columns=("written by", "to the right", "upwards", "then at", "and"),
    rows=(("{part}", "{dx:.2f}", "{dy:.2f}", "{x:.2f}", "{y:.2f}"),),
    each="steps",
    model=GAME,
)
