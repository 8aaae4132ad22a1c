"""The neural n-gram against the paper's formula in NumPy, its count of parameters, and a table of bigrams."""

import numpy as np
import pytest
import torch
from helpers import shaken

from support.ancestors import NeuralNGram
from support.core import InputError
from support.generation import generate
from support.training import SequenceBatches, TrainConfig, train


def numpy_forward(model, ids, direct):
    """y = b + W x + U tanh(d + H x), one text and one position after the other."""
    w = {name: p.detach().numpy() for name, p in model.named_parameters()}
    rows = []
    for text in ids:
        padded = [model.pad_id] * (model.window - 1) + list(text)
        for i in range(len(text)):
            x = np.concatenate([w["embedding.weight"][word] for word in padded[i : i + model.window]])
            hidden = np.tanh(w["hidden.bias"] + w["hidden.weight"] @ x)
            y = w["output.bias"] + w["output.weight"] @ hidden
            rows.append(y + w["direct.weight"] @ x if direct else y)
    return np.array(rows).reshape(len(ids), len(ids[0]), -1)


@pytest.mark.parametrize("direct", [False, True])
@pytest.mark.parametrize("window", [1, 2, 5])
def test_logits_are_those_of_the_formula(window, direct):
    model = shaken(NeuralNGram(11, window, d_model=3, d_hidden=4, direct=direct)).double()
    ids = torch.randint(1, 11, (2, 7))
    np.testing.assert_allclose(
        model(ids).detach().numpy(), numpy_forward(model, ids.tolist(), direct), atol=1e-12
    )


@pytest.mark.parametrize(("order", "first_layer", "total"), [
    (3, 12_000, 2_904_304), (6, 30_000, 2_922_304), (11, 60_000, 2_952_304),
])  # fmt: skip
def test_parameters_are_counted_as_in_the_paper(order, first_layer, total):
    V, m, h = 17_964, 60, 100
    model = NeuralNGram(V, order - 1, m, h)
    assert model.hidden.weight.numel() == first_layer
    assert model.n_parameters() == total == V * (1 + h) + V * m + h * (1 + (order - 1) * m)
    # With direct connections the paper writes |V|(1 + nm + h) + h(1 + (n − 1)m).
    direct = NeuralNGram(V, order - 1, m, h, direct=True).n_parameters()
    assert direct == V * (1 + order * m + h) + h * (1 + (order - 1) * m)


def test_window_one_without_hidden_layer_is_a_table_of_bigrams():
    model = NeuralNGram(6, window=1, d_model=6, d_hidden=0, direct=True).double()
    counts = torch.rand(6, 6, dtype=torch.float64) + 0.1
    with torch.no_grad():
        model.embedding.weight.copy_(torch.eye(6))
        model.direct.weight.copy_(counts.log().T)
        model.direct.bias.zero_()
    shares = counts / counts.sum(1, keepdim=True)
    ids = torch.tensor([[0, 3, 5, 1]])
    assert torch.allclose(model(ids).softmax(-1)[0], shares[ids[0]], atol=1e-12)


def test_nothing_outside_the_window_matters():
    model = shaken(NeuralNGram(9, window=3, d_model=4, d_hidden=5)).double()
    ids = torch.tensor([[1, 2, 3, 4, 5, 6]])
    changed = ids.clone()
    changed[0, 2] = 8
    differs = (model(ids) - model(changed)).abs().amax(2)[0] > 1e-9
    assert differs.tolist() == [False, False, True, True, True, False]


def test_it_trains_and_writes_like_any_model():
    model = NeuralNGram(9, window=2, d_model=8, d_hidden=16)
    text = [1, 4, 5, 4, 6, 2]  # what follows 4 depends on the word before it
    train(model, SequenceBatches([text], 1), TrainConfig(steps=150, lr=0.03))
    assert generate(model, [1], 5, greedy=True, stop=[2]) == text


@pytest.mark.parametrize("sizes", [(0, 1, 1, 1), (5, 0, 1, 1), (5, 1, 0, 1), (5, 1, 1, 0)])
def test_impossible_sizes_are_refused(sizes):
    with pytest.raises(InputError):
        NeuralNGram(*sizes)
