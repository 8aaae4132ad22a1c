"""A text with requests, token by token: who writes it, and what of it the loss counts. Tools may lie.

`figure.js` beside this file computes and draws the same in the page.
"""

from typing import Any

from matplotlib.colors import to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import FancyBboxPatch

from support import zoo
from support.view import style
from support.view.live.controls import Action, Choice, Slider, Switch, fill
from support.view.live.description import LiveFigure

Values = dict[str, Any]
_BELTS = zoo.record("tool_belts")["belts"]
LONGEST = max(len(found[kind]["tokens"]) for found in _BELTS.values() for kind in ("honest", "lying"))
WRITERS = ("user", "model", "harness")
ROLE = {"user": "token", "model": "stream", "harness": "ink"}
PLACE = "Token {place} of {n}: "
SAYS = {
    "user": PLACE + "the user wrote “{token}”. The model only reads it, and training masks it.",
    "model": PLACE + "the model wrote “{token}”, which it gave a probability of {p}. Training counts it.",
    "call": PLACE + "the model wrote “{token}”. The harness takes the request “{request}” and runs the tool.",
    "harness": PLACE + "the harness wrote “{token}”. The model did not choose it, and training masks it.",
    "right": PLACE + "the end. The answer is “{answer}”, and that is right.",
    "wrong": PLACE + "the end. The answer is “{answer}”, as the tools said; right is “{right}”.",
}


def belt(problem: str, step: float | int, lies: bool) -> Values:
    """A recorded text up to a token, with who wrote each token, what the last one means, and what comes.

    Args:
        problem: which of the recorded ones.
        step: where it stops, counted from its last token: 0 is all of it, −1 all but one; one token remains.
        lies: the tools give wrong results.

    >>> found = belt("a sum", 0, True)
    >>> found["finding"]
    'Token 28 of 28: the end. The answer is “2 4”, as the tools said; right is “2 3”.'
    >>> [word["token"] for word in found["tokens"] if word["writer"] == "harness"]
    ['2', '4', '</result>']
    """
    told = _BELTS[problem]
    found = told["lying" if lies else "honest"]
    n = len(found["tokens"])
    at = max(n + int(step), 1)
    tokens = [
        {
            "place": i + 1,
            "token": found["tokens"][i],
            "writer": found["writers"][i],
            "p": fill("{p:.1%}", {"p": found["p"][i]}) if found["writers"][i] == "model" else "masked",
        }
        for i in range(at)
    ]
    last = tokens[-1]
    asked, request = last["token"] == "<result>", ""
    if asked:
        start = at - 1 - found["tokens"][:at][::-1].index("<call>")
        request = " ".join(found["tokens"][start + 1 : at - 1])
    ended = "right" if found["answer"] == told["right"] else "wrong"
    kind = ended if at == n else "call" if asked else last["writer"]
    blanks = {"n": n, "request": request, "answer": found["answer"], "right": told["right"]}
    works = "harness" if asked else last["writer"]
    ahead = [
        {"token": token, "writer": who}
        for token, who in zip(found["tokens"][at:], found["writers"][at:], strict=True)
    ]
    said = fill(SAYS[kind], last | blanks)
    return {"at": at, "n": n, "tokens": tokens, "ahead": ahead, "works": works, "finding": said}


def one_token_on(values: Values, uniform: float) -> Values:
    """The next token, if there is one.

    >>> [one_token_on({"problem": "a sum", "step": step, "lies": False}, 0.0) for step in (-3, 0)]
    [{'step': -2}, {}]
    """
    found = belt(**values)
    return {} if found["at"] == found["n"] else {"step": found["at"] + 1 - found["n"]}


def one_token_back(values: Values, uniform: float) -> Values:
    """One token less; the first remains.

    >>> [one_token_back({"problem": "a sum", "step": step, "lies": False}, 0.0) for step in (-3, 1 - LONGEST)]
    [{'step': -4}, {}]
    """
    found = belt(**values)
    return {} if found["at"] == 1 else {"step": found["at"] - 1 - found["n"]}


def draw_belt(values: Values, found: Values) -> Figure:
    """The tokens in lines, a new line for each turn of a writer; masked ones are dashed, later ones grey."""
    fig, ax = style.subplots(wide=True, figsize=(style.WIDE, 4.2))
    words = [(token["token"], token["writer"]) for token in found["tokens"] + found["ahead"]]
    ax.text(33, 1, "dashed: masked in training", va="center", fontsize=11)
    x, y, before = 0.0, 1.0, ""
    for k, (word, who) in enumerate([*zip(WRITERS, WRITERS, strict=True), *words]):
        width = 1.6 + 0.95 * len(word)
        if k == len(WRITERS) or (k > len(WRITERS) and (x + width > 62 or who != before)):
            x, y = 0.0, y + (2.4 if who == before else 3.0)
        later = k >= len(WRITERS) + found["at"]
        colour = style.GREY if later else style.ROLES[ROLE[who]][0]
        box = FancyBboxPatch((x, y - 0.9), width, 1.8, boxstyle="round,pad=0,rounding_size=0.4")
        box.set(facecolor=to_rgba(colour, 0.08), edgecolor=colour, linestyle="-" if who == "model" else "--")
        ax.add_patch(box)
        text = ax.text(x + width / 2, y, word, ha="center", va="center", fontsize=10)
        if later:
            text.set_color(style.GREY)
        x, before = x + width + 0.6, who
    ax.set(xlim=(-0.5, 63), ylim=(max(y, 22) + 1.2, -0.4))
    ax.axis("off")
    return fig


FIGURE = LiveFigure(
    name="belt",
    title="A text with requests, token by token",
    controls=(
        Choice("problem", "The question is about", tuple(_BELTS), next(iter(_BELTS))),
        Slider("step", "Tokens so far", 1 - LONGEST, 0, 1, 1 - LONGEST, "{at} of {n}"),
        Switch("lies", "The tools lie", False),
    ),
    compute=belt,
    draw=draw_belt,
    says="{finding}",
    columns=("token", "", "written by", "the model’s probability"),
    rows=(("{place}", "{token}", "{writer}", "{p}"),),
    each="tokens",
    actions=(
        Action("back", "One token back", one_token_back),
        Action("on", "Next token", one_token_on),
    ),
    plays="on",
    still={"step": 0},
    reset="Back to the first token",
    data={"belts": _BELTS, "says": SAYS, "writers": WRITERS},
)
