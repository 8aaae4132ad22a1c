"""What every generated world can do: draw texts, and say exactly how probable they are."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from support.core import InputError
from support.text import Vocabulary

PAD, BOS, EOS = SPECIALS = ("<PAD>", "<BOS>", "<EOS>")


@runtime_checkable
class World(Protocol):
    """A source of text whose probabilities are known, so that a model's loss has a floor to be held against.

    A text is a list of tokens from ``<BOS>`` to ``<EOS>``; ``<BOS>`` is given, everything after it is
    predicted, ``<EOS>`` included.
    """

    @property
    def vocabulary(self) -> Vocabulary:
        """The words and their ids."""
        ...

    def sample(self, n: int, seed: int) -> list[list[str]]:
        """``n`` independent texts, the same for the same seed."""
        ...

    def distribution(self, prefix: Sequence[str]) -> dict[str, float]:
        """The exact probability of every possible next token after a prefix that starts with ``<BOS>``."""
        ...

    def log_prob(self, tokens: Sequence[str]) -> float:
        """The log-probability of a whole text, in nats; −∞ if this world never says it."""
        ...


def loss_floor(world: World, sentences: Iterable[Sequence[str]]) -> float:
    """The lowest loss that any predictor can expect on these texts: nats per predicted token.

    It is the loss of the world's own probabilities; over many texts it tends to the entropy of the world.

    Args:
        world: the world that the texts were drawn from.
        sentences: texts from ``<BOS>`` to ``<EOS>``.

    Raises:
        InputError: there is no text, or the world cannot have said one of them.

    >>> from support.worlds.game import CallingGame
    >>> game = CallingGame()
    >>> 1.1 < loss_floor(game, game.sample(200, seed=0)) < 1.3
    True
    """
    nats, count = 0.0, 0
    for tokens in sentences:
        log_prob = world.log_prob(tokens)
        if log_prob == -math.inf:
            raise InputError(f"this world never says {' '.join(tokens)!r}; give texts drawn from it")
        nats -= log_prob
        count += len(tokens) - 1
    if not count:
        raise InputError("there is no text to measure; give at least one, e.g. world.sample(100, seed=0)")
    return nats / count


def entropy(distribution: Mapping[str, float]) -> float:
    """The entropy of a distribution in nats: the expected surprisal of one draw.

    >>> round(entropy({"heads": 0.5, "tails": 0.5}), 4)
    0.6931
    """
    return -math.fsum(p * math.log(p) for p in distribution.values() if p > 0)


def share(probability: float, tokens: Sequence[str], but: Sequence[str] = ()) -> dict[str, float]:
    """A probability shared equally among tokens.

    >>> share(0.5, ["a", "b", "c"], but=["c"])
    {'a': 0.25, 'b': 0.25}
    """
    those = [t for t in tokens if t not in but]
    return {t: probability / len(those) for t in those}
