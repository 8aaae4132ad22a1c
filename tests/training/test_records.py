"""A recorded experiment is what its command gives: one row of it, trained again."""

import importlib.util
import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def study():
    spec = importlib.util.spec_from_file_location("choices", ROOT / "benchmarks" / "training_choices.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_one_row_of_the_training_choices_comes_out_again(study):
    record = json.loads(study.RECORD.read_text(encoding="utf8"))
    row = next(r for r in record["runs"] if (r["optimiser"], r["lr"], r["warmup"]) == ("adamw", 1e-2, 30))
    # Another processor may round differently, and 250 steps carry that on: far less than between two arms.
    assert study.trained_loss("adamw", 1e-2, 30, seed=0) == pytest.approx(row["losses"][0], abs=0.03)
