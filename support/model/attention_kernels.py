"""Which computation of attention is fastest for a dtype, a length and a device; chosen by measurement."""

import math
from typing import Literal

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor

# Up to so many keys, torch's CPU kernel loses to two batched products in bfloat16: its backward pass leaves
# that precision. Forward and backward on an AMD Zen 5 core, ms, kernel against products: 22.7 and 5.7 at
# 16 texts of 128 positions, 4 heads of 32; 35 and 19 at 4 of 512; 43 and 43 at 2 of 1,024; 67 and 101 at
# 1 of 2,048. In float32 the kernel wins at every length (12 and 13; 32 and 38), in float16 too.
PRODUCTS_UP_TO = 1024
# In a compiled step of one new token, `torch.compile` makes one loop of plain sums. Time of the compiled step
# as a share of the plain one's, small model of `benchmarks/generation.py` on an AMD EPYC with AVX-512, kernel
# against sums: 0.66 and 0.57 at one text, 0.87 and 0.85 at sixteen (runs of a machine whose speed varied).
SUMMED = (torch.float32, torch.float64)
CHUNK = 64  # queries at least: 9.0 ms become 6.5 at 128 positions, 30 become 25 at 512 in chunks of 128


def attention_path(
    q: Float[Tensor, "*heads query d_head"],
    v: Float[Tensor, "*kv_heads key d_value"],
) -> Literal["fused", "products", "sums"]:
    """How to compute attention: by torch's fused kernel, by two batched products, or by sums.

    The products are taken where gradients are wanted in bfloat16 on a CPU, up to `PRODUCTS_UP_TO` keys. They
    store the attention weights, which the fused kernel does not. The sums are taken on a CPU where a step of
    one query is compiled, without gradients, in one of the dtypes `SUMMED`.

    >>> q = v = torch.ones(1, 2, 5, 4, dtype=torch.bfloat16)
    >>> attention_path(q, v), attention_path(q.requires_grad_(), v), attention_path(q.float(), v.float())
    ('fused', 'products', 'fused')
    """
    if v.device.type != "cpu":
        return "fused"
    if not torch.is_grad_enabled() or not (q.requires_grad or v.requires_grad):
        one_query = q.shape[-2] == 1 and v.dtype in SUMMED
        return "sums" if one_query and torch.compiler.is_compiling() else "fused"
    return "products" if v.dtype == torch.bfloat16 and v.shape[-2] <= PRODUCTS_UP_TO else "fused"


def attend_by_products(
    q: Float[Tensor, "*batch head query d_head"],
    k: Float[Tensor, "*batch kv_head key d_head"],
    v: Float[Tensor, "*batch kv_head key d_value"],
    causal: bool = True,
    mask: Bool[Tensor, "*mask query key"] | Float[Tensor, "*mask query key"] | None = None,
    dropout: float = 0.0,
    scale: float | None = None,
) -> Float[Tensor, "*batch head query d_value"]:
    """Attention by two batched products and a softmax; the arguments are those of `scaled_dot_product`.

    ``causal`` goes with as many queries as keys, and without a mask.

    >>> q, k, v = torch.randn(3, 2, 4, 5, 8)
    >>> fused = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    >>> bool(torch.allclose(attend_by_products(q, k, v), fused, atol=1e-6))
    True
    """
    groups = q.shape[-3] // k.shape[-3]
    if groups > 1:
        k, v = k.repeat_interleave(groups, dim=-3), v.repeat_interleave(groups, dim=-3)
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    if causal:
        return _in_chunks(q, k, v, dropout, scale)
    bias = torch.zeros((), dtype=v.dtype, device=v.device)  # added to the scores: −inf where masked
    if mask is not None:
        bias = bias.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else mask.to(v.dtype)
    q, k, values = (t.reshape(-1, *t.shape[-2:]) for t in (q, k, v))
    if bias.ndim > 2:
        bias = bias.expand(*v.shape[:-2], *bias.shape[-2:]).reshape(-1, *bias.shape[-2:])
    scores = torch.baddbmm(bias, q, k.transpose(1, 2), alpha=scale)
    mixed = torch.bmm(F.dropout(scores.softmax(dim=-1), dropout), values)
    return mixed.view(*v.shape[:-2], *mixed.shape[-2:])


def attend_by_sums(
    q: Float[Tensor, "*batch head 1 d_head"],
    k: Float[Tensor, "*batch kv_head key d_head"],
    v: Float[Tensor, "*batch kv_head key d_value"],
    causal: bool = True,
    mask: Bool[Tensor, "*mask 1 key"] | Float[Tensor, "*mask 1 key"] | None = None,
    dropout: float = 0.0,
    scale: float | None = None,
) -> Float[Tensor, "*batch head 1 d_value"]:
    """Attention of one query by products of single numbers and their sums: slow, unless it is compiled.

    The arguments are those of `scaled_dot_product`; ``causal`` means one key, so there is nothing to mask.

    >>> q, k, v = torch.randn(3, 2, 4, 5, 8)
    >>> fused = F.scaled_dot_product_attention(q[..., :1, :], k, v)
    >>> bool(torch.allclose(attend_by_sums(q[..., :1, :], k, v, False), fused, atol=1e-6))
    True
    """
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    q, k, v = q.unflatten(-3, (k.shape[-3], -1)), k.unsqueeze(-3), v.unsqueeze(-3)  # a group beside its head
    scores = (q * k).sum(-1) * scale
    if mask is not None:
        row = mask.squeeze(-2)
        if row.ndim > 1:  # one for each head, or for all
            row = row.unflatten(-2, scores.shape[-3:-1]) if row.shape[-2] > 1 else row.unsqueeze(-2)
        scores = scores.masked_fill(~row, -math.inf) if row.dtype == torch.bool else scores + row
    weights = F.dropout(scores.softmax(dim=-1), dropout)
    return (weights.unsqueeze(-1) * v).sum(-2, keepdim=True).flatten(-4, -3)


PATHS = {"products": attend_by_products, "sums": attend_by_sums}


def _in_chunks(q: Tensor, k: Tensor, v: Tensor, dropout: float, scale: float) -> Tensor:
    """Causal attention, a chunk of queries at a time: no chunk computes scores of keys behind its end."""
    length, shape = q.shape[-2], v.shape
    size = max(CHUNK, -(-length // 4))
    q, k, v = (t.reshape(-1, *t.shape[-2:]) for t in (q, k, v))
    mixed: list[Tensor] = []
    for part in q.split(size, dim=1):  # cut by one operation, so that the gradients are put together by one
        start, end = size * len(mixed), size * len(mixed) + part.shape[1]
        seen, values = (k, v) if end == length else (k[:, :end], v[:, :end])
        ahead = torch.full((end - start, end), -math.inf, dtype=v.dtype, device=v.device).triu(1 + start)
        scores = torch.baddbmm(ahead, part, seen.transpose(1, 2), alpha=scale)
        mixed.append(torch.bmm(F.dropout(scores.softmax(dim=-1), dropout), values))
    return torch.cat(mixed, dim=1).view(shape)
