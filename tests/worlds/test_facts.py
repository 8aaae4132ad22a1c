"""The fact world: its probabilities are those of its samples, and its floor is that of a model that knows."""

import math

import pytest
import torch
from torch import nn

from support.core import InputError
from support.worlds.facts import FactWorld

WORLD = FactWorld()


class Knowing(nn.Module):
    """A table of the right answers, with their probabilities."""

    def __init__(self, world, table):
        super().__init__()
        self.world, self.table = world, table

    def forward(self, ids):
        fact = ids[:, 0] * self.world.attributes + ids[:, 1] - self.world.subjects
        logits = torch.full((len(ids), 2, self.world.vocab_size), -math.inf, dtype=torch.float64)
        logits[:, -1, -self.world.answers :] = self.table[fact].log()
        return logits


def test_the_floor_is_the_loss_of_who_knows_all_and_guessing_costs_the_logarithm():
    assert WORLD.loss(Knowing(WORLD, WORLD.answer_probabilities)) == pytest.approx(WORLD.floor, abs=1e-12)
    even = torch.full_like(WORLD.answer_probabilities, 1 / 8)
    assert WORLD.loss(Knowing(WORLD, even)) == pytest.approx(math.log(8), abs=1e-12)


def test_the_exact_loss_is_the_mean_over_samples():
    table = torch.rand(WORLD.n_facts, 8, generator=torch.Generator().manual_seed(0), dtype=torch.float64)
    model = Knowing(WORLD, table / table.sum(1, keepdim=True))
    inputs, targets = WORLD.batch(200_000, seed=1)
    sampled = -model(inputs)[torch.arange(len(inputs)), 1, targets[:, 1]].mean()
    assert WORLD.loss(model) == pytest.approx(float(sampled), abs=0.02)


def test_unseen_facts_are_counted_as_in_a_sample():
    seen = {tuple(q) for q in WORLD.batch(5000, seed=2)[0].tolist()}
    share = sum(
        p
        for p, q in zip(WORLD.probabilities.tolist(), WORLD.questions.tolist(), strict=True)
        if tuple(q) not in seen
    )
    assert WORLD.unseen(5000) == pytest.approx(share, rel=0.05)
    assert WORLD.probabilities.sum() == pytest.approx(1.0)


def test_impossible_worlds_are_refused():
    for wrong in ({"subjects": 0}, {"answers": 1}, {"noise": 0.0}, {"noise": 1.0}, {"exponent": -1.0}):
        with pytest.raises(InputError):
            FactWorld(**wrong)
