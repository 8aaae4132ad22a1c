"""The phrasebook's translations, held against sentences translated by hand."""

import pytest

from support.core import InputError
from support.worlds.phrasebook import Phrasebook

BOOK = Phrasebook()
BY_HAND = {
    "the cat sees the cow": {"il gatto vede la mucca"},
    "the red fox finds the dog": {"la rossa volpe trova il cane", "la volpe rossa trova il cane"},
    "the small old frog greets the white slow horse": {
        "la piccola vecchia rana saluta il bianco lento cavallo",
        "la rana vecchia piccola saluta il cavallo lento bianco",
    },
}


@pytest.mark.parametrize("english", BY_HAND)
def test_translations_by_hand(english):
    assert {" ".join(words) for words in BOOK.translations(english.split())} == BY_HAND[english]


def test_pairs_are_right_and_both_styles_come():
    pairs = BOOK.pairs(400, seed=1)
    styles = [BOOK.translations(english).index(italian[1:-1]) for english, italian in pairs]
    both = [
        style
        for style, (english, _) in zip(styles, pairs, strict=True)
        if len(BOOK.translations(english)) > 1
    ]
    assert 0.4 < sum(both) / len(both) < 0.6
    for english, italian in pairs:
        assert (italian[0], italian[-1]) == ("<BOS>", "<EOS>") and len(italian) == len(english) + 2
        assert BOOK.vocabulary.decode(BOOK.vocabulary.encode(english + italian)).split() == english + italian


def test_a_seed_is_a_text_and_the_knob_turns():
    assert BOOK.pairs(5, seed=1) == BOOK.pairs(5, seed=1) != BOOK.pairs(5, seed=2)
    assert all(len(english) == 5 for english, _ in Phrasebook(adjectives=0).pairs(20, seed=0))


@pytest.mark.parametrize(
    ("english", "words"),
    [
        ("the cat", "has no verb"),
        ("the cat sees", "no phrase"),
        ("a cat sees the dog", "no phrase"),
        ("the cat red sees the dog", "no phrase"),
        ("the cat sees the dog sees", "no phrase"),
    ],
)
def test_refused_in_a_sentence(english, words):
    with pytest.raises(InputError, match=words):
        BOOK.translations(english.split())
