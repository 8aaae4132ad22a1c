"""Whole games reweighted: identities, and the enumeration of all games of one turn."""

import math

import pytest

from support.core import InputError
from support.worlds import CallingGame
from support.worlds.game import ABSURD, TITLES, Moment
from support.worlds.tilted import TiltedGame


def games(game, moment=None, tokens=(), p=1.0):
    """Every game with its probability."""
    moment = moment or Moment()
    if moment.stage == "over":
        yield tokens, p
        return
    for token, q in game._next(moment).items():
        yield from games(game, game._after(moment, token), (*tokens, token), p * q)


@pytest.mark.parametrize("beta", [0.5, 1.0])
def test_it_is_the_reweighted_list_of_all_games(beta):
    game = CallingGame(max_turns=1, two_interjections=0.01)

    def reward(token):
        return 1.0 * (token in TITLES) - 0.5 * (token in ABSURD)

    best = TiltedGame(game, reward, beta)
    listed = list(games(game))
    total = sum(p * math.exp(sum(map(reward, tokens)) / beta) for tokens, p in listed)
    assert best.value == pytest.approx(beta * math.log(total), abs=1e-12)
    play, expected = best.play(), 0.0
    for tokens, p in listed:
        expected += p * math.exp(sum(map(reward, tokens)) / beta) / total * sum(map(reward, tokens))
    assert play.reward == pytest.approx(expected, abs=1e-12)
    assert play.reward - beta * play.kl == pytest.approx(best.value, abs=1e-12)
    tokens, p = listed[len(listed) // 2]
    product = 1.0
    for i, token in enumerate(tokens):
        product *= best.distribution(["<BOS>", *tokens[:i]])[token]
    assert product == pytest.approx(p * math.exp(sum(map(reward, tokens)) / beta) / total, abs=1e-12)


def test_the_best_way_to_say_nothing_absurd_is_to_stop():
    best = TiltedGame(CallingGame(), lambda token: -1.0 * (token in ABSURD), 0.5)
    assert best.reference().length == pytest.approx(22.0, abs=0.1) and best.play().length < 12
    assert best.reference().kl == pytest.approx(0, abs=1e-12)


def test_beta_is_positive():
    with pytest.raises(InputError, match="positive"):
        TiltedGame(CallingGame(), lambda token: 0.0, 0.0)
