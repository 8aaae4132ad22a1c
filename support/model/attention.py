"""Attention: each position's query is compared with the keys, and the values are mixed by the result."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float
from torch import Tensor, nn

from support.model.attention_context import AttentionContext, make_attention_context, narrowed
from support.model.attention_kernels import PATHS, attention_path
from support.model.cache import LayerCache
from support.model.config import GPTConfig
from support.model.positions import apply_rope


def causal_mask(
    n_queries: int, n_keys: int | None = None, device: torch.device | str | None = None
) -> Bool[Tensor, "query key"]:
    """Which position may attend to which: True where the key is no later than the query.

    Args:
        n_queries: positions that attend.
        n_keys: positions that are attended to, the queries' own being the last (as with a cache); as many
            if not given.
        device: of the mask.

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
    mask: Bool[Tensor, "*mask query key"] | Float[Tensor, "*mask query key"] | None = None,
    scale: float | None = None,
) -> tuple[Float[Tensor, "*batch query d_value"], Float[Tensor, "*batch query key"]]:
    """Attention step by step: score, scale, mask, softmax, weighted sum. Returns the sums and the weights.

    Args:
        q: queries: what each position asks for.
        k: keys: what each position offers to be found by.
        v: values: what each position hands over.
        causal: let no position attend to a later one; with more keys, the queries are the last positions.
        mask: a further mask: True where attention is allowed, or numbers to add to the scores.
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
        scores = scores.masked_fill(~mask, -math.inf) if mask.dtype == torch.bool else scores + mask
    weights = scores.softmax(dim=-1)
    return weights @ v, weights


def scaled_dot_product(
    q: Float[Tensor, "*heads query d_head"],
    k: Float[Tensor, "*kv_heads key d_head"],
    v: Float[Tensor, "*kv_heads key d_value"],
    causal: bool = True,
    mask: Bool[Tensor, "*mask query key"] | Float[Tensor, "*mask query key"] | None = None,
    dropout: float = 0.0,
    scale: float | None = None,
) -> Float[Tensor, "*heads query d_value"]:
    """The weighted sums of `attend` from torch's fused kernel, which does not store the weights.

    With fewer KV heads than heads, each group of neighbouring heads shares one.

    Args:
        q: queries; this and all arguments but one are those of `attend`.
        k: keys.
        v: values.
        causal: let no position attend to a later one; with more keys, the queries are the last positions.
        mask: a further mask.
        dropout: the probability with which an attention weight is set to zero.
        scale: what the scores are multiplied by.

    Follows Dao et al. 2022 (FlashAttention), where the device has it; Ainslie et al. 2023 for the groups.

    >>> q = k = v = torch.randn(2, 5, 8)
    >>> bool(torch.allclose(scaled_dot_product(q, k, v), attend(q, k, v)[0], atol=1e-6))
    True
    """
    if causal and (mask is not None or q.shape[-2] != k.shape[-2]):  # torch's own rule suits neither
        causal, mask = False, narrowed(mask, causal_mask(q.shape[-2], k.shape[-2], q.device))
    path = attention_path(q, v)
    if q.ndim > 2 and path != "fused":
        return PATHS[path](q, k, v, causal, mask, dropout, scale)
    grouped = q.ndim > 2 and q.shape[-3] != k.shape[-3]
    if grouped and q.shape[-2] == 1 and (mask is None or mask.ndim < 3 or mask.shape[-3] == 1):
        # A group's single queries become the queries of one head: nothing is copied.
        together = q.squeeze(-2).unflatten(-2, (k.shape[-3], -1))
        mixed = F.scaled_dot_product_attention(together, k, v, attn_mask=mask, dropout_p=dropout, scale=scale)
        return mixed.flatten(-3, -2).unsqueeze(-2)
    return F.scaled_dot_product_attention(
        q, k, v, attn_mask=mask, is_causal=causal, dropout_p=dropout, scale=scale, enable_gqa=grouped
    )


class SelfAttention(nn.Module):
    """Multi-head self-attention: one matrix for all queries, keys and values, one to mix the heads.

    Follows Vaswani et al. 2017, section 3.2.2; with fewer key and value heads Ainslie et al. 2023.

    >>> attention = SelfAttention(GPTConfig(vocab_size=5, d_model=8, n_heads=2))
    >>> output, weights = attention.with_weights(torch.zeros(1, 3, 8))
    >>> output.shape, weights[0, 0, 1].tolist()  # equal scores: the second token attends to both alike
    (torch.Size([1, 3, 8]), [0.5, 0.5, 0.0])
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.n_heads, self.n_kv_heads, self.d_head = config.n_heads, config.n_kv_heads, config.d_head
        self.head_counts = (config.n_heads, config.n_kv_heads, config.n_kv_heads)
        self.widths = [n * config.d_head for n in self.head_counts]
        self.qkv = nn.Linear(config.d_model, sum(self.widths), bias=config.qkv_bias)
        self.output = nn.Linear(self.widths[0], config.d_model, bias=config.attention_bias)
        self.norm_q = nn.RMSNorm(config.d_head, eps=config.norm_eps) if config.qk_norm else nn.Identity()
        self.norm_k = nn.RMSNorm(config.d_head, eps=config.norm_eps) if config.qk_norm else nn.Identity()

    def split(
        self,
        x: Float[Tensor, "batch position d_model"],
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Queries, keys and values, each ``[batch, head, position, d_head]`` (one KV head a group)."""
        batch, n, _ = x.shape
        # Cut before they are transposed, so that the gradients are put together
        # in the layout of the projection.
        heads = self.qkv(x).view(batch, n, -1, self.d_head)
        q, k, v = heads.split_with_sizes(self.head_counts, 2)
        return q.transpose(1, 2), k.transpose(1, 2), v.transpose(1, 2)

    def norm_and_rotate(
        self, q: Tensor, k: Tensor, attention_context: AttentionContext
    ) -> tuple[Tensor, Tensor]:
        """Queries and keys as they are multiplied: with QK-norm and RoPE, if the configuration has them."""
        if self.config.qk_norm:
            q, k = self.norm_q(q), self.norm_k(k)
        if attention_context.rotation is not None:
            q, k = (apply_rope(x, *attention_context.rotation) for x in (q, k))
        return q, k

    def merge(
        self, heads: Float[Tensor, "batch head position d_head"]
    ) -> Float[Tensor, "batch position d_model"]:
        """Concatenate the heads' outputs and mix them with the output matrix."""
        return self.output(heads.transpose(1, 2).flatten(-2))

    def forward(
        self,
        x: Float[Tensor, "batch position d_model"],
        attention_context: AttentionContext | None = None,
        cache: LayerCache | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """What attention adds to the residual stream (see `scaled_dot_product`).

        Args:
            x: what it reads: the stream, with pre-norm normed.
            attention_context: mask and rotation; by default those of a whole text.
            cache: keys and values of the positions read before, which this pass adds to.
        """
        context = self.attention_context(x) if attention_context is None else attention_context
        q, k, v = self.split(x)
        q, k = self.norm_and_rotate(q, k, context)
        if cache is not None:
            k, v = cache.update(k, v)
        dropout = self.config.dropout if self.training else 0.0
        scale = self.config.attention_scale
        return self.merge(scaled_dot_product(q, k, v, context.causal, context.mask, dropout, scale))

    def with_weights(
        self, x: Float[Tensor, "batch position d_model"], attention_context: AttentionContext | None = None
    ) -> tuple[Float[Tensor, "batch position d_model"], Float[Tensor, "batch head query key"]]:
        """The same output step by step (without dropout), and every head's weights."""
        weights, values = self.weights_and_values(x, attention_context)
        return self.merge(weights @ values), weights

    def weights_and_values(
        self, x: Float[Tensor, "batch position d_model"], attention_context: AttentionContext | None = None
    ) -> tuple[Float[Tensor, "batch head query key"], Float[Tensor, "batch head key d_head"]]:
        """Every head's attention weights and the values that they mix (a group's are repeated)."""
        context = self.attention_context(x) if attention_context is None else attention_context
        q, k, v = self.by_head(x, context)
        return attend(q, k, v, context.causal, context.mask, self.config.attention_scale)[1], v

    def by_head(
        self, x: Float[Tensor, "batch position d_model"], attention_context: AttentionContext
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Each head's own queries, keys and values, normed and rotated (a group's are repeated)."""
        q, k, v = self.split(x)
        q, k = self.norm_and_rotate(q, k, attention_context)
        k, v = (t.repeat_interleave(self.n_heads // self.n_kv_heads, dim=1) for t in (k, v))
        return q, k, v

    def attention_context(self, x: Tensor) -> AttentionContext:
        """The attention context of ``x``, if it is a whole text from its first position on."""
        return make_attention_context(self.config, x.shape[1], device=x.device, dtype=x.dtype)


class CrossAttention(nn.Module):
    """The decoder attends to the encoder: queries from one stream, keys and values from the other.

    No mask but that of padding, no positions: the encoder's stream carries them.

    Follows Vaswani et al. 2017, section 3.2.3.
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.d_head, self.dropout, self.scale = config.d_head, config.dropout, config.attention_scale
        width, kv_width = config.n_heads * config.d_head, config.n_kv_heads * config.d_head
        self.query = nn.Linear(config.d_model, width, bias=config.qkv_bias)
        self.key_value = nn.Linear(config.d_model, 2 * kv_width, bias=config.qkv_bias)
        self.output = nn.Linear(width, config.d_model, bias=config.attention_bias)

    def forward(
        self,
        x: Float[Tensor, "batch position d_model"],
        memory: Float[Tensor, "batch source d_model"],
        mask: Bool[Tensor, "batch #head #position source"] | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """What the decoder's stream gets from the encoder's.

        Args:
            x: the decoder's stream, with pre-norm normed.
            memory: the encoder's stream.
            mask: True where it may be attended to.
        """
        q, k, v = self.split(x, memory)
        dropout = self.dropout if self.training else 0.0
        heads = scaled_dot_product(q, k, v, causal=False, mask=mask, dropout=dropout, scale=self.scale)
        return self.output(heads.transpose(1, 2).flatten(-2))

    def split(self, x: Tensor, memory: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Queries of one stream, keys and values of the other: each ``[batch, head, position, d_head]``."""
        parts = self.query(x), *self.key_value(memory).chunk(2, dim=-1)
        q, k, v = (part.unflatten(-1, (-1, self.d_head)).transpose(1, 2) for part in parts)
        return q, k, v

    def with_weights(
        self,
        x: Float[Tensor, "batch position d_model"],
        memory: Float[Tensor, "batch source d_model"],
        mask: Bool[Tensor, "batch #head #position source"] | None = None,
    ) -> tuple[Float[Tensor, "batch position d_model"], Float[Tensor, "batch head position source"]]:
        """The same output step by step (without dropout), and every head's weights."""
        q, k, v = self.split(x, memory)
        k, v = (t.repeat_interleave(q.shape[1] // k.shape[1], dim=1) for t in (k, v))
        heads, weights = attend(q, k, v, causal=False, mask=mask, scale=self.scale)
        return self.output(heads.transpose(1, 2).flatten(-2)), weights
