"""Softmax of three logits at a temperature.

`figure.js` beside this file computes and draws the same in the page.
"""

from typing import Any

import torch
from matplotlib.figure import Figure

from support.generation import next_token
from support.view.live.controls import Slider
from support.view.live.description import LiveFigure
from support.view.plots import plot_bars

# Three of the words of "Building a Transformer: The Complete Guide", with the scores that it gives them.
WORDS = ("is", "the", "cat")


def said(p: float) -> str:
    """A probability in per cent; what is not nothing and not everything is not called so.

    >>> said(0.5), said(0.0001), said(0.9999)
    ('50.0%', '< 0.1%', '> 99.9%')
    """
    return "< 0.1%" if p < 0.0005 else "> 99.9%" if p > 0.9995 else f"{p:.1%}"


def temperature(temperature: float | int, **logits: float | int) -> dict[str, Any]:
    """Softmax of three words' logits at a temperature.

    Args:
        temperature: above 0.
        logits: ``is_``, ``the_`` and ``cat_``.

    Returns:
        for each word its divided logit and its probability, also as text; the most probable word, or the
        words if several are; how many equally likely words would be as uncertain (e to the entropy).

    >>> round(temperature(0.5, is_=4.7, the_=3.2, cat_=2.1)["is_p"], 3)
    0.948
    >>> temperature(1, is_=2, the_=2, cat_=2)["most"]
    'the words “is”, “the” and “cat” are equally probable, with 33.3% each'
    """
    z = torch.tensor([logits[f"{word}_"] for word in WORDS], dtype=torch.float64)
    probabilities = next_token(z, temperature=temperature)
    found = {f"{w}_z": logit for w, logit in zip(WORDS, (z / temperature).tolist(), strict=True)}
    found |= {f"{w}_p": p for w, p in zip(WORDS, probabilities.tolist(), strict=True)}
    found |= {f"{w}_said": said(found[f"{w}_p"]) for w in WORDS}
    found |= {f"{w}_one": p for w, p in zip(WORDS, next_token(z).tolist(), strict=True)}
    first, *others = [f"“{w}”" for w, p in zip(WORDS, probabilities, strict=True) if p == probabilities.max()]
    much = said(probabilities.max().item())
    most = f"the most probable word is {first} with {much}"
    if others:
        listed = " and ".join([", ".join([first, *others[:-1]]), others[-1]])
        more = "words" if len(others) + 1 == len(WORDS) else "two most probable words"
        most = f"the {more} {listed} are equally probable, with {much} each"
    spread = torch.special.entr(probabilities).sum().exp().item()
    return found | {"best": first[1:-1], "best_said": much, "most": most, "as_many": spread}


def draw_temperature(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The distribution at this temperature beside that at temperature 1."""
    groups = {f"temperature {values['temperature']:.1f}": [found[f"{w}_p"] for w in WORDS]}
    if values["temperature"] != 1:
        groups["temperature 1.0, to compare"] = [found[f"{w}_one"] for w in WORDS]
    fig = plot_bars(groups, WORDS, xlabel="probability", digits=3)
    fig.axes[0].set_xlim(0, 1.12)
    return fig


FIGURE = LiveFigure(
    name="temperature",
    title="Softmax with a temperature",
    controls=(
        Slider("temperature", "Temperature", 0.1, 5, 0.1, 1, "{temperature:.1f}"),
        Slider("is_", "Logit of “is”", -5, 10, 0.1, 4.7, "{is_:.1f}"),
        Slider("the_", "Logit of “the”", -5, 10, 0.1, 3.2, "{the_:.1f}"),
        Slider("cat_", "Logit of “cat”", -5, 10, 0.1, 2.1, "{cat_:.1f}"),
    ),
    compute=temperature,
    draw=draw_temperature,
    says="At temperature {temperature:.1f} {most}. "
    "The distribution is as uncertain as one of {as_many:.2f} equally likely words.",
    columns=("word", "logit ÷ temperature", "probability"),
    rows=tuple((word, f"{{{word}_z:.2f}}", f"{{{word}_said}}") for word in WORDS),
    data={"words": WORDS},
)
