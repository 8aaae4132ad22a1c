"""The recurrent cells against torch's own, in values and gradients; the scan against the loop."""

import pytest
import torch
from torch import nn

from support.ancestors import GRU, RNN, MinGRU, RecurrentModel, scan
from support.ancestors.recurrent import CELLS, Cell
from support.core import InputError
from support.generation import generate
from support.training import SequenceBatches, TrainConfig, train

NEAR = {"atol": 1e-12, "rtol": 0}
TORCHS = {"rnn": nn.RNN, "lstm": nn.LSTM, "gru": nn.GRU}


def twins(kind, d_in=3, d_hidden=5):
    """One of our cells, and torch's network with the same weights."""
    ours, theirs = (
        CELLS[kind](d_in, d_hidden).double(),
        TORCHS[kind](d_in, d_hidden, batch_first=True).double(),
    )
    with torch.no_grad():
        for name, part in (("ih", ours.input), ("hh", ours.recurrent)):
            getattr(theirs, f"weight_{name}_l0").copy_(part.weight)
            getattr(theirs, f"bias_{name}_l0").copy_(part.bias)
    return ours, theirs


@pytest.mark.parametrize("kind", TORCHS)
@pytest.mark.parametrize("from_zero", [True, False])
def test_states_and_gradients_equal_torchs(kind, from_zero):
    ours, theirs = twins(kind)
    x = torch.randn(2, 9, 3).double()
    state = ours.start(2) if from_zero else tuple(torch.randn(2, 5).double() for _ in range(ours.states))
    x_ours, x_theirs = x.clone().requires_grad_(), x.clone().requires_grad_()
    hidden, after = ours(x_ours, state)
    given = tuple(s[None] for s in state)
    expected, last = theirs(x_theirs, given if kind == "lstm" else given[0])
    assert torch.allclose(hidden, expected, **NEAR)
    for a, b in zip(after, last if kind == "lstm" else (last,), strict=True):
        assert torch.allclose(a, b[0], **NEAR)
    weights = torch.randn_like(hidden)
    (hidden * weights).sum().backward()
    (expected * weights).sum().backward()
    assert torch.allclose(x_ours.grad, x_theirs.grad, **NEAR)
    for name, part in (("ih", ours.input), ("hh", ours.recurrent)):
        assert torch.allclose(part.weight.grad, getattr(theirs, f"weight_{name}_l0").grad, atol=1e-11, rtol=0)
        assert torch.allclose(part.bias.grad, getattr(theirs, f"bias_{name}_l0").grad, atol=1e-11, rtol=0)


@pytest.mark.parametrize("kind", TORCHS)
def test_two_layers_equal_torchs_two(kind):
    ours = RecurrentModel(kind, 11, d_model=3, d_hidden=5, n_layers=2).double()
    theirs = TORCHS[kind](3, 5, num_layers=2, batch_first=True).double()
    with torch.no_grad():
        for i, layer in enumerate(ours.layers):
            for name, part in (("ih", layer.input), ("hh", layer.recurrent)):
                getattr(theirs, f"weight_{name}_l{i}").copy_(part.weight)
                getattr(theirs, f"bias_{name}_l{i}").copy_(part.bias)
    ids = torch.randint(0, 11, (2, 6))
    assert torch.allclose(ours(ids), ours.output(theirs(ours.embedding(ids))[0]), **NEAR)


def test_mingru_equals_the_loop_that_its_paper_writes():
    cell, x = MinGRU(3, 5).double(), torch.randn(2, 37, 3).double()
    to_z, to_n = cell.input.weight.chunk(2)
    z_bias, n_bias = cell.input.bias.chunk(2)
    h, states = torch.randn(2, 5).double(), []
    start = (h,)
    for t in range(x.shape[1]):
        z = torch.sigmoid(x[:, t] @ to_z.T + z_bias)
        h = (1 - z) * h + z * (x[:, t] @ to_n.T + n_bias)
        states.append(h)
    assert torch.allclose(cell(x, start)[0], torch.stack(states, 1), **NEAR)
    assert torch.allclose(Cell.forward(cell, x, start)[0], torch.stack(states, 1), **NEAR)
    assert torch.allclose(cell(x, start)[1][0], h, **NEAR)


@pytest.mark.parametrize("length", [1, 2, 3, 8, 13])
def test_the_scan_equals_the_loop(length):
    keep, add = torch.rand(3, length, 4).double(), torch.randn(3, length, 4).double()
    h, expected = torch.zeros(3, 4).double(), []
    for t in range(length):
        h = keep[:, t] * h + add[:, t]
        expected.append(h)
    assert torch.allclose(scan(keep, add), torch.stack(expected, 1), **NEAR)


@pytest.mark.parametrize("kind", ["lstm", "gru", "mingru"])
def test_the_gate_that_keeps_starts_where_it_is_told(kind):
    cell = CELLS[kind](3, 5, forget_bias=3.0).double()
    with torch.no_grad():
        for p in (cell.input.weight, *(() if not hasattr(cell, "recurrent") else (cell.recurrent.weight,))):
            p.zero_()
    # Nothing is read: of a change of what is stored, σ(3) is left after a step.
    old = [torch.randn(1, 5).double() for _ in range(2)]
    made = cell.input(torch.zeros(1, 3).double())
    h = torch.zeros(1, 5).double()
    after = [cell.step(made, (h, x) if kind == "lstm" else (x,))[-1] for x in old]
    assert torch.allclose(
        after[0] - after[1], torch.sigmoid(torch.tensor(3.0).double()) * (old[0] - old[1]), **NEAR
    )


def test_parameters_stand_in_the_ratio_of_their_blocks():
    counts = {kind: sum(p.numel() for p in CELLS[kind](64, 64).parameters()) for kind in CELLS}
    assert counts["lstm"] == 4 * counts["rnn"] and counts["gru"] == 3 * counts["rnn"]
    assert counts["mingru"] == counts["rnn"]
    q = RNN(4, 64).recurrent.weight
    assert torch.allclose(q @ q.T, torch.eye(64), atol=1e-5)


@pytest.mark.parametrize("kind", CELLS)
def test_every_kind_trains_and_writes_like_any_model(kind):
    model = RecurrentModel(kind, 9, d_model=16, d_hidden=24)
    text = [1, 4, 5, 4, 6, 2]
    train(model, SequenceBatches([text], 1), TrainConfig(steps=200, lr=0.03))
    assert generate(model, [1], 5, greedy=True, stop=[2]) == text
    assert model.n_parameters() == sum(p.numel() for p in model.parameters())


@pytest.mark.parametrize("kind", CELLS)
def test_reading_on_from_a_state_is_reading_at_once(kind):
    model = RecurrentModel(kind, 9, d_model=4, d_hidden=6, n_layers=2).double()
    ids = torch.randint(0, 9, (3, 8))
    made, states = [], None
    for i in range(8):
        logits, states = model.read(ids[:, i : i + 1], states)
        made.append(logits)
    assert torch.allclose(torch.cat(made, 1), model(ids), **NEAR)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: RecurrentModel("elman", 9, 4, 4), "choose one of rnn, lstm, gru, mingru"),
        (lambda: RecurrentModel("rnn", 9, 4, 4, forget_bias=1.0), "no gate that forgets"),
        (lambda: GRU(0, 4), "does not exist"),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(act, message):
    with pytest.raises(InputError, match=message):
        act()
