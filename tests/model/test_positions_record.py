"""The record that chapter 10 shows: whole, and some cheap rows of it trained anew."""

import pytest
import torch

from support import zoo

KEYS = ("kind", "task", "name", "layers", "seed")


@pytest.fixture(scope="module")
def study(script):
    return script("positions")


@pytest.fixture(scope="module")
def runs():
    return {tuple(run[k] for k in KEYS): run for run in zoo.record("positions")["runs"]}


def test_holds_every_row_once(study, runs):
    assert len(zoo.record("positions")["runs"]) == len(runs)
    assert set(runs) == {(*key, seed) for key in study.WANTED for seed in study.SEEDS}
    assert study.record()["runs"] == list(runs.values())  # the script has nothing left to train


@pytest.mark.parametrize(
    "key",
    [
        ("reach", "latest name", "alibi", 1, 0),
        ("reach", "three back", "sinusoidal", 1, 0),
        ("stretch", "three back", "slow pairs slowed", 1, 0),
        ("stretch", "three back", "every pair slowed", 1, 0),
    ],
    ids=lambda key: "-".join(map(str, key)),
)
def test_a_row_trained_anew_agrees(study, runs, key):
    kind, *rest = key
    again = study.ROWS[kind](*rest)
    # Single precision differs between machines; in three hundred steps not by tenths.
    for what in {"right", "later"} & set(again):
        assert again[what] == pytest.approx(runs[key][what], abs=0.1), what


def test_the_tasks_ask_what_they_say(study):
    generator = torch.Generator().manual_seed(0)
    ids, answers = study.three_back(5, 9, generator)
    for row, told in zip(ids.tolist(), answers.tolist(), strict=True):
        assert told == [-100] * 3 + row[:-3]
    ids, answers = study.latest_name(5, 9, generator)
    for row, told in zip(ids.tolist(), answers.tolist(), strict=True):
        assert told == [[w for w in row[: i + 1] if w < 2][-1] for i in range(9)]
    ids, answers = study.who_first(6, 8, generator)
    for row, told in zip(ids.tolist(), answers.tolist(), strict=True):
        assert sorted(w for w in row if w < 3) == [0, 1, 2] and row[-1] == 2
        assert told == [-100] * 7 + [int(row.index(1) < row.index(0))]
