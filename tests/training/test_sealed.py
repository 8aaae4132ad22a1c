"""Sealed runs: a reader's guess is judged, and the instruments can find what is wrong."""

import pytest

from support.core import InputError
from support.training import diagnose
from support.training.sealed import FAULTS, sealed_run


@pytest.mark.parametrize("number", [2, 4, 8, 9])
def test_the_runs_of_the_exercise_are_found_by_the_diagnosis(number):
    run = sealed_run(number)
    found = diagnose(run.model, run.batches, run.config, held_out=run.held_out).first
    assert run.open(found) == f"yes: {found}"


def test_the_same_number_is_the_same_run_and_every_fault_occurs():
    once, again = sealed_run(3), sealed_run(3)
    assert all(a.equal(b) for a, b in zip(once.model.parameters(), again.model.parameters(), strict=True))
    assert once.batches(5)[1].equal(again.batches(5)[1]) and once.config == again.config
    found, number = set(), 0
    while found < set(FAULTS) and number < 60:
        run = sealed_run(number)
        found |= {name for name in FAULTS if run.open(name)[:3] == "yes"}
        number += 1
    assert found == set(FAULTS)


def test_a_wrong_guess_does_not_tell_the_fault_and_an_unknown_one_is_refused():
    run = sealed_run(2)
    assert run.open("none") == "no, not 'none'; look again"
    with pytest.raises(InputError, match="no fault of a sealed run"):
        run.open("bad luck")
