"""Linear layers of a compiled step: their products, who takes them, and what happens where there is none."""

import copy
import shutil

import pytest
import torch
from helpers import said_by
from torch import nn

from support.generation.compiled_linear import (
    BLOCK,
    _laid_out,
    blocks_of,
    by_blocks,
    by_row,
    laid_out_once,
)


def layer_of(outputs, bias, inputs=37):
    torch.manual_seed(outputs)
    return nn.Linear(inputs, outputs, bias=bias)


def within_rounding(found, layer, x):
    """A sum in whatever order (Higham 2002, 3.1), against float64."""
    exact = copy.deepcopy(layer).double()
    size = x.double().abs() @ exact.weight.abs().T + (0 if layer.bias is None else exact.bias.abs())
    bound = (layer.in_features + 2) * torch.finfo(torch.float32).eps / 2 * size
    return found.dtype == x.dtype and bool(((found - exact(x.double())).abs() <= 1.01 * bound).all())


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("outputs", [1, BLOCK - 1, BLOCK, 3 * BLOCK + 5])
@pytest.mark.parametrize("shape", [(37,), (1, 37), (1, 1, 37)], ids=str)
def test_one_row_is_that_of_float64_within_rounding(outputs, bias, shape):
    layer, x = layer_of(outputs, bias), torch.randn(shape)
    found = by_row(x, layer.weight, layer.bias)
    assert found.shape == (*shape[:-1], outputs) and within_rounding(found, layer, x)


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("outputs", [1, BLOCK - 1, BLOCK, 3 * BLOCK + 5])
@pytest.mark.parametrize("shape", [(37,), (5, 37), (4, 1, 37), (2, 3, 37)], ids=str)
def test_blocks_give_that_of_float64_within_rounding(outputs, bias, shape):
    layer, x = layer_of(outputs, bias), torch.randn(shape)
    found = by_blocks(x, blocks_of(layer.weight), outputs, layer.bias)
    assert found.shape == (*shape[:-1], outputs) and within_rounding(found, layer, x)


def test_each_weight_stands_once_in_its_blocks():
    weight = torch.arange(1.0, 1 + 21 * 3).view(21, 3)
    blocks = blocks_of(weight)
    assert blocks.shape == (2, 3, BLOCK) and blocks.is_contiguous()
    for output in range(2 * BLOCK):
        expected = weight[output].tolist() if output < 21 else [0, 0, 0]
        assert blocks[output // BLOCK, :, output % BLOCK].tolist() == expected


def test_a_weight_is_laid_out_once_a_text_and_anew_for_the_next():
    weight = torch.ones(4, 2)
    with laid_out_once({}):
        first = _laid_out(weight)
        weight += 1  # nobody may do this while a text is written
        assert _laid_out(weight) is first
    with laid_out_once({}):
        assert torch.equal(_laid_out(weight), blocks_of(weight)) and not torch.equal(_laid_out(weight), first)
    assert _laid_out(weight) is not _laid_out(weight)  # outside of a text nothing is kept


# In processes of their own: the shape checks of the tests are no part of a graph.
REWRITTEN = """
import torch
from support.generation.compiled_linear import blocks_of, by_blocks, by_row, with_chosen_products
from support.model import GPT, GPTConfig

class Doubled(torch.nn.Linear):
    def forward(self, x):
        return 2 * super().forward(x)

def calls(texts, tied):
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocab_size=11, d_model=16, n_heads=2, n_layers=2, tie_weights=tied)).eval()
    model.blocks[1].feed_forward.down = Doubled(model.blocks[1].feed_forward.down.in_features, 16)
    ids, seen = torch.randint(11, (texts, 1)), []

    def backend(graph, inputs):
        own, blocked = with_chosen_products(graph)
        places = own.graph.find_nodes(op="placeholder")
        seen.append([node.target for node in own.graph.nodes if node.op == "call_function"])
        return lambda *given: own(*given, *(blocks_of(given[places.index(w)]) for w in blocked))

    with torch.inference_mode():
        usual = model(ids, last=True)
        found = torch.compile(lambda ids: model(ids, last=True), backend=backend, dynamic=True)(ids)
    (targets,) = seen
    counts = [targets.count(product) for product in (by_row, by_blocks, torch.nn.functional.linear)]
    return [torch.allclose(found, usual, atol=1e-5), *counts]
"""
CALLS = """
for texts in (1, 3):
    for tied in (True, False):
        print(*calls(texts, tied))
"""


@pytest.mark.parametrize("texts", [1, 3])
def test_the_rewritten_graph_computes_the_logits_and_calls_no_other_product(texts):
    """Four layers in each of two blocks, one of them replaced, and the head."""
    said = said_by(REWRITTEN, {"calls": CALLS})["calls"]
    expected = ["True", "9", "0", "0", "True", "0", "9", "0"]
    assert said[8 * (texts > 1) :][:8] == (expected[:4] if texts == 1 else expected[4:]) * 2


MODEL = """
import torch
from support.generation import compiled_linear, generate_many
from support.model import GPT, GPTConfig
torch.manual_seed(0)
model = GPT(GPTConfig(vocab_size=40, context=64, d_model=32, n_heads=4, n_layers=1)).eval()
prompts = [[1, 2, 3], [4, 5], [6]]
laid, lay = [], compiled_linear.blocks_of
compiled_linear.blocks_of = lambda weight: laid.append(type(weight)) or lay(weight)

def same(new=20):
    laid.clear()
    fast = generate_many(model, prompts, new, greedy=True, compile=True)
    return fast == generate_many(model, prompts, new, greedy=True)
"""
ONCE = """
print(same())
for new in (20, 30):
    print(same(new), len(laid))
model.blocks[0].feed_forward.up.weight.data *= -3
print(same(), len(laid))
"""
NONE_OF_ITS_OWN = """
class Written(torch.nn.Linear):
    def forward(self, x):
        return x @ self.weight.T + self.bias  # no product of its own for such a weight

down = model.blocks[0].feed_forward.down
model.blocks[0].feed_forward.down = written = Written(down.in_features, down.out_features)
written.load_state_dict(down.state_dict())
print(same(), same(), len(laid))
"""


@pytest.fixture(scope="module")
def said():
    return said_by(MODEL, {"once": ONCE, "none of its own": NONE_OF_ITS_OWN})


@pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")
def test_the_weights_are_laid_out_once_a_text_and_a_change_between_two_texts_counts(said):
    assert said["once"] == ["True", "True", "5", "True", "5", "True", "5"]


@pytest.mark.skipif(not shutil.which("g++"), reason="no C++ compiler")
def test_where_inductor_has_no_product_of_its_own_the_step_is_compiled_as_usual(said):
    assert said["none of its own"] == ["True", "True", "0"]
