"""The shop world and its pages: answers computed again from the words of the question, and what is hidden."""

import random
import re

import pytest

from support.core import InputError
from support.worlds.pages import COMBINATIONS, WANTED, all_words, pages
from support.worlds.shop import KINDS, ShopWorld, about, transcript
from support.worlds.stories import ANIMALS, PLACES, THINGS

WORLD = ShopWorld()


def numbers(words):
    """The numbers of a text whose digits are tokens, in order."""
    return [int(n.replace(" ", "")) for n in re.findall(r"\d(?: \d)*", " ".join(words))]


def test_sums_follow_from_the_words_of_the_question():
    for problem in WORLD.problems(300, seed=1, kind="sum"):
        a, b = numbers(problem.question)
        words = set(problem.question)
        value = a * b if "rows" in words else a + b if words & {"buys", "finds"} else a - b
        assert problem.answer == tuple(str(value)) and value >= 0


def test_a_cost_multiplies_the_price_that_came_back():
    for problem in WORLD.problems(100, seed=2, kind="cost"):
        (first, listed), (second, paid) = problem.steps
        assert first == ("price", problem.question[problem.question.index(".") - 1])
        assert numbers(paid)[0] == numbers(problem.question)[0] * numbers(listed)[0]
        assert problem.answer == paid and second[0] == "calc"


def test_a_known_number_needs_no_request():
    for problem in WORLD.problems(50, seed=3, kind="known"):
        assert problem.steps == () and numbers(problem.question) == [int("".join(problem.answer))]


@pytest.mark.parametrize("kind", KINDS)
def test_only_what_the_model_writes_is_learned(kind):
    for problem in WORLD.problems(20, seed=4, kind=kind):
        tokens, learned = transcript(problem)
        assert not WORLD.vocabulary.unknown(tokens) and tokens[0] == "<BOS>" and tokens[-1] == "<EOS>"
        mine = [t for t, yes in zip(tokens, learned, strict=True) if yes]
        written = [w for request, _ in problem.steps for w in ("<call>", *request, "<result>")]
        assert mine == [*written, "<answer>", *problem.answer, "<EOS>"]
        plain = transcript(problem, tools=False)[0]
        assert plain == ["<BOS>", *problem.question, "<answer>", *problem.answer, "<EOS>"]


def test_lengths_are_equally_likely_or_as_asked():
    drawn = [len(str(WORLD.number(draw))) for draw in [random.Random(0)] for _ in range(3000)]
    assert all(900 < drawn.count(n) < 1100 for n in (1, 2, 3))
    for problem in ShopWorld(lengths=(4,)).problems(20, seed=0, kind="sum"):
        assert all(1000 <= n <= 9999 for n in numbers(problem.question))


def test_pages_share_no_content_word_with_their_questions():
    for page in pages(200, seed=5):
        animal, thing, place = page.subject
        assert page.clues == (ANIMALS[animal]["sound"], THINGS[thing]["of"], PLACES[place]["ground"])
        assert {animal, thing, place, page.person, page.colour} <= set(page.words)
        assert not set(page.clues) & set(page.words)


def test_one_combination_in_four_is_kept_for_tests():
    tests = {p.subject for p in pages(len(COMBINATIONS) - 3 * len(COMBINATIONS) // 4, seed=0, test=True)}
    others = {p.subject for p in pages(3 * len(COMBINATIONS) // 4, seed=0)}
    assert not tests & others and len(tests) + len(others) == len(COMBINATIONS)
    asked = {p.page.subject for p in WORLD.problems(300, seed=6, kind="find")}
    assert not asked & tests


def test_a_question_asks_for_what_the_page_tells():
    page = pages(1, seed=7)[0]
    for wanted in WANTED:
        problem = about(page, random.Random(0), wanted)
        assert problem.answer == (getattr(page, wanted),) and problem.steps[0][1] == page.words
    assert len(all_words()) == len(set(all_words()))


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="no kind 'riddle'"):
        WORLD.problems(1, 0, "riddle")
    with pytest.raises(InputError, match="between 1 and 9"):
        ShopWorld(digits=10)
    with pytest.raises(InputError, match="n=5000 pages"):
        pages(5000, seed=0)
    with pytest.raises(InputError, match="does not tell its 'price'"):
        about(pages(1, seed=0)[0], random.Random(0), "price")
