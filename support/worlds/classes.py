"""The class world: words come in classes, and only the classes of the last two words decide what follows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from support.core import InputError
from support.text import Vocabulary
from support.worlds.base import BOS, EOS, SPECIALS


@dataclass(frozen=True)
class ClassWorld:
    """Sentences of ``length`` words. The next word's class depends on the classes of the two words before it;
    which word of the class comes does not depend on anything.

    So two contexts with the same two classes have the same distribution, and whoever knows the classes knows
    what follows a pair of words that was never seen. The vocabulary does not tell which words form a class.

    Args:
        classes: how many classes.
        words: how many words in each.
        length: words of a sentence, before ``<EOS>``.
        seed: of the world itself: its classes and its probabilities.

    >>> world = ClassWorld()
    >>> len(world.vocabulary), len(world.sample(1, seed=0)[0])
    (131, 14)
    >>> distribution = world.distribution(["<BOS>", *world.members[0][:1], *world.members[1][:1]])
    >>> round(sum(distribution.values()), 6)
    1.0
    """

    classes: int = 8
    words: int = 16
    length: int = 12
    seed: int = 0

    def __post_init__(self) -> None:
        if self.classes < 2 or self.words < 1 or self.length < 3:
            raise InputError("a class world needs two classes, a word in each, and sentences of three words")

    @cached_property
    def vocabulary(self) -> Vocabulary:
        """The special tokens, then the words ``w000, w001, …``."""
        return Vocabulary([*SPECIALS, *self.names])

    @cached_property
    def names(self) -> list[str]:
        """All words, in the order of the vocabulary."""
        return [f"w{i:03d}" for i in range(self.classes * self.words)]

    @cached_property
    def class_of(self) -> dict[str, int]:
        """The class of each word."""
        order = np.random.default_rng(self.seed).permutation(len(self.names))
        return {self.names[i]: int(place) // self.words for place, i in enumerate(order)}

    @cached_property
    def members(self) -> list[list[str]]:
        """The words of each class."""
        return [[w for w in self.names if self.class_of[w] == c] for c in range(self.classes)]

    @cached_property
    def next_class(self) -> np.ndarray:
        """``[class, class, class]``: the probability of a class after two others. A few are likely."""
        random = np.random.default_rng(self.seed + 1)
        return random.dirichlet(np.full(self.classes, 0.3), size=(self.classes, self.classes))

    @cached_property
    def within(self) -> dict[str, float]:
        """The probability of each word, given its class."""
        weights = np.random.default_rng(self.seed + 2).uniform(0.3, 1.3, len(self.names))
        weight = dict(zip(self.names, weights.tolist(), strict=True))
        return {w: weight[w] / sum(weight[v] for v in self.members[self.class_of[w]]) for w in self.names}

    def distribution(self, prefix: Sequence[str]) -> dict[str, float]:
        """The exact probability of every possible next token.

        Raises:
            InputError: the prefix does not start with ``<BOS>``, or is no beginning of a sentence.
        """
        words = list(prefix[1:])
        if not prefix or prefix[0] != BOS or len(words) > self.length or not set(words) <= set(self.names):
            raise InputError(
                f"nothing follows {' '.join(prefix)!r}; start with {BOS}, then up to {self.length} words"
            )
        if len(words) == self.length:
            return {EOS: 1.0}
        if len(words) < 2:  # the first two classes are drawn evenly
            return {w: p / self.classes for w, p in self.within.items()}
        first, second = (self.class_of[w] for w in words[-2:])
        row = self.next_class[first, second]
        return {w: float(row[self.class_of[w]]) * p for w, p in self.within.items()}

    def sample(self, n: int, seed: int) -> list[list[str]]:
        """``n`` sentences from ``<BOS>`` to ``<EOS>``."""
        random, found = np.random.default_rng(seed), []
        share = [np.array([self.within[w] for w in members]) for members in self.members]
        for _ in range(n):
            classes = random.integers(self.classes, size=2).tolist()
            while len(classes) < self.length:
                classes.append(int(random.choice(self.classes, p=self.next_class[classes[-2], classes[-1]])))
            words = [self.members[c][random.choice(self.words, p=share[c])] for c in classes]
            found.append([BOS, *words, EOS])
        return found

    def log_prob(self, tokens: Sequence[str]) -> float:
        """The log-probability (nats) of a sentence ``<BOS> … <EOS>``; −∞ if it cannot be said."""
        words = list(tokens[1:-1])
        whole = len(tokens) == self.length + 2 and tokens[0] == BOS and tokens[-1] == EOS
        if not whole or not set(words) <= set(self.names):
            return -math.inf
        found = [self.distribution([BOS, *words[:i]])[word] for i, word in enumerate(words)]
        return -math.inf if min(found) == 0 else math.fsum(map(math.log, found))
