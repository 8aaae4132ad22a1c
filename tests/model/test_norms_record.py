"""The record that chapter 14 shows: whole, and one cheap row of it trained anew."""

import pytest

from support import zoo


@pytest.fixture(scope="module")
def study(script):
    return script("norms_and_dropout")


@pytest.fixture(scope="module")
def runs():
    return zoo.record("norms_and_dropout")["runs"]


def test_holds_every_row_once(study, runs):
    wanted = {("depth", arm, n, seed) for arm in study.ARMS for n in study.DEPTHS for seed in study.SEEDS}
    wanted |= {("dropout", str(rate), study.TEXTS, seed) for rate in study.RATES for seed in study.SEEDS}
    wanted |= {
        ("norm", norm, rows, seed) for norm in study.NORMS for rows in study.ROWS for seed in study.SEEDS
    }
    found = [(run["kind"], run["name"], run["size"], run["seed"]) for run in runs]
    assert len(found) == len(set(found)) and set(found) == wanted
    assert study.record()["runs"] == runs  # the script takes it up and has nothing left to train


def test_a_row_trained_anew_agrees(study, runs):
    kept = next(
        r for r in runs if (r["kind"], r["name"], r["size"], r["seed"]) == ("depth", "post-norm", 2, 0)
    )
    again = study.depth_row("post-norm", 2, 0)
    # Single precision differs between machines; in three hundred steps not by hundredths of a nat.
    assert again["losses"] == pytest.approx(kept["losses"], abs=0.03)


def test_what_the_chapter_says_of_batch_norm(runs):
    found = {(r["name"], r["size"], r["seed"]): r for r in runs if r["kind"] == "norm"}
    for (norm, _, _), row in found.items():
        if norm != "batch":
            assert row["in use"] == row["as read"], "these norms know no difference"
    for seed in range(3):
        one, many, layer = found["batch", 1, seed], found["batch", 16, seed], found["layer", 1, seed]
        assert one["in use"] - one["as read"] > 0.15 > 0.02 > many["in use"] - many["as read"]
        assert one["as read"] < layer["as read"] and one["in use"] > one["as read"]
