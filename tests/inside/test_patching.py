"""A clean activation restores what it carries: all, nothing, or one head's part."""

import pytest
import torch

from support.core import InputError
from support.inside import activation_patching, trace

# Computed in float64, and rounded to float32 when it is returned.
STORED = {"atol": 1e-10, "rtol": 2**-24}
CLEAN, CORRUPTED = [1, 5, 3, 7, 2], [1, 4, 3, 7, 2]


def difference(logits):
    return logits[0, -1, 6] - logits[0, -1, 2]


def test_streams_restore_all_of_it_and_the_untouched_position_none(family):
    stages = [f"residual.{stage}" for stage in range(7)]
    assert torch.allclose(activation_patching(family, CLEAN, CORRUPTED, difference, stages), torch.ones(7, 1))
    places = activation_patching(family, CLEAN, CORRUPTED, difference, stages, each="position")
    assert places.shape == (7, 5)
    # In the embedding only the exchanged word differs; in the end only the last place is read.
    torch.testing.assert_close(places[0], torch.tensor([0.0, 1, 0, 0, 0]), **STORED)
    torch.testing.assert_close(places[-1], torch.tensor([0.0, 0, 0, 0, 1]), **STORED)


def test_last_layer_by_hand(random_model):
    """Without a norm at the end the last heads and neurons speak straight to the logit: shares of a sum."""
    model = random_model(norm="none")
    clean, bad = trace(model, CLEAN), trace(model, CORRUPTED)
    reader = model.embedding.weight[6] - model.embedding.weight[2]
    whole = difference(clean.logits) - difference(bad.logits)
    network = model.blocks[-1].feed_forward
    want = []
    for head in range(3):
        stream = bad.streams[-3] + bad.attention[2]
        stream = stream + clean.heads[2][:, head] - bad.heads[2][:, head]
        with torch.no_grad():
            last = stream + network(stream)
        want.append((last[0, -1] @ reader - difference(bad.logits)) / whole)
    found = activation_patching(model, CLEAN, CORRUPTED, difference, ["blocks.2.attention.z"], each="head")
    torch.testing.assert_close(found[0].double(), torch.stack(want), **STORED)


def test_a_batch_is_restored_as_one(random_model):
    model = random_model()
    clean, bad = torch.tensor([CLEAN, CLEAN]), torch.tensor([CORRUPTED, [1, 8, 3, 7, 2]])

    def measure(logits):
        return logits[:, -1, 6].mean().item()

    found = activation_patching(model, clean, bad, measure, ["blocks.0.attention.output", "logits"])
    assert found.shape == (2, 1) and torch.allclose(found[1], torch.ones(1))


def test_what_cannot_be_compared_is_refused(random_model):
    model = random_model()
    with pytest.raises(InputError, match="word must stand"):
        activation_patching(model, CLEAN, CORRUPTED[:-1], difference, ["residual.1"])
    with pytest.raises(InputError, match="no difference"):
        activation_patching(model, CLEAN, CLEAN, difference, ["residual.1"])
    with pytest.raises(InputError, match="has no heads"):
        activation_patching(model, CLEAN, CORRUPTED, difference, ["residual.1"], each="head")
