"""A finite list of sentences with weights as a world: every probability by adding up a tree of prefixes."""

import math
from collections.abc import Mapping, Sequence
from functools import cached_property

import numpy as np

from support.core import InputError
from support.text import Vocabulary

PAD, BOS, EOS = SPECIALS = ("<PAD>", "<BOS>", "<EOS>")


class ListedWorld:
    """Draws sentences from a finite list, each with a probability in proportion to its weight.

    The next word after a prefix has the probability (weight of the sentences that go on so) / (weight of the
    sentences that begin so). Nothing is estimated, so a model's loss can be held against the exact floor.

    Args:
        weights: sentence (a tuple of words) → weight > 0.
        tokens: the words of the vocabulary, after the special tokens; by default those of the sentences,
            in alphabetical order.

    Raises:
        InputError: no sentence, a weight that is not positive, or a word that the vocabulary lacks.

    >>> world = ListedWorld({("a", "b"): 3, ("a", "c"): 1})
    >>> world.distribution(["<BOS>", "a"])
    {'b': 0.75, 'c': 0.25}
    >>> round(world.log_prob(["<BOS>", "a", "c", "<EOS>"]), 4)
    -1.3863
    """

    def __init__(self, weights: Mapping[tuple[str, ...], float | int], tokens: Sequence[str] | None = None):
        if not weights or not all(w > 0 for w in weights.values()):
            raise InputError("a listed world needs sentences, each with a weight above 0")
        words = {word for sentence in weights for word in sentence}
        tokens = sorted(words) if tokens is None else list(tokens)
        if missing := sorted(words - set(tokens)):
            raise InputError(f"add these words to the vocabulary: {', '.join(missing)}")
        total = sum(weights.values())
        self.vocabulary = Vocabulary([*SPECIALS, *tokens])
        self.probabilities = {sentence: weight / total for sentence, weight in weights.items()}

    def sample(self, n: int, seed: int) -> list[list[str]]:
        """``n`` sentences from ``<BOS>`` to ``<EOS>``, drawn independently with their exact probabilities.

        >>> ListedWorld({("a",): 1}).sample(1, seed=0)
        [['<BOS>', 'a', '<EOS>']]
        """
        picks = np.random.default_rng(seed).choice(
            len(self._sentences), size=n, p=list(self.probabilities.values())
        )
        return [[BOS, *self._sentences[i], EOS] for i in picks]

    def distribution(self, prefix: Sequence[str]) -> dict[str, float]:
        """The exact probability of every possible next token, likeliest first.

        Args:
            prefix: tokens from ``<BOS>`` on.

        Raises:
            InputError: the prefix does not start with ``<BOS>``, is over, or begins no sentence here.
        """
        prefix = tuple(prefix)
        if not prefix or prefix[0] != BOS:
            raise InputError(f"start the prefix with {BOS}, e.g. ['{BOS}', 'the']")
        branches = self._tree.get(prefix)
        if branches is None:
            what = "the sentence is over" if prefix[-1] == EOS else "no sentence of this world begins so"
            raise InputError(f"nothing follows {' '.join(prefix)!r}: {what}")
        total = math.fsum(branches.values())
        return {t: w / total for t, w in sorted(branches.items(), key=lambda item: (-item[1], item[0]))}

    def log_prob(self, tokens: Sequence[str]) -> float:
        """The log-probability (nats) of a whole string ``<BOS> … <EOS>``; −∞ if this world never says it."""
        tokens = tuple(tokens)
        if len(tokens) < 2 or tokens[0] != BOS or tokens[-1] != EOS:
            return -math.inf
        probability = self.probabilities.get(tokens[1:-1], 0.0)
        return math.log(probability) if probability else -math.inf

    @cached_property
    def entropy(self) -> float:
        """Nats per predicted token (``<EOS>`` counts, ``<BOS>`` does not) of the best possible predictor.

        >>> ListedWorld({("a",): 1, ("b",): 1}).entropy == math.log(2) / 2
        True
        """
        nats = -math.fsum(p * math.log(p) for p in self.probabilities.values())
        return nats / math.fsum(p * (len(s) + 1) for s, p in self.probabilities.items())

    @cached_property
    def _sentences(self) -> list[tuple[str, ...]]:
        return list(self.probabilities)

    @cached_property
    def _tree(self) -> dict[tuple[str, ...], dict[str, float]]:
        """For every prefix, the weight that goes on with each token."""
        tree: dict[tuple[str, ...], dict[str, float]] = {}
        for sentence, probability in self.probabilities.items():
            tokens = (BOS, *sentence, EOS)
            for i in range(1, len(tokens)):
                branches = tree.setdefault(tokens[:i], {})
                branches[tokens[i]] = branches.get(tokens[i], 0.0) + probability
        return tree
