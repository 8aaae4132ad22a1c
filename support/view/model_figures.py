"""Live figures that run a model of the zoo: next word, attention, logit lens, trajectory, ablation.

Each computes in double precision with `support.inside`. On the page `model.js` computes the same from the
same weights, and `model_figures.js` draws it.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

import matplotlib
import numpy as np
import torch
from matplotlib.figure import Figure

from support import zoo
from support.exchange.web_export import SHIPPED, rounded
from support.generation import next_token
from support.inside import ablate, logit_lens, trace
from support.inside.trace import Trace
from support.model import GPT
from support.text import Vocabulary
from support.view import style
from support.view.controls import Action, Choice, LiveFigure, Prompt, Slider, Switch, fill
from support.view.maps import plot_path
from support.view.plots import plot_attention, plot_bars
from support.worlds import CallingGame
from support.worlds.game import GREETING, LEADERS, PLAYERS

Values = dict[str, Any]
BOS, EOS = "<BOS>", "<EOS>"
GAME, TALES = "calling-game", "stories"
LAYERS, HEADS = 2, 4  # of the calling game's model
CONTEXTS = {GAME: 74, TALES: 192}


@lru_cache
def machine(name: str) -> tuple[GPT, Vocabulary]:
    """A model with the weights that the page gets, in double precision, and its words."""
    entry = zoo.load(name)
    return rounded(entry.model, SHIPPED[name]).double(), entry.vocabulary


def ids(prompt: str, name: str = GAME) -> torch.Tensor:
    """A text as the model reads it, ``<BOS>`` first, as a batch of one."""
    return torch.tensor([machine(name)[1].encode(f"{BOS} {prompt}")])


@lru_cache(maxsize=8)
def seen(prompt: str) -> Trace:
    """The trace of the calling game's model over a text."""
    return trace(machine(GAME)[0], ids(prompt))


def after(prompt: str) -> str:
    """How a sentence begins that says what follows a text.

    >>> after(""), after("5 chiama"), after("5 chiama 2 2 chiama Paolo")
    ('At the start', 'After “5 chiama”', 'After “… 2 2 chiama Paolo”')
    """
    words = prompt.split()
    if not words:
        return "At the start"
    return f"After “{'… ' if len(words) > 4 else ''}{' '.join(words[-4:])}”"


def prompt_of(model: str, label: str, start: str) -> Prompt:
    """A text for a model: all its words but the filling, which it never says."""
    words = tuple(token for token in zoo.recipe(model).world().vocabulary.tokens if token != "<PAD>")
    return Prompt("prompt", label, words, CONTEXTS[model] - 1, start)


# --- next word ---
@torch.no_grad()
def page(
    prompt: str, temperature: float | int, top_k: int | None, top_p: float | None, name: str
) -> tuple[torch.Tensor, torch.Tensor]:
    """The model's probabilities after a text, plain and as the settings leave them."""
    logits = machine(name)[0](ids(prompt, name))[0, -1]
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
    >>> found["page"][0]["word"], round(found["page"][0]["plain"], 4)
    ('Tarso', 0.9998)
    """
    keep = None if top_k >= all_k else int(top_k)
    found: Values = {"keep": "all" if keep is None else str(keep), "page": [], "over": prompt.endswith(EOS)}
    if found["over"]:
        return found | {"finding": f"The text is over: nothing follows {EOS}. Take the last word back."}
    plain, drawn = page(prompt, temperature, keep, None if top_p == 1 else top_p, name)
    tokens = machine(name)[1].tokens
    order = sorted(range(len(tokens)), key=lambda i: (-plain[i].item(), i))
    for rank, i in enumerate(order[:10], start=1):
        found["page"].append(
            {"rank": rank, "word": tokens[i], "plain": plain[i].item(), "p": drawn[i].item()}
        )
    left = int((drawn > 0).sum())
    words = "one word" if left == 1 else f"{left} words"
    best = found["page"][0]
    said = (
        "{after} the likeliest next word is “{word}”: {plain:.2%} by the model. The draw is between {words}."
    )
    return found | {"finding": fill(said, best | {"after": after(prompt), "words": words})}


def draw_word(values: Values, chance: float, name: str, all_k: int, most: int) -> Values:
    """Draw a word as the settings say, and write it down: the first word at which the shares pass ``chance``.

    >>> draw_word(dict(prompt="Pietro chiama", temperature=1, top_k=1, top_p=1), 0.5, "calling-game", 27, 73)
    {'prompt': 'Pietro chiama 3'}
    """
    prompt = values["prompt"]
    if prompt.endswith(EOS) or len(prompt.split()) >= most:
        return {}
    keep = None if values["top_k"] >= all_k else int(values["top_k"])
    top_p = None if values["top_p"] == 1 else values["top_p"]
    shares = page(prompt, values["temperature"], keep, top_p, name)[1].tolist()
    total, token = 0.0, 0
    for i, share in enumerate(shares):
        if share > 0:
            total, token = total + share, i
            if total > chance:
                break
    return {"prompt": f"{prompt} {machine(name)[1].token(token)}".strip()}


def step_back(values: Values, chance: float) -> Values:
    """Take the last word back.

    >>> step_back({"prompt": "5 chiama"}, 0.0)
    {'prompt': '5'}
    """
    return {"prompt": " ".join(values["prompt"].split()[:-1])}


def draw_page(values: Values, found: Values) -> Figure:
    """The ten likeliest words as bars, as the model has them and as the settings leave them."""
    if not found["page"]:
        return plot_bars([1.0], [EOS], xlabel="probability")
    groups = {"the model": [item["plain"] for item in found["page"]]}
    if any(abs(item["plain"] - item["p"]) > 5e-4 for item in found["page"]):
        groups["in the draw"] = [item["p"] for item in found["page"]]
    fig = plot_bars(groups, [item["word"] for item in found["page"]], xlabel="probability", digits=3)
    fig.axes[0].set_xlim(0, 1.12)
    return fig


def word_figure(name: str, model: str, title: str, start: str, ks: int, ask: str = "") -> LiveFigure:
    """The figure *next word* for a model."""
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
        draw=draw_page,
        says="{finding}",
        columns=("rank", "word", "by the model", "in the draw"),
        rows=(("{rank}", "{word}", "{plain:.2%}", "{p:.2%}"),),
        each="page",
        actions=(
            Action("draw", "Draw a word", partial(draw_word, name=model, all_k=ks, most=most)),
            Action("back", "Step back", step_back),
        ),
        data={"all_k": ks},
        model=model,
        ask=ask,
    )


# --- attention ---
def attention(prompt: str, layer: float | int, head: float | int) -> Values:
    """Who looks at whom in one head; layers and heads are counted from 1.

    >>> found = attention("Pietro chiama Paolo", 1, 2)
    >>> found["looks"][-1]["word"], len(found["weights"]), len(found["weights"][-1])
    ('Paolo', 4, 4)
    """
    words = [BOS, *prompt.split()]
    pattern = seen(prompt).patterns[int(layer) - 1, 0, int(head) - 1].tolist()
    weights = [row[: i + 1] for i, row in enumerate(pattern)]
    looks = []
    for i, row in enumerate(weights):
        most = max(range(len(row)), key=lambda k: (row[k], -k))
        looks.append({"word": words[i], "most": words[most], "weight": row[most], "itself": row[i]})
        looks[-1] |= {"first": row[0], "place": i + 1, "most_place": most + 1}
    last = looks[-1]
    whom = "itself" if last["most_place"] == last["place"] else f"“{last['most']}”"
    said = (
        "In layer {layer:.0f}, head {head:.0f}, the last word “{word}” looks most at {whom}, "
        "with {weight:.1%} of its attention."
    )
    finding = fill(said, last | {"layer": layer, "head": head, "whom": whom})
    return {"words": words, "weights": weights, "looks": looks, "finding": finding}


def draw_attention(values: Values, found: Values) -> Figure:
    """The head's weights as a map."""
    n = len(found["words"])
    weights = np.zeros((n, n))
    for i, row in enumerate(found["weights"]):
        weights[i, : i + 1] = row
    title = f"layer {values['layer']:.0f}, head {values['head']:.0f}"
    return plot_attention(weights, found["words"], titles=[title])


# --- the logit lens ---
STAGES = (
    "word and place",
    *(f"{part} {i + 1}" for i in range(LAYERS) for part in ("attention", "feed-forward")),
)


def lens(prompt: str, stage: float | int) -> Values:
    """What the model would answer if it stopped after each component, at every word.

    Args:
        prompt: words without ``<BOS>``.
        stage: 0 for the embedding, then one for each component.

    >>> [item["best"] for item in lens("Pietro chiama Paolo", 0)["stages"]][-1]
    'Tarso'
    """
    model, vocabulary = machine(GAME)
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
    fig, ax = style.subplots(figsize=(max(style.WIDTH, 1.1 * columns), 3.6))
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


# --- the trajectory ---
PARTS = ("blocks", "heads")


def trajectory(prompt: str, right: str, left: str, up: str, down: str, parts: str) -> Values:
    """The stream of the last word in a plane of two concepts, and every write as a step.

    Args:
        prompt: words without ``<BOS>``.
        right, left: the first direction leads from one word's row to the other's.
        up, down: so does the second; of it only what is at right angles to the first counts.
        parts: a step for each attention, or for each of its heads (and one for the output bias).

    >>> found = trajectory("Pietro chiama Paolo", "Tarso", "vice", "Cefa", "capo", "blocks")
    >>> [step["part"] for step in found["steps"]][:3]
    ['the word', 'its place', 'attention 1']
    """
    model, vocabulary = machine(GAME)
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
            writes += [(f"head {layer + 1}.{h + 1}", heads[h]) for h in range(HEADS)]
            writes.append((f"bias {layer + 1}", whole - heads.sum(dim=0)))
        else:
            writes.append((f"attention {layer + 1}", whole))
        writes.append((f"feed-forward {layer + 1}", flow.feed_forward[layer, 0, -1]))
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


# --- ablation ---
SWITCHES = tuple(
    [f"h{layer}{head}" for head in range(1, HEADS + 1)] + [f"a{layer}", f"m{layer}"] for layer in (1, 2)
)
RULES = (
    ("Tarso", "Pietro calls Paolo"),
    ("Cefa", "Paolo calls Pietro"),
    ("vice", "a number calls Paolo"),
    ("capo", "a number calls Pietro"),
    ("next", "after a leader is called"),
    ("next", "after a number is called"),
)


def questions() -> list[tuple[list[str], str, int]]:
    """The fixed test: all ninety ways to open a game, as (text, right answer, rule's number).

    Where a leader is called, the epithet is asked; then, always, who speaks next.

    >>> asked = questions(); len(asked), asked[0]
    (108, (['Pietro', 'chiama', 'Paolo'], 'Tarso', 0))
    """
    asked = []
    for caller in PLAYERS:
        for called in PLAYERS:
            if caller == called:
                continue
            text = [caller, "chiama", called]
            if called in LEADERS:
                title = GREETING[called, caller in LEADERS]
                asked.append((text, title, [rule for rule, _ in RULES].index(title)))
                text = [*text, title]
            asked.append((text, called, 4 if called in LEADERS else 5))
    return asked


@torch.no_grad()
def _answers(off: tuple[str, ...]) -> list[float]:
    model, vocabulary = machine(GAME)
    cut = {
        "heads": [(int(name[1]) - 1, int(name[2]) - 1) for name in off if name[0] == "h"],
        "attention": [int(name[1]) - 1 for name in off if name[0] == "a"],
        "feed_forward": [int(name[1]) - 1 for name in off if name[0] == "m"],
    }
    players = vocabulary.encode(list(PLAYERS))
    found: list[list[float]] = [[] for _ in RULES]
    with ablate(model, **cut):
        for length in (3, 4):
            asked = [q for q in questions() if len(q[0]) == length]
            batch = torch.tensor([vocabulary.encode([BOS, *text]) for text, _, _ in asked])
            shares = model(batch)[:, -1].softmax(dim=-1)
            for share, (_, answer, rule) in zip(shares, asked, strict=True):
                p = share[vocabulary.id(answer)]
                found[rule].append((p if rule < 4 else p / share[players].sum()).item())
    return [math.fsum(group) / len(group) for group in found]


_answers_kept = lru_cache(maxsize=64)(_answers)


def rules(**on: bool) -> Values:
    """How well the two rules hold with some parts switched off: heads, attention, feed-forward networks.

    For the epithets it is the mean probability of the right one; for who speaks next, the share that the
    called player has among all players.

    >>> whole = rules(**{name: True for group in SWITCHES for name in group})
    >>> [round(item["now"], 3) for item in whole["rules"]][:2]
    [1.0, 0.999]
    """
    off = tuple(name for group in SWITCHES for name in group if not on[name])
    whole, now = _answers_kept(()), _answers_kept(off)
    items = [
        {"rule": "says " + rule if i < 4 else "the called one speaks", "asked": asked, "whole": a, "now": b}
        | {"change": b - a}
        for i, ((rule, asked), a, b) in enumerate(zip(RULES, whole, now, strict=True))
    ]
    names = [PART_NAMES[name] for name in off]
    sizes = [sum(q[2] == i for q in questions()) for i in range(len(RULES))]
    greeting = sum(items[i]["now"] * sizes[i] for i in range(4)) / sum(sizes[:4])
    speaker = sum(items[i]["now"] * sizes[i] for i in (4, 5)) / sum(sizes[4:])
    if not off:
        how = "With every part switched on"
    else:
        how = "Without " + (", ".join(names[:-1]) + " and " + names[-1] if names[1:] else names[0])
    said = (
        "{how}, the right epithet has {greeting:.1%}, and the called one {speaker:.1%} of the chance to "
        "speak next."
    )
    found = {"rules": items, "greeting": greeting, "speaker": speaker}
    return found | {"finding": fill(said, found | {"how": how})}


PART_NAMES = {
    name: f"head {name[1]}.{name[2]}"
    if name[0] == "h"
    else f"{'attention' if name[0] == 'a' else 'feed-forward'} {name[1]}"
    for group in SWITCHES
    for name in group
}


def everything_on(values: Values, chance: float) -> Values:
    """All switches on."""
    return {name: True for name in values}


def draw_rules(values: Values, found: Values) -> Figure:
    """Each question's answer, whole and now."""
    labels = [f"{item['rule']}\n({item['asked']})" for item in found["rules"]]
    groups = {"every part on": [item["whole"] for item in found["rules"]]}
    groups["as switched"] = [item["now"] for item in found["rules"]]
    fig = plot_bars(groups, labels, xlabel="share of the right answer", digits=2, size=(style.WIDTH, 5.2))
    fig.axes[0].set_xlim(0, 1.15)
    return fig


def _switch(name: str) -> Switch:
    label = f"head {name[2]}" if name[0] == "h" else "attention, whole" if name[0] == "a" else "feed-forward"
    return Switch(name, label, group=f"Layer {name[1]}")


def _directions() -> tuple[Choice, ...]:
    words = tuple(token for token in CallingGame().vocabulary.tokens if not token.startswith("<"))
    asked = (("right", "To the right", "Tarso"), ("left", "To the left", "vice"))
    asked += (("up", "Upwards", "Paolo"), ("down", "Downwards", "Pietro"))
    return tuple(Choice(name, label, words, start) for name, label, start in asked)


def model_figures() -> Sequence[LiveFigure]:
    """All of them, in the order of a guided tour."""
    return (
        word_figure(
            "next_word",
            GAME,
            "What comes next? The calling game",
            "Pietro chiama Paolo",
            len(CallingGame().vocabulary) - 1,
        ),
        word_figure(
            "next_story_word",
            TALES,
            "What comes next? A story",
            "leo was a kind boy who lived near the forest . leo",
            51,
            "Bring the story model (1.3 MB)",
        ),
        LiveFigure(
            name="attention",
            title="Who looks at whom?",
            controls=(
                prompt_of(GAME, "The text", "5 chiama Paolo vice Paolo chiama Pietro"),
                Slider("layer", "Layer", 1, LAYERS, 1, 2, "{layer:.0f}"),
                Slider("head", "Head", 1, HEADS, 1, 1, "{head:.0f}"),
            ),
            compute=attention,
            draw=draw_attention,
            says="{finding}",
            columns=("", "word", "looks most at", "with", "at itself", "at <BOS>"),
            rows=(("{place}", "{word}", "{most}", "{weight:.1%}", "{itself:.1%}", "{first:.1%}"),),
            each="looks",
            model=GAME,
        ),
        LiveFigure(
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
        ),
        LiveFigure(
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
        ),
        LiveFigure(
            name="ablation",
            title="Which part knows which rule?",
            controls=tuple(_switch(name) for group in SWITCHES for name in group),
            compute=rules,
            draw=draw_rules,
            says="{finding}",
            columns=("rule", "asked", "every part on", "as switched", "change"),
            rows=(("{rule}", "{asked}", "{whole:.1%}", "{now:.1%}", "{change:.1%}"),),
            each="rules",
            actions=(Action("on", "Everything on", everything_on),),
            data={"questions": questions(), "rules": RULES, "players": PLAYERS, "names": PART_NAMES},
            model=GAME,
        ),
    )


FIGURES: Mapping[str, LiveFigure] = {figure.name: figure for figure in model_figures()}
