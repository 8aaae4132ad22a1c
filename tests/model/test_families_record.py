"""The record that chapter 17 shows: whole, its baselines computed anew, and one cheap row trained anew."""

import pytest

from support import zoo


@pytest.fixture(scope="module")
def study(script):
    return script("three_families")


@pytest.fixture(scope="module")
def runs():
    return zoo.record("three_families")["runs"]


def test_holds_every_row_once(study, runs):
    wanted = {(*errand, seed) for errand in study.ERRANDS for seed in study.SEEDS}
    wanted |= {("labels", name, seed) for name in study.LABELS for seed in study.SEEDS}
    found = [(run["kind"], run["name"], run["seed"]) for run in runs]
    assert len(found) == len(set(found)) and set(found) == wanted
    assert study.record()["runs"] == runs  # the script takes it up and has nothing left to train


def test_the_worlds_still_say_the_same(study):
    assert study.baselines() == zoo.record("three_families")["baselines"]


def test_a_row_trained_anew_agrees(study, runs):
    kept = next(r for r in runs if (r["kind"], r["name"], r["seed"]) == ("labels", "1 block", 0))
    again = study.label_row("1 block", 0, steps=75)["course"]
    assert len(again) == 3
    for step, shares in again.items():  # single precision differs between machines, by little so early
        assert shares == pytest.approx(kept["course"][str(step)], abs=0.03)
