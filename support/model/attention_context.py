"""Which position may attend to which, and how it is rotated: made once a pass, used by every layer."""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from support.model.config import GPTConfig
from support.model.positions import RotaryPositions, Rotation, alibi_slopes, places


@dataclass(frozen=True)
class AttentionContext:
    """What attention must know about a pass beside the residual stream.

    Args:
        causal: without a mask, no position attends to a later one; False: each attends to all.
        mask: None where that suffices. Else True where attention is allowed, or a number to add to each
            score (−∞ where attention is forbidden).
        rotation: with RoPE, the cosines and sines that rotate the queries and keys of this pass.
    """

    causal: bool = True
    mask: Bool[Tensor, "#batch #head query key"] | Float[Tensor, "#batch #head query key"] | None = None
    rotation: Rotation | None = None

    def among(self, present: Bool[Tensor, "batch key"]) -> "AttentionContext":
        """The same with ``causal=False`` for a batch in which no position attends to padding (not present).

        >>> AttentionContext(causal=False).among(torch.tensor([[True, False]])).mask.int().tolist()
        [[[[1, 0], [1, 1]]]]
        """
        # Padding attends to itself, so that its rows stay finite even where a window shows it nothing else.
        itself = torch.eye(present.shape[1], dtype=torch.bool, device=present.device)
        return replace(self, mask=narrowed(self.mask, present[:, None, None] | itself))


def narrowed(mask: Tensor | None, allowed: Bool[Tensor, "..."]) -> Tensor:
    """A mask, of either kind, that allows nothing but what ``allowed`` does too.

    >>> narrowed(torch.tensor([0.5, 0.5]), torch.tensor([True, False]))
    tensor([0.5000,   -inf])
    """
    if mask is None:
        return allowed
    return mask & allowed if mask.dtype == torch.bool else mask.masked_fill(~allowed, -math.inf)


def make_attention_context(
    config: GPTConfig,
    n_queries: int,
    start: int | Int[Tensor, ""] = 0,
    pad: Int[Tensor, " batch"] | None = None,
    keys: Int[Tensor, " key"] | None = None,
    device: torch.device | str | None = None,
    dtype: torch.dtype = torch.float32,
    rotary: RotaryPositions | None = None,
) -> AttentionContext:
    """The attention context of ``n_queries`` positions from ``start`` on.

    Args:
        config: its positions, window and direction decide.
        n_queries: positions in this pass.
        start: positions that passed before (in a cache); a tensor if only the device knows (a static cache).
        pad: how many padding tokens stand at the left of each text; no other position attends to them.
        keys: the position of each key, below 0 for an empty slot, if they are not simply ``0 … start +
            n_queries − 1``.
        device: of the stream.
        dtype: of the stream.
        rotary: the model's table for RoPE; made anew if not given.

    >>> make_attention_context(GPTConfig(vocab_size=5, window=2), 3).mask[0, 0].int().tolist()
    [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    """
    rotation = None
    if config.positions == "rope":
        rotary = RotaryPositions(config).to(device=device, dtype=dtype) if rotary is None else rotary
        if isinstance(start, int):
            rotary.reserve(start + n_queries)
        where = places(n_queries, start, pad, device)
        rotation = rotary(where if pad is None or isinstance(where, slice) else where[:, None])
    if pad is None and config.positions != "alibi" and isinstance(start, int):
        n_keys = start + n_queries if keys is None else len(keys)
        cut = config.window is not None and config.window < n_keys
        if n_queries == 1 and (keys is not None or not cut):
            return AttentionContext(False, None, rotation)  # one query attends to all that is kept
        if not cut and keys is None and (start == 0 or not config.causal):
            return AttentionContext(config.causal, None, rotation)
    queries = start + torch.arange(n_queries, device=device)
    keys = torch.arange(int(start) + n_queries, device=device) if keys is None else keys
    distance = queries[:, None] - keys
    seen = distance >= 0 if config.causal else torch.ones_like(distance, dtype=torch.bool)
    if config.window is not None:
        seen = seen & (distance.abs() < config.window)
    mask = (seen & (keys >= 0))[None, None]
    if pad is not None:
        # Padding attends to itself, so that its rows stay finite; no other position reads them.
        mask = mask & ((keys >= pad[:, None])[:, None, None] | (distance == 0))
    if config.positions == "alibi":
        slopes = torch.tensor(alibi_slopes(config.n_heads), dtype=dtype, device=device)
        penalty = -slopes[:, None, None] * distance.abs().to(dtype)
        mask = torch.where(mask, penalty[None], -math.inf)
    return AttentionContext(False, mask, rotation)
