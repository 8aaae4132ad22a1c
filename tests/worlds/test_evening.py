"""The second evening: probabilities against draws, the forced part against a Monte Carlo estimate."""

import math

import pytest

from support.core import InputError
from support.worlds import CallingGame, World
from support.worlds.evening import RING, SecondEvening, forced_forgetting

EVENING, OLD = SecondEvening(), CallingGame()


def test_it_is_a_world_whose_probabilities_multiply():
    assert isinstance(EVENING, World)
    for game in EVENING.sample(20, seed=3):
        product = sum(math.log(EVENING.distribution(game[:i])[game[i]]) for i in range(1, len(game)))
        assert EVENING.log_prob(game) == pytest.approx(product)
        assert len(game) <= EVENING.max_length and game[1] == "teiera"


def test_the_entropy_is_the_loss_of_its_own_probabilities():
    games = EVENING.sample(4000, seed=1)
    tokens = sum(len(game) - 2 for game in games)
    assert -sum(map(EVENING.log_prob, games)) / tokens == pytest.approx(EVENING.entropy, abs=0.01)


def test_every_title_is_another_and_no_game_belongs_to_both_evenings():
    assert sorted(RING) == sorted(RING.values()) and all(a != b for a, b in RING.items())
    assert all(OLD.log_prob(game) == -math.inf for game in EVENING.sample(50, seed=2))
    assert all(EVENING.log_prob(game) == -math.inf for game in OLD.sample(50, seed=2))


def test_what_must_be_forgotten_is_the_divergence():
    games = OLD.sample(4000, seed=4)
    gaps = sum(OLD.log_prob(game) - EVENING.rules.log_prob(game) for game in games)
    tokens = sum(len(game) - 1 for game in games)
    assert forced_forgetting(OLD, EVENING.rules) == pytest.approx(gaps / tokens, abs=0.004)
    assert forced_forgetting(OLD, CallingGame(slip=0.0)) == math.inf


def test_a_prefix_without_the_announcement_is_refused():
    with pytest.raises(InputError, match="begins with 'teiera'"):
        EVENING.distribution(["<BOS>", "Pietro"])
