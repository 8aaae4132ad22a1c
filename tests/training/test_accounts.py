"""The accounts against what is measured: autograd's hooks, the allocator, the counter of operations."""

import pytest
import torch
import torch.nn.functional as F
from torch.utils.checkpoint import checkpoint
from torch.utils.flop_counter import FlopCounterMode

from support.core import InputError, seed_everything
from support.model import GPT, GPTConfig
from support.training import (
    block_activations,
    matmul_intensity,
    memory_plan,
    mfu,
    peak_memory,
    roofline,
    saved_for_backward,
)

SHAPES = [
    GPTConfig(vocab_size=28, context=64, d_model=64, n_layers=4, n_heads=4),
    GPTConfig(vocab_size=50, context=32, d_model=48, n_layers=3, n_heads=8, d_ff=100, activation="relu"),
    GPTConfig(vocab_size=28, context=64, d_model=32, n_layers=8, n_heads=2, activation="gelu_tanh"),
]


def checkpointed_loss(model, every, ids):
    """The loss; the stream is kept before every so many blocks, if that is not 0."""
    stream = model.embed(ids)
    context = model.attention_contexts(stream)[0]

    def segment(stream, blocks):
        for block in blocks:
            stream = block(stream, context)
        return stream

    for i in range(0, len(model.blocks), every or len(model.blocks)):
        blocks = model.blocks[i : i + (every or len(model.blocks))]
        again = every and torch.is_grad_enabled()
        stream = (
            checkpoint(segment, stream, blocks, use_reentrant=False) if again else segment(stream, blocks)
        )
    return F.cross_entropy(model.unembed(stream).flatten(0, 1), ids.flatten())


@pytest.mark.parametrize("config", SHAPES, ids=["gelu", "relu", "tanh"])
def test_the_plan_of_activations_is_what_autograd_keeps(config):
    seed_everything(0, threads=1)
    model, ids = GPT(config), torch.randint(config.vocab_size, (8, config.context))
    kept = saved_for_backward(lambda: checkpointed_loss(model, 0, ids), model)
    plan = memory_plan(config, ids.numel()).activations
    ids_and_places = 8 * (ids.numel() + config.context)
    assert abs(kept - plan) <= ids_and_places + 8
    assert plan > 4 * ids.numel() * config.n_layers * block_activations(config)


@pytest.mark.parametrize("every", [1, 2, 4])
def test_the_plan_of_checkpointing_is_the_peak_that_is_measured(every):
    config = SHAPES[0]
    seed_everything(0, threads=1)
    model, ids = GPT(config), torch.randint(config.vocab_size, (8, config.context))
    for parameter in model.parameters():
        parameter.grad = torch.zeros_like(parameter)
    peak = peak_memory(lambda: checkpointed_loss(model, every, ids).backward())
    plan = memory_plan(config, ids.numel(), recompute_every=every).activations
    # Gradients on their way back come on top: at most one of d_ff, and a few of d_model numbers a token.
    assert plan < peak + 8 * ids.numel() and peak - plan < 4 * ids.numel() * (
        config.d_ff + 4 * config.d_model
    )


def test_weights_gradients_and_optimiser_take_sixteen_bytes_either_way():
    config = SHAPES[0]
    count = GPT(config).n_parameters()
    for precision in ("float32", "mixed"):
        plan = memory_plan(config, 64, precision)
        assert plan.weights + plan.gradients + plan.optimiser == 16 * count
    shared = memory_plan(config, 64, shards=8)
    assert shared.total - shared.activations == 2 * count
    assert memory_plan(config, 64, optimiser="sgd").optimiser == 4 * count


def test_what_cannot_be_planned_is_refused():
    llama = GPTConfig(vocab_size=9, d_model=8, n_heads=2, activation="swiglu", norm="rms", positions="rope")
    with pytest.raises(InputError, match=r"measure others with saved_for_backward"):
        block_activations(llama)
    for wrong in ({"tokens": 0}, {"tokens": 8, "shards": 0}, {"tokens": 8, "recompute_every": 5}):
        with pytest.raises(InputError, match="must be at least 1"):
            memory_plan(SHAPES[0], **wrong)


def test_utilisation_agrees_with_the_counter_of_operations():
    seed_everything(0, threads=1)
    model = GPT(SHAPES[0])
    ids = torch.randint(28, (2, 64))
    with FlopCounterMode(display=False) as counter:
        checkpointed_loss(model, 0, ids).backward()
    # The counter does not know the CPU's fused attention, which is counted by the formula.
    mixing = 3 * 2 * 2 * 64 * 64 * 4 * 128
    counted = counter.get_total_flops()
    counted += mixing if counted < 128 * model.flops_per_token(64, training=True) else 0
    assert mfu(model, 128.0, 1.0, 64) == pytest.approx(counted, rel=0.03)
    assert mfu(model, 100.0, 1e9) == 2 * mfu(model, 50.0, 1e9)


def test_the_roofline_bends_where_the_two_limits_meet():
    assert roofline(10, 100.0, 10.0) == 100.0 and roofline(1, 100.0, 10.0) == 10.0
    # A square product of n moves 3n² numbers for 2n³ operations.
    assert matmul_intensity(300, 300, 300, 2) == pytest.approx(300 / 3)
