"""The class world: its probabilities against counts of many sentences, and what its classes promise."""

import math
from collections import Counter, defaultdict

import pytest

from support.core import InputError
from support.worlds import World
from support.worlds.classes import ClassWorld


def test_distributions_sum_to_one_and_agree_with_log_prob():
    world = ClassWorld(classes=4, words=3, length=5)
    assert isinstance(world, World)
    for tokens in world.sample(50, seed=3):
        total = 0.0
        for i in range(1, len(tokens)):
            probabilities = world.distribution(tokens[:i])
            assert math.fsum(probabilities.values()) == pytest.approx(1)
            total += math.log(probabilities[tokens[i]])
        assert world.log_prob(tokens) == pytest.approx(total)


def test_counts_of_many_sentences_come_to_the_distribution():
    world = ClassWorld(classes=3, words=2, length=4)
    seen = defaultdict(Counter)
    for tokens in world.sample(20_000, seed=5):
        for i in range(3, 5):
            seen[tuple(tokens[i - 2 : i])][tokens[i]] += 1
    assert len(seen) == 36
    for pair, counts in seen.items():
        probabilities, n = world.distribution(["<BOS>", *pair]), counts.total()
        for word, p in probabilities.items():
            assert counts[word] / n == pytest.approx(p, abs=5 * math.sqrt(p * (1 - p) / n) + 3 / n)


def test_words_of_a_class_can_be_exchanged_in_a_context():
    world = ClassWorld()
    (a, b, *_), (c, d, *_) = world.members[2], world.members[5]
    assert world.distribution(["<BOS>", a, c]) == world.distribution(["<BOS>", b, d])
    assert sorted(Counter(world.class_of.values()).values()) == [16] * 8


def test_a_seed_is_a_world_and_a_text():
    assert ClassWorld(seed=1).class_of != ClassWorld(seed=2).class_of
    assert ClassWorld().sample(2, seed=1) == ClassWorld().sample(2, seed=1) != ClassWorld().sample(2, seed=2)
    assert ClassWorld().log_prob(["<BOS>", "w000", "<EOS>"]) == -math.inf
    with pytest.raises(InputError, match="start with"):
        ClassWorld().distribution(["w000"])
    with pytest.raises(InputError, match="two classes"):
        ClassWorld(classes=1)
