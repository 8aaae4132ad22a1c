"""Attention: every position asks, every earlier position answers, and the answers are mixed."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from support.model.config import GPTConfig


def causal_mask(
    n_queries: int, n_keys: int | None = None, device: torch.device | str | None = None
) -> Bool[Tensor, "query key"]:
    """Who may look at whom: True where the key is no later than the query.

    With more keys than queries, the queries are the last positions (as they are with a cache).

    >>> causal_mask(3).int().tolist()
    [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    """
    n_keys = n_queries if n_keys is None else n_keys
    return torch.ones(n_queries, n_keys, dtype=torch.bool, device=device).tril(n_keys - n_queries)


def attend(
    q: Float[Tensor, "*batch query d_head"],
    k: Float[Tensor, "*batch key d_head"],
    v: Float[Tensor, "*batch key d_value"],
    causal: bool = True,
    mask: Bool[Tensor, "*mask query key"] | None = None,
    scale: float | None = None,
) -> tuple[Float[Tensor, "*batch query d_value"], Float[Tensor, "*batch query key"]]:
    """Attention in the open: score, scale, mask, softmax, mix. Returns the mixture and the weights.

    Args:
        q: what each position asks for.
        k: what each position offers to be found by.
        v: what each position hands over.
        causal: let nobody look ahead.
        mask: a further mask, True where looking is allowed.
        scale: what the scores are multiplied by; 1/√d_head if not given.

    Follows Vaswani et al. 2017, equation 1.

    >>> output, weights = attend(*torch.eye(2).expand(3, 2, 2))
    >>> weights.round(decimals=2).tolist() == torch.tensor([[1.0, 0.0], [0.33, 0.67]]).tolist()
    True
    """
    scale = 1 / math.sqrt(q.shape[-1]) if scale is None else scale
    scores = q @ k.transpose(-2, -1) * scale
    if causal:
        scores = scores.masked_fill(~causal_mask(q.shape[-2], k.shape[-2], q.device), -math.inf)
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def scaled_dot_product(
    q: Float[Tensor, "*batch query d_head"],
    k: Float[Tensor, "*batch key d_head"],
    v: Float[Tensor, "*batch key d_value"],
    causal: bool = True,
    dropout: float = 0.0,
    scale: float | None = None,
) -> Float[Tensor, "*batch query d_value"]:
    """The same mixture from torch's fused kernel, which never stores the weights.

    Follows Dao et al. 2022 (FlashAttention), where the device has it. Causal means as many queries as keys.

    >>> q = k = v = torch.randn(2, 5, 8)
    >>> bool(torch.allclose(scaled_dot_product(q, k, v), attend(q, k, v)[0], atol=1e-6))
    True
    """
    return F.scaled_dot_product_attention(q, k, v, is_causal=causal, dropout_p=dropout, scale=scale)


class SelfAttention(nn.Module):
    """Multi-head causal self-attention: one matrix for all queries, keys and values, one to mix the heads."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.n_heads, self.d_head, self.dropout = config.n_heads, config.d_head, config.dropout
        lanes = config.n_heads * config.d_head
        self.qkv = nn.Linear(config.d_model, 3 * lanes, bias=config.qkv_bias)
        self.output = nn.Linear(lanes, config.d_model, bias=config.attention_bias)

    def split(self, x: Float[Tensor, "batch position d_model"]) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each ``[batch, head, position, d_head]``."""
        qkv = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (part.unflatten(-1, (self.n_heads, self.d_head)).transpose(1, 2) for part in qkv)
        return q, k, v

    def merge(
        self, heads: Float[Tensor, "batch head position d_head"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Lay the heads' outputs side by side and mix them with the output matrix."""
        return self.output(heads.transpose(1, 2).flatten(-2))

    def forward(self, x: Float[Tensor, "batch position d_model"]) -> Float[Tensor, "batch position d_model"]:
        """What attention adds to the stream (the fused kernel)."""
        dropout = self.dropout if self.training else 0.0
        return self.merge(scaled_dot_product(*self.split(x), dropout=dropout))

    def with_weights(
        self, x: Float[Tensor, "batch position d_model"]
    ) -> tuple[Float[Tensor, "batch position d_model"], Float[Tensor, "batch head query key"]]:
        """The same output by the open path (without dropout), and every head's weights."""
        heads, weights = attend(*self.split(x))
        return self.merge(heads), weights
