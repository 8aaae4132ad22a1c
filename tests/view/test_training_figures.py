"""The live figures of chapters 19 and 20: runs that can be made again, memory as torch has it."""

import pytest
import torch
from torch.nn import functional as F

from support import zoo
from support.core import InputError, seed_everything
from support.model import GPT, GPTConfig
from support.training import memory_plan, saved_for_backward
from support.view.live import find
from support.view.live.memory import memory
from support.view.live.rates import RATES, RECORD, TOP, draw_rates, rates


@pytest.fixture(scope="module")
def study(script):
    return script("rates_and_clips")


def test_the_recorded_runs_are_all_there_and_start_alike(study):
    kinds = {(run["optimiser"], run["rate"], run["clip"]) for run in RECORD["runs"]}
    assert kinds == {(o, r, c) for o in study.OPTIMISERS for r in study.RATES for c in study.CLIPS}
    assert len(RECORD["runs"]) == len(kinds) == 64
    assert {run["losses"][0] for run in RECORD["runs"]} == {RECORD["runs"][0]["losses"][0]}
    for run in RECORD["runs"]:
        assert (run["stopped"] is None) == (len(run["losses"]) == 30) == (run["held_out"] is not None)


def test_a_recorded_run_can_be_made_again(study):
    """The one that stops, because it is short; its first steps do not depend on the machine."""
    kept = next(r for r in RECORD["runs"] if r["stopped"] is not None)
    again = study.run(kept["optimiser"], kept["rate"], kept["clip"])
    assert again["stopped"] == pytest.approx(kept["stopped"], abs=3) and again["held_out"] is None
    assert again["losses"][:3] == pytest.approx(kept["losses"][:3], rel=1e-2)


@pytest.mark.parametrize(("clip", "sign"), [("none", "↑ up to 17,600, then NaN"), ("5", "↑ up to 1830")])
def test_a_loss_that_explodes_leaves_the_frame_and_says_how_far_it_goes(clip, sign):
    values = {"rate": 7, "clip": clip, "optimiser": "SGD"}
    found = rates(**values)
    [ax] = draw_rates(values, found).axes
    assert max(line.get_ydata().max() for line in ax.get_lines()[: len(RATES)]) == found["highest"] > TOP
    assert ax.get_ylim()[1] < TOP + 1 and sign in [text.get_text() for text in ax.texts]


def test_the_runs_agree_with_the_record_of_failures():
    """Same seed, same model, same games: what both records hold must be the same run."""
    failures = {r["arm"]: r["held_out"] for r in zoo.record("failures")["runs"] if r["seed"] == 0}
    same = {
        "healthy": (3, "1", "AdamW"),
        "lr 0.1": (5, "1", "AdamW"),
        "clip 5": (3, "5", "AdamW"),
        "SGD 0.3": (6, "1", "SGD"),
        "SGD 0.3, clip 0.001": (6, "0.001", "SGD"),
    }
    for arm, where in same.items():
        assert rates(*where)["held"] == pytest.approx(failures[arm], abs=0.02), arm


def test_a_run_that_stops_is_said_to_be_over():
    found = rates(len(RATES) - 1, "none", "SGD")
    assert found["end"] == "NaN" and "NaN at step 19" in found["finding"]
    assert all(("NaN" in run["finding"]) == (run["held"] is None) for run in (found, rates(3, "1", "SGD")))


@pytest.mark.parametrize("every", [0, 1, 2])
def test_the_memory_of_the_figure_is_what_autograd_keeps(every):
    """Without checkpoints the plan's activations are measured; with them it is the package's plan."""
    found = memory(2, 64, 1, 128, "float32", every, 1)
    config = GPTConfig(vocab_size=50257, context=128, d_model=64, n_layers=2, n_heads=1)
    assert found["activations"] == memory_plan(config, 128, recompute_every=every).activations / 1e9
    if every:
        return
    seed_everything(0)
    model, ids = GPT(config), torch.randint(50257, (1, 128))
    kept = saved_for_backward(lambda: F.cross_entropy(model(ids).flatten(0, 1), ids.flatten()), model)
    assert found["activations"] == pytest.approx(kept / 1e9, rel=0.02)
    assert found["millions"] == pytest.approx(model.n_parameters() / 1e6)


def test_the_memory_of_gpt_2_xl_and_gpt_3():
    assert memory(48, 1600, 8, 1024, "float32", 0, 1)["millions"] == pytest.approx(1557.6, abs=0.1)
    assert memory(96, 12288, 1, 2048, "float32", 0, 1)["millions"] == pytest.approx(174_600, rel=1e-3)


def test_savings_save_what_they_should():
    plain = memory(48, 1600, 8, 1024, "float32", 0, 1)
    mixed = memory(48, 1600, 8, 1024, "16-bit, mixed", 0, 1)
    parts = ("weights", "gradients", "optimiser")
    assert sum(mixed[p] for p in parts) == pytest.approx(sum(plain[p] for p in parts))
    assert mixed["activations"] == pytest.approx(plain["activations"] / 2)
    divided = memory(48, 1600, 8, 1024, "16-bit, mixed", 0, 8)
    assert [divided[p] for p in parts] == pytest.approx([mixed[p] / 8 for p in parts])
    beyond = memory(2, 1600, 8, 1024, "float32", 96, 1)
    assert beyond["activations"] == memory(2, 1600, 8, 1024, "float32", 2, 1)["activations"]


def test_a_width_between_two_steps_is_refused():
    with pytest.raises(InputError):
        find("memory").values(width=100)
