"""The machine view: a whole model at work on a text, every part of which can be opened.

`figure.js` beside this file computes the same in the page; `drawing.js` and `detail.js` draw it there.
"""

import inspect
from collections.abc import Mapping, Sequence
from functools import partial

from support.core import InputError
from support.generation import next_token
from support.model import GPT, FeedForward, SelfAttention, attend
from support.model.block import Block
from support.view.live.controls import Action, Choice, Slider, Stop, Switch
from support.view.live.description import LiveFigure
from support.view.live.machine.numbers import (
    NOTHING,
    machine,
    most_words,
    parts_of,
    passed,
    settled,
    standing,
    steps_of,
    switches_of,
)
from support.view.live.machine.still import draw_machine
from support.view.live.model_text import ENGLISH, EOS, GAME, Values, loaded, prompt_of, words_of

SCRIPTS = ("painting", "camera", "drawing", "layout", "sheet", "detail", "said", "words")  # beside figure.js
END: Values = {"step": standing(GAME), "at": 0}
TOUR = (
    Stop(
        "Pietro chiama",
        "Whom will he call? Game and model leave it open. Now add Paolo: leaders are greeted with a title.",
        {"prompt": "Pietro chiama", "h00": True, **END},
    ),
    Stop(
        "add Paolo",
        "Tarso, because Pietro called. One head (one of four ways of looking back) is lit. It takes 32% "
        "from Pietro, the most of any word. What if it is off?",
        {"prompt": "Pietro chiama Paolo", "h00": True, **END},
        ("head 0.0", "Pietro"),
        "“Tarso”, because Pietro called. The lit head takes 32% from Pietro.",
    ),
    Stop(
        "one head off",
        "Now vice, as if a player 1 to 8 had called: without head 0.0 the model says so whoever calls Paolo. "
        "(Counting begins at 0.)",
        {"prompt": "Pietro chiama Paolo", "h00": False, **END},
        ("head 0.0", "Pietro"),
        "Without it the model says “vice”, whoever calls Paolo.",
    ),
)
# The text from which Play on the front page starts, and the word that it then puts in itself. After “Pietro
# chiama” nine words are open (7.8% to 11.6%), and the most probable one is a number, as a leader is called
# with 0.7 of a number's weight. With the most probable word at each step, a text of 30 words calls no leader
# and has no title, though the page tells of titles (a test counts). Each later word is the model's.
OPENING = ("Pietro chiama", "Paolo")
STEPS = "Go through the model part by part, for the text that stands here; then append the most probable word"
DRAWS = "Draw the next word, each as often as its probability says, and go through all parts at once"
SAMPLING = "How “Pick a word at random” draws (Play and Step take the most probable word)"
PACE = {"still": 350, "sign": 60, "move": 900, "word": 1600}  # ms of *Play*: see figure.js
SURE: Values = {"temperature": 1, "top_k": 1, "top_p": 1}  # a draw that always takes the most probable word
# Lines of the package, by the kind of part that they compute; a reader sees them beside its numbers.
_LINES = {
    "embedding": (
        (GPT.embed, "stream = self.embedding(ids)", "E x"),
        (GPT.embed, "stream = stream + rows.to(", "P x"),
    ),
    "head": (
        (SelfAttention.split, "heads = self.qkv(x)", "n q k v"),
        (attend, "scores = q @ k.transpose(-2, -1) * scale", "q k s"),
        (attend, "weights = scores.softmax(dim=-1)", "s w"),
        (attend, "return weights @ v, weights", "w v z"),
        (SelfAttention.merge, "return self.output(heads.transpose(1, 2).flatten(-2))", "z o"),
    ),
    "attention": ((Block.step, "stream = stream + output if self.residual else output", "x o b y"),),
    "feed-forward": (
        (Block.step, "output = sublayer(norm(stream)", "x n"),
        (FeedForward.forward, "return self.down(self.activation(self.up(x)))", "n u a o"),
        (Block.step, "stream = stream + output if self.residual else output", "o y"),
    ),
    "logits": (
        (GPT.unembed, "stream, head, cap = self.final_norm(stream)", "x h"),
        (GPT.unembed, "logits = F.linear(stream, self.embedding.weight)", "h z"),
        (next_token, "softmax(", "z p"),
    ),
}


def code_lines() -> dict[str, list[list[str]]]:
    """The lines as they stand in the package: for each kind of part, (line, where, which vectors).

    Raises:
        InputError: a line has left the package.

    >>> code_lines()["head"][2]
    ['weights = scores.softmax(dim=-1)', 'attend', 's w']
    """
    found: dict[str, list[list[str]]] = {}
    for kind, lines in _LINES.items():
        found[kind] = []
        for where, start, keys in lines:
            source = [line.strip() for line in inspect.getsource(where).splitlines()]
            fit = [line for line in source if start in line and not line.startswith((">>>", "#"))]
            if not fit:
                raise InputError(f"{where.__qualname__} has no line with {start!r}; choose another")
            found[kind].append([fit[-1].partition("  #")[0], where.__qualname__, keys])
    return found


def draw_word(values: Values, uniform: float, name: str, all_k: int, most: int, step: int) -> Values:
    """Draw the next word, append it, and begin at a step of the pass over it.

    >>> on = {part: True for part in switches_of("calling-game")}
    >>> how = dict(name="calling-game", all_k=27, most=73, step=0)
    >>> draw_word(dict(prompt="Pietro chiama Paolo", temperature=1, top_k=27, top_p=1) | on, 0.5, **how)
    {'prompt': 'Pietro chiama Paolo Tarso', 'step': 0, 'at': 0}
    """
    prompt = values["prompt"]
    if prompt.endswith(EOS) or len(prompt.split()) >= most:
        return {}
    off = tuple(part for part in switches_of(name) if not values[part])
    keep = None if values["top_k"] >= all_k else int(values["top_k"])
    top_p = None if values["top_p"] == 1 else values["top_p"]
    logits = settled(passed(name, prompt, off)[0].logits[0, -1])
    shares = next_token(logits, values["temperature"], keep, top_p).tolist()
    total, token = 0.0, 0
    for i, share in enumerate(shares):
        if share > 0:
            total, token = total + share, i
            if total > uniform:
                break
    return {"prompt": f"{prompt} {loaded(name)[1].token(token)}".strip(), "step": step, "at": 0}


def step_on(values: Values, uniform: float, name: str, all_k: int, most: int) -> Values:
    """One step further; after the choice the most probable word is appended, and its pass begins.

    A text that stands at its prediction is gone through from the beginning.

    >>> step_on(dict(prompt="5", step=2, at=0), 0.5, "calling-game", 27, 73)
    {'at': 0, 'step': 3}
    >>> [step_on(dict(prompt="5", step=s, at=0), 0.5, "calling-game", 27, 73)["step"] for s in (4, 5)]
    [6, 0]
    """
    step, stands = int(values["step"]), standing(name)
    if step > stands and not values["at"]:
        drawn = draw_word(values | SURE, uniform, name, all_k, most, 0)
        return drawn | {"step": stands} if drawn.get("prompt", "").endswith(EOS) else drawn
    if values["prompt"].endswith(EOS):
        return {}
    if values["at"] or step == stands:
        return {"at": 0, "step": 0}
    return {"at": 0, "step": step + 1 if step + 1 < stands else stands + 1}


def step_back(values: Values, uniform: float, name: str) -> Values:
    """One step back; of a text that stands at its prediction, or is over, the last word is taken back.

    >>> [step_back(dict(step=s, at=0, prompt="5 chiama"), 0.0, "calling-game")["step"] for s in (6, 4, 0)]
    [4, 3, 5]
    >>> step_back(dict(step=5, at=0, prompt="5 chiama"), 0.0, "calling-game")
    {'prompt': '5', 'step': 5, 'at': 0}
    """
    step, stands = int(values["step"]), standing(name)
    if values["at"]:
        return {"step": stands, "at": 0}
    if step != stands and not values["prompt"].endswith(EOS):
        return {"step": stands if step == 0 else min(step, stands) - 1}
    words = values["prompt"].split()
    if len(words_of(" ".join(words), name)) < 2:
        return {}  # a pass needs a word
    return {"prompt": " ".join(words[:-1]), "step": stands, "at": 0}


def _switch(name: str) -> Switch:
    label = f"head {name[2]}" if name[0] == "h" else "feed-forward"
    return Switch(name, label, group=f"Block {name[1]}")


def machine_figure(
    name: str,
    model: str,
    title: str,
    examples: tuple[str, ...],
    ks: int,
    ask: str = "",
    english: Mapping[str, str] | None = None,
    digits: int = 2,
    tour: tuple[Stop, ...] = (),
    asks: str = "",
    names: Sequence[str] = (),
    keeps: Sequence[str] = (),
    folded: bool = False,
    opening: tuple[str, ...] = (),
) -> LiveFigure:
    """The machine view of a model.

    Args:
        name: of the figure.
        model: of the zoo.
        title: a heading.
        examples: texts to try; the first stands there at the start.
        ks: the last stop of the slider for top-k, which keeps all words.
        ask: what is written on the button that brings the model.
        english: the words that are not English, translated.
        digits: of the numbers of an opened part.
        tour: an experiment in a few steps; it stands before the examples.
        asks: the question that the experiment answers.
        names: the words that are written with a capital, if the text is to be set as prose.
        keeps: words of which the last stays in the drawing of a long text, as a tour speaks of them.
        folded: a part that is opened from the start shows its numbers only if asked.
        opening: a text, and the word that Play appends to it on the front page.
    """
    most, steps = most_words(model), steps_of(model)
    config = loaded(model)[0].config
    shared: Values = {"name": model, "all_k": ks}
    sampling = (
        Slider("temperature", "Temperature", 0.1, 3, 0.1, 1, "{temperature:.1f}", SAMPLING),
        Slider("top_k", "Keep the k best (top-k)", 1, ks, 1, ks, "{keep}", SAMPLING),
        Slider("top_p", "Keep this share (top-p)", 0.05, 1, 0.05, 1, "{top_p:.0%}", SAMPLING),
    )
    stands = standing(model)
    return LiveFigure(
        name=name,
        title=title,
        controls=(
            prompt_of(model, "The text so far", examples[0]),
            *sampling,
            Slider("step", "Stage of the pass", 0, len(steps) - 1, 1, stands, "{step_name}"),
            Slider("at", "Word, counted from the end", 0, most, 1, 0, "{word}"),
            Choice("open", "Opened part", parts_of(model), NOTHING),
            *map(_switch, switches_of(model)),
        ),
        compute=partial(machine, **shared),
        draw=partial(draw_machine, name=model),
        says="{finding}",
        columns=("part", "what it does for this word", "length of its output", "answer so far", "with"),
        rows=(("{part}", "{does}", "{size:.2f}", "{answer}", "{sure}"),),
        each="parts",
        actions=(
            Action("back", "Back", partial(step_back, name=model), "One step back"),
            Action("step", "Step", partial(step_on, most=most, **shared), STEPS),
            Action(
                "draw", "Pick a word at random", partial(draw_word, most=most, step=stands, **shared), DRAWS
            ),
        ),
        data={
            "all_k": ks,
            "steps": steps,
            "stands": stands,
            "pace": PACE,
            "lines": code_lines(),
            "layers": config.n_layers,
            "heads": config.n_heads,
            "activation": config.activation,
            "english": dict(english or {}),
            "digits": digits,
            "names": list(names),
            "keeps": list(keeps),
            "folded": folded,
            "opening": list(opening),
        },
        model=model,
        ask=ask,
        front=("prompt",),
        plays="step",
        examples=tuple(text for text in examples if text not in [s.changes["prompt"] for s in tour]),
        tour=tour,
        invites=f"An experiment in three steps, on texts of its own: {asks} Press A, then B, then C."
        if tour
        else "",
        same_script_as="" if name == "machine" else "machine",
        needs=tuple(f"machine/{part}.js" for part in SCRIPTS),
    )


FIGURE = machine_figure(
    "machine",
    GAME,
    "A language model at work: the calling game",
    ("Pietro chiama", "Pietro chiama Paolo", "5 chiama Paolo", "3 chiama 7"),
    len(loaded(GAME)[1]) - 1,
    english=ENGLISH,
    tour=TOUR,
    asks="which part of the model makes it say “Tarso”?",
    opening=OPENING,
)
