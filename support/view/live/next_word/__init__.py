"""The next-token distribution of the calling game's model, with temperature, top-k and top-p.

`figure.js` beside this file computes and draws the same in the page.
"""

from functools import partial

import torch
from matplotlib.figure import Figure

from support.generation import next_token
from support.view.live.controls import Action, Slider, fill
from support.view.live.description import LiveFigure
from support.view.live.model_text import (
    CONTEXTS,
    ENGLISH,
    EOS,
    GAME,
    NAMES,
    Values,
    after,
    cased,
    ids,
    loaded,
    prompt_of,
    reach_of,
)
from support.view.plots import plot_bars
from support.worlds import CallingGame


@torch.no_grad()
def distributions(
    prompt: str, temperature: float | int, top_k: int | None, top_p: float | None, name: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """The model's probabilities after a text, plain and as the settings leave them."""
    logits = loaded(name)[0](ids(prompt, name))[0, -1]
    return next_token(logits), next_token(logits, temperature, top_k, top_p)


def next_word(
    prompt: str, temperature: float | int, top_k: float | int, top_p: float | int, name: str, all_k: int
) -> Values:
    """What may follow a text: the ten likeliest words, and what is left of each in the draw.

    Args:
        prompt: words without ``<BOS>``.
        temperature: above 0.
        top_k: keep so many; ``all_k`` keeps all.
        top_p: keep the fewest words that together reach this share; 1 keeps all.
        name: of the model.
        all_k: the last stop of the slider.

    >>> found = next_word("Pietro chiama Paolo", 1, 27, 1, "calling-game", 27)
    >>> found["words"][0]["word"], round(found["words"][0]["plain"], 4)
    ('Tarso', 0.9998)
    """
    keep = None if top_k >= all_k else int(top_k)
    found: Values = {"keep": "all" if keep is None else str(keep), "words": [], "over": prompt.endswith(EOS)}
    if found["over"]:
        return found | {
            "finding": f"The text is over: nothing follows {EOS}. “Step back” takes the last word back."
        }
    plain, drawn = distributions(prompt, temperature, keep, None if top_p == 1 else top_p, name)
    tokens = loaded(name)[1].tokens
    order = sorted(range(len(tokens)), key=lambda i: (-plain[i].item(), i))
    for rank, i in enumerate(order[:10], start=1):
        found["words"].append(
            {"rank": rank, "word": tokens[i], "plain": plain[i].item(), "p": drawn[i].item()}
        )
    left = int((drawn > 0).sum())
    words = "one word" if left == 1 else f"{left} words"
    best = found["words"][0]
    said = (
        "{after} the most probable next word is “{word}”, to which the model gives {plain:.2%} (dashed). "
        "With these settings, its probability in the draw is {p:.2%}; {words} can be drawn."
    )
    return found | {"finding": cased(fill(said, best | {"after": after(prompt), "words": words}), name)}


def draw_word(values: Values, uniform: float, name: str, all_k: int, most: int) -> Values:
    """Draw a word as the settings say, and append it: the first at which the shares pass ``uniform``.

    >>> draw_word(dict(prompt="Pietro chiama", temperature=1, top_k=1, top_p=1), 0.5, "calling-game", 27, 73)
    {'prompt': 'Pietro chiama 3'}
    """
    prompt = values["prompt"]
    if prompt.endswith(EOS) or len(prompt.split()) >= most:
        return {}
    keep = None if values["top_k"] >= all_k else int(values["top_k"])
    top_p = None if values["top_p"] == 1 else values["top_p"]
    shares = distributions(prompt, values["temperature"], keep, top_p, name)[1].tolist()
    total, token = 0.0, 0
    for i, share in enumerate(shares):
        if share > 0:
            total, token = total + share, i
            if total > uniform:
                break
    return {"prompt": f"{prompt} {loaded(name)[1].token(token)}".strip()}


def step_back(values: Values, uniform: float) -> Values:
    """Take the last word back.

    >>> step_back({"prompt": "5 chiama"}, 0.0)
    {'prompt': '5'}
    """
    return {"prompt": " ".join(values["prompt"].split()[:-1])}


def draw_words(values: Values, found: Values) -> Figure:
    """The ten likeliest words as bars, as the model has them and as the settings leave them."""
    if not found["words"]:
        return plot_bars([1.0], [EOS], xlabel="probability")
    groups = {"the model": [item["plain"] for item in found["words"]]}
    if any(abs(item["plain"] - item["p"]) > 5e-4 for item in found["words"]):
        groups["in the draw"] = [item["p"] for item in found["words"]]
    fig = plot_bars(groups, [item["word"] for item in found["words"]], xlabel="probability", digits=3)
    fig.axes[0].set_xlim(0, 1.12 * reach_of(found["words"]))
    return fig


def word_figure(
    name: str,
    model: str,
    title: str,
    start: str,
    ks: int,
    ask: str = "",
    same_script_as: str = "",
    examples: tuple[str, ...] = (),
) -> LiveFigure:
    """The figure *next word* for a model; each of the ``examples`` is a text on a button."""
    most = CONTEXTS[model] - 1
    return LiveFigure(
        name=name,
        title=title,
        controls=(
            prompt_of(model, "The text so far", start),
            Slider("temperature", "Temperature", 0.1, 3, 0.1, 1, "{temperature:.1f}"),
            Slider("top_k", "Keep the k best (top-k)", 1, ks, 1, ks, "{keep}"),
            Slider("top_p", "Keep this share (top-p)", 0.05, 1, 0.05, 1, "{top_p:.0%}"),
        ),
        compute=partial(next_word, name=model, all_k=ks),
        draw=draw_words,
        says="{finding}",
        columns=("rank", "word", "by the model", "in the draw"),
        rows=(("{rank}", "{word}", "{plain:.2%}", "{p:.2%}"),),
        each="words",
        actions=(
            Action("draw", "Pick a word at random", partial(draw_word, name=model, all_k=ks, most=most)),
            Action("back", "Step back", step_back),
        ),
        data={"all_k": ks, "names": NAMES.get(model, ()), "english": ENGLISH if model == GAME else {}},
        near=("prompt", "temperature", "top_k", "top_p"),
        model=model,
        ask=ask,
        same_script_as=same_script_as,
        examples=examples,
    )


FIGURE = word_figure(
    "next_word",
    GAME,
    "What comes next? The calling game",
    "Pietro chiama Paolo Tarso",
    len(CallingGame().vocabulary) - 1,
    examples=("Pietro chiama", "Pietro chiama Paolo", "Pietro chiama Paolo Tarso"),
)
