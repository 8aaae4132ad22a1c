"""Conversations: every right reply is found again from the text alone, by another path than the world's."""

import functools
import math
import random
import statistics

import pytest

from support.core import InputError
from support.worlds.conversations import (
    LONGEST,
    TALK,
    TOOL_KINDS,
    TOPICS,
    UNTOLD,
    VALUES,
    Conversations,
    all_words,
)
from support.worlds.stories import StoryWorld

WORLD = Conversations()


@functools.cache
def conversations():
    return WORLD.sample(300, seed=5)


def test_a_question_is_told_just_if_the_text_of_the_story_names_one_value_of_its_kind():
    told = untold = 0
    for turns in conversations():
        story = next((turn.reply for turn in turns if turn.kind == "story"), ())
        for turn in turns:
            if turn.kind not in ("told", "untold"):
                continue
            named = {word for word in story if word in VALUES[dict(turn.about)["asked"]]}
            assert turn.truth == ((*named,) if len(named) == 1 else UNTOLD), " ".join(story)
            told, untold = told + (len(named) == 1), untold + (len(named) != 1)
    assert told > 100 and untold > 50


def test_sums_and_costs_are_right_by_pythons_own_arithmetic():
    seen = set()
    for turn in (turn for turns in conversations() for turn in turns if turn.kind in TOOL_KINDS):
        seen.add(turn.kind)
        for request, result in turn.steps:
            if request[0] == "calc":
                assert str(eval("".join(request[1:]))) == "".join(result)
        if turn.steps:
            assert turn.reply == turn.steps[-1][1]
    assert seen == set(TOOL_KINDS)


def test_the_probability_of_a_topic_is_its_frequency():
    stories = [tokens[1:-1] for tokens in WORLD.stories.sample(4000, seed=1)]
    for about in ({"hero": "freya"}, {"animal": "fox"}, {"thing": "kite"}):
        share = sum(WORLD.fits(story, about) for story in stories) / len(stories)
        story = WORLD.story(random.Random(0), about)[0].reply
        told = WORLD.story_log_prob(story, {}) - WORLD.story_log_prob(story, about)
        assert math.exp(told) == pytest.approx(share, abs=4 * math.sqrt(share / len(stories)))


def test_stories_on_request_cost_what_their_own_law_says():
    """The mean of −ln p(story | topic) exceeds no other law's: here that of the world without the topic."""
    rng, about = random.Random(3), {"hero": "leo", "animal": "hen"}
    drawn = [WORLD.story(rng, about)[0].reply for _ in range(40)]
    assert all(WORLD.fits(story, about) for story in drawn)
    gain = statistics.mean(WORLD.story_log_prob(s, about) - WORLD.story_log_prob(s, {}) for s in drawn)
    assert gain > math.log(16 * 15)
    assert WORLD.story_log_prob(drawn[0], {"hero": "max"}) == -math.inf
    assert WORLD.story_log_prob(drawn[0][:-1], {}) == -math.inf


def test_an_annotator_who_does_not_abstain_guesses_a_value_of_the_right_kind():
    for turns in Conversations(tools=0, abstain=0).sample(100, seed=2):
        for turn in turns:
            if turn.kind == "untold":
                assert turn.reply[0] in VALUES[dict(turn.about)["asked"]] and turn.truth == UNTOLD


def test_a_conversation_fits_and_its_words_are_listed():
    known = {*StoryWorld().vocabulary.tokens, *all_words()}
    for turns in conversations():
        assert 1 + sum(map(len, turns)) <= LONGEST
        for turn in turns:
            words = {*turn.user, *turn.reply, *(word for a, b in turn.steps for word in (*a, *b))}
            assert words <= known
    assert not set(all_words()) & set(StoryWorld().vocabulary.tokens)
    assert WORLD.sample(2, seed=5) == conversations()[:2]


def test_every_kind_of_turn_occurs_and_all_topics_are_asked_for():
    kinds = {turn.kind for turns in conversations() for turn in turns}
    assert kinds == {"story", "told", "untold", *TOOL_KINDS, *TALK}
    topics = {
        slot for turns in conversations() for turn in turns if turn.kind == "story" for slot, _ in turn.about
    }
    assert topics == set(TOPICS)


@pytest.mark.parametrize("wrong", [{"tools": 2.0}, {"abstain": -0.1}])
def test_a_share_lies_between_0_and_1(wrong):
    with pytest.raises(InputError, match="between 0 and 1"):
        Conversations(**wrong)
