"""The semantic world: forty nouns on six designed axes, and texts that say only what the axes imply.

Every noun has a coordinate −1, 0 or +1 on each axis; every sentence is a function of these latents alone.
So whatever a model learns about a noun, it learned from the design, and the design can be looked for in
its embeddings. The idea and the size of the world follow *workbench* note 2; the table and texts are ours.
"""

from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import permutations

import numpy as np

from support.core import InputError
from support.worlds.listed import ListedWorld

CORPORA = ("thin", "full", "rich")

AXES = ("gender", "age", "power", "size", "animacy", "mobility")

# The adjective for −1 and for +1 on each axis; 0 means that the axis does not apply, and is never spoken of.
ADJECTIVES = (
    ("female", "male"),
    ("young", "adult"),
    ("weak", "strong"),
    ("small", "big"),
    ("inanimate", "animate"),
    ("still", "mobile"),
)

# Four axes can be compared; the others are yes or no.
COMPARATIVES = {
    "age": ("younger", "older"),
    "power": ("weaker", "stronger"),
    "size": ("smaller", "bigger"),
    "mobility": ("stiller", "faster"),
}

# gender, age, power, size, animacy, mobility. No two rows are equal.
_TABLE = {
    "human": {
        "king": (1, 1, 1, 0, 1, 1),
        "queen": (-1, 1, 1, 0, 1, 1),
        "prince": (1, -1, 1, 0, 1, 1),
        "princess": (-1, -1, 1, 0, 1, 1),
        "man": (1, 1, 0, 0, 1, 1),
        "woman": (-1, 1, 0, 0, 1, 1),
        "boy": (1, -1, 0, 0, 1, 1),
        "girl": (-1, -1, 0, 0, 1, 1),
        "monk": (1, 1, -1, 0, 1, 0),
        "nun": (-1, 1, -1, 0, 1, 0),
        "child": (0, -1, 0, 0, 1, 1),
        "baby": (0, -1, -1, -1, 1, -1),
        "giant": (1, 1, 1, 1, 1, 0),
        "elder": (0, 1, -1, 0, 1, 0),
        "soldier": (0, 1, 1, 0, 1, 1),
    },
    "animal": {
        "lion": (1, 1, 1, 1, 1, 1),
        "lioness": (-1, 1, 1, 1, 1, 1),
        "cub": (0, -1, 1, -1, 1, 1),
        "stag": (1, 1, 0, 1, 1, 1),
        "doe": (-1, 1, 0, 1, 1, 1),
        "fawn": (0, -1, -1, -1, 1, 1),
        "bull": (1, 1, 0, 1, 1, 0),
        "cow": (-1, 1, 0, 1, 1, 0),
        "calf": (0, -1, -1, 0, 1, 0),
        "rooster": (1, 1, -1, -1, 1, 1),
        "hen": (-1, 1, -1, -1, 1, 1),
        "chick": (0, -1, -1, -1, 1, 0),
        "mouse": (0, 0, -1, -1, 1, 1),
        "elephant": (0, 1, 1, 1, 1, 1),
    },
    "thing": {
        "mountain": (0, 1, 1, 1, -1, -1),
        "pebble": (0, 0, -1, -1, -1, -1),
        "ship": (0, 0, 1, 1, -1, 1),
        "boat": (0, 0, 0, -1, -1, 1),
        "cart": (0, 0, -1, 0, -1, 1),
        "castle": (0, 0, 1, 1, -1, -1),
        "hut": (0, 0, -1, 0, -1, -1),
        "oak": (0, 1, 0, 1, -1, -1),
        "sprout": (0, -1, -1, -1, -1, -1),
        "river": (0, 0, 0, 1, -1, 1),
        "coin": (0, 0, 0, -1, -1, 0),
    },
}

KINDS = {noun: kind for kind, rows in _TABLE.items() for noun in rows}
NOUNS = tuple(KINDS)
LATENTS = np.array([row for rows in _TABLE.values() for row in rows.values()], dtype=float)

# a − b + c should give d; each is exact in the latents.
ANALOGIES = (
    ("king", "man", "woman", "queen"),
    ("lion", "king", "queen", "lioness"),
    ("prince", "boy", "girl", "princess"),
    ("rooster", "man", "woman", "hen"),
    ("prince", "king", "man", "boy"),
)

# The thin corpus keeps this many of the 2,857 true comparisons: a few hundred template sentences.
THIN_COMPARISONS = 400
# In the full corpus a definition is drawn eight times as often as a comparison, or it would drown.
DEFINITION_WEIGHT = 8


class SemanticWorld(ListedWorld):
    """Sentences about forty nouns, drawn from a finite list with known weights; so every floor is exact.

    * ``"thin"``: every definition (*the king is male .*) and ``comparisons`` (400) of the comparisons;
    * ``"full"``: every definition, eight times each, and every true comparison;
    * ``"rich"``: ten sentence forms, equally likely, and within a form every true sentence equally likely.

    The three share one vocabulary, so that their models can be compared row by row.

    Args:
        corpus: which of the three texts.
        seed: chooses the comparisons that the thin corpus keeps; the others do not depend on it.
        comparisons: how many comparisons the thin corpus keeps.

    Raises:
        InputError: an unknown corpus, or more comparisons than there are.

    Follows *workbench* note 2, §2.

    >>> world = SemanticWorld("full")
    >>> answers = world.distribution("<BOS> the king is older than the".split())
    >>> "prince" in answers, "queen" in answers
    (True, False)
    """

    AXES, NOUNS, LATENTS, KINDS, ANALOGIES = AXES, NOUNS, LATENTS, KINDS, ANALOGIES

    def __init__(self, corpus: str = "rich", seed: int = 0, comparisons: int = THIN_COMPARISONS):
        if corpus not in CORPORA:
            raise InputError(f'no corpus is called {corpus!r}; choose "thin", "full" or "rich"')
        everything = _comparisons()
        if not 0 <= comparisons <= len(everything):
            raise InputError(f"there are {len(everything)} comparisons; keep between 0 and all of them")
        self.corpus, self.seed = corpus, seed
        weights: Counter[str] = Counter()
        shares: dict[str, float] = {}
        if corpus == "thin":
            kept = np.random.default_rng(seed).permutation(len(everything))[:comparisons]
            weights.update(_definitions())
            weights.update(everything[i] for i in kept)
        elif corpus == "full":
            weights.update({sentence: DEFINITION_WEIGHT for sentence in _definitions()})
            weights.update(everything)
        else:
            for sentences in rich_forms().values():
                for sentence in sentences:
                    shares[sentence] = shares.get(sentence, 0.0) + 1 / len(sentences)
        shares = shares or dict(weights)
        super().__init__({tuple(s.split()): w for s, w in shares.items()}, tokens=_words())


def value(noun: str, axis: str) -> int:
    """The coordinate of a noun on an axis.

    Raises:
        InputError: an unknown noun or axis.

    >>> value("king", "gender"), value("pebble", "gender")
    (1, 0)
    """
    if noun not in KINDS or axis not in AXES:
        raise InputError(f"no coordinate for {noun!r} on {axis!r}; see NOUNS and AXES")
    return int(LATENTS[NOUNS.index(noun), AXES.index(axis)])


def _adjective(axis: int, sign: float) -> str:
    return ADJECTIVES[axis][int(sign > 0)]


def _spoken(noun: int) -> list[int]:
    """The axes that apply to a noun."""
    return [axis for axis in range(len(AXES)) if LATENTS[noun, axis]]


@cache
def _definitions() -> tuple[str, ...]:
    return tuple(
        f"the {NOUNS[u]} is {_adjective(a, LATENTS[u, a])} ." for u in range(len(NOUNS)) for a in _spoken(u)
    )


def _pairs() -> Iterator[tuple[int, int, str, str]]:
    for u, w in permutations(range(len(NOUNS)), 2):
        yield u, w, NOUNS[u], NOUNS[w]


def _compared() -> Iterator[tuple[str, str, str, str, bool]]:
    """Every ordered pair that differs on a comparable axis: (noun, noun, less, more, first has more)."""
    for u, w, first, second in _pairs():
        for axis, (less, more) in COMPARATIVES.items():
            a = AXES.index(axis)
            if LATENTS[u, a] != LATENTS[w, a]:
                yield first, second, less, more, bool(LATENTS[u, a] > LATENTS[w, a])


@cache
def _comparisons() -> tuple[str, ...]:
    return tuple(
        f"the {first} is {more if has_more else less} than the {second} ."
        for first, second, less, more, has_more in _compared()
    )


@cache
def rich_forms() -> dict[str, tuple[str, ...]]:
    """The ten sentence forms of the rich corpus, each with all its true sentences.

    >>> forms = rich_forms()
    >>> len(forms), forms["negation"][0]
    (10, 'the king is not female .')
    """
    forms: dict[str, list[str]] = {"definition": list(_definitions()), "comparison": list(_comparisons())}

    def say(form: str, sentence: str) -> None:
        forms.setdefault(form, []).append(sentence)

    for u, noun in enumerate(NOUNS):
        for a in _spoken(u):
            say("negation", f"the {noun} is not {_adjective(a, -LATENTS[u, a])} .")
        for a, b in permutations(_spoken(u), 2):
            one, two = _adjective(a, LATENTS[u, a]), _adjective(b, LATENTS[u, b])
            say("riddle", f"a {one} and {two} one is the {noun} .")
        for a, b, c in permutations(_spoken(u), 3):
            one, two, three = (_adjective(axis, LATENTS[u, axis]) for axis in (a, b, c))
            say("portrait", f"the {noun} is {one} , {two} and {three} .")
    for u, w, first, second in _pairs():
        for a, axis in enumerate(AXES):
            x, y = LATENTS[u, a], LATENTS[w, a]
            if x == y:
                say("like", f"in {axis} the {first} is like the {second} .")
            if x and x == y:
                say("both", f"the {first} and the {second} are both {_adjective(a, x)} .")
            if x and y and x != y:
                say("contrast", f"the {first} is {_adjective(a, x)} but the {second} is {_adjective(a, y)} .")
                say("unlike", f"in {axis} the {first} is unlike the {second} .")
    for first, second, less, more, has_more in _compared():
        for word, winner in ((more, first if has_more else second), (less, second if has_more else first)):
            say("question", f"which is {word} , the {first} or the {second} ? the {winner} .")
    return {form: tuple(sentences) for form, sentences in forms.items()}


@cache
def _words() -> tuple[str, ...]:
    """The words of all three texts, the nouns first; definitions and comparisons are among the rich forms."""
    spoken = {word for form in rich_forms().values() for sentence in form for word in sentence.split()}
    return NOUNS + tuple(sorted(spoken - set(NOUNS)))
