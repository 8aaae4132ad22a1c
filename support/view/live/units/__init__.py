"""One hidden unit of a feed-forward network: when it is active, what it adds, and what is missing without it.

The contexts are recorded (`benchmarks/unit_contexts.py`); `figure.js` beside this file computes and draws the
same in the page.
"""

from functools import lru_cache
from typing import Any

import torch
from jaxtyping import Float
from matplotlib.figure import Figure
from torch import Tensor

from support import zoo
from support.inside import hooked, run_with_cache
from support.view import style
from support.view.live.controls import Action, Choice, Slider, Switch, fill
from support.view.live.description import LiveFigure
from support.view.live.model_text import GAME, LAYERS, after, ids, loaded, prompt_of, words_of

Values = dict[str, Any]
RECORD = zoo.record("unit_contexts")
WIDTH = len(RECORD["active"][0])
LAYER = tuple(f"block {i}" for i in range(LAYERS))
SHOWN, VOTES, CUT = 5, 3, 30  # words of the distribution, words that a value favours, units to switch off
KEY = "At “{last}” the key of unit {unit} gives {dot:.2f} and the bias {bias:.2f}, "
ACTIVE = "so the activation is {activation:.2f}. It adds {adds:.2f} to the logit of “{word}”. "
SILENT = "so the unit is not active here. "
WHOLE = "{after} the most probable word is “{word}” with {plain:.2%}."
WITHOUT = "Without {off}, the probability of “{word}” is {now:.2%} instead of {plain:.2%}{instead}."
INSTEAD = ", and the most probable word is “{winner}” with {much:.2%}"


@lru_cache
@torch.no_grad()
def effects(layer: int) -> Float[Tensor, "unit word"]:
    """What one unit of activation adds to each word's logit, relative to the mean of all words.

    The direct way only, before the division of the last norm by the standard deviation of the stream.

    >>> effects(1).shape
    torch.Size([256, 28])
    """
    model, _ = loaded(GAME)
    values = model.blocks[layer].feed_forward.down.weight.T
    votes = (values - values.mean(dim=1, keepdim=True)) * model.final_norm.weight @ model.embedding.weight.T
    votes -= votes[:, 1:].mean(dim=1, keepdim=True)  # the padding is never predicted
    return votes


def _descending(numbers: Tensor, least: int = 0) -> list[int]:
    """Places from the largest number down; what is equal but for rounding stands in order."""
    kept = [round(x, 12) for x in numbers.tolist()]
    return sorted(range(least, len(kept)), key=lambda i: (-kept[i], i))


@lru_cache(maxsize=16)
@torch.no_grad()
def _pass(prompt: str, layer: int, off: tuple[int, ...]) -> tuple[Tensor, dict[str, Tensor]]:
    """The probabilities of the next word without some units, and what is seen at the last position."""
    model, _ = loaded(GAME)
    point = f"blocks.{layer}.feed_forward"

    def silence(activations: Tensor) -> Tensor:
        return activations.index_fill(-1, torch.tensor(off, dtype=torch.long), 0)

    seen = [f"{point}.input", f"{point}.activations", f"residual.{2 * LAYERS}"]
    with hooked(model, {f"{point}.activations": silence} if off else {}):
        logits, cache = run_with_cache(model, ids(prompt), seen)
    last = {name: cache[name][0, -1] for name in seen}
    return logits[0, -1].softmax(-1), dict(zip(("x", "units", "stream"), last.values(), strict=True))


def _order(prompt: str, layer: int) -> tuple[list[int], Float[Tensor, "unit word"], int]:
    """The units by what they add to the logit of the most probable word; what each adds; that word."""
    shares, seen = _pass(prompt, layer, ())
    best = _descending(shares)[0]
    eps = loaded(GAME)[0].config.norm_eps
    scale = (seen["stream"].var(correction=0) + eps).sqrt()
    adds = seen["units"].clamp(min=0)[:, None] * effects(layer) / scale
    return _descending(adds[:, best]), adds, best


def units(prompt: str, layer: str, unit: float | int, on: bool, cut: float | int) -> Values:
    """One unit at the last word of a text, and the next word with and without some units.

    Args:
        prompt: words without ``<BOS>``.
        layer: one of `LAYER`.
        unit: its number.
        on: is this unit switched on?
        cut: how many of the units that add most to the logit of the most probable word are switched off.

    >>> found = units("Pietro chiama Paolo", "block 1", 5, True, 0)
    >>> found["contexts"][0], [row["word"] for row in found["words"]][:1]
    ({'context': 'Pietro chiama Paolo', 'much': 3.69}, ['Tarso'])
    """
    at, i = LAYER.index(layer), int(unit)
    model, vocabulary = loaded(GAME)
    network = model.blocks[at].feed_forward
    order, adds, _ = _order(prompt, at)
    off = tuple(sorted({*order[: int(cut)], *([] if on else [i])}))
    (plain, seen), (now, _) = _pass(prompt, at, ()), _pass(prompt, at, off)
    vote, probable = effects(at)[i], _descending(plain)[:SHOWN]
    favoured = _descending(vote, least=1)
    winner = _descending(now)[0]
    shown = list(dict.fromkeys([*probable, winner, *favoured[:VOTES]]))
    tokens = vocabulary.tokens
    rows = [
        {"word": tokens[w], "vote": vote[w].item(), "adds": adds[i, w].item()}
        | {"plain": plain[w].item(), "now": now[w].item()}
        for w in shown
    ]
    key, value = network.up.weight[i], network.down.weight[:, i]
    bias = network.up.bias[i].item()
    found: Values = {
        "words": rows,
        "contexts": [
            {"context": RECORD["contexts"][where], "much": much} for where, much in RECORD["units"][at][i]
        ],
        "often": RECORD["active"][at][i],
        "votes": ", ".join(tokens[w] for w in favoured[:VOTES]),
        "vetoes": ", ".join(tokens[w] for w in favoured[: -VOTES - 1 : -1]),
        "x": seen["x"].tolist(),
        "key": key.tolist(),
        "value": value.tolist(),
        "dot": (seen["x"] @ key).item(),
        "bias": bias,
        "off": len(off),
    }
    found["activation"] = max(0.0, found["dot"] + bias)
    strong = {0: "", 1: "the strongest unit"}.get(int(cut), f"the {cut:.0f} strongest units")
    about = found | rows[0] | {"unit": i, "last": words_of(prompt)[-1], "after": after(prompt)}
    alone = "" if on or i in order[: int(cut)] else f"unit {i}"
    about["off"] = " and ".join(name for name in (strong, alone) if name)
    instead = fill(INSTEAD, {"winner": tokens[winner], "much": now[winner].item()})
    about["instead"] = instead if winner != probable[0] else ""
    said = KEY + (ACTIVE if found["activation"] > 0 else SILENT) + (WITHOUT if off else WHOLE)
    return found | {"finding": fill(said, about)}


def stronger(values: Values, uniform: float) -> Values:
    """The unit that adds next most to the logit of the most probable word; after the tenth, the first.

    >>> stronger({"prompt": "Pietro chiama Paolo", "layer": "block 1", "unit": 5}, 0.0)
    {'unit': 187}
    """
    first = _order(values["prompt"], LAYER.index(values["layer"]))[0][:10]
    i = int(values["unit"])
    return {"unit": first[(first.index(i) + 1) % len(first)] if i in first else first[0]}


def draw_units(values: Values, found: Values) -> Figure:
    """The next word, whole and now; the contexts in which the unit is most active; input, key and value."""
    fig, (low, top, middle) = style.subplots(
        3, 1, figsize=(style.WIDTH, 7.6), height_ratios=(7, 4, 2.4), layout="constrained"
    )
    names = [item["context"] for item in found["contexts"]]
    top.barh(range(len(names)), [item["much"] for item in found["contexts"]], color=style.colour(0))
    top.set_yticks(range(len(names)), labels=names)
    top.invert_yaxis()
    top.set_xlabel(
        f"activation of unit {values['unit']:.0f} where it is largest (active at {found['often']:.0%})"
    )
    for y, name in enumerate(("x", "key", "value")):
        row = torch.tensor([found[name]])
        most = row.abs().max().item() or 1.0
        extent = (-0.5, row.shape[1] - 0.5, y + 0.42, y - 0.42)
        middle.imshow(row, cmap="PuOr_r", vmin=-most, vmax=most, aspect="auto", extent=extent)
    middle.set(ylim=(2.5, -0.5), xticks=[0, 63])
    middle.set_yticks(range(3), labels=["input", "key", "value"])
    words = found["words"]
    places = torch.arange(len(words))
    low.barh(places - 0.2, [w["plain"] for w in words], 0.38, color=style.colour(0), label="every unit on")
    low.barh(places + 0.2, [w["now"] for w in words], 0.38, color=style.colour(1), label="as switched")
    low.set_yticks(range(len(words)), labels=[w["word"] for w in words])
    low.invert_yaxis()
    low.set(xlabel="probability of the next word", xlim=(0, 1.02))
    low.legend(loc="lower right")
    return fig


FIGURE = LiveFigure(
    name="units",
    title="A unit, its key and its value",
    controls=(
        prompt_of(GAME, "The text", "Pietro chiama Paolo"),
        Choice("layer", "Feed-forward network of", LAYER, LAYER[-1]),
        Slider("unit", "Hidden unit", 0, WIDTH - 1, 1, 5, "{unit:.0f}"),
        Switch("on", "this unit is switched on"),
        Slider("cut", "Strongest units switched off", 0, CUT, 1, 0, "{cut:.0f}"),
    ),
    compute=units,
    draw=draw_units,
    says="{finding}",
    columns=("next word", "effect of the value", "adds to the logit", "every unit on", "as switched"),
    rows=(("{word}", "{vote:.2f}", "{adds:.2f}", "{plain:.2%}", "{now:.2%}"),),
    each="words",
    near=("unit", "on", "cut"),
    actions=(Action("stronger", "Next strong unit", stronger),),
    data={
        **{name: RECORD[name] for name in ("contexts", "units", "active")},
        "layers": LAYER,
        "says": [KEY, ACTIVE, SILENT, WHOLE, WITHOUT, INSTEAD],
    },
    model=GAME,
)
