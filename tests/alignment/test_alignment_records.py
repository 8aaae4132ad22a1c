"""Recorded experiments on fine-tuning: complete, and what is cheap in them comes out again."""

import pytest

from support import zoo
from support.alignment import merge_lora
from support.worlds.story_questions import StoryQuestions


@pytest.mark.parametrize("name", ["forgetting", "instruct"])
def test_the_records_are_complete(script, name):
    study, record = script(name), zoo.record(name)
    assert [(r["method"], r["seed"]) for r in record["runs"]] == study.RUNS
    kept = study.record()
    assert kept == record  # made with the script's settings


def test_a_run_of_forgetting_comes_out_again(script):
    study, record = script("forgetting"), zoo.record("forgetting")
    row = next(r for r in record["runs"] if (r["method"], r["seed"]) == ("full, 1e-3", 0))
    track = study.run(study.METHODS["full, 1e-3"], seed=0)[1]["track"]
    # Another processor may round differently, and 100 steps carry that on: far less than between methods.
    for again, was in zip(track, row["track"], strict=True):
        assert again["new"] == pytest.approx(was["new"], abs=0.02)
        assert again["old"] == pytest.approx(was["old"], abs=0.04)


def test_the_adapter_of_the_zoo_is_the_one_of_the_record(script):
    study, record = script("instruct"), zoo.record("instruct")
    row = next(r for r in record["runs"] if (r["method"], r["seed"]) == study.KEPT)
    entry = zoo.load_adapted("story-answers")
    asked = StoryQuestions(without=study.HELD_OUT).sample(study.ASKED, 9)
    model = merge_lora(entry.model)
    assert study.accuracy(model, entry.vocabulary, asked)["all"] == pytest.approx(
        row["accuracy"]["all"], abs=0.01
    )
    assert study.forgotten(model)["loss"] == pytest.approx(row["forgotten"]["loss"], abs=1e-3)
    assert study.forced() == pytest.approx(record["forced"], abs=1e-4)
