"""The questions ask what the game would answer; the last-word table is what counting comes to."""

import math
from collections import Counter, defaultdict
from itertools import pairwise

import pytest

from support.core import InputError
from support.worlds import CallingGame
from support.worlds.game import LEADERS, PLAYERS
from support.worlds.last_word import LastWord
from support.worlds.questions import CASES, questions, sample_questions

GAME = CallingGame()


def test_every_answer_is_the_games_own():
    asked = Counter()
    for tokens in GAME.sample(300, seed=4):
        for q in questions(GAME, tokens):
            distribution = GAME.distribution(tokens[: q.position + 1])
            asked[q.rule, q.case] += 1
            if q.rule == "next":
                players = {p: distribution[p] for p in PLAYERS if p in distribution}
                assert max(players, key=players.get) == q.right
                assert math.isclose(players[q.right] / sum(players.values()), 1 - GAME.out_of_turn)
                assert tokens[q.decided_at] == q.right
            else:
                assert distribution == {q.right: 1.0} and q.right in q.choices
            if q.rule == "title":
                assert tokens[q.decided_at + 1] == "chiama" and q.decided_at == q.position - 2
                assert (tokens[q.decided_at] in LEADERS) == (q.right in ("Tarso", "Cefa"))
            if q.rule == "verb":
                assert (tokens[q.decided_at] == tokens[q.position]) == (q.right == "chiama")
            if q.case == "number":
                assert q.decided_at == q.position
    assert {case for _, case in asked} >= set(CASES) - {"Cefa"}


def test_no_question_is_left_out():
    """Every called leader is asked about once, and every player who takes a turn after the first."""
    for tokens in GAME.sample(200, seed=5):
        found = Counter(q.rule for q in questions(GAME, tokens))
        calls = [i for i, word in enumerate(tokens) if word == "chiama"]
        assert found["title"] == sum(tokens[i + 1] in LEADERS for i in calls)
        turns = sum(a in PLAYERS and b in ("chiama", "perde") for a, b in pairwise(tokens))
        slips = sum(
            b not in PLAYERS for b in (tokens[i + 1] for i in calls)
        )  # the slipper's name comes again
        assert found["verb"] == found["next"] == turns - 1 - slips


def test_the_evaluation_holds_so_many_of_each():
    found = sample_questions(GAME, each=5, seed=2)
    assert Counter(q.case for _, q in found) == dict.fromkeys(CASES, 5)
    assert all(q in questions(GAME, tokens) for tokens, q in found)
    assert found == sample_questions(GAME, each=5, seed=2) != sample_questions(GAME, each=5, seed=3)
    with pytest.raises(InputError, match="ask for fewer"):
        sample_questions(CallingGame(max_turns=1), each=1, seed=0)


def test_last_word_is_what_counting_comes_to():
    game = CallingGame(max_turns=3)  # short games, so that all is quick
    known = LastWord.of(game)
    counts = defaultdict(Counter)
    nats = unplaced = tokens = 0
    by_word = defaultdict(Counter)
    for said in game.sample(5000, seed=6):
        for place, (word, following) in enumerate(pairwise(said)):
            counts[place, word][following] += 1
            by_word[word][following] += 1
            nats -= math.log(known.distributions[place, word][following])
            tokens += 1
    for seen, found in counts.items():
        n, distribution = sum(found.values()), known.distributions[seen]
        if n > 1000:
            for word, p in distribution.items():
                assert abs(found[word] / n - p) < 5 * math.sqrt(p * (1 - p) / n) + 1e-9, (seen, word)
    assert math.isclose(nats / tokens, known.loss, abs_tol=0.02)
    for found in by_word.values():
        n = sum(found.values())
        unplaced -= sum(c * math.log(c / n) for c in found.values())
    assert math.isclose(unplaced / tokens, known.unplaced, abs_tol=0.02)
    assert game.entropy < known.loss < known.unplaced
    assert all(math.isclose(sum(distribution.values()), 1) for distribution in known.distributions.values())
