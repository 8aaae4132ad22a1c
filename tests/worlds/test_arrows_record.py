"""The record of depth on the arrow game: complete, and its baseline is what guessing gives."""

import pytest

from support import zoo


@pytest.fixture(scope="module")
def study(script):
    return script("k_hop")


@pytest.fixture(scope="module")
def record():
    return zoo.record("k_hop")


def test_every_depth_and_seed_was_run_with_the_settings_of_the_script(study, record):
    assert {(row["n_layers"], row["seed"]) for row in record["runs"]} == {
        (depth, seed) for depth in study.DEPTHS for seed in study.SEEDS
    }
    assert (record["children"], record["steps"]) == (study.GAME.children, study.STEPS)
    assert study.record() == record  # the script takes it up and has nothing left to train


def test_the_baseline_is_the_best_constant_guess_on_fresh_games(study, record):
    inputs, targets, steps = study.GAME.batch(4000, study.QUESTIONS, seed=study.HELD_OUT + 2)
    n = study.GAME.children
    start, answer = inputs[:, n:] % n, targets[:, n:]
    for k, stated in enumerate(record["guess"], start=1):
        back = (answer == start)[steps == k].float().mean().item()
        # Either say "back at the start", or name one of the others.
        assert max(back, (1 - back) / (n - 1)) == pytest.approx(stated, abs=0.02)


def test_it_bears_out_what_the_chapter_says(record):
    def scores(depth, hops):
        return [row["accuracy"][hops - 1] for row in record["runs"] if row["n_layers"] == depth]

    assert min(scores(1, 2)) > 0.999, "one block answers two steps"
    assert min(scores(2, 3)) > max(scores(1, 3)) + 0.2, "a second block brings the third step"
    assert sum(scores(3, 3)) < sum(scores(2, 3)), "a third block brings nothing more"
    assert max(scores(2, 4) + scores(3, 4)) < record["guess"][3], "nobody learned four steps"
