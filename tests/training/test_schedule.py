import math
from itertools import pairwise

import pytest
import torch
from torch import nn

from support.core import InputError
from support.model import GPT, GPTConfig
from support.training import (
    TrainConfig,
    cross_entropy_sum,
    decay_groups,
    learning_rate,
    make_optimiser,
    train,
)


def test_schedule_is_that_of_transformers():
    from transformers import get_cosine_schedule_with_warmup

    config = TrainConfig(steps=50, lr=0.2, warmup=7, min_lr=0.0)
    optimiser = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=config.lr)
    theirs = get_cosine_schedule_with_warmup(optimiser, config.warmup, config.steps)
    rates = []
    for _ in range(config.steps):
        rates.append(optimiser.param_groups[0]["lr"])
        optimiser.step()
        theirs.step()
    # Theirs starts the climb at 0, which wastes a step; ours at lr/warmup. After the climb they are equal.
    assert [learning_rate(s, config) for s in range(7, 50)] == pytest.approx(rates[7:])
    assert [learning_rate(s, config) for s in range(6)] == pytest.approx(rates[1:7])


def test_schedule_ends_at_min_lr():
    config = TrainConfig(steps=1000, lr=1.0, warmup=10, min_lr=0.25)
    rates = [learning_rate(s, config) for s in range(1000)]
    assert max(rates) == 1.0 and rates[-1] == pytest.approx(0.25, abs=1e-5)
    assert all(a >= b for a, b in pairwise(rates[10:]))


def test_only_matrices_of_linear_layers_decay():
    model = GPT(GPTConfig(vocab_size=11, d_model=8, n_heads=2, n_layers=1))
    decays, rest = decay_groups(model, 0.1)
    names = {id(p): n for n, p in model.named_parameters()}
    decayed = {names[id(p)] for p in decays["params"]}
    assert {n.split(".")[-1] for n in decayed} == {"weight"}
    assert not any("embedding" in n or "position" in n or "norm" in n for n in decayed)
    assert decayed == {
        f"{n}.weight" for n, m in model.named_modules() if isinstance(m, nn.Linear) and m.weight.dim() == 2
    }
    assert len(decays["params"]) + len(rest["params"]) == len(list(model.parameters()))


def test_adamw_follows_its_formula():
    """Two steps of AdamW, written out for one weight matrix, against the optimiser of `train`."""
    torch.manual_seed(0)
    layer = nn.Linear(3, 2, bias=False).double()
    config = TrainConfig(steps=2, lr=0.1, betas=(0.9, 0.98), weight_decay=0.05)
    optimiser, w = make_optimiser(layer, config), layer.weight.detach().clone()
    m = v = torch.zeros_like(w)
    for t in (1, 2):
        g = torch.randn(2, 3, dtype=torch.float64)
        layer.weight.grad = g.clone()
        optimiser.step()
        m, v = 0.9 * m + 0.1 * g, 0.98 * v + 0.02 * g**2
        w = w - 0.1 * 0.05 * w - 0.1 * (m / (1 - 0.9**t)) / ((v / (1 - 0.98**t)).sqrt() + 1e-8)
        assert torch.allclose(layer.weight, w, atol=1e-12)


@pytest.mark.parametrize(
    "wrong",
    [
        dict(steps=0),
        dict(steps=5, lr=0.0),
        dict(steps=5, lr=-math.inf),
        dict(steps=5, lr=0.1, min_lr=0.2),
        dict(steps=5, warmup=6),
        dict(steps=5, clip=0.0),
        dict(steps=5, betas=(0.9, 1.0)),
        dict(steps=5, optimiser="adam"),
        dict(steps=5, precision="float8"),
        dict(steps=5, accumulate=0),
    ],
)
def test_impossible_settings_are_refused_in_a_sentence(wrong):
    with pytest.raises(InputError, match=r"^TrainConfig: .*\.$"):
        TrainConfig(**wrong)


def test_lower_layers_learn_slower_by_layer_decay():
    """Against one step of SGD: each parameter moves by its rate times its gradient."""
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, n_layers=3)).double()
    before = {name: p.detach().clone() for name, p in model.named_parameters()}
    inputs, targets = torch.tensor([[1, 4, 5]]), torch.tensor([[4, 5, 2]])
    (cross_entropy_sum(model(inputs), targets) / 3).backward()
    gradients = {name: p.grad.clone() for name, p in model.named_parameters()}
    how = {"optimiser": "sgd", "betas": (0.0, 0.0), "weight_decay": 0.0, "clip": None}
    train(
        model, lambda step: (inputs, targets), TrainConfig(1, lr=0.5, layer_decay=0.1, progress=False, **how)
    )
    rates = {"blocks.0": 0.01, "blocks.1": 0.1, "blocks.2": 1.0, "final_norm": 1.0}
    rates |= {"embedding": 0.001, "position": 0.001}
    for name, p in model.named_parameters():
        rate = next(rate for place, rate in rates.items() if name.startswith(place))
        assert torch.allclose(p, before[name] - 0.5 * rate * gradients[name], atol=1e-12), name
