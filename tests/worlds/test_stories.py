"""The story world: its size, its probabilities, and the memory that it asks for."""

import math
import time
from collections import Counter
from itertools import pairwise

import pytest

from support.worlds import StoryWorld, World, entropy, loss_floor
from support.worlds.stories import readable


@pytest.fixture(scope="module")
def world() -> StoryWorld:
    return StoryWorld()


@pytest.fixture(scope="module")
def stories(world) -> list[list[str]]:
    return world.sample(2000, seed=0)


def test_several_hundred_words_in_clear_groups(world):
    assert isinstance(world, World)
    assert 450 <= len(world.vocabulary) <= 660
    groups = world.groups
    assert {"names", "animal", "thing", "colour", "place", "mood", "sounds"} <= set(groups)
    for words in groups.values():
        assert len(words) == len(set(words)) and set(words) <= set(world.vocabulary)


def test_a_story_has_about_a_hundred_words_and_none_is_told_twice(stories, world):
    assert 90 < sum(map(len, stories)) / len(stories) < 130
    assert max(map(len, stories)) <= world.max_length
    assert len(set(map(tuple, stories))) == len(stories)


def test_every_word_is_used(world, stories):
    seen = {token for story in stories for token in story}
    assert set(world.vocabulary) - seen == {"<PAD>"}


def test_no_article_needs_an_n(stories):
    assert not {b for s in stories for a, b in pairwise(s) if a == "a" and b[0] in "aeiou"}


def test_every_distribution_sums_to_one_and_their_chain_is_the_log_prob(world, stories):
    for story in stories[:15]:
        steps = world.distributions(story)
        for d in steps:
            assert math.fsum(d.values()) == pytest.approx(1, abs=1e-9)
        chain = math.fsum(math.log(d[t]) for d, t in zip(steps, story[1:], strict=True))
        assert world.log_prob(story) == pytest.approx(chain)
    assert world.distribution(story[:40]) == pytest.approx(steps[39])


def test_loss_and_entropy_agree_over_many_stories(world, stories):
    """The mean surprisal of what was drawn must be the mean entropy of what could have been: Monte Carlo."""
    few = stories[:60]
    tokens = sum(len(s) - 1 for s in few)
    expected = sum(entropy(d) for s in few for d in world.distributions(s)) / tokens
    assert loss_floor(world, few) == pytest.approx(expected, abs=0.03)


def test_first_sentences_come_as_often_as_they_should(world, stories):
    starts = Counter(story[1] for story in stories)
    for token, p in world.distribution(["<BOS>"]).items():
        assert abs(starts[token] - p * len(stories)) < 5 * math.sqrt(p * len(stories)) + 1


def test_memory_is_asked_for(world):
    annotated = world.sample_annotated(300, seed=1)
    far = Counter(r.kind for _, recalls in annotated for r in recalls if r.distance >= 20)
    assert min(far[kind] for kind in ("name", "pronoun", "object", "colour", "animal")) > 100
    for tokens, recalls in annotated[:20]:
        for r in recalls:
            assert tokens[r.position] in r.candidates
            assert 0 < r.distance < r.position + 1


def test_what_is_forced_is_forced(world):
    """At a recalled word only one of the candidates is possible."""
    for tokens, recalls in world.sample_annotated(10, seed=2):
        steps = world.distributions(tokens)
        for r in recalls:
            if r.kind in ("object", "colour"):
                options = steps[r.position - 1]
                assert [c for c in r.candidates if c in options] == [tokens[r.position]]


def test_sampling_is_fast_enough_to_train_on(world):
    start = time.process_time()
    world.sample(500, seed=3)
    assert (time.process_time() - start) * 40 < 20  # 20,000 stories in 20 s, with the shape checks on


def test_readable():
    text = '<BOS> " keep the red kite , " said mina . may i have a turn ? <EOS>'
    assert readable(text.split()) == "“Keep the red kite,” said Mina. May I have a turn?"
