"""The semantic model's card and the study's record, against the stored weights and a run begun anew."""

import numpy as np
import pytest
import torch

from support import zoo
from support.model import GPT
from support.worlds import SemanticWorld
from support.worlds.semantic import AXES, LATENTS, NOUNS
from support.zoo.recipes import semantic


@pytest.fixture(scope="module")
def entry():
    return zoo.load("semantic")


@pytest.fixture(scope="module")
def record():
    return zoo.record("semantic")


def test_the_card_says_what_the_stored_weights_do(entry):
    told = entry.card["seeds"][0]
    assert told["seed"] == entry.card["kept seed"] == 0
    assert {k: told[k] for k in semantic.facts(entry.model)} == pytest.approx(
        semantic.facts(entry.model), abs=2e-3
    )
    assert list(entry.card["answers"].values()) == list(semantic.judged(semantic.rows(entry.model)).answers)


def test_the_model_is_better_than_counting_and_above_the_floor(entry):
    losses = entry.card["loss, nats per token"]
    counted = [v for k, v in losses.items() if "gram" in k]
    assert len(counted) == 5
    assert losses["floor (the world itself)"] < losses["model"] < min(counted)


def test_no_random_vectors_come_near_the_model(entry):
    luck = entry.card["random vectors"]
    for run in entry.card["seeds"]:
        assert run["axes read"] > luck["axes read, most"]
        assert run["analogies"] > luck["analogies, most"]
        assert run["top 6"] > luck["top 6"] + 0.2
    again = semantic.of_random_vectors(draws=3)
    assert again["top 2"] == pytest.approx(luck["top 2"], abs=0.02)
    assert again["greatest R²"] <= luck["greatest R²"] + 1e-4


def test_the_record_bears_out_what_the_chapter_says(entry, record):
    """Fresh seeds: which arms bring the axes back, which do not, and what dictating does to the loss."""
    arms, luck = record["arms"], entry.card["random vectors"]
    for run in arms["rich 0.02"]:
        assert run["axes_read"] >= 4 and run["recovered"] >= 4 and run["top6"] > 0.75
    for run in arms["rich, untied"]:  # less dependable
        assert run["axes_read"] >= 2 and run["recovered"] >= 4 and run["top6"] > 0.75
    for name in ("thin 1.0", "full 1.0", "rich 1.0", "thin 0.02", "few of ten forms 0.02"):
        assert all(
            run["axes_read"] <= 1 and run["recovered"] <= luck["analogies, most"] for run in arms[name]
        )
    for dictated, free, noise in zip(
        arms["dictated, frozen"], arms["rich 0.02"], arms["random, frozen"], strict=False
    ):
        assert dictated["seed"] == free["seed"] == noise["seed"]
        assert dictated["loss"] < free["loss"] < noise["loss"]


def test_rows_are_the_nouns_own():
    vocabulary = SemanticWorld("full").vocabulary
    model = GPT(semantic.config(vocabulary))
    with torch.no_grad():
        model.embedding.weight[vocabulary.id("king")] = 7.0
    assert (semantic.rows(model)[NOUNS.index("king")] == 7).all()
    assert semantic.rows(model).shape == (40, 32)


def test_a_dictated_table_passes_every_test():
    turned = LATENTS @ np.linalg.qr(np.random.default_rng(0).normal(size=(32, 6)))[0].T
    seen = semantic.judged(turned)
    assert (seen.axes_read, seen.recovered, round(seen.top6, 6)) == (len(AXES), 5, 1.0)


def test_the_models_context_holds_every_sentence():
    longest = max(map(len, SemanticWorld().probabilities)) + 2
    assert semantic.config(SemanticWorld().vocabulary).context >= longest - 1


def test_the_study_starts_anew_as_recorded(script, record):
    """The first 250 steps of one run: a cheap row of the record, recomputed."""
    module = script("semantic")
    assert record["seeds"] == list(module.SEEDS) and record["steps"] == module.STEPS
    assert set(record["arms"]) <= set(module.ARMS)
    # An interrupted study has fewer seeds, but they come in order and none is left out.
    for runs in record["arms"].values():
        assert [run["seed"] for run in runs] == record["seeds"][: len(runs)]
    begun = module.run(module.ARMS["thin 0.02"], 101, steps=250)["trail"][0]
    told = record["arms"]["thin 0.02"][0]["trail"][0]
    assert begun["step"] == told["step"] == 250
    assert begun["loss"] == pytest.approx(told["loss"], abs=0.02)
    assert begun["top6"] == pytest.approx(told["top6"], abs=0.05)
