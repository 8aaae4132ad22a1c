"""The record of experts on walks by many rules: whole, and one cheap row of it trained anew."""

import pytest
import torch

from support import zoo


@pytest.fixture(scope="module")
def study(script):
    return script("experts")


@pytest.fixture(scope="module")
def runs():
    return {(run["arm"], run["seed"]): run for run in zoo.record("experts")["runs"]}


def test_holds_every_row_once(study, runs):
    assert set(runs) == {(arm, seed) for arm in study.ARMS for seed in study.SEEDS}
    assert len(study.record()["runs"]) == len(runs)  # the script takes it up and has nothing left to train


def test_a_row_trained_anew_agrees(study, runs):
    again = study.row("dense-narrow", 0)
    kept = runs["dense-narrow", 0]
    # Single precision differs between machines.
    assert again["loss"] == pytest.approx(kept["loss"], rel=0.15)
    assert again["right"] == pytest.approx(kept["right"], abs=0.02)
    assert (again["stored"], again["active"]) == (kept["stored"], kept["active"])


def test_explained_is_all_or_nothing_where_it_must_be(study):
    assert study.shared(torch.eye(4)) == pytest.approx(1)
    assert study.shared(torch.ones(3, 4)) == pytest.approx(0, abs=1e-6)
    assert study.shared(torch.tensor([[1.0, 0.0], [1.0, 0.0]])) == 0  # nothing to explain


def test_the_tables_are_those_of_the_whole_choice(study, runs):
    for run in runs.values():
        if "load" not in run:
            continue
        assert sum(run["load"]) == pytest.approx(1, abs=0.001) and 1 - 0.03 < run["balance"] < study.EXPERTS
        if run["seed"] == study.SEEDS[0]:
            rules, symbols = torch.tensor(run["rules"]), torch.tensor(run["symbols"])
            assert rules.shape == (study.RULES, study.EXPERTS) and symbols.shape[0] == study.SYMBOLS
            assert torch.allclose(torch.cat([rules, symbols]).sum(1), torch.tensor(1.0), atol=0.05)
            # A symbol's own table says less than everything, the record's number more than nothing.
            assert study.shared(symbols.double()) == pytest.approx(run["by symbol"], abs=0.05)
