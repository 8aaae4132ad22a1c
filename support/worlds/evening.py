"""A second evening of the calling game: other rules in the same words; learning it can cost the first.

What a model must forget is known exactly. If a word announces the second evening, nothing need be forgotten,
because the first evening never begins with that word. If nothing tells the evenings apart, the best predictor
of the second loses KL(first‖second) nats a token on the first.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from support.core import InputError
from support.text import Vocabulary
from support.worlds.base import entropy as entropy_of
from support.worlds.game import CallingGame

# The titles change places, so that every one of them must be learned anew.
RING = {"Tarso": "vice", "vice": "Cefa", "Cefa": "capo", "capo": "Tarso"}
BACK = {new: old for old, new in RING.items()}


def _second_rules() -> CallingGame:
    return CallingGame(leader_weight=2.0, slip=0.06, stop=0.04, one_interjection=0.30, two_interjections=0.10)


@dataclass(frozen=True)
class SecondEvening:
    """The calling game with other probabilities and with the titles in a ring, announced by a word.

    A text is ``<BOS> teiera Pietro chiama …``. The announcing word is given, as ``<BOS>`` is: nobody predicts
    it, and it does not count in `entropy`.

    Args:
        announcement: the word that opens every game of this evening; it opens none of the first.
        rules: the probabilities of this evening.

    >>> evening = SecondEvening()
    >>> evening.distribution("<BOS> teiera Pietro chiama Paolo".split())
    {'vice': 1.0}
    >>> evening.log_prob("<BOS> Pietro chiama 3 <EOS>".split())
    -inf
    """

    announcement: str = "teiera"
    rules: CallingGame = field(default_factory=_second_rules)

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """That of the first evening."""
        return self.rules.vocabulary

    @property
    def max_length(self) -> int:
        """The most tokens that a game can have."""
        return self.rules.max_length + 1

    def sample(self, n: int, seed: int) -> list[list[str]]:
        """``n`` games from ``<BOS>`` and the announcement to ``<EOS>``, drawn independently."""
        games = self.rules.sample(n, seed)
        return [[game[0], self.announcement, *(RING.get(t, t) for t in game[1:])] for game in games]

    def distribution(self, prefix: Sequence[str]) -> dict[str, float]:
        """The exact probability of every possible next token; after ``<BOS>`` the announcement is certain.

        Raises:
            InputError: no game of this evening begins so.
        """
        if len(prefix) == 1:
            return {self.announcement: 1.0}
        options = self.rules.distribution(self._first_words(prefix))
        return {RING.get(token, token): p for token, p in options.items()}

    def log_prob(self, tokens: Sequence[str]) -> float:
        """The log-probability (nats) of a whole game; −∞ if it cannot happen."""
        if len(tokens) < 2 or tokens[1] != self.announcement:
            return float("-inf")
        return self.rules.log_prob(self._first_words(tokens))

    @cached_property
    def entropy(self) -> float:
        """Nats per predicted token of the best possible predictor; renaming words does not change it."""
        return self.rules.entropy

    def _first_words(self, tokens: Sequence[str]) -> list[str]:
        if len(tokens) < 2 or tokens[1] != self.announcement:
            raise InputError(f"A game of the second evening begins with {self.announcement!r}.")
        return [tokens[0], *(BACK.get(token, token) for token in tokens[2:])]


def forced_forgetting(old: CallingGame, new: CallingGame) -> float:
    """KL(old‖new) in nats per token of the old game, exactly: what the perfect predictor of ``new`` loses.

    It is the part of forgetting that no method can avoid when nothing tells the two games apart.

    >>> game = CallingGame()
    >>> round(forced_forgetting(game, game), 9), round(forced_forgetting(game, SecondEvening().rules), 4)
    (0.0, 0.0425)
    """
    nats = sum(
        visits * (cross_entropy(old._next(moment), new._next(moment)) - entropy_of(old._next(moment)))
        for moment, visits in old._visits.items()
    )
    return max(nats / sum(old._visits.values()), 0.0)


def cross_entropy(distribution: dict[str, float], other: dict[str, float]) -> float:
    """Nats per draw from one distribution, predicted by another; ∞ if the other rules out what comes.

    >>> round(cross_entropy({"a": 0.5, "b": 0.5}, {"a": 0.25, "b": 0.75}), 4)
    0.837
    """
    return sum(
        -p * (math.log(other[token]) if other.get(token) else -math.inf)
        for token, p in distribution.items()
        if p > 0
    )
