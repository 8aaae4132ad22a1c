"""The rules of the calling game, of which a chapter asks when each is learned."""

import pytest

from support import zoo
from support.training import evaluate_loss
from support.worlds import CallingGame, loss_floor
from support.worlds.game import PLAYERS
from support.zoo.recipes.calling_game import RULES, excess_by_rule, rule

WORLD = CallingGame()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<BOS> Pietro chiama", "who is called"),
        ("<BOS> Pietro chiama Paolo", "which title"),
        ("<BOS> Pietro chiama 4 4", "chiama or perde"),
        ("<BOS> Pietro chiama 4", "who speaks next"),
        ("<BOS> Pietro chiama 4 5 perde", "who speaks next"),
        ("<BOS>", "who speaks next"),
    ],
)
def test_each_word_of_a_game_falls_under_its_rule(text, expected):
    words = text.split()
    assert rule(words[-1], WORLD.distribution(words)) == expected


def test_the_excess_of_the_rules_adds_up_to_the_distance_from_the_floor():
    entry, games = zoo.load("calling-game"), WORLD.sample(40, seed=5)
    found = excess_by_rule(entry.model, games)
    counts = dict.fromkeys(RULES, 0)
    for game in games:
        for before, distribution in zip(game, WORLD.distributions(game), strict=False):
            counts[rule(before, distribution)] += 1
    mean = sum(found[name] * counts[name] for name in RULES) / sum(counts.values())
    loss = evaluate_loss(entry.model, [entry.vocabulary.encode(game) for game in games])
    assert mean == pytest.approx(loss - loss_floor(WORLD, games), abs=1e-4)
    assert min(counts.values()) > len(PLAYERS), "each rule is asked"


def test_the_record_tells_a_quick_start_from_a_slow_end():
    record = zoo.record("training_rules")
    assert [sorted(run) for run in record["runs"]] == [sorted(RULES)] * len(record["seeds"])
    for run in record["runs"]:
        assert all(len(run[name]) == len(record["steps"]) for name in RULES)
        early, late = record["steps"].index(30), record["steps"].index(100)
        assert run["who is called"][early] < 0.2 < min(run[name][late] for name in RULES[1:])
