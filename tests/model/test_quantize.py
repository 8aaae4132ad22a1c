"""Eight-bit weights: what the product computes, what it costs in accuracy, and what stays as it is."""

import pytest
import torch
from helpers import shaken
from torch import nn

from support import zoo
from support.core import InputError
from support.generation import generate
from support.model import GPT, GPTConfig, Int8Linear, quantize
from support.training import evaluate_loss

SMALL = {"vocab_size": 32, "context": 24, "d_model": 32, "n_heads": 4, "n_layers": 2}
FAMILY = {
    "GPT-2": {},
    "Llama": {"positions": "rope", "norm": "rms", "activation": "swiglu", "tie_weights": False},
    "Mixtral": {"n_experts": 3, "experts_per_token": 2},
}


@pytest.mark.parametrize("width", [64, 88, 5])  # torch's own kernel takes multiples of 16 alone
def test_the_product_equals_a_line_in_float64(width):
    linear = nn.Linear(width, 5)
    small, x = Int8Linear(linear.weight, linear.bias), torch.randn(2, 3, width)
    weight = small.weight[:, :width].double() * small.scale.double()[:, None]
    want = x.double() @ weight.T + linear.bias.double()
    # bfloat16 has eight binary digits: inputs and outputs are each off by 2^-9 of their size at most
    bound = 2**-8 * (x.double().norm(dim=-1, keepdim=True) * linear.weight.double().norm(dim=1))
    assert ((small(x) - want).abs() <= bound).all()
    off = (weight - linear.weight).abs()
    assert (off <= small.scale.float()[:, None] / 2 + 0.004 * linear.weight.abs()).all()


@pytest.mark.parametrize("family", FAMILY)
def test_logits_are_near_and_every_linear_is_small(family):
    model = shaken(GPT(GPTConfig(**SMALL, **FAMILY[family]))).eval()
    before = {name: t.clone() for name, t in model.state_dict().items()}
    small, ids = quantize(model, "int8"), torch.randint(32, (3, 20))
    assert not any(isinstance(m, nn.Linear) for m in small.modules())
    assert isinstance(small.head, Int8Linear) and small.embedding.weight.equal(model.embedding.weight)
    assert ((small(ids) - model(ids)).norm() / model(ids).norm()) < 0.1
    assert all(model.state_dict()[name].equal(t) for name, t in before.items())
    text = generate(small, [1, 2], 12, greedy=True)
    assert text == generate(small, [1, 2], 12, greedy=True, cache=False)


def test_a_trained_models_loss_moves_by_less_than_a_hundredth():
    entry = zoo.load("stories")
    texts = [generate(entry.model, [entry.vocabulary.encode(["<BOS>"])[0]], 40, seed=s) for s in range(8)]
    losses = [evaluate_loss(model, texts) for model in (entry.model, quantize(entry.model))]
    assert abs(losses[1] - losses[0]) < 0.01


def test_what_is_no_plain_linear_stays():
    class Doubled(nn.Linear):
        def forward(self, x):
            return 2 * super().forward(x)

    model = GPT(GPTConfig(**SMALL)).eval()
    model.blocks[0].attention.qkv = Doubled(32, 96)
    model.blocks[1].attention.output.register_forward_hook(lambda _module, _args, out: 0 * out)
    small = quantize(model)
    assert type(small.blocks[0].attention.qkv) is Doubled
    assert type(small.blocks[1].attention.output) is nn.Linear
    assert isinstance(small.blocks[1].attention.qkv, Int8Linear)


def test_other_weights_are_refused():
    with pytest.raises(InputError, match="weights='int3' is unknown"):
        quantize(GPT(GPTConfig(**SMALL)), "int3")


def test_a_small_copy_computes_as_many_operations():
    model = GPT(GPTConfig(vocab_size=9, d_model=24, n_heads=2)).eval()
    assert quantize(model).flops_per_token() == model.flops_per_token()
    with pytest.raises(InputError, match="length=-5 must be greater"):
        model.flops_per_token(-5)
