"""Perceptrons side by side against torch's own modules and optimiser, one network at a time."""

import pytest
import torch
from torch import nn

from support.ancestors import Perceptrons
from support.core import InputError


def as_modules(nets, seed):
    modules = []
    for W, b in nets.layers:
        linear = nn.Linear(*W.shape[1:]).double()
        with torch.no_grad():
            linear.weight.copy_(W[seed].T)
            linear.bias.copy_(b[seed, 0])
        modules += [linear, nn.ReLU()]
    return nn.Sequential(*modules[:-1])


def test_outputs_and_training_are_torchs():
    nets = Perceptrons([6, 5, 3], seeds=3)
    x = torch.randn(20, 6, dtype=torch.float64, generator=torch.Generator().manual_seed(1))
    labels = torch.arange(20) % 3
    alone = [as_modules(nets, seed) for seed in range(3)]
    for seed, net in enumerate(alone):
        assert torch.allclose(nets(x)[seed], net(x), rtol=0, atol=1e-12)
        optimiser = torch.optim.AdamW(net.parameters(), lr=0.03, weight_decay=0.5)
        for _ in range(10):
            optimiser.zero_grad()
            nn.functional.cross_entropy(net(x), labels).backward()
            optimiser.step()
    total = lambda z: 3 * nn.functional.cross_entropy(z.flatten(0, 1), labels.repeat(3))  # noqa: E731
    nets.fit(x, total, weight_decay=0.5, steps=10)
    for seed, net in enumerate(alone):
        assert torch.allclose(nets(x)[seed], net(x), rtol=0, atol=1e-9)


def test_an_ablated_unit_and_a_cut_connection_count_nothing():
    nets = Perceptrons([4, 3, 2], seeds=2)
    x = torch.randn(5, 4, dtype=torch.float64)
    keep = torch.tensor([1.0, 0.0, 1.0])
    assert (nets.hidden(x, keep)[..., 1] == 0).all()
    mask = torch.tensor([[1.0, 0.0], [1.0, 1.0], [0.0, 1.0]], dtype=torch.float64)
    nets.fit(x, lambda z: z.square().mean(), mask=mask, steps=3)
    assert (nets.layers[-1][0][:, mask == 0] == 0).all()


@pytest.mark.parametrize("sizes, seeds", [([3], 1), ([3, 1], 0)])
def test_nonsense_is_refused(sizes, seeds):
    with pytest.raises(InputError):
        Perceptrons(sizes, seeds)
