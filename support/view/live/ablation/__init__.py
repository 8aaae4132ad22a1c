"""Heads and feed-forward networks switched off, and the accuracy of each rule of the game.

`figure.js` beside this file computes and draws the same in the page.
"""

import math
from functools import lru_cache

import torch
from matplotlib.figure import Figure

from support.inside import ablate
from support.view import style
from support.view.live.controls import Action, Stop, Switch, fill
from support.view.live.description import LiveFigure
from support.view.live.model_text import (
    BOS,
    GAME,
    HEADS,
    LAYERS,
    Values,
    loaded,
)
from support.view.plots import plot_bars
from support.worlds.game import GREETING, LEADERS, PLAYERS

FELL = 0.1  # from here on a rule counts as lost: ten percentage points
NEEDED = (
    " What is switched off is needed for ",
    " What is switched off is needed for every rule.",
    f" No rule loses more than {100 * FELL:.0f} percentage points.",
)
SWITCHES = tuple(
    [f"h{layer}{head}" for head in range(HEADS)] + [f"a{layer}", f"m{layer}"] for layer in range(LAYERS)
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

    Where a leader is called, the title is asked; then, always, who speaks next.

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


def least(p: float) -> str:
    """A share in per cent with one digit; one below 1 is not rounded to 1, but down.

    >>> least(0.9376), least(0.99896), least(0.9998), least(1.0)
    ('93.8%', '99.9%', '≥ 99.9%', '100.0%')
    """
    return f"≥ {math.floor(1000 * p) / 1000:.1%}" if 0.9995 <= p < 1 else f"{p:.1%}"


@torch.no_grad()
def _answers(off: tuple[str, ...]) -> list[float]:
    model, vocabulary = loaded(GAME)
    heads = [(int(name[1]), int(name[2])) for name in off if name[0] == "h"]
    attention, networks = ([int(name[1]) for name in off if name[0] == kind] for kind in "am")
    players = vocabulary.encode(list(PLAYERS))
    found: list[list[float]] = [[] for _ in RULES]
    with ablate(model, heads=heads, attention=attention, feed_forward=networks):
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

    For the titles it is the mean probability of the right one; for who speaks next, the share that the
    called player has among all players.

    >>> whole = rules(**{name: True for group in SWITCHES for name in group})
    >>> [round(item["now"], 3) for item in whole["rules"]][:2]
    [1.0, 0.999]
    """
    off = tuple(name for group in SWITCHES for name in group if not on[name])
    whole, now = _answers_kept(()), _answers_kept(off)
    items: list[Values] = [
        {"rule": "says " + rule if i < 4 else "the called one speaks", "asked": asked, "whole": a, "now": b}
        | {"change": b - a, "at_first": least(a), "as_switched": least(b)}
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
        "{how}, the right title has {title} on average over all games, "
        "and the called one has {speaker:.1%} of the probability of speaking next."
    )
    found = {"rules": items, "greeting": greeting, "speaker": speaker}
    told = found | {"how": how, "title": least(greeting).replace("≥", "at least")}
    return found | {"finding": fill(said, told) + _needed(items, off)}


def _needed(items: list[Values], off: tuple[str, ...]) -> str:
    """For which rules the model needs what is switched off, as a sentence."""
    fallen = [f"“{item['rule']}” ({item['asked']})" for item in items if item["change"] < -FELL]
    some, every, none = NEEDED
    if not off:
        return ""
    if not fallen:
        return none
    if len(fallen) == len(items):
        return every
    return f"{some}{fallen[0] if len(fallen) == 1 else f'{len(fallen)} of the rules'}."


PART_NAMES = {
    name: f"head {name[1]}.{name[2]}"
    if name[0] == "h"
    else f"{'attention' if name[0] == 'a' else 'feed-forward'} {name[1]}"
    for group in SWITCHES
    for name in group
}


def everything_on(values: Values, uniform: float) -> Values:
    """All switches on."""
    return {name: True for name in values}


def draw_rules(values: Values, found: Values) -> Figure:
    """Each question's answer, whole and now."""
    labels = [f"{item['rule']}\n({item['asked']})" for item in found["rules"]]
    groups = {"every part on": [item["whole"] for item in found["rules"]]}
    groups["as switched"] = [item["now"] for item in found["rules"]]
    fig = plot_bars(groups, labels, xlabel="share of the right answer", size=(style.WIDTH, 5.2))
    for bars, shares in zip(fig.axes[0].containers, groups.values(), strict=True):
        fig.axes[0].bar_label(bars, [least(p) for p in shares], padding=3, fontsize=style.LETTERS)  # type: ignore[arg-type]
    fig.axes[0].set_xlim(0, 1.3)
    return fig


def _switch(name: str) -> Switch:
    label = f"head {name[2]}" if name[0] == "h" else "attention" if name[0] == "a" else "feed-forward"
    return Switch(name, label, group=f"Block {name[1]}", within=f"a{name[1]}" if name[0] == "h" else "")


def _without(*off: str) -> Values:
    return {name: name not in off for group in SWITCHES for name in group}


TOUR = (
    Stop(
        "no attention in block 1",
        "Where two leaders meet, the title is wrong now; where a number calls a leader, it is still right. "
        "The model needs this attention for the first only.",
        _without("a1"),
    ),
    Stop(
        "no attention in block 0",
        "No rule holds any more: what block 1 does rests on what block 0 has collected. Is every head as "
        "important?",
        _without("a0"),
    ),
    Stop(
        "no head 0.0",
        "A single head is missing, and three of the four titles are wrong; who speaks next suffers less.",
        _without("h00"),
    ),
    Stop("no head 1.2", "Nothing happens: these rules hold without that head.", _without("h12")),
)

FIGURE = LiveFigure(
    name="ablation",
    title="Which part knows which rule?",
    controls=tuple(_switch(name) for group in SWITCHES for name in group),
    compute=rules,
    draw=draw_rules,
    says="{finding}",
    columns=("rule", "asked", "every part on", "as switched", "change"),
    rows=(("{rule}", "{asked}", "{at_first}", "{as_switched}", "{change:.1%}"),),
    each="rules",
    tour=TOUR,
    invites="Four experiments: press A, then B, C and D. Or use the switches.",
    actions=(Action("on", "Everything on", everything_on),),
    data={
        "questions": questions(),
        "rules": RULES,
        "players": PLAYERS,
        "names": PART_NAMES,
        "needed": NEEDED,
        "fell": FELL,
    },
    model=GAME,
)
