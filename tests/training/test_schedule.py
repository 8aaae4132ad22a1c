import copy
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


def momentum_by_hand(model, batches, lr, steps):
    """Torch's plain SGD, without its fused kernel, as `train` is to do it with ``optimiser="sgd"``."""
    optimiser = torch.optim.SGD(model.parameters(), lr=lr, momentum=0.9, foreach=False)
    for step in range(steps):
        inputs, targets = batches(step)
        loss = cross_entropy_sum(model(inputs), targets) / targets.numel() + model.extra_loss()
        loss.backward()
        optimiser.step()
        optimiser.zero_grad()


def test_momentum_comes_to_an_expert_when_its_first_token_does():
    torch.manual_seed(0)
    ours = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, n_experts=6)).double()
    plain = copy.deepcopy(ours)

    def batches(step):
        return torch.tensor([[step % 9]]), torch.tensor([[(step + 1) % 9]])

    how = {"optimiser": "sgd", "weight_decay": 0.0, "clip": None, "min_lr": 0.1, "progress": False}
    train(ours, batches, TrainConfig(9, lr=0.1, betas=(0.9, 0.0), **how))
    momentum_by_hand(plain, batches, lr=0.1, steps=9)
    for p, q in zip(ours.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(p, q)


def test_a_first_step_that_float16_leaves_out_leaves_no_momentum_behind():
    ours, plain = nn.Linear(64, 64), nn.Linear(64, 64)
    plain.load_state_dict(ours.state_dict())
    fused = make_optimiser(ours, TrainConfig(2, lr=0.1, optimiser="sgd", weight_decay=0.0))
    usual = torch.optim.SGD(plain.parameters(), lr=0.1, momentum=0.9, foreach=False)
    fused.grad_scale = None
    for found in (1.0, 0.0):  # first an overflow, as `GradScaler` tells it to the kernel
        fused.found_inf = torch.tensor(found)
        for p in (*ours.parameters(), *plain.parameters()):
            p.grad = torch.full_like(p, math.inf if found else 0.5)
        fused.step()
    usual.step()
    for p, q in zip(ours.parameters(), plain.parameters(), strict=True):
        torch.testing.assert_close(p, q)


def test_a_model_with_nothing_to_train_is_refused():
    with pytest.raises(InputError, match="No parameter of this model can be trained"):
        make_optimiser(nn.Linear(2, 2).requires_grad_(False), TrainConfig(1))
