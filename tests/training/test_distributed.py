"""Several processes train as one does: equal losses, a clear end, and a resume with any number of them."""

import importlib.util
import json
import shutil
from pathlib import Path

import pytest
import torch
from forked import forked, torchrun

from support.core import InputError
from support.model import Seq2SeqInputs
from support.training import IGNORE_INDEX, LostProcessError, load_checkpoint
from support.training.distributed import Processes, join

SCRIPT = Path(__file__).with_name("runs.py")
_spec = importlib.util.spec_from_file_location("runs", SCRIPT)
runs = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(runs)
WITH_FOUR = ("fsdp float64", "ddp three texts")
TOLERANCES = {"float32": 1e-5, "bfloat16": 0.02}  # elsewhere, in float64, 1e-10


@pytest.fixture(scope="module")
def killed(tmp_path_factory):
    """A run of two processes of which one was killed after step 6, and its folder."""
    folder = tmp_path_factory.mktemp("killed")
    return folder, torchrun(SCRIPT, folder / "unused", f"killed:{folder}", PYTHONPATH=str(SCRIPT.parents[2]))


@pytest.fixture(scope="module")
def results(tmp_path_factory, killed):
    """What two and four processes gave, by number and name; four also go on with the killed run."""
    folders, groups = {n: tmp_path_factory.mktemp(f"resumed-{n}") for n in (2, 4)}, []
    resumed = {2: f"resumed ddp:{folders[2]}", 4: f"resumed fsdp:{folders[4]}"}
    for n, folder in folders.items():
        shutil.copytree(killed[0], folder, dirs_exist_ok=True)
        names = [name for name in runs.RUNS if n == 2 or name in WITH_FOUR]
        groups += [n, folder / "results.json", *names, resumed[n], "--"]
    done = forked(f"import runpy; runpy.run_path({str(SCRIPT)!r}, run_name='__main__')", *groups[:-1])
    assert done.returncode == 0, done.stderr
    found = {n: json.loads((folder / "results.json").read_text()) for n, folder in folders.items()}
    return {n: of_runs | {"resumed": of_runs.pop(resumed[n])} for n, of_runs in found.items()}


def assert_equal(found, expected, tolerance):
    for kind in expected:
        assert found[kind] == pytest.approx(expected[kind], abs=tolerance), kind


@pytest.mark.parametrize("name", runs.RUNS)
def test_two_processes_have_the_losses_of_one(results, name):
    alone = runs.one_run(**{**runs.RUNS[name], "strategy": "none"})
    tolerance = TOLERANCES.get(name.split()[1], 1e-10)
    assert len(alone["losses"]) == runs.STEPS and len(alone["evals"]) == 3
    # Adam divides by gradients that may be tiny: weights differ by more than losses.
    weights = alone.pop("weights")
    assert_equal(results[2][name], alone, tolerance)
    assert results[2][name]["weights"] == pytest.approx(weights, abs=100 * tolerance)


@pytest.mark.parametrize("name", WITH_FOUR)
def test_four_processes_have_the_losses_of_one(results, name):
    alone = runs.one_run(**{**runs.RUNS[name], "strategy": "none"})
    assert_equal(results[4][name], alone, 1e-10)


def test_one_killed_process_ends_all_with_a_clear_message(killed):
    folder, done = killed
    assert done.returncode != 0
    assert "Root Cause" in done.stderr and "Signal 9 (SIGKILL)" in done.stderr
    assert len(load_checkpoint(folder / "last.safetensors").part("history")["steps"]) == 6


@pytest.mark.parametrize("processes", [1, 2, 4])
def test_a_killed_run_goes_on_with_any_number_of_processes(results, killed, processes, tmp_path):
    uninterrupted = runs.one_run(checkpoint_every=2)
    if processes == 1:
        shutil.copytree(killed[0], tmp_path / "run")
        found = runs.one_run(folder=str(tmp_path / "run"), checkpoint_every=2)
    else:
        found = results[processes]["resumed"]
    assert_equal(found, uninterrupted, 1e-10)


def test_shares_are_all_rows_once_and_an_empty_share_predicts_nothing():
    source, ids, targets = torch.arange(6).view(3, 2), torch.arange(9).view(3, 3), torch.arange(3)[:, None]
    shares = [Processes(rank, 4).share((Seq2SeqInputs(source, ids), targets)) for rank in range(4)]
    assert torch.cat([inputs.ids for inputs, _ in shares[:3]]).equal(ids)
    assert torch.cat([y for _, y in shares[:3]]).equal(targets)
    inputs, nothing = shares[3]
    assert inputs.source.shape == (1, 2) and nothing.tolist() == [[IGNORE_INDEX]]


def test_several_processes_without_a_strategy_are_refused(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(InputError, match=r"strategy='ddp' or 'fsdp'\.$"):
        join("none", torch.nn.Linear(1, 1))


def test_a_broken_connection_is_told_in_a_sentence():
    said = "[gloo/transport/tcp/pair.cc:538] Connection closed by peer [127.0.0.1]:2841"
    with (
        pytest.raises(LostProcessError, match=r"Process 0 of 2 lost the connection: .* resume=True"),
        Processes(0, 2).watched(),
    ):
        raise RuntimeError(said)
    with pytest.raises(RuntimeError, match=r"^out of memory$"), Processes(0, 2).watched():
        raise RuntimeError("out of memory")
