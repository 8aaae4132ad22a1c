"""A recorded experiment is what its command gives: one row of it, trained again."""

import pytest

from support import zoo


def test_the_training_choices_are_complete_and_taken_up(script):
    study, record = script("training_choices"), zoo.record("training_choices")
    assert [(r["optimiser"], r["lr"], r["warmup"]) for r in record["runs"]] == study.ARMS
    assert study.record() == record  # the script has nothing left to train


def test_one_row_of_the_training_choices_comes_out_again(script):
    study, record = script("training_choices"), zoo.record("training_choices")
    row = next(r for r in record["runs"] if (r["optimiser"], r["lr"], r["warmup"]) == ("adamw", 1e-2, 30))
    # Another processor may round differently, and 250 steps carry that on: far less than between two arms.
    assert study.trained_loss("adamw", 1e-2, 30, seed=0) == pytest.approx(row["losses"][0], abs=0.03)


def test_one_run_of_the_scaling_law_comes_out_again(script):
    study, record = script("scaling_law"), zoo.record("scaling_law")
    row = next(
        r for r in record["runs"] if (r["width"], r["samples"], r["seed"], r["lr"]) == (12, 8192, 0, 0.01)
    )
    assert study.one_run(12, 8192, 0, 0.01)["loss"] == pytest.approx(row["loss"], abs=0.03)
    runs = {(r["width"], r["samples"], r["seed"], r["lr"]) for r in record["runs"]}
    assert len(runs) == 2 * 3 * (6 * 5 + 1) and record["floor"] == pytest.approx(study.WORLD.floor, abs=1e-6)


def test_the_runs_of_loss_scaling_are_complete():
    runs = zoo.record("loss_scaling")["runs"]
    held_out = {
        way: [r["held out"] for r in runs if r["way"] == way] for way in ("float32", "dynamic", "2^-12")
    }
    assert all(len(values) == 3 for values in held_out.values())
    assert max(held_out["dynamic"]) < max(held_out["float32"]) + 0.02 < min(held_out["2^-12"]) - 0.5
