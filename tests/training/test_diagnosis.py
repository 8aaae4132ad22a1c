"""The diagnosis names each planted fault and accuses no healthy run; each measurement is right."""

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from support.core import InputError
from support.model import GPT, GPTConfig
from support.training import (
    LayerMonitor,
    SequenceBatches,
    TrainConfig,
    activation_statistics,
    cross_entropy_sum,
    diagnose,
    evaluate_loss,
    first_non_finite,
    future_leak,
    inputs_and_targets,
    memorising_floor,
    overfit_one_batch,
    read_losses,
    train,
)
from support.training.measurements import norms_by_layer
from support.training.one_batch import first_gradients
from support.worlds import CallingGame

WORLD = CallingGame()
TEXTS = [WORLD.vocabulary.encode(text) for text in WORLD.sample(640, seed=1)]
HELD_OUT = [WORLD.vocabulary.encode(text) for text in WORLD.sample(40, seed=2)]
SHAPE = GPTConfig(
    28, context=80, d_model=32, n_heads=2, n_layers=1, activation="relu", masked_ids=(0,), dropout=0.1
)
CONFIG = TrainConfig(steps=100, lr=5e-3, warmup=20, weight_decay=0.01)
BATCHES = SequenceBatches(TEXTS, 16)


def judge(model):
    return evaluate_loss(model, HELD_OUT)


def update(model, optimiser, batch):
    optimiser.zero_grad()
    (cross_entropy_sum(model(batch[0]), batch[1]) / 100).backward()
    optimiser.step()


def update_without_zero_grad(model, optimiser, batch):
    (cross_entropy_sum(model(batch[0]), batch[1]) / 100).backward()
    optimiser.step()


def targets_by(change):
    def batches(step):
        inputs, targets = BATCHES(step)
        return inputs, change(inputs, targets)

    return batches


def in_order_of_length():
    ordered = sorted(TEXTS, key=len)
    return lambda step: inputs_and_targets(ordered[16 * (step % 40) :][:16])


def scaled(factor):
    def change(model):
        for p in model.parameters():
            p.data *= factor if p.dim() > 1 else 1

    return change


def silence(model):
    model.blocks[0].feed_forward.up.bias.data.fill_(-20.0)


def freeze(model):
    model.blocks[0].requires_grad_(False)


def poison(model):
    model.embedding.weight.data[7, 3] = math.inf


FAULTS = {
    "none": {},
    "targets not shifted": {"batches": targets_by(lambda x, y: torch.where(y == -100, y, x))},
    "wrong targets": {"batches": targets_by(lambda x, y: y.roll(1, 0))},
    "padding counted": {
        "batches": targets_by(lambda x, y: y.masked_fill(y == -100, 0)),
        "shape": replace(SHAPE, masked_ids=()),
    },
    "loss mask": {"batches": targets_by(lambda x, y: y.masked_fill(torch.arange(y.shape[1]) % 3 == 1, -100))},
    "data order": {"batches": in_order_of_length()},
    "same batch": {"batches": lambda step: BATCHES(0)},
    "duplicates": {"held_out": TEXTS[:40]},
    "leak": {"shape": replace(SHAPE, causal=False)},
    "initialisation": {"change": scaled(12.0)},
    "dead units": {"change": silence},
    "saturated attention": {"shape": replace(SHAPE, attention_scale=5.0)},
    "frozen": {"change": freeze},
    "non-finite": {"change": poison},
    "evaluation mode": {"evaluate": lambda m: float(m(BATCHES(3)[0]).detach()[..., 1:].sum())},
    "zero_grad": {"update": update_without_zero_grad},
    "learning rate too high": {"config": replace(CONFIG, lr=0.3, min_lr=0.03)},
    "learning rate too low": {"config": replace(CONFIG, lr=1e-5, min_lr=1e-6)},
    "clip too tight": {
        "config": replace(CONFIG, lr=0.3, optimiser="sgd", clip=1e-3, weight_decay=0.0, min_lr=0.03)
    },
    "capacity": {"shape": replace(SHAPE, d_model=4, n_heads=1, d_head=4, d_ff=4, n_kv_heads=1, dropout=0.0)},
}


def report_of(shape=SHAPE, batches=BATCHES, config=CONFIG, change=None, **more):
    torch.manual_seed(0)
    model = GPT(shape)
    if change is not None:
        change(model)
    return diagnose(
        model, batches, config, **{"held_out": HELD_OUT, "evaluate": judge, "update": update} | more
    )


@pytest.mark.parametrize("fault", FAULTS)
def test_the_planted_fault_is_named_first_and_a_healthy_run_is_not_accused(fault):
    report = report_of(**FAULTS[fault])
    assert report.first == fault, str(report)


def test_diagnose_changes_nothing():
    torch.manual_seed(0)
    model = GPT(SHAPE).train()
    before = {name: p.clone() for name, p in model.state_dict().items()}
    state = torch.get_rng_state()
    diagnose(model, BATCHES, CONFIG, evaluate=judge, update=update)
    assert all(p.equal(before[name]) for name, p in model.state_dict().items())
    assert model.training and all(p.grad is None for p in model.parameters())
    assert torch.get_rng_state().equal(state)


def test_a_model_that_is_frozen_whole_is_told_so():
    model = GPT(SHAPE).requires_grad_(False)
    texts = [[1, 4 + i % 5, 5 + i % 3, 2] for i in range(32)]
    report = diagnose(model, SequenceBatches(texts, 8), TrainConfig(20))
    assert report.findings[-1].fault == "frozen" and report.measured["frozen parameters"] > 10


def test_diagnose_refuses_what_is_no_gpt():
    with pytest.raises(InputError, match="needs a GPT"):
        diagnose(nn.Linear(2, 2), BATCHES, CONFIG)


def test_the_monitor_measures_what_sgd_does_by_its_formula():
    """Without momentum, decay or clipping, the update is lr times the gradient."""
    torch.manual_seed(0)
    model = GPT(replace(SHAPE, dropout=0.0)).double()
    weights = norms_by_layer((n, p) for n, p in model.named_parameters())
    gradients = first_gradients(model, BATCHES(0))
    config = TrainConfig(1, lr=0.1, optimiser="sgd", betas=(0.0, 0.0), weight_decay=0.0, clip=None)
    with LayerMonitor(model) as monitor:
        history = train(model, BATCHES, config, callbacks=[monitor])
    for layer, gradient in gradients.items():
        assert monitor.gradient_norms[layer][0] == pytest.approx(gradient, rel=1e-9)
        assert monitor.update_ratios[layer][0] == pytest.approx(0.1 * gradient / weights[layer], rel=1e-6)
    assert history.norms[0] == pytest.approx(math.hypot(*gradients.values()), rel=1e-9)
    assert not any(p._post_accumulate_grad_hooks for p in model.parameters())


def test_activation_statistics_against_the_layers_run_by_hand():
    torch.manual_seed(0)
    model, ids = GPT(SHAPE).double().eval(), BATCHES(0)[0]
    block = activation_statistics(model, ids)[0]
    stream = model.embedding(ids) + model.position.weight[: ids.shape[1]]
    read = model.blocks[0].norm_1(stream)
    q, k, _ = model.blocks[0].attention.split(read)
    scores = (q @ k.transpose(-2, -1) / 4).detach().numpy()
    stream = stream + model.blocks[0].attention(read)
    hidden = model.blocks[0].feed_forward.up(model.blocks[0].norm_2(stream)).relu()
    assert block.largest_score == pytest.approx(np.abs(scores).max(), rel=1e-9)
    assert block.dead == (hidden.flatten(0, 1).amax(0) == 0).double().mean()
    after = stream + model.blocks[0].feed_forward.down(hidden)
    assert block.rms == pytest.approx(after.square().mean().sqrt().item(), rel=1e-9)


def test_saturated_queries_are_counted():
    ids = torch.tensor([[1, 4, 5, 6, 7, 8]])
    torch.manual_seed(0)
    calm, sharp = (GPT(replace(SHAPE, attention_scale=s)) for s in (1e-3, 1e4))
    assert activation_statistics(calm, ids)[0].saturated == 0
    assert activation_statistics(sharp, ids)[0].saturated > 0.9


def test_the_first_layer_that_overflows_is_named():
    torch.manual_seed(0)
    model = GPT(replace(SHAPE, n_layers=3)).half()
    model.blocks[1].feed_forward.up.weight.data *= 3e4
    assert first_non_finite(model.float(), BATCHES(0)[0]) is None
    assert first_non_finite(model.half(), BATCHES(0)[0]).startswith("the output of blocks.1.feed_forward")


def test_a_leak_is_seen_in_an_encoder_and_in_no_decoder():
    ids = BATCHES(0)[0]
    assert future_leak(GPT(SHAPE), ids) == 0
    assert future_leak(GPT(replace(SHAPE, positions="rope", window=4)), ids) == 0
    assert future_leak(GPT(replace(SHAPE, causal=False)), ids) > 0.01
    assert future_leak(GPT(replace(SHAPE, causal=False)), torch.zeros_like(ids)) > 0.01


def test_the_memorising_floor_is_what_a_table_of_prefixes_reaches():
    texts = [[1, 4, 5, 2], [1, 4, 6, 2], [1, 4, 5, 7, 2], [1, 8, 2]]
    counts: dict = {}
    for text in texts:
        for i in range(1, len(text)):
            counts.setdefault(tuple(text[:i]), []).append(text[i])
    nats = [
        -math.log(c.count(t[i]) / len(c))
        for t in texts
        for i in range(1, len(t))
        for c in [counts[tuple(t[:i])]]
    ]
    assert memorising_floor(*inputs_and_targets(texts)) == pytest.approx(sum(nats) / len(nats), abs=1e-12)


def test_one_batch_is_learned_down_to_its_floor():
    torch.manual_seed(0)
    batch = inputs_and_targets(TEXTS[:6])
    losses = overfit_one_batch(GPT(SHAPE), batch, steps=150, lr=0.01)
    assert memorising_floor(*batch) - 1e-4 < losses[-1] < memorising_floor(*batch) + 0.1


@pytest.mark.parametrize(
    ("losses", "fault"),
    [
        ((1.19, 1.20), "none"),
        ((0.05, 0.05), "leak"),
        ((0.14, 5.0), "overfitting"),
        ((1.19, 1.6), "overfitting"),
        ((2.5, 2.5), "underfitting"),
    ],
)
def test_the_losses_at_the_end_are_read_against_the_floor(losses, fault):
    assert read_losses(*losses, floor=1.18).first == fault
