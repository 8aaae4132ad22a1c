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
