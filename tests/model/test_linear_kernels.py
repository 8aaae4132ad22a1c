"""Products of linear layers in float32 on a CPU: the same within rounding, and only where they suit."""

import copy

import pytest
import torch
import torch.nn.functional as F
from helpers import Seen
from torch import nn

from support.model import GPT, GPTConfig, linear_kernels
from support.model.linear_kernels import WORTHWHILE, OneDNNLinear, float32_products, onednn_is_faster
from support.training import TrainConfig, train

HERE = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
needs_onednn = pytest.mark.skipif(not HERE, reason="this build of torch has no oneDNN")
CPU = torch.device("cpu")


@pytest.fixture
def faster(monkeypatch):
    """As on a processor where oneDNN is the faster of the two."""
    monkeypatch.setattr(linear_kernels, "onednn_is_faster", lambda: True)


def within_rounding(found, exact, size, terms):
    """A sum of so many terms in whatever order (Higham 2002, 3.1); ``size`` is the sum of their sizes."""
    bound = (terms + 2) * torch.finfo(torch.float32).eps / 2 * size
    return found.shape == exact.shape and bool(((found - exact).abs() <= 1.01 * bound).all())


@needs_onednn
@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize(("inputs", "outputs"), [(48, 112), (112, 48), (40, 40)])
def test_the_product_and_its_three_gradients_are_those_of_float64(inputs, outputs, bias):
    torch.manual_seed(inputs)
    x, weight, upstream = torch.randn(70, inputs), torch.randn(outputs, inputs), torch.randn(70, outputs)
    shift = torch.randn(outputs) if bias else None
    given = [t.requires_grad_() for t in (x, weight, shift) if t is not None]
    found = OneDNNLinear.apply(*given, *([] if bias else [None]))
    gradients = torch.autograd.grad(found, given, upstream)
    x, weight, upstream = (t.detach().double() for t in (x, weight, upstream))
    exact = x @ weight.T + (shift.double() if bias else 0)
    size = x.abs() @ weight.abs().T + (shift.double().abs() if bias else 0)
    assert within_rounding(found, exact, size, inputs)
    assert within_rounding(gradients[0], upstream @ weight, upstream.abs() @ weight.abs(), outputs)
    assert within_rounding(gradients[1], upstream.T @ x, upstream.abs().T @ x.abs(), 70)
    if bias:
        assert within_rounding(gradients[2], upstream.sum(0), upstream.abs().sum(0), 70)


@needs_onednn
@pytest.mark.parametrize("case", ["large", "small", "double", "autocast", "transposed"])
def test_it_is_taken_for_large_float32_layers_and_nothing_else(case, faster):
    rows = WORTHWHILE // 128 // 128 - (case == "small")
    layer, x = nn.Linear(128, 128), torch.ones(2, rows // 2, 128)
    if case == "double":
        layer, x = layer.double(), x.double()
    if case == "transposed":
        layer.weight = nn.Parameter(layer.weight.detach().T)
    narrow = torch.autocast("cpu", torch.bfloat16, enabled=case == "autocast")
    with narrow, float32_products(CPU), Seen() as seen:
        found = layer(x)
    assert seen.products == (case == "large")
    assert case != "large" or not found._is_view()  # torch's fully sharded modules warn of a view
    with narrow:
        assert torch.allclose(found, layer(x), atol=1e-5)


class Doubled(nn.Linear):
    def forward(self, x):
        return 2 * F.linear(x, self.weight, self.bias)


def trained(recompute=False, replaced=False, dtype=torch.float32):
    """The losses of four steps whose layers are large enough, and the products of oneDNN in them."""
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocab_size=128, context=64, d_model=128, n_layers=2, n_heads=4)).to(dtype)
    if replaced:
        old = model.blocks[0].feed_forward.down
        model.blocks[0].feed_forward.down = new = Doubled(old.in_features, old.out_features)
        new.load_state_dict(copy.deepcopy(old.state_dict()))
        new.to(dtype)
    ids = torch.randint(128, (16, 65))
    config = TrainConfig(steps=4, lr=1e-3, precision="float32", activation_checkpointing=recompute)
    with Seen() as seen:
        history = train(model, lambda _step: (ids[:, :-1], ids[:, 1:]), config)
    return history.losses, seen.products


@needs_onednn
@pytest.mark.parametrize("replaced", [False, True])
@pytest.mark.parametrize("recompute", [False, True])
def test_training_takes_it_forward_and_backward_and_for_activations_computed_anew(
    recompute, replaced, faster
):
    losses, products = trained(recompute, replaced)
    layers = 2 * 4
    assert products == 4 * (3 * (layers + 1) + recompute * layers)
    exact, none = trained(recompute, replaced, torch.float64)
    assert none == 0 and torch.allclose(torch.tensor(losses), torch.tensor(exact), rtol=1e-5, atol=0)


@pytest.mark.parametrize(
    ("maker", "vectors", "expected"),
    [("AuthenticAMD", "AVX512", HERE), ("GenuineIntel", "AVX512", False), ("AuthenticAMD", "AVX2", False)],
)
def test_it_is_chosen_by_the_processor_alone(monkeypatch, maker, vectors, expected):
    monkeypatch.setattr(linear_kernels, "vendor", lambda: maker)
    monkeypatch.setattr(torch.backends.cpu, "get_cpu_capability", lambda: vectors)
    monkeypatch.setattr(torch.backends.mkl, "is_available", lambda: True)
    assert onednn_is_faster.__wrapped__() == expected
