"""The family: positions, norms, gates, experts and shared keys, each against another's computation."""

import math

import numpy as np
import pytest
import torch
from helpers import shaken
from torch import nn

from support.model import (
    GPT,
    Experts,
    GPTConfig,
    SelfAttention,
    SwiGLU,
    alibi_slopes,
    apply_rope,
    attend,
    make_attention_context,
    rms_norm,
    rope_frequencies,
)

SMALL = {"vocab_size": 11, "context": 12, "d_model": 16, "n_heads": 4, "n_layers": 2}
IDS = torch.tensor([[1, 5, 3, 7, 2, 9], [4, 4, 0, 10, 8, 6]])


def config(**changes):
    return GPTConfig(**(SMALL | changes))


def double(module):
    return shaken(module).double().eval()


def test_rms_norm_equals_torchs():
    x, gain = torch.randn(3, 16).double(), torch.randn(16).double()
    theirs = nn.RMSNorm(16, eps=1e-6).double()
    theirs.weight.data = gain
    torch.testing.assert_close(rms_norm(x, gain, 1e-6), theirs(x))


def test_a_rotated_score_depends_on_the_distance_alone():
    q, k = torch.randn(2, 8).double()
    at = torch.arange(40)[:, None] * rope_frequencies(8)
    turned_q, turned_k = (apply_rope(x.expand(40, 8), at.cos(), at.sin()) for x in (q, k))
    scores = turned_q @ turned_k.T
    for distance in (0, 1, 7):
        line = scores.diagonal(-distance)
        torch.testing.assert_close(line, line[:1].expand_as(line))
    assert (scores[5, 4] - scores[5, 3]).abs() > 1e-3
    torch.testing.assert_close(turned_q.norm(dim=-1), q.norm().expand(40))


def test_turning_equals_complex_multiplication():
    x = np.random.default_rng(0).normal(size=(5, 8))
    angles = np.arange(5)[:, None] * 500.0 ** (-np.arange(4) / 4)
    turned = (x[:, :4] + 1j * x[:, 4:]) * np.exp(1j * angles)
    at = torch.arange(5)[:, None] * rope_frequencies(8, base=500.0)
    ours = apply_rope(torch.tensor(x), at.cos(), at.sin())
    np.testing.assert_allclose(ours.numpy(), np.hstack([turned.real, turned.imag]), atol=1e-12)


@pytest.mark.parametrize(
    "scaling",
    [
        {"rope_type": "linear", "factor": 4.0},
        {
            "rope_type": "llama3",
            "factor": 8.0,
            "low_freq_factor": 1.0,
            "high_freq_factor": 4.0,
            "original_max_position_embeddings": 64,
        },
    ],
)
def test_stretched_frequencies_equal_transformers(scaling):
    from transformers import LlamaConfig
    from transformers.modeling_rope_utils import ROPE_INIT_FUNCTIONS

    theirs = LlamaConfig(
        hidden_size=64, num_attention_heads=1, rope_parameters={"rope_theta": 500.0} | scaling
    )
    want, _ = ROPE_INIT_FUNCTIONS[scaling["rope_type"]](theirs, "cpu")
    ours = rope_frequencies(64, 500.0, scaling)
    torch.testing.assert_close(ours.float(), want)
    assert (ours < rope_frequencies(64, 500.0)).any()


@pytest.mark.parametrize("n_heads", [1, 2, 3, 8, 12, 16, 20])
def test_alibi_slopes_equal_transformers(n_heads):
    from transformers.models.bloom.modeling_bloom import build_alibi_tensor

    at_distance_one = build_alibi_tensor(torch.ones(1, 2), n_heads, torch.float32)[:, 0, 1]
    torch.testing.assert_close(torch.tensor(alibi_slopes(n_heads)), at_distance_one)


def test_alibi_charges_for_distance():
    layer = double(SelfAttention(config(positions="alibi")))
    x = torch.randn(2, 6, 16).double()
    q, k, v = layer.split(x)
    q, k, v = (t.detach().numpy() for t in (q, k, v))
    scores = q @ k.swapaxes(-1, -2) / 2
    for h, step in enumerate(alibi_slopes(4)):
        for i in range(6):
            for j in range(6):
                scores[:, h, i, j] += -step * (i - j) if j <= i else -math.inf
    weights = np.exp(scores) / np.exp(scores).sum(-1, keepdims=True)
    want = layer.merge(torch.tensor(weights @ v))
    torch.testing.assert_close(layer(x), want)
    torch.testing.assert_close(layer.with_weights(x)[1], torch.tensor(weights))


@pytest.mark.parametrize("positions", ["rope", "alibi"])
def test_order_counts_and_no_position_attends_ahead(positions):
    model = double(GPT(config(positions=positions, n_layers=1)))
    changed, swapped = IDS.clone(), IDS[:, [1, 0, 2, 3, 4, 5]]
    changed[:, 4:] = (changed[:, 4:] + 3) % 11
    torch.testing.assert_close(model(IDS)[:, :4], model(changed)[:, :4])
    assert (model(IDS)[:, -1] - model(swapped)[:, -1]).abs().max() > 1e-3


def test_window_forgets_what_lies_behind_it():
    model = double(GPT(config(window=3, n_layers=1)))
    changed = IDS.clone()
    changed[:, 0] = (changed[:, 0] + 3) % 11
    before, after = model(IDS), model(changed)
    torch.testing.assert_close(before[:, 3:], after[:, 3:])
    assert (before[:, 2] - after[:, 2]).abs().max() > 1e-3
    torch.testing.assert_close(double_like(model, window=12)(IDS), double_like(model)(IDS))


def double_like(model, **changes):
    other = GPT(GPTConfig.from_dict(model.config.to_dict() | {"window": None} | changes)).double().eval()
    other.load_state_dict(model.state_dict())
    return other


def test_an_encoder_sees_both_ways():
    layer = double(SelfAttention(config(causal=False, positions="none")))
    x = torch.randn(2, 6, 16).double()
    want = layer.merge(attend(*layer.split(x), causal=False)[0])
    torch.testing.assert_close(layer(x), want)
    order = [3, 1, 5, 0, 2, 4]
    torch.testing.assert_close(layer(x[:, order]), layer(x)[:, order])


@pytest.mark.parametrize("n_kv_heads", [1, 2])
def test_shared_keys_equal_copied_keys(n_kv_heads):
    few = double(SelfAttention(config(n_kv_heads=n_kv_heads, positions="rope")))
    many = SelfAttention(config(positions="rope")).double().eval()
    for kind in ("weight", "bias"):
        q, k, v = getattr(few.qkv, kind).split(few.widths)
        k, v = (
            t.unflatten(0, (n_kv_heads, 4)).repeat_interleave(4 // n_kv_heads, 0).flatten(0, 1)
            for t in (k, v)
        )
        getattr(many.qkv, kind).data = torch.cat([q, k, v])
    many.output.load_state_dict(few.output.state_dict())
    x = torch.randn(2, 6, 16).double()
    torch.testing.assert_close(few(x), many(x))
    for ours, theirs in zip(few.with_weights(x), many.with_weights(x), strict=True):
        torch.testing.assert_close(ours, theirs)


def test_normed_queries_have_no_length_of_their_own():
    layer = double(SelfAttention(config(qk_norm=True, attention_bias=False, norm_eps=1e-12)))
    x = torch.randn(2, 6, 16).double()
    before = layer.with_weights(x)[1]
    layer.qkv.weight.data[:32] *= 5  # queries and keys
    torch.testing.assert_close(layer.with_weights(x)[1], before, atol=1e-9, rtol=0)


def test_swiglu_equals_a_line_of_numpy():
    layer = double(SwiGLU(config(activation="swiglu", ffn_bias=False)))
    assert layer.gate.weight.shape == (48, 16)  # 8/3 of 16 is 42.7, rounded up to a multiple of 8
    x = torch.randn(3, 16).double()
    gate, up, down = (m.weight.detach().numpy() for m in (layer.gate, layer.up, layer.down))
    opened = x.numpy() @ gate.T
    want = (opened / (1 + np.exp(-opened)) * (x.numpy() @ up.T)) @ down.T
    np.testing.assert_allclose(layer(x).detach().numpy(), want, atol=1e-12)


@pytest.mark.parametrize("per_token", [1, 2, 4])
def test_experts_equal_each_token_by_hand(per_token):
    layer = double(Experts(config(n_experts=4, experts_per_token=per_token, activation="swiglu")))
    x = torch.randn(2, 5, 16).double()
    got = layer(x)
    for b in range(2):
        for t in range(5):
            scores = layer.router(x[b, t])
            best = scores.argsort(descending=True)[:per_token]
            shares = scores[best].softmax(dim=0)
            want = sum(s * layer.experts[e](x[b, t]) for s, e in zip(shares, best.tolist(), strict=True))
            torch.testing.assert_close(got[b, t], want)


def test_balance_equals_transformers_and_has_the_right_ends(script):
    from transformers.models.mixtral.modeling_mixtral import load_balancing_loss_func

    layer = double(Experts(config(n_experts=4, experts_per_token=2)))
    x = torch.randn(3, 7, 16).double()
    layer(x)
    with script("parity").in_float64():
        theirs = load_balancing_loss_func((layer.router(x.flatten(0, 1)),), 4, 2)
    # Theirs counts both choices of a token.
    torch.testing.assert_close(layer.routing.balance, theirs / 2, atol=1e-12, rtol=0)
    assert layer.routing.load.sum() == pytest.approx(1)
    layer.router.weight.data.zero_()
    layer(x)
    assert layer.routing.balance.item() == pytest.approx(1)
    layer.routing.balance.backward()
    assert layer.router.weight.grad is not None


def test_training_adds_the_balance():
    from support.training import SequenceBatches, TrainConfig, train

    uneven = {}
    for weight in (0.0, 1.0):
        torch.manual_seed(0)
        cfg = config(n_experts=4, balance_weight=weight)
        model = GPT(cfg)
        for block in model.blocks:  # at first, nearly all tokens go to expert 0
            block.feed_forward.router.weight.data[0] += 0.3 * block.norm_2.weight.data
            block.norm_2.bias.data += 0.5
        train(model, SequenceBatches(IDS.tolist(), 2), TrainConfig(steps=40, lr=0.01))
        model(IDS)
        uneven[weight] = max(float(b.feed_forward.routing.load.max()) for b in model.blocks)
    assert uneven[1.0] < uneven[0.0]
    assert GPT(config()).extra_loss() is None


def test_softcap_squashes_the_logits():
    model = double(GPT(config()))
    capped = double_like(model, logit_softcap=2.0, masked_ids=(3,))
    want = 2 * torch.tanh(model(IDS) / 2)
    got = capped(IDS)
    assert got[..., 3].eq(-math.inf).all()
    torch.testing.assert_close(got[..., 4:], want[..., 4:])


# Published counts: of the checkpoints' tensors.
LLAMA = {
    "positions": "rope",
    "norm": "rms",
    "activation": "swiglu",
    "attention_bias": False,
    "ffn_bias": False,
}
LLAMA |= {"tie_weights": False, "vocab_size": 32_000}
COUNTS = {
    "GPT-2 small": (
        124_439_808,
        {"vocab_size": 50257, "context": 1024, "d_model": 768, "n_heads": 12, "n_layers": 12},
    ),
    "GPT-2 XL": (
        1_557_611_200,
        {"vocab_size": 50257, "context": 1024, "d_model": 1600, "n_heads": 25, "n_layers": 48},
    ),
    "Llama 7B": (6_738_415_616, LLAMA | {"d_model": 4096, "n_heads": 32, "n_layers": 32}),
    "Llama 2 70B": (
        68_976_648_192,
        LLAMA | {"d_model": 8192, "n_heads": 64, "n_kv_heads": 8, "n_layers": 80, "d_ff": 28672},
    ),
    "Mixtral 8x7B": (
        46_702_792_704,
        LLAMA
        | {"d_model": 4096, "n_heads": 32, "n_kv_heads": 8, "n_layers": 32, "d_ff": 14336}
        | {"n_experts": 8, "experts_per_token": 2},
    ),
}


@pytest.mark.parametrize("name", COUNTS)
def test_counts_of_published_models(name):
    count, shape = COUNTS[name]
    with torch.device("meta"):
        model = GPT(GPTConfig(**shape))
    assert model.n_parameters() == count


def test_a_token_meets_part_of_mixtral():
    with torch.device("meta"):
        model = GPT(GPTConfig(**COUNTS["Mixtral 8x7B"][1]))
    assert model.n_parameters(active=True) == 12_879_925_248
    expert = 3 * 4096 * 14336
    assert model.n_parameters() - model.n_parameters(active=True) == 32 * 6 * expert


def test_the_attention_context_is_plain_where_nothing_is_forbidden():
    assert make_attention_context(config(), 5).mask is None and make_attention_context(config(), 5).causal
    assert make_attention_context(config(), 1, start=4).mask is None
    assert make_attention_context(config(window=5), 5).mask is None
    assert make_attention_context(config(window=4), 5).mask is not None
    assert make_attention_context(config(causal=False), 5).causal is False
