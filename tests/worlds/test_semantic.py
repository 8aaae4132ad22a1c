"""The semantic world against sentences judged one by one, and its probabilities against counting."""

import math
from collections import Counter

import numpy as np
import pytest

from support.core import InputError
from support.worlds import semantic
from support.worlds.listed import ListedWorld
from support.worlds.semantic import ANALOGIES, AXES, KINDS, LATENTS, NOUNS, SemanticWorld, rich_forms, value


@pytest.fixture(scope="module", params=["thin", "full", "rich"])
def world(request):
    return SemanticWorld(request.param)


def test_forty_nouns_six_axes_all_rows_distinct():
    assert LATENTS.shape == (40, 6) and len(set(NOUNS)) == 40
    assert set(np.unique(LATENTS)) == {-1, 0, 1}
    assert len({tuple(row) for row in LATENTS}) == 40
    assert Counter(KINDS.values()) == {"human": 15, "animal": 14, "thing": 11}


def test_each_designed_analogy_is_exact_and_its_answer_unique():
    rows = dict(zip(NOUNS, LATENTS, strict=True))
    for a, b, c, d in ANALOGIES:
        target = rows[a] - rows[b] + rows[c]
        assert [noun for noun in NOUNS if (rows[noun] == target).all()] == [d]


# An independent reading of a sentence: words → claims → look up in the latents.
POLES = {
    word: (axis, sign)
    for axis, poles in zip(AXES, semantic.ADJECTIVES, strict=True)
    for word, sign in zip(poles, (-1, 1), strict=True)
}
MORE = {
    word: (axis, sign)
    for axis, words in semantic.COMPARATIVES.items()
    for word, sign in zip(words, (-1, 1), strict=True)
}


def is_true(sentence):
    words = sentence.split()
    nouns = [w for w in words if w in KINDS]
    poles = [POLES[w] for w in words if w in POLES]
    says = [value(n, axis) == sign for n in nouns[:1] for axis, sign in poles]
    if words[0] == "which":
        axis, sign = MORE[words[2]]
        first, second, winner = nouns
        loser = second if winner == first else first
        return winner in (first, second) and sign * (value(winner, axis) - value(loser, axis)) > 0
    if words[0] == "in":
        same = value(nouns[0], words[1]) == value(nouns[1], words[1])
        return same if "like" in words else not same and 0 not in (value(n, words[1]) for n in nouns)
    if "than" in words:
        axis, sign = next(MORE[w] for w in words if w in MORE)
        return sign * (value(nouns[0], axis) - value(nouns[1], axis)) > 0
    if "not" in words:
        axis, sign = poles[0]
        return value(nouns[0], axis) == -sign
    if "both" in words:
        axis, sign = poles[0]
        return value(nouns[0], axis) == value(nouns[1], axis) == sign
    if "but" in words:
        (axis, sign), (other_axis, other) = poles
        return (
            axis == other_axis and value(nouns[0], axis) == sign and value(nouns[1], axis) == other == -sign
        )
    return len(nouns) == 1 and bool(says) and all(says)


def test_every_sentence_of_every_text_is_true(world):
    false = [" ".join(s) for s in world.probabilities if not is_true(" ".join(s))]
    assert false == []


def test_the_judge_can_say_no():
    for lie in (
        "the king is female .",
        "the king is not male .",
        "the king is younger than the prince .",
        "in age the king is like the prince .",
        "which is bigger , the mouse or the lion ? the mouse .",
        "the king and the queen are both male .",
        "the king is male but the man is male .",
        "a male and young one is the king .",
    ):
        assert not is_true(lie), lie


def test_sizes_of_the_texts():
    definitions = int(np.abs(LATENTS).sum())
    comparable = [AXES.index(axis) for axis in semantic.COMPARATIVES]
    pairs = sum(int((LATENTS[:, None, a] != LATENTS[None, :, a]).sum()) for a in comparable)
    assert len(SemanticWorld("thin").probabilities) == definitions + 400
    assert len(SemanticWorld("full").probabilities) == definitions + pairs
    assert len(SemanticWorld("rich").probabilities) == sum(map(len, rich_forms().values()))
    # "like" may share a 0: equal on the axis is enough.
    equal = sum(int((LATENTS[:, None, a] == LATENTS[None, :, a]).sum()) - 40 for a in range(6))
    assert len(rich_forms()["like"]) == equal


def test_forms_and_the_weights_within_them():
    rich = SemanticWorld("rich")
    for form, sentences in rich_forms().items():
        probabilities = [rich.probabilities[tuple(s.split())] for s in sentences]
        assert math.fsum(probabilities) == pytest.approx(0.1), form
        assert max(probabilities) == pytest.approx(min(probabilities)), form
    full = SemanticWorld("full")
    assert full.probabilities[tuple(["the", "king", "is", "male", "."])] == pytest.approx(
        8 * full.probabilities[tuple(["the", "king", "is", "older", "than", "the", "prince", "."])]
    )


def test_the_texts_share_one_vocabulary(world):
    assert world.vocabulary.tokens == SemanticWorld("rich").vocabulary.tokens
    assert world.vocabulary.tokens[:3] == ["<PAD>", "<BOS>", "<EOS>"]


def test_next_token_probabilities_multiply_to_the_sentence(world):
    for tokens in world.sample(20, seed=1):
        steps = [world.distribution(tokens[:i])[tokens[i]] for i in range(1, len(tokens))]
        assert sum(map(math.log, steps)) == pytest.approx(world.log_prob(tokens))
    assert math.fsum(world.distribution(["<BOS>", "the", "king"]).values()) == pytest.approx(1)


def test_distribution_is_what_counting_gives(world):
    prefix = ("<BOS>", "the", "king", "is")
    heads = Counter()
    for sentence, probability in world.probabilities.items():
        if sentence[:3] == prefix[1:]:
            heads[sentence[3]] += probability
    total = sum(heads.values())
    assert world.distribution(list(prefix)) == pytest.approx({t: w / total for t, w in heads.items()})


def test_samples_are_drawn_with_the_stated_probabilities_and_the_seed_fixes_them():
    small = ListedWorld({("a",): 1, ("b", "b"): 3})
    drawn = Counter(map(tuple, small.sample(20_000, seed=0)))
    # four standard deviations of a fraction near 3/4 of 20,000 draws
    assert drawn["<BOS>", "b", "b", "<EOS>"] / 20_000 == pytest.approx(0.75, abs=4 * (0.1875 / 20_000) ** 0.5)
    assert small.sample(50, seed=3) == small.sample(50, seed=3) != small.sample(50, seed=4)


def test_entropy_is_what_a_long_sample_costs(world):
    tokens = world.sample(20_000, seed=5)
    cost = -sum(map(world.log_prob, tokens)) / sum(len(t) - 1 for t in tokens)
    assert cost == pytest.approx(world.entropy, rel=0.01)


def test_what_cannot_be_said():
    world = SemanticWorld("thin")
    assert world.log_prob(["<BOS>", "the", "king", "is", "female", ".", "<EOS>"]) == -math.inf
    for prefix, why in (
        (["the"], "start the prefix"),
        (["<BOS>", "the", "king", "is", "female"], "begins so"),
        (["<BOS>", "the", "king", "is", "male", ".", "<EOS>"], "is over"),
    ):
        with pytest.raises(InputError, match=why):
            world.distribution(prefix)
    with pytest.raises(InputError, match="no corpus"):
        SemanticWorld("huge")
    with pytest.raises(InputError, match="comparisons"):
        SemanticWorld("thin", comparisons=10**6)


def test_the_thin_text_depends_on_its_seed_and_never_drops_a_definition():
    one, two = (SemanticWorld("thin", seed=s).probabilities for s in (1, 2))
    shared = set(one) & set(two)
    assert set(one) != set(two) and len(shared) >= int(np.abs(LATENTS).sum())
