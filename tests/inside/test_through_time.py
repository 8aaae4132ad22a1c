"""Gradients through time: against finite differences, autograd's Jacobian, and a linear network's powers."""

import pytest
import torch

from support.ancestors import LSTM, RNN, MinGRU
from support.ancestors.recurrent import CELLS
from support.inside import jacobian_norms, step_jacobians


@pytest.mark.parametrize("kind", CELLS)
def test_the_norm_is_that_of_autograds_jacobian(kind):
    cell, x = CELLS[kind](3, 4).double(), torch.randn(1, 6, 3).double()
    whole = torch.autograd.functional.jacobian(lambda x: cell(x)[0][0, -1], x)[
        :, 0
    ]  # [d_hidden, position, d_in]
    expected = torch.linalg.svdvals(whole.movedim(1, 0))[:, 0]
    assert torch.allclose(jacobian_norms(cell, x)[0], expected, atol=1e-12, rtol=0)


@pytest.mark.parametrize("kind", CELLS)
def test_the_product_of_the_steps_is_the_gradient_of_the_last_state(kind):
    cell, x = CELLS[kind](3, 4).double(), torch.randn(2, 5, 3).double()
    steps = step_jacobians(cell, x)

    def last(state):
        return torch.cat(cell(x[:1], tuple(state.chunk(cell.states, 1)))[1], 1)[0]

    whole = torch.autograd.functional.jacobian(last, torch.cat(cell.start(1), 1))[:, 0]
    product = torch.eye(whole.shape[0]).double()
    for step in steps[0]:
        product = step @ product
    assert torch.allclose(product, whole, atol=1e-12, rtol=0)


def test_one_step_against_a_finite_difference():
    cell, x, nudge = LSTM(2, 3).double(), torch.randn(1, 1, 2).double(), 1e-6
    start = torch.zeros(1, 6).double()
    columns = []
    for i in range(6):
        ends = []
        for sign in (1, -1):
            moved = start.clone()
            moved[0, i] += sign * nudge
            ends.append(torch.cat(cell(x, tuple(moved.chunk(2, 1)))[1], 1)[0])
        columns.append((ends[0] - ends[1]) / (2 * nudge))
    assert torch.allclose(step_jacobians(cell, x)[0, 0], torch.stack(columns, 1), atol=1e-8)


def test_near_zero_a_plain_network_forgets_as_the_powers_of_its_matrix():
    cell = RNN(1, 6).double()
    with torch.no_grad():
        cell.recurrent.weight.mul_(0.9)  # 0.9 times an orthogonal matrix
        cell.recurrent.bias.zero_()
        cell.input.bias.zero_()
    norms = jacobian_norms(cell, torch.zeros(1, 21, 1).double())[0]
    assert torch.allclose(norms / norms[-1], 0.9 ** torch.arange(20, -1, -1.0).double(), atol=1e-12)


def test_a_closed_gate_keeps_everything():
    cell = MinGRU(1, 4).double()
    with torch.no_grad():
        cell.input.weight.zero_()
        cell.input.bias[:4] = -40.0  # z = 0
    assert torch.allclose(step_jacobians(cell, torch.zeros(1, 3, 1).double())[0, 0], torch.eye(4).double())
