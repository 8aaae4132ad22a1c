"""The n-gram model against counts by hand, a plain Kneser–Ney after Chen & Goodman, and its own sums."""

import math
from collections import Counter

import numpy as np
import pytest

from support.ancestors import NGram
from support.core import InputError
from support.worlds import StoryWorld

SIZE = 9  # ids 0 and 1 are <PAD> and <BOS>, 2 is <EOS>
KINDS = ("mle", "interpolated", "kneser-ney")


def texts(n, seed):
    """Short texts in which the next id depends on the two before it."""
    generator, sequences = np.random.default_rng(seed), []
    rule = np.random.default_rng(0).dirichlet(np.full(SIZE - 2, 0.3), size=(SIZE, SIZE))
    for _ in range(n):
        ids = [1]
        while ids[-1] != 2 and len(ids) < 15:
            before = ids[-2] if len(ids) > 1 else 0
            ids.append(int(2 + generator.choice(SIZE - 2, p=rule[before, ids[-1]])))
        sequences.append(ids)
    return sequences


class PlainKneserNey:
    """Chen & Goodman's equations, one dictionary look-up at a time."""

    def __init__(self, sequences, order, size, discounts=None, masked_ids=()):
        self.order, self.size, self.masked_ids = order, size, masked_ids
        raw = [Counter() for _ in range(order + 1)]
        for ids in sequences:
            for end in range(len(ids)):
                for n in range(1, min(order, end + 1) + 1):
                    raw[n][tuple(ids[end - n + 1 : end + 1])] += end > 0
        self.counts = [Counter() for _ in range(order + 1)]
        for n in range(1, order + 1):
            for gram, count in raw[n].items():
                before = len({longer[0] for longer in raw[n + 1] if longer[1:] == gram}) if n < order else 0
                self.counts[n][gram] = before or count
        self.discounts = discounts

    def d(self, n, count):
        return self.discounts[n - 1][min(count, 3) - 1] if count else 0.0

    def p(self, token, context):
        context = tuple(context)[max(0, len(context) - self.order + 1) :]
        return self._p(token, context)

    def _p(self, token, context):
        n = len(context) + 1
        if n > 1:
            shorter = self._p(token, context[1:])
        else:
            shorter = 0.0 if token in self.masked_ids else 1 / (self.size - len(self.masked_ids))
        following = {g[-1]: c for g, c in self.counts[n].items() if g[:-1] == context and c}
        total = sum(following.values())
        if not total:
            return shorter
        free = sum(self.d(n, c) for c in following.values())
        mine = following.get(token, 0)
        return (mine - self.d(n, mine)) / total + free / total * shorter


@pytest.fixture(scope="module")
def corpus():
    return texts(120, seed=1), texts(40, seed=2), texts(15, seed=3)


@pytest.mark.parametrize("order", [1, 2, 3, 5])
@pytest.mark.parametrize("tuned", [False, True])
def test_kneser_ney_equals_the_equations(corpus, order, tuned):
    train, dev, test = corpus
    model = NGram(order, masked_ids=(0, 1)).fit(train, SIZE)
    if tuned:
        model.tune(dev)
    plain = PlainKneserNey(train, order, SIZE, model.discounts, masked_ids=(0, 1))
    expected = [math.log(plain.p(ids[i], ids[:i])) for ids in test for i in range(1, len(ids))]
    np.testing.assert_allclose(model.log_probabilities(test), expected, rtol=1e-10)
    np.testing.assert_allclose(model.loss(test), -np.mean(expected), rtol=1e-12)


@pytest.mark.parametrize("smoothing", KINDS)
@pytest.mark.parametrize("order", [1, 2, 4])
def test_every_distribution_sums_to_one_and_agrees_with_the_loss(corpus, smoothing, order):
    train, dev, test = corpus
    model = NGram(order, smoothing).fit(train, SIZE).tune(dev)
    generator = np.random.default_rng(0)
    contexts = [
        [],
        [1],
        [0, 0, 0],
        [1, 8, 8, 8],
        *(generator.integers(0, SIZE, size=6).tolist() for _ in range(40)),
    ]
    for context in contexts:
        p = model.probabilities(context)
        assert p.shape == (SIZE,) and (p >= 0).all()
        assert abs(p.sum() - 1) < 1e-12
    one_by_one = [model.probabilities(ids[:i])[ids[i]] for ids in test for i in range(1, len(ids))]
    np.testing.assert_allclose(np.exp(model.log_probabilities(test)), one_by_one, rtol=1e-12)


def test_plain_counts_by_hand():
    # After 3: 4 twice, 2 once; at the start: 3 three times. Nothing ever followed 2.
    model = NGram(2, "mle").fit([[1, 3, 4, 2], [1, 3, 4, 2], [1, 3, 2]], vocab_size=5)
    np.testing.assert_allclose(model.probabilities([1, 3]), [0, 0, 1 / 3, 0, 2 / 3])
    np.testing.assert_allclose(model.probabilities([1]), [0, 0, 0, 1, 0])
    # The context 2 was never followed by anything, so it is shortened: of 8, 3 and 2 have three, 4 two.
    np.testing.assert_allclose(model.probabilities([2]), [0, 0, 3 / 8, 3 / 8, 2 / 8])
    np.testing.assert_allclose(model.loss([[1, 3, 2]]), -(math.log(1) + math.log(1 / 3)) / 2)
    assert model.loss([[1, 4]]) == math.inf


def test_continuation_counts_by_hand():
    # "3" stands once after each of 4, 5, 6; "7" stands three times, always after 8: one left neighbour.
    train = [[1, 4, 3], [1, 5, 3], [1, 6, 3], [1, 8, 7], [1, 8, 7], [1, 8, 7]]
    model = NGram(2).fit(train, vocab_size=9)
    unigram = dict(zip(model.keys[0].tolist(), model.counts[0].tolist(), strict=True))
    assert unigram[3] == 3 and unigram[7] == 1 and unigram[1] == 0


def test_mixing_weights_are_those_of_the_best_mixture(corpus):
    train, dev, _ = corpus
    model = NGram(2, "interpolated", masked_ids=(0, 1)).fit(train, SIZE)
    before = model.loss(dev)
    best = model.tune(dev).loss(dev)
    assert best < before - 0.01
    np.testing.assert_allclose(model.weights.sum(1), 1)
    for row in (1, 2):  # no small exchange between two weights makes the held-out loss better
        for give, take in ((0, 1), (1, 0), (row, 0), (0, row)):
            moved = model.weights.copy()
            step = min(0.02, moved[row, give])
            moved[row, give] -= step
            moved[row, take] += step
            kept, model.weights = model.weights, moved
            assert model.loss(dev) > best - 1e-4
            model.weights = kept


def test_interpolation_by_hand():
    model = NGram(2, "interpolated").fit([[1, 3, 4, 2], [1, 3, 3, 2]], vocab_size=5)
    # Untuned, the uniform, unigram and bigram shares count a third each; 3 is 3 of 6, 1 of 3 after 3.
    np.testing.assert_allclose(model.probabilities([1, 3])[3], (1 / 5 + 3 / 6 + 1 / 3) / 3)


def test_tuned_discounts_are_at_a_minimum(corpus):
    train, dev, _ = corpus
    model = NGram(3, masked_ids=(0, 1)).fit(train, SIZE)
    before = model.loss(dev)
    best = model.tune(dev).loss(dev)
    assert best <= before
    most = np.array([1.0, 2.0, 3.0])
    assert ((model.discounts >= 0) & (model.discounts <= most)).all()
    for index in np.ndindex(model.discounts.shape):
        for change in (-0.05, 0.05):
            kept = model.discounts.copy()
            model.discounts[index] = np.clip(kept[index] + change, 1e-6, most[index[1]] - 1e-6)
            assert model.loss(dev) > best - 1e-6
            model.discounts = kept


def test_kneser_ney_is_the_best_of_the_three_on_stories():
    world = StoryWorld()
    size = len(world.vocabulary)
    train, dev, test = (
        [world.vocabulary.encode(s) for s in world.sample(*args)] for args in ((200, 1), (20, 2), (50, 3))
    )
    loss = {kind: NGram(3, kind, masked_ids=(0, 1)).fit(train, size).tune(dev).loss(test) for kind in KINDS}
    assert loss["kneser-ney"] + 0.02 < loss["interpolated"] < 3.0 < loss["mle"]


def test_samples_follow_the_distribution():
    model = NGram(2, "mle").fit([[1, 3, 2], [1, 3, 2], [1, 3, 2], [1, 4, 2]], vocab_size=5)
    drawn = [model.sample([1], 10, seed=s, stop=[2]) for s in range(200)]
    assert all(ids in ([1, 3, 2], [1, 4, 2]) for ids in drawn)
    assert abs(sum(ids[1] == 3 for ids in drawn) / 200 - 0.75) < 0.1
    assert model.sample([1], 10, seed=5) == model.sample([1], 10, seed=5)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: NGram(0), "choose 1 or more"),
        (lambda: NGram(2).fit([], 5), "no token to predict"),
        (lambda: NGram(2).fit([[1], [1]], 5), "no token to predict"),
        (lambda: NGram(2).fit([[1, 5]], 5), "do not fit a vocabulary of 5"),
        (lambda: NGram(2).probabilities([1]), "call fit"),
        (lambda: NGram(2).fit([[1, 2]], 5).probabilities([7]), "0 to 4"),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(act, message):
    with pytest.raises(InputError, match=message):
        act()
