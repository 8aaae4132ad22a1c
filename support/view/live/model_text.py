"""What the figures that run a model of the zoo share: the model as the page has it, and its text."""

from functools import lru_cache
from typing import Any

import torch

from support import zoo
from support.exchange.web_export import SHIPPED, rounded
from support.inside import trace
from support.inside.trace import Trace
from support.model import GPT
from support.text import Vocabulary
from support.view.live.controls import Prompt

Values = dict[str, Any]
BOS, EOS = "<BOS>", "<EOS>"
GAME, TALES = "calling-game", "stories"
_SHAPES = {name: (made := zoo.recipe(name)).config(made.world().vocabulary) for name in (GAME, TALES)}
LAYERS, HEADS = _SHAPES[GAME].n_layers, _SHAPES[GAME].n_heads
CONTEXTS = {name: shape.context for name, shape in _SHAPES.items()}


@lru_cache
def loaded(name: str) -> tuple[GPT, Vocabulary]:
    """A model with the weights that the page gets, in double precision, and its words."""
    with torch.random.fork_rng(devices=[]):  # what a chapter draws after a live figure does not depend on it
        entry = zoo.load(name)
        return rounded(entry.model, SHIPPED[name]).double(), entry.vocabulary


def ids(prompt: str, name: str = GAME) -> torch.Tensor:
    """A text as the model reads it, ``<BOS>`` first, as a batch of one."""
    return torch.tensor([loaded(name)[1].encode(f"{BOS} {prompt}")])


@lru_cache(maxsize=8)
def seen(prompt: str) -> Trace:
    """The trace of the calling game's model over a text."""
    return trace(loaded(GAME)[0], ids(prompt))


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
    """A text for a model: all its words but the padding, which it never predicts."""
    words = tuple(token for token in zoo.recipe(model).world().vocabulary.tokens if token != "<PAD>")
    return Prompt("prompt", label, words, CONTEXTS[model] - 1, start)
