"""Shannon's curve of the calling game, against games that are short enough to be listed one by one."""

import math
from collections import defaultdict
from itertools import pairwise

import pytest

from support.ancestors import NGram
from support.worlds import CallingGame
from support.worlds.base import BOS, EOS
from support.worlds.last_word import LastWord, window_entropies


def every_game(game, prefix=(BOS,), p=1.0):
    """All games with their probabilities, by walking the tree of prefixes."""
    for token, probability in game.distribution(prefix).items():
        if token == EOS:
            yield (*prefix, EOS), p * probability
        elif probability:
            yield from every_game(game, (*prefix, token), p * probability)


def listed(game, n):
    counts = defaultdict(lambda: defaultdict(float))
    for tokens, p in every_game(game):
        for i in range(1, len(tokens)):
            counts[tokens[max(0, i - n) : i]][tokens[i]] += p
    nats = visits = 0.0
    for following in counts.values():
        whole = sum(following.values())
        visits += whole
        nats -= sum(v * math.log(v / whole) for v in following.values() if v)
    return nats / visits


def test_the_curve_is_that_of_all_games_listed():
    # Without interjections, two turns make some thousands of games.
    game = CallingGame(one_interjection=0.0, two_interjections=0.0, max_turns=2)
    assert sum(p for _, p in every_game(game)) == pytest.approx(1, abs=1e-12)
    curve = window_entropies(game, 4)
    assert curve == pytest.approx([listed(game, n) for n in range(5)], abs=1e-12)


def test_one_turn_with_interjections():
    game = CallingGame(max_turns=1, two_interjections=0.0)
    assert window_entropies(game, 6) == pytest.approx([listed(game, n) for n in range(7)], abs=1e-12)


def test_it_falls_towards_the_entropy_and_begins_where_one_word_ends():
    game = CallingGame(max_turns=4)
    curve = window_entropies(game, 4)
    assert all(later <= earlier for earlier, later in pairwise(curve))
    assert game.entropy < curve[-1] < game.entropy + 0.1
    assert curve[1] == pytest.approx(LastWord.of(game).unplaced, abs=1e-12)
    assert window_entropies(game, 2) == pytest.approx(curve[:3], abs=1e-12)


def test_much_counting_comes_near_it():
    game, ids = CallingGame(max_turns=4), CallingGame().vocabulary
    train, test = ([ids.encode(t) for t in game.sample(n, seed)] for n, seed in ((4_000, 1), (1_000, 2)))
    for n, best in enumerate(window_entropies(game, 2)):
        assert NGram(n + 1).fit(train, len(ids)).loss(test) == pytest.approx(best, abs=0.04)
