"""Attention against torch's own modules, and its two paths against each other."""

import math

import pytest
import torch
from helpers import in_double
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from support.model import GPTConfig, SelfAttention, attend, causal_mask, layer_norm, scaled_dot_product
from support.model.feed_forward import ACTIVATIONS, FeedForward
from support.model.positions import make_positions, sinusoids


def qkv(*shape, spread=3.0):
    return (spread * torch.randn(3, *shape, dtype=torch.float64)).unbind(0)


@pytest.mark.parametrize("shape", [(7, 4), (3, 7, 4), (2, 3, 9, 16), (1, 1, 1, 8)])
@pytest.mark.parametrize("causal", [True, False])
def test_open_path_equals_the_kernel(shape, causal):
    q, k, v = qkv(*shape)
    output, weights = attend(q, k, v, causal=causal)
    torch.testing.assert_close(scaled_dot_product(q, k, v, causal=causal), output, atol=1e-12, rtol=0)
    torch.testing.assert_close(weights.sum(-1), torch.ones(shape[:-1], dtype=torch.float64))
    if shape[-2] > 1:
        assert weights.max() > 0.9, "the test is about attention that is far from uniform"


def test_attend_is_the_formula_row_by_row():
    q, k, v = qkv(5, 3)
    output, _ = attend(q, k, v)
    for t in range(5):
        score = torch.stack([q[t] @ k[s] / math.sqrt(3) for s in range(t + 1)])
        share = score.exp() / score.exp().sum()
        torch.testing.assert_close(output[t], sum(a * row for a, row in zip(share, v, strict=False)))


def test_masks():
    assert causal_mask(4).equal(torch.ones(4, 4).tril().bool())
    assert causal_mask(1, 4).all(), "one query with a cache of four keys sees them all"
    q, k, v = qkv(4, 3)
    own = torch.eye(4, dtype=torch.bool)
    torch.testing.assert_close(attend(q, k, v, mask=own)[0], v)
    doubled = attend(q, k, v, scale=2.0)[0]
    torch.testing.assert_close(doubled, scaled_dot_product(q, k, v, scale=2.0))


@pytest.mark.parametrize("backend", [SDPBackend.MATH, SDPBackend.FLASH_ATTENTION])
@pytest.mark.parametrize("n_keys", [5, 8])
def test_the_causal_rule_goes_with_a_mask_and_with_more_keys_than_queries(backend, n_keys):
    q, k, v = torch.randn(2, 4, 5, 8), *torch.randn(2, 2, 4, n_keys, 8)
    barred = torch.rand(5, n_keys) < 0.3
    barred[:, 0] = False  # each query has a key that it may attend to
    numbers = torch.randn(5, n_keys).masked_fill(barred, -math.inf)
    for mask in (None, ~barred, numbers):
        expected = attend(q, k, v, mask=mask)[0]
        with sdpa_kernel(backend):  # torch's plain computation takes no mask beside is_causal
            torch.testing.assert_close(scaled_dot_product(q, k, v, mask=mask), expected)


def test_a_mask_of_two_axes_goes_with_grouped_heads_and_one_query():
    q, k, v = torch.randn(1, 4, 1, 8), *torch.randn(2, 1, 2, 5, 8)
    mask, wide = torch.tensor([[True, False, True, True, False]]), [t.repeat_interleave(2, 1) for t in (k, v)]
    expected = attend(q, *wide, causal=False, mask=mask)[0]
    torch.testing.assert_close(scaled_dot_product(q, k, v, causal=False, mask=mask), expected)


def test_values_may_be_wider_than_keys():
    q, k, _ = qkv(4, 3)
    assert attend(q, k, torch.randn(4, 5, dtype=torch.float64))[0].shape == (4, 5)


@pytest.mark.parametrize(("d_model", "heads"), [(8, 1), (12, 3), (32, 4)])
def test_equals_torch_multi_head_attention(d_model, heads):
    ours = SelfAttention(GPTConfig(vocab_size=2, d_model=d_model, n_heads=heads)).double()
    theirs = nn.MultiheadAttention(d_model, heads, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for p in ours.parameters():
            p.normal_()
        theirs.in_proj_weight.copy_(ours.qkv.weight)
        theirs.in_proj_bias.copy_(ours.qkv.bias)
        theirs.out_proj.load_state_dict(ours.output.state_dict())
    x = torch.randn(2, 6, d_model, dtype=torch.float64)
    want, want_weights = theirs(x, x, x, attn_mask=~causal_mask(6), average_attn_weights=False)
    got, weights = ours.with_weights(x)
    torch.testing.assert_close(got, want)
    torch.testing.assert_close(weights, want_weights)
    torch.testing.assert_close(ours(x), want, atol=1e-10, rtol=0)


def test_biases_can_be_left_out():
    attention = SelfAttention(GPTConfig(vocab_size=2, attention_bias=False, qkv_bias=True))
    assert attention.qkv.bias is not None and attention.output.bias is None


@pytest.mark.parametrize(
    ("name", "theirs"), [("relu", nn.ReLU()), ("gelu", nn.GELU()), ("gelu_tanh", nn.GELU("tanh"))]
)
def test_feed_forward_equals_torch(name, theirs):
    ours = FeedForward(GPTConfig(vocab_size=2, d_model=8, n_heads=2, activation=name))
    x = torch.randn(2, 3, 8)
    torch.testing.assert_close(ours(x), nn.Sequential(ours.up, theirs, ours.down)(x))


def test_activations_against_their_definitions():
    x = torch.linspace(-4, 4, 101, dtype=torch.float64)
    exact = x * (1 + torch.erf(x / math.sqrt(2))) / 2
    near = x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3))) / 2
    torch.testing.assert_close(ACTIVATIONS["gelu"](x), exact)
    torch.testing.assert_close(ACTIVATIONS["gelu_tanh"](x), near)
    torch.testing.assert_close(ACTIVATIONS["relu"](x), x * (x > 0))


def test_layer_norm_equals_torch():
    norm = nn.LayerNorm(8, eps=1e-3).double()
    with torch.no_grad():
        norm.weight.normal_()
        norm.bias.normal_()
    x = 5 + 3 * torch.randn(2, 3, 8, dtype=torch.float64)
    torch.testing.assert_close(layer_norm(x, norm.weight, norm.bias, eps=1e-3), norm(x))
    plain = layer_norm(x)
    assert plain.mean(-1).abs().max() < 1e-9 and (plain.std(-1, correction=0) - 1).abs().max() < 1e-4


def test_sinusoids_by_the_formula():
    with in_double():
        table = sinusoids(50, 6)
    for position in (0, 1, 49):
        for i in range(3):
            angle = position / 10_000 ** (2 * i / 6)
            assert abs(table[position, 2 * i] - math.sin(angle)) < 1e-12
            assert abs(table[position, 2 * i + 1] - math.cos(angle)) < 1e-12
    with pytest.raises(ValueError, match="odd"):
        sinusoids(4, 5)


def test_sinusoids_of_a_shift_are_one_rotation():
    with in_double():
        table = sinusoids(64, 8)
    shift = torch.linalg.lstsq(table[:-5], table[5:]).solution
    assert (table[:-5] @ shift - table[5:]).abs().max() < 1e-10, "moving by five is one fixed matrix"


def test_position_modules():
    cfg = {"vocab_size": 5, "context": 6, "d_model": 8, "n_heads": 2}
    assert make_positions(GPTConfig(**cfg, positions="none")) is None
    fixed = make_positions(GPTConfig(**cfg, positions="sinusoidal"))
    torch.testing.assert_close(fixed(4), sinusoids(6, 8)[:4])
    assert not list(fixed.parameters()) and not fixed.state_dict()
