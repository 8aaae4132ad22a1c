"""Counting: the n-gram model, from Shannon's plain counts to modified Kneser–Ney.

Every n-gram that was seen has a number: its rank among the sorted keys ``number of its context × vocabulary +
last token``. So the counts of all contexts are a few sorted arrays, and millions of tokens take seconds.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np
import torch
from jaxtyping import Float, Int

from support.core import InputError

Ids = Sequence[int] | Int[np.ndarray, " position"]
Smoothing = Literal["mle", "interpolated", "kneser-ney"]


class NGram:
    """Predicts a token from the ``order − 1`` tokens before it, by counting.

    - ``"mle"``: the plain share among what followed this context (an unseen context is shortened until
      it was seen). What never followed has probability 0, so that the loss of new text is often infinite.
    - ``"interpolated"``: the shares of all lengths of context, mixed. How much each counts is chosen on
      held-out text by EM, apart for each length of the longest context that was seen (Jelinek & Mercer 1980).
    - ``"kneser-ney"``: a discount is taken from every count and given to the next shorter context, where a
      token counts by *how many different tokens stood before it*. Three discounts at each length (for
      counts of 1, 2, and more), chosen on held-out text (Kneser & Ney 1995, modified by Chen & Goodman 1999).

    Args:
        order: how many tokens an n-gram has, the predicted one included.
        smoothing: one of the three.
        masked_ids: ids that are never predicted, such as that of ``<PAD>``: no probability goes to them.

    Raises:
        InputError: an order below 1, or an unknown smoothing.

    >>> model = NGram(2, "mle").fit([[1, 3, 4, 2], [1, 3, 3, 2]], vocab_size=5)
    >>> model.probabilities([1, 3]).round(2)
    array([0.  , 0.  , 0.33, 0.33, 0.33])
    """

    discounts: np.ndarray

    def __init__(
        self, order: int, smoothing: Smoothing = "kneser-ney", masked_ids: Sequence[int] = ()
    ) -> None:
        if order < 1:
            raise InputError(f"an n-gram of order {order} predicts nothing; choose 1 or more")
        if smoothing not in ("mle", "interpolated", "kneser-ney"):
            raise InputError(f'{smoothing!r} is no smoothing; choose "mle", "interpolated" or "kneser-ney"')
        self.order, self.smoothing, self.masked_ids = order, smoothing, tuple(masked_ids)

    def fit(self, sequences: Sequence[Ids], vocab_size: int) -> "NGram":
        """Count the n-grams of all lengths up to the order.

        Args:
            sequences: lists of ids; the first of each (``<BOS>``) is given, not predicted.
            vocab_size: how many ids there are.

        Returns:
            itself.

        Raises:
            InputError: no token to predict, or an id out of range.
        """
        ids, offset = _joined(sequences, vocab_size)
        self.vocab_size = vocab_size
        self._base = np.ones(vocab_size)
        self._base[list(self.masked_ids)] = 0
        self._base /= self._base.sum()
        self.keys: list[np.ndarray] = []  # by length − 1: the sorted keys of the n-grams
        self.counts: list[np.ndarray] = []  # how often each was predicted
        numbers, fewer_left = np.zeros(len(ids), dtype=np.int64), []
        for length in range(1, self.order + 1):
            keys = _keys(numbers, ids, offset, length, vocab_size)
            unique, first, inverse = np.unique(keys[keys >= 0], return_index=True, return_inverse=True)
            where = np.flatnonzero(keys >= 0)
            if length > 1:  # distinct left neighbours of each n-gram one shorter
                fewer_left.append(np.bincount(numbers[where[first]], minlength=len(self.keys[-1])))
            predicted = offset[where] >= 1
            self.keys.append(unique)
            self.counts.append(np.bincount(inverse[predicted], minlength=len(unique)))
            numbers = np.full(len(ids), -1)
            numbers[where] = inverse
        if self.smoothing == "kneser-ney":
            # What begins a sequence has no left neighbour to count; there its plain count stands in.
            for i, left in enumerate(fewer_left):
                self.counts[i] = np.where(left > 0, left, self.counts[i])
        self._sum_up()
        return self

    def tune(self, dev: Sequence[Ids]) -> "NGram":
        """Choose the weights or the discounts for the lowest loss on held-out text.

        Args:
            dev: sequences that were not counted.

        Returns:
            itself.

        Raises:
            InputError: `fit` has not been called.
        """
        seen, total, kinds, base = self._look_up(*_joined(dev, self._fitted().vocab_size))
        if self.smoothing == "interpolated":
            self.weights = _expectation_maximisation(seen, total, base)
        if self.smoothing == "kneser-ney":
            self.discounts = _descend(self.discounts, seen, total, kinds, base)
        return self

    def log_probabilities(self, sequences: Sequence[Ids]) -> Float[np.ndarray, " token"]:
        """The log-probability (nats) of each token after the first, sequence after sequence."""
        found = self._look_up(*_joined(sequences, self._fitted().vocab_size))
        with np.errstate(divide="ignore"):
            return np.log(self._mix(*found))

    def loss(self, sequences: Sequence[Ids]) -> float:
        """The mean negative log-probability in nats per predicted token; ∞ if one was held impossible.

        >>> coin = NGram(1, "mle").fit([[0, 1, 0, 1, 0]], vocab_size=2)
        >>> round(coin.loss([[0, 1, 1, 0]]), 4)
        0.6931
        """
        return float(-self.log_probabilities(sequences).mean())

    def probabilities(self, prefix: Ids) -> Float[np.ndarray, " vocab"]:
        """The distribution of the next token after a prefix (which may be empty).

        Raises:
            InputError: `fit` has not been called, or an id is out of range.
        """
        size = self._fitted().vocab_size
        if len(prefix) and not 0 <= min(prefix) <= max(prefix) < size:
            raise InputError(f"ids go from 0 to {size - 1}; encode the prefix with the same vocabulary")
        prefix = np.array(list(prefix)[-(self.order - 1) :] if self.order > 1 else [], dtype=np.int64)
        # The same path as for whole texts, asked once for each possible next token.
        ids = np.concatenate([np.tile(prefix, (size, 1)), np.arange(size)[:, None]], axis=1)
        offset = np.tile(np.arange(len(prefix) + 1), (size, 1))
        seen, total, kinds, _ = self._look_up(ids.ravel(), offset.ravel(), only_last=len(prefix) + 1)
        return self._mix(seen, total, kinds, self._base)

    def sample(self, prefix: Ids, max_new_tokens: int, seed: int = 0, stop: Sequence[int] = ()) -> list[int]:
        """Continue a prefix token by token, up to and including a stop token.

        >>> NGram(2, "mle").fit([[1, 3, 4, 2]], vocab_size=5).sample([1], 9, stop=[2])
        [1, 3, 4, 2]
        """
        generator, ids = np.random.default_rng(seed), list(prefix)
        for _ in range(max_new_tokens):
            p = self.probabilities(ids)
            ids.append(int(generator.choice(len(p), p=p / p.sum())))
            if ids[-1] in stop:
                break
        return ids

    def _fitted(self) -> "NGram":
        if not hasattr(self, "keys"):
            raise InputError("this model has counted nothing yet; call fit(sequences, vocab_size) first")
        return self

    def _sum_up(self) -> None:
        """For each context: the sum of its counts, and how many of them are 1, 2, and more."""
        self.totals, self.kinds = [], []
        for length, (keys, counts) in enumerate(zip(self.keys, self.counts, strict=True)):
            contexts = len(self.keys[length - 1]) if length else 1
            of = keys // self.vocab_size
            self.totals.append(np.bincount(of, counts, minlength=contexts))
            kinds = [counts == 1, counts == 2, counts >= 3]
            self.kinds.append(np.stack([np.bincount(of, kind, minlength=contexts) for kind in kinds], axis=1))
        self.discounts = np.stack([_first_guess(counts) for counts in self.counts])
        # Until tuned: all contexts that were seen count alike, the uniform distribution as one of them.
        self.weights = _equal_weights(self.order + 1)

    def _look_up(self, ids: np.ndarray, offset: np.ndarray, only_last: int = 0) -> tuple[np.ndarray, ...]:
        """For every token to be predicted, by length: its count, its context's total and kinds of counts."""
        asked = np.flatnonzero(offset == only_last - 1 if only_last else offset >= 1)
        seen, total, kinds = [], [], []
        numbers = np.zeros(len(ids), dtype=np.int64)
        for length in range(1, self.order + 1):
            keys = _keys(numbers, ids, offset, length, self.vocab_size)
            place = np.minimum(np.searchsorted(self.keys[length - 1], keys), len(self.keys[length - 1]) - 1)
            known = (keys >= 0) & (self.keys[length - 1][place] == keys)
            context = numbers[asked - 1] if length > 1 else np.zeros(len(asked), dtype=np.int64)
            there = (offset[asked] >= length - 1) & (context >= 0)
            seen.append(np.where(known[asked] & there, self.counts[length - 1][place[asked]], 0))
            total.append(np.where(there, self.totals[length - 1][context], 0))
            kinds.append(np.where(there[:, None], self.kinds[length - 1][context], 0))
            numbers = np.where(known, place, -1)
        return np.stack(seen), np.stack(total), np.stack(kinds), self._base[ids[asked]]

    def _mix(self, seen: np.ndarray, total: np.ndarray, kinds: np.ndarray, base: np.ndarray) -> np.ndarray:
        depth = (total > 0).sum(0)
        shares = np.vstack([base[None], seen / np.maximum(total, 1)])
        if self.smoothing == "mle":
            return shares[depth, np.arange(len(base))]
        if self.smoothing == "interpolated":
            return (self.weights[depth].T * shares).sum(0)
        inputs = (torch.from_numpy(np.asarray(x, dtype=np.float64)) for x in (seen, total, kinds, base))
        return _kneser_ney(torch.from_numpy(self.discounts), *inputs).numpy()


def _joined(sequences: Sequence[Ids], vocab_size: int) -> tuple[np.ndarray, np.ndarray]:
    """All ids in one array, and for each how far it stands from the beginning of its sequence."""
    lengths = np.array([len(s) for s in sequences], dtype=np.int64)
    if not (lengths > 1).any():
        raise InputError("there is no token to predict; give sequences of two tokens or more")
    ids = np.concatenate([np.asarray(s, dtype=np.int64) for s in sequences])
    if ids.min() < 0 or ids.max() >= vocab_size:
        raise InputError(
            f"ids from {ids.min()} to {ids.max()} do not fit a vocabulary of {vocab_size}; enlarge it"
        )
    return ids, np.arange(len(ids)) - np.repeat(lengths.cumsum() - lengths, lengths)


def _keys(
    contexts: np.ndarray, ids: np.ndarray, offset: np.ndarray, length: int, vocab_size: int
) -> np.ndarray:
    """The key of the n-gram that ends at each position; −1 where its context is unknown or cut off."""
    before = np.roll(contexts, 1) if length > 1 else np.zeros(len(ids), dtype=np.int64)
    whole = (offset >= length - 1) & (before >= 0)
    return np.where(whole, before * vocab_size + ids, -1)


def _first_guess(counts: np.ndarray) -> np.ndarray:
    """Chen & Goodman's discounts from the numbers of n-grams counted once, twice, three and four times."""
    n1, n2, n3, n4 = (max(1, int((counts == k).sum())) for k in (1, 2, 3, 4))
    y = n1 / (n1 + 2 * n2)
    guess = [1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3]
    return np.clip(guess, [0.05, 0.05, 0.05], [0.95, 1.9, 2.85])


def _kneser_ney(
    discounts: torch.Tensor, seen: torch.Tensor, total: torch.Tensor, kinds: torch.Tensor, base: torch.Tensor
) -> torch.Tensor:
    """From the shortest context to the longest: discounted share, plus freed mass times the shorter one."""
    p = base
    for length in range(len(seen)):
        known, sum_ = total[length] > 0, total[length].clamp(min=1)
        # Which of the three discounts applies, as a product: its gradient is quicker than that of a look-up.
        kind = torch.stack([seen[length] == 1, seen[length] == 2, seen[length] >= 3], dim=1).double()
        taken, free = kind @ discounts[length], kinds[length] @ discounts[length]
        p = torch.where(known, (seen[length] - taken + free * p) / sum_, p)
    return p


def _descend(
    start: np.ndarray, seen: np.ndarray, total: np.ndarray, kinds: np.ndarray, base: np.ndarray
) -> np.ndarray:
    """The discounts (between 0 and 1, 2, 3) with the lowest loss, by L-BFGS through autograd."""
    inputs = [torch.from_numpy(np.asarray(x, dtype=np.float64)) for x in (seen, total, kinds, base)]
    most = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    free = torch.logit(torch.from_numpy(start) / most).requires_grad_()
    search = torch.optim.LBFGS([free], max_iter=40, tolerance_change=1e-7, line_search_fn="strong_wolfe")

    def closure() -> torch.Tensor:
        search.zero_grad()
        # A held-out token outside the base has probability 0 whatever we choose: leave it out.
        p = _kneser_ney(most * torch.sigmoid(free), *inputs)
        loss = -p[p > 0].log().mean()
        loss.backward()
        return loss

    search.step(closure)
    return (most * torch.sigmoid(free)).detach().numpy()


def _equal_weights(n: int) -> np.ndarray:
    """Row ``d``: the same weight for each of the ``d + 1`` parts that there are."""
    weights = np.tril(np.ones((n, n)))
    return weights / weights.sum(1, keepdims=True)


def _expectation_maximisation(
    seen: np.ndarray, total: np.ndarray, base: np.ndarray, rounds: int = 1000
) -> np.ndarray:
    """Mixing weights, a row for each number of contexts that were seen.

    Each round, a weight becomes the share of the held-out tokens that its part explains.
    """
    shares, depth = np.vstack([base[None], seen / np.maximum(total, 1)]), (total > 0).sum(0)
    weights = _equal_weights(len(shares))
    for d in range(len(weights)):
        mine = shares[: d + 1, depth == d]
        for _ in range(rounds if mine.size else 0):
            parts = weights[d, : d + 1, None] * mine
            explained = parts.sum(0)
            if not (explained > 0).any():
                break
            new = (parts[:, explained > 0] / explained[explained > 0]).mean(1)
            settled = np.abs(new - weights[d, : d + 1]).max() < 1e-6
            weights[d, : d + 1] = new
            if settled:
                break
    return weights
