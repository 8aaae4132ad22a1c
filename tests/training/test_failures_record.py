"""The records of chapter 19: complete, and one cheap row of each comes out again."""

import pytest

from support import zoo


def test_the_failures_are_complete_and_taken_up(script):
    study, record = script("failures"), zoo.record("failures")
    made = [(run["arm"], run["seed"]) for run in record["runs"]]
    assert sorted(made) == sorted((name, seed) for name in study.ARMS for seed in study.SEEDS)
    assert study.record() == record  # the script has nothing left to train


def test_one_failure_comes_out_again(script):
    study, record = script("failures"), zoo.record("failures")
    again = study.row("no mask", 0)
    kept = next(run for run in record["runs"] if (run["arm"], run["seed"]) == ("no mask", 0))
    assert again["named"] == kept["named"] == "leak"
    assert again["losses"][0] == pytest.approx(kept["losses"][0], abs=2e-3)
    # Another processor may round differently, and a hundred steps carry that on.
    assert again["held_out"] == pytest.approx(kept["held_out"], abs=0.1)


def test_each_planted_fault_is_named_in_every_run_of_the_record(script):
    arms = script("failures").ARMS
    wrong = [
        (run["arm"], run["seed"], run["named"])
        for run in zoo.record("failures")["runs"]
        if arms[run["arm"]].fault != run["named"]
    ]
    assert not wrong


@pytest.mark.parametrize("fault", ["leak", "loss mask"])
def test_an_unseen_fault_gets_the_same_diagnosis_again(script, fault):
    study, record = script("diagnosis"), zoo.record("diagnosis")
    assert list(record["named"]) == list(study.FAULTS)
    assert study.asked(fault, 0) == record["named"][fault][0]
