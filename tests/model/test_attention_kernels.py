import math

import pytest
import torch

from support.model import attend, causal_mask, scaled_dot_product
from support.model.attention_kernels import PRODUCTS_UP_TO, attend_by_products, attend_by_sums, attention_path

MASKS = {
    "causal": (True, None),
    "all": (False, None),
    "window": (False, causal_mask(7) & ~causal_mask(7).tril(-3)),
    "padding": (
        False,
        torch.arange(7)[None, None, None] < torch.tensor([7, 4])[:, None, None, None] | torch.eye(7).bool(),
    ),
    "a number per head": (False, torch.randn(1, 4, 7, 7).masked_fill(~causal_mask(7), -math.inf)),
}


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("kind", MASKS)
def test_products_equal_attention_step_by_step_with_gradients(kind, kv_heads):
    causal, mask = MASKS[kind]
    q = torch.randn(2, 4, 7, 8, dtype=torch.float64, requires_grad=True)
    k, v = (torch.randn(2, kv_heads, 7, 8, dtype=torch.float64, requires_grad=True) for _ in range(2))
    mask = mask if mask is None or mask.dtype == torch.bool else mask.double()
    wide = [t.repeat_interleave(4 // kv_heads, dim=1) for t in (k, v)]
    expected = attend(q, *wide, causal=causal, mask=mask, scale=0.3)[0]
    got = attend_by_products(q, k, v, causal, mask, scale=0.3)
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-12)
    direction = torch.randn_like(expected)
    for a, b in zip(
        *(torch.autograd.grad((o * direction).sum(), (q, k, v)) for o in (got, expected)), strict=True
    ):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-12)


@pytest.mark.parametrize("kv_heads", [4, 2, 1])
@pytest.mark.parametrize("kind", ["all", "window", "padding", "a number per head"])
def test_sums_of_the_last_query_equal_attention_step_by_step(kind, kv_heads):
    mask = MASKS[kind][1]
    mask = mask if mask is None or mask.dtype == torch.bool else mask.double()
    q = torch.randn(2, 4, 7, 8, dtype=torch.float64)
    k, v = torch.randn(2, 2, kv_heads, 7, 8, dtype=torch.float64)
    wide = [t.repeat_interleave(4 // kv_heads, dim=1) for t in (k, v)]
    expected = attend(q, *wide, causal=False, mask=mask, scale=0.3)[0][:, :, -1:]
    row = None if mask is None else mask[..., -1:, :]
    got = attend_by_sums(q[:, :, -1:], k, v, False, row, scale=0.3)
    torch.testing.assert_close(got, expected, rtol=0, atol=1e-12)


def test_a_compiled_step_of_one_query_takes_the_sums(monkeypatch):
    q, k = torch.randn(2, 4, 1, 8), torch.randn(2, 4, 9, 8)
    with torch.inference_mode():
        assert attention_path(q, k) == "fused"
        monkeypatch.setattr(torch.compiler, "is_compiling", lambda: True)
        assert attention_path(q, k) == attention_path(q.double(), k.double()) == "sums"
        assert attention_path(k, k) == attention_path(q.bfloat16(), k.bfloat16()) == "fused"
        assert attention_path(q.to("meta"), k.to("meta")) == "fused"
    assert attention_path(q.requires_grad_(), k) == "fused"


@pytest.mark.parametrize("length", [64, 65, 130, 400])
def test_causal_chunks_equal_the_whole(length):
    q, k, v = (torch.randn(2, 4, length, 8, dtype=torch.float64, requires_grad=True) for _ in range(3))
    outputs = attend_by_products(q, k, v), attend(q, k, v)[0]
    torch.testing.assert_close(*outputs, rtol=0, atol=1e-12)
    grads = [torch.autograd.grad(output.square().sum(), (q, k, v)) for output in outputs]
    for a, b in zip(*grads, strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-11)


def test_bfloat16_training_takes_the_products_within_rounding_of_float64():
    exact = torch.randn(3, 2, 4, 40, 16, dtype=torch.float64)
    q, k, v = (t.bfloat16().requires_grad_() for t in exact)
    assert attention_path(q, v) == "products"
    q64, k64, v64 = (t.detach().double().requires_grad_() for t in (q, k, v))
    got, expected = scaled_dot_product(q, k, v), attend(q64, k64, v64)[0]
    # Weights and outputs are rounded to 8 bits each, scores of size up to 4 to 2⁻⁷ before the softmax.
    torch.testing.assert_close(got.double(), expected, rtol=0, atol=0.03)
    grads = (
        torch.autograd.grad(o.sum(), leaves) for o, leaves in ((got, (q, k, v)), (expected, (q64, k64, v64)))
    )
    for a, b in zip(*grads, strict=True):
        torch.testing.assert_close(a.double(), b, rtol=0.02, atol=0.06)


@pytest.mark.parametrize(
    "dtype, length, trained, path",
    [
        (torch.bfloat16, 128, True, "products"),
        (torch.bfloat16, 128, False, "fused"),
        (torch.bfloat16, PRODUCTS_UP_TO + 1, True, "fused"),
        (torch.float32, 128, True, "fused"),
        (torch.float16, 128, True, "fused"),
    ],
)
def test_the_path_follows_what_was_measured(dtype, length, trained, path):
    q = torch.zeros(1, 1, length, 1, dtype=dtype, requires_grad=trained)
    assert attention_path(q, q) == path
    with torch.no_grad():
        assert attention_path(q, q) == "fused"


def test_dropout_of_the_products_keeps_the_mean():
    q = k = torch.zeros(1, 1, 1, 4)
    outputs = [
        attend_by_products(q, k.expand(1, 1, 500, 4), torch.ones(1, 1, 500, 4), False, dropout=0.2)
        for _ in range(20)
    ]
    outputs = torch.stack(outputs)
    assert abs(float(outputs.mean()) - 1) < 0.01 and float(outputs.std()) > 0.005
