"""The loss scaler against torch's own, through a script of overflows."""

import math

import pytest
import torch

from support.core import InputError
from support.training import LossScaler, underflow

SCRIPT = "..x....xx......x..........x"  # x: an overflow in this step


def test_the_scale_follows_torch_through_overflows():
    own = LossScaler(scale=2.0**10, interval=3)
    theirs = torch.amp.GradScaler("cpu", init_scale=2.0**10, growth_interval=3)
    weights = [torch.nn.Parameter(torch.ones(2)) for _ in range(2)]
    optimiser = torch.optim.SGD([weights[1]], lr=0.1)
    for at, event in enumerate(SCRIPT):
        gradient = math.inf if event == "x" else 0.5 + at
        assert own.scale == theirs.get_scale()
        loss = theirs.scale((weights[1] * gradient).sum())
        loss.backward()
        weights[0].grad = weights[1].grad.clone()
        if own.unscale([weights[0]]):
            with torch.no_grad():
                weights[0] -= 0.1 * weights[0].grad
        theirs.step(optimiser)
        theirs.update()
        optimiser.zero_grad()
        assert torch.allclose(weights[0], weights[1], atol=1e-6)
    assert own.scale != 2.0**10


def test_impossible_scalers_are_refused():
    for wrong in ({"scale": 0.0}, {"growth": 1.0}, {"backoff": 1.0}, {"interval": 0}):
        with pytest.raises(InputError, match="a loss scaler needs"):
            LossScaler(**wrong)


def test_underflow_and_overflow_stand_where_the_format_ends():
    half = torch.finfo(torch.float16)
    smallest = half.smallest_normal * half.eps  # the smallest subnormal, 2⁻²⁴
    edge = torch.tensor([smallest, smallest / 2, smallest * 0.51, half.max, half.max + 15, half.max + 16])
    assert underflow([edge]) == (1 / 6, 1 / 6)  # a tie goes to the even neighbour, zero or infinity
    assert underflow([edge.double()], scale=0.5) == (3 / 6, 0.0)
