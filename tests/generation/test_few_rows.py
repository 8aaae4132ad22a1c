"""Linear layers for a few rows: oneDNN's product where it pays, the same numbers within rounding."""

import copy

import pytest
import torch
import torch.nn.functional as F
from helpers import Seen
from torch import nn

from support.generation import generate, generate_many
from support.generation.few_rows import FEW, LARGE, few_rows
from support.model import GPT, GPTConfig

HERE = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
needs_onednn = pytest.mark.skipif(not HERE, reason="this build of torch has no oneDNN")


@pytest.fixture(scope="module")
def large():
    """A small model whose layers are just large enough: four in a block, and the head."""
    config = GPTConfig(vocab_size=1024, context=48, d_model=512, n_layers=2, n_heads=8)
    torch.manual_seed(0)
    return GPT(config).eval()


@needs_onednn
@pytest.mark.parametrize("rows", [(1,), (1, 1), (16, 1), (2, 16), (FEW,), (FEW + 1,)])
@pytest.mark.parametrize("bias", [True, False])
def test_the_product_is_that_of_float64_within_rounding(rows, bias):
    generator = torch.Generator().manual_seed(0)
    layer = nn.Linear(640, LARGE // 512, bias=bias)
    x = torch.randn(*rows, 2 * 640, generator=generator)[..., ::2]  # not contiguous
    with torch.inference_mode(), few_rows(layer), Seen() as seen:
        found = layer(x)
    assert seen.products == (x.numel() // 640 <= FEW)
    exact = copy.deepcopy(layer).double()
    size = x.double().abs() @ exact.weight.abs().T + (exact.bias.abs() if bias else 0)
    bound = 642 * torch.finfo(torch.float32).eps / 2 * size  # of a sum in whatever order (Higham 2002, 3.1)
    assert bool(((found - exact(x.double())).abs() <= 1.01 * bound).all())


@needs_onednn
@pytest.mark.parametrize("case", ["double", "gradients", "small", "transposed"])
def test_elsewhere_the_usual_product_is_taken(case):
    layer = nn.Linear(512, 256 if case == "small" else 512)
    x = torch.ones(1, 512)
    if case == "double":
        layer, x = layer.double(), x.double()
    if case == "transposed":
        layer.weight = nn.Parameter(layer.weight.detach().T)
    with torch.set_grad_enabled(case == "gradients"), few_rows(nn.Linear(512, 512)), Seen() as seen:
        found = layer(x)
    assert seen.products == 0 and torch.equal(found, layer(x))


@needs_onednn
def test_generation_takes_it_for_the_new_tokens_and_writes_the_same(large):
    with Seen() as seen:
        text = generate(large, range(40), 3, greedy=True)
    assert seen.products == 2 * (4 * 2 + 1)  # the prompt is more than a few rows
    usual = generate(copy.deepcopy(large).double(), range(40), 3, greedy=True)
    assert text == usual
    with Seen() as seen:
        generate_many(large, [[1, 2]] * (FEW + 1), 3, greedy=True)
    assert seen.products == 0


class Doubled(nn.Linear):
    def forward(self, x):
        return 2 * F.linear(x, self.weight, self.bias)


@needs_onednn
def test_what_replaces_a_layer_counts_and_takes_it_too(large):
    model = copy.deepcopy(large)
    old = model.blocks[1].feed_forward.down
    new = Doubled(old.in_features, old.out_features)
    new.load_state_dict(old.state_dict())
    model.blocks[1].feed_forward.down = new
    with Seen() as seen:
        text = generate(model, range(40), 4, greedy=True)
    assert seen.products == 3 * (4 * 2 + 1)
    assert text == generate(copy.deepcopy(model).double(), range(40), 4, greedy=True)
    assert text != generate(large, range(40), 4, greedy=True)


def test_a_model_that_somebody_has_compiled_keeps_its_products(large):
    """Inductor has products of its own, and refuses this one for weights that may still change."""
    graphs = []

    def backend(graph, examples):
        graphs.append(graph.code)
        return graph.forward

    model = copy.deepcopy(large)
    model.forward = torch.compile(model.forward, backend=backend, dynamic=True)
    text = generate(model, range(40), 3, greedy=True)
    assert text == generate(large, range(40), 3, greedy=True)
    assert graphs and "linear" in graphs[-1] and not any("mkldnn" in graph for graph in graphs)


def test_without_onednn_nothing_is_done(large, monkeypatch):
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    with Seen() as seen:
        generate(large, [1], 2, greedy=True)
    assert seen.products == 0
