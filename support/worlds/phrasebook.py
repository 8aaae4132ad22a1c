"""The phrasebook: little English sentences and their Italian, in which every right translation is known."""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from support.core import InputError
from support.text import Vocabulary
from support.worlds.base import BOS, EOS, SPECIALS

NOUNS = {
    "cat": "gatto", "dog": "cane", "horse": "cavallo", "wolf": "lupo",
    "cow": "mucca", "fox": "volpe", "goat": "capra", "frog": "rana",
}  # fmt: skip
FEMININE = {"cow", "fox", "goat", "frog"}
ADJECTIVES = {
    "red": "rosso", "small": "piccolo", "black": "nero", "old": "vecchio",
    "white": "bianco", "quick": "rapido", "slow": "lento", "calm": "calmo",
}  # fmt: skip
VERBS = {"sees": "vede", "follows": "segue", "finds": "trova", "greets": "saluta"}


@dataclass(frozen=True)
class Phrasebook:
    """*the small red cat sees the cow*: who, what he does, and to whom, with up to so many adjectives each.

    In the Italian, article and adjectives agree with their noun, which the English names only after them.
    The adjectives may stand before the noun in the English order, or behind it in the opposite one. Both are
    right; a translator tosses a coin once for each sentence. (Real Italian is choosier.)

    >>> book = Phrasebook()
    >>> for words in book.translations("the small red cow sees the dog".split()):
    ...     print(" ".join(words))
    la piccola rossa mucca vede il cane
    la mucca rossa piccola vede il cane
    """

    adjectives: int = 2

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """Both languages: special tokens, then English, then Italian."""
        english = ["the", *NOUNS, *ADJECTIVES, *VERBS]
        both_genders = [_agree(word, feminine) for word in ADJECTIVES.values() for feminine in (False, True)]
        return Vocabulary([*SPECIALS, *english, "il", "la", *NOUNS.values(), *both_genders, *VERBS.values()])

    def pairs(self, n: int, seed: int) -> list[tuple[list[str], list[str]]]:
        """``n`` sentences with one right translation each, that one from ``<BOS>`` to ``<EOS>``."""
        draw = random.Random(seed)
        found = []
        for _ in range(n):
            english = [*self._phrase(draw), draw.choice(list(VERBS)), *self._phrase(draw)]
            found.append((english, [BOS, *draw.choice(self.translations(english)), EOS]))
        return found

    def _phrase(self, draw: random.Random) -> list[str]:
        how_many = draw.randint(0, self.adjectives)
        return ["the", *draw.sample(list(ADJECTIVES), how_many), draw.choice(list(NOUNS))]

    def translations(self, english: Sequence[str]) -> list[list[str]]:
        """All right translations: two, or one if there is no adjective.

        Raises:
            InputError: this is no sentence of the book.
        """
        verb = next((i for i, word in enumerate(english) if word in VERBS), None)
        if verb is None:
            raise InputError(f"{' '.join(english)!r} has no verb of the book; it knows {', '.join(VERBS)}.")
        styles = [
            [*_italian(english[:verb], before), VERBS[english[verb]], *_italian(english[verb + 1 :], before)]
            for before in (True, False)
        ]
        return styles if styles[0] != styles[1] else styles[:1]


def _italian(phrase: Sequence[str], before: bool) -> list[str]:
    the, *adjectives, noun = phrase if len(phrase) > 1 else ("", "")
    if the != "the" or noun not in NOUNS or not set(adjectives) <= set(ADJECTIVES):
        raise InputError(f"{' '.join(phrase)!r} is no phrase of the book, like 'the small red cat'.")
    feminine = noun in FEMININE
    agreeing = [_agree(ADJECTIVES[word], feminine) for word in adjectives]
    words = [*agreeing, NOUNS[noun]] if before else [NOUNS[noun], *agreeing[::-1]]
    return ["la" if feminine else "il", *words]


def _agree(adjective: str, feminine: bool) -> str:
    return adjective[:-1] + "a" if feminine else adjective
