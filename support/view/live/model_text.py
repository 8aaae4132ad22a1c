"""What the figures that run a model of the zoo share: the model as the page has it, and its text."""

import re
from functools import lru_cache
from typing import Any

import torch

from support import zoo
from support.exchange.web_export import SHIPPED, PageModel, for_page, rounded
from support.inside import trace
from support.inside.trace import Trace
from support.model import GPT
from support.text import Vocabulary
from support.view.live.by_hand_model import CONFIG, WORDS, by_hand_model
from support.view.live.controls import Prompt, shown
from support.worlds.stories import PEOPLE

Values = dict[str, Any]
BOS, EOS = "<BOS>", "<EOS>"
GAME, TALES, BY_HAND = "calling-game", "stories", "by-hand"
# The words of the game; Tarso and Cefa are names for Paolo and Pietro.
ENGLISH = {
    "chiama": "calls",
    "capo": "chief!",
    "vice": "deputy!",
    "Tarso": "Tarsus!",
    "Cefa": "Cephas!",
    "perde": "loses.",
    "nuvola": "cloud",
    "ombrello": "umbrella",
    "teiera": "teapot",
    "zucca": "pumpkin",
    "lumaca": "snail",
    "pinguino": "penguin",
    "<EOS>": "(end)",
}
# How somebody may put it, and what the model knows instead; the longer comes first.
READ_AS = {
    GAME: tuple((english.strip("!."), word) for word, english in ENGLISH.items() if english[0].isalpha()),
    TALES: (
        ("once upon a time,", "once"),
        ("once upon a time", "once"),
        ("a long, long time ago", "long ago"),
        ("a long long time ago", "long ago"),
        ("a long time ago", "long ago"),
        ("long, long ago", "long ago"),
        ("long long ago", "long ago"),
    ),
    BY_HAND: (),
}
NAMES = {TALES: (*sorted(PEOPLE), "i")}  # words that are written with a capital, where a text is set as prose
_SHAPES = {
    name: (made := zoo.recipe(name)).config(made.world().vocabulary)
    for name in SHIPPED
    if name in zoo.RECIPES
}
_SHAPES[BY_HAND] = CONFIG
LAYERS, HEADS = _SHAPES[GAME].n_layers, _SHAPES[GAME].n_heads
CONTEXTS = {name: shape.context for name, shape in _SHAPES.items()}


@lru_cache
def loaded(name: str) -> tuple[GPT, Vocabulary]:
    """A model with the weights that the page gets, in double precision, and its words."""
    with torch.random.fork_rng(devices=[]):  # what a chapter draws after a live figure does not depend on it
        if name == BY_HAND:
            return by_hand_model()
        entry = zoo.load(name)
        return rounded(entry.model, SHIPPED[name]).double(), entry.vocabulary


def packed() -> list[PageModel]:
    """All models that a page can ask for, packed: those of the zoo, and the one that is worked by hand."""
    entries = {name: zoo.load(name) for name in SHIPPED}
    found = [for_page(n, entry.model, entry.vocabulary, SHIPPED[n]) for n, entry in entries.items()]
    return [*found, for_page(BY_HAND, *loaded(BY_HAND), "float64")]


def words_of(prompt: str, name: str = GAME) -> list[str]:
    """The words as the model reads them: ``<BOS>`` first, if it knows it.

    >>> words_of("Pietro chiama"), words_of("the cat", BY_HAND)
    (['<BOS>', 'Pietro', 'chiama'], ['the', 'cat'])
    """
    return [*([BOS] if BOS in loaded(name)[1].tokens else []), *prompt.split()]


def ids(prompt: str, name: str = GAME) -> torch.Tensor:
    """A text as the model reads it, as a batch of one."""
    return torch.tensor([loaded(name)[1].encode(words_of(prompt, name))])


@lru_cache(maxsize=8)
def seen(prompt: str) -> Trace:
    """The trace of the calling game's model over a text."""
    return trace(loaded(GAME)[0], ids(prompt))


def after(prompt: str) -> str:
    """How a sentence begins that says what follows a text.

    >>> after(""), after("5 chiama"), after("5 chiama 2 2 chiama Paolo"), after("so said rosa .")
    ('At the start', 'After “5 chiama”', 'After “… 2 2 chiama Paolo”', 'After “so said rosa.”')
    """
    words = prompt.split()
    if not words:
        return "At the start"
    read = re.sub(r" (?=[.,!?])", "", " ".join(words[-4:]))
    return f"After “{'… ' if len(words) > 4 else ''}{read}”"


def surely(p: float) -> str:
    """A probability with one place; near certainty has one more, and is never called certain.

    >>> surely(0.9376), surely(0.9998), surely(0.99997), surely(1.0), surely(0.0001)
    ('93.8%', '99.98%', '≈ 100%', '100%', '< 0.1%')
    """
    if p == 1 or p >= 0.99995:
        return "100%" if p == 1 else "≈ 100%"
    return "< 0.1%" if 0 < p < 0.0005 else shown(p, 2 if p >= 0.9995 else 1, percent=True)


def exactly(p: float) -> str:
    """The same in a sentence.

    >>> exactly(0.11613), exactly(0.99997)
    ('11.6%', 'more than 99.99%')
    """
    return "more than 99.99%" if 0.99995 <= p < 1 else surely(p)


def reach_of(items: list[Values]) -> float:
    """What a whole bar stands for: all, or where all bars are short a round share, which is then told.

    >>> reach_of([{"p": 0.116, "plain": 0.116}, {"p": 0.101}]), reach_of([{"p": 0.999}])
    (0.2, 1.0)
    """
    most = max((max(item["p"], item.get("plain", 0)) for item in items), default=1)
    return next((reach for reach in (0.01, 0.02, 0.05, 0.1, 0.2, 0.5) if most <= reach), 1.0)


def placed(words: list[str], k: int) -> str:
    """A word in quotation marks; where the text has it more than once, with its position, counted from 1.

    >>> placed(["<BOS>", "3", "chiama", "3"], 2), placed(["<BOS>", "3", "chiama", "3"], 3)
    ('“chiama”', '“3” at position 4')
    """
    return f"“{words[k]}”" + (f" at position {k + 1}" if words.count(words[k]) > 1 else "")


def cased(text: str, name: str) -> str:
    """What is said of a text: in quotation marks, names have the capital that prose gives them.

    >>> cased("“{}” attends most to “so said rosa”.", TALES), cased("“3 chiama”", GAME)
    ('“{}” attends most to “so said Rosa”.', '“3 chiama”')
    """
    return re.sub("“[^”]*”", lambda said: re.sub("[a-z]+", lambda word: titled(word[0], name), said[0]), text)


def titled(word: str, name: str) -> str:
    """The same of a single word.

    >>> titled("rosa", TALES), titled("rose", TALES)
    ('Rosa', 'rose')
    """
    return word.capitalize() if word in NAMES.get(name, ()) else word


def prompt_of(model: str, label: str, start: str) -> Prompt:
    """A text for a model: all its words but the padding, which it never predicts."""
    tokens = WORDS if model == BY_HAND else zoo.recipe(model).world().vocabulary.tokens
    words, begins = tuple(token for token in tokens if token != "<PAD>"), int(BOS in tokens)
    most = CONTEXTS[model] - begins
    return Prompt("prompt", label, words, most, start, least=1 - begins, read_as=READ_AS[model])
