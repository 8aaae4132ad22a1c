"""Questions about stories: the answer stands in the story, stated probabilities are those of the draw."""

import functools

import pytest

from support.core import InputError
from support.worlds.story_questions import FIRST, KINDS, PROBABILITY, StoryQuestions


@functools.cache
def drawn():
    return StoryQuestions().sample(600, seed=5, asked=False)


def test_the_answer_is_told_and_of_the_right_kind():
    words = StoryQuestions().stories.groups
    groups = dict(zip(KINDS, ["names", "colour", "animal", "thing", "place"], strict=True))
    for text in drawn():
        if text.kind:
            assert text.answer in text.story and text.answer in words[groups[text.kind]]
            assert text.story[-1] == "." and len(text.story) > FIRST
        else:
            assert text.story[-1] == "<EOS>"


def test_nothing_asked_is_ambiguous():
    """A name is asked for while one name was told, an animal while one animal was."""
    words = StoryQuestions().stories.groups
    for text in drawn():
        if text.kind in ("name", "animal"):
            said = set(text.story) & set(words["names" if text.kind == "name" else "animal"])
            assert said == {text.answer}


def test_a_question_comes_with_the_stated_probability():
    """Each opening is a draw of its own: asked / openings is within three sigma (binomial)."""
    asked, openings = sum(text.kind is not None for text in drawn()), sum(text.openings for text in drawn())
    sigma = (PROBABILITY * (1 - PROBABILITY) / openings) ** 0.5
    assert abs(asked / openings - PROBABILITY) < 3 * sigma


def test_what_is_held_out_is_never_asked_but_still_told():
    world = StoryQuestions(without={"purple", "fox"})
    texts = world.sample(300, seed=1)
    assert not {text.answer for text in texts} & {"purple", "fox"}
    assert any("purple" in text.story for text in texts)
    only = StoryQuestions().sample(5, seed=1, only={"purple", "fox"})
    assert {text.answer for text in only} <= {"purple", "fox"}


def test_kinds_are_checked():
    assert {text.kind for text in StoryQuestions(["place"]).sample(20, seed=0)} == {"place"}
    with pytest.raises(InputError, match="must be some of name"):
        StoryQuestions(["weather"])
