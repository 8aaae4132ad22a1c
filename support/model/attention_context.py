"""Who may look at whom, and from where: made once a pass, then used by the attention of every layer."""

import math
from dataclasses import dataclass, replace

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from support.model.config import GPTConfig
from support.model.positions import RotaryPositions, Rotation, alibi_slopes


@dataclass(frozen=True)
class AttentionContext:
    """What attention must know about a pass beside the stream.

    ``mask`` is None where the plain rule says all: with ``causal``, nobody looks ahead; without it, all
    look at all. Else it holds True where looking is allowed, or a number to add to each score (−inf where
    looking is forbidden). ``rotation`` turns the queries and keys of this pass, with RoPE.
    """

    causal: bool = True
    mask: Bool[Tensor, "#batch #head query key"] | Float[Tensor, "#batch #head query key"] | None = None
    rotation: Rotation | None = None

    def among(self, present: Bool[Tensor, "batch key"]) -> "AttentionContext":
        """The same for a pass with ``causal=False`` in which nobody looks at filling (what is not present).

        >>> AttentionContext(causal=False).among(torch.tensor([[True, False]])).mask.int().tolist()
        [[[[1, 0], [1, 1]]]]
        """
        # Filling sees itself, so that its rows stay numbers even where a window shows it nothing else.
        itself = torch.eye(present.shape[1], dtype=torch.bool, device=present.device)
        seen = present[:, None, None] | itself
        if self.mask is None:
            return replace(self, mask=seen)
        both = self.mask & seen if self.mask.dtype == torch.bool else self.mask.masked_fill(~seen, -math.inf)
        return replace(self, mask=both)


def make_attention_context(
    config: GPTConfig,
    n_queries: int,
    start: int = 0,
    pad: Int[Tensor, " batch"] | None = None,
    keys: Int[Tensor, " key"] | None = None,
    device: torch.device | str | None = None,
    dtype: torch.dtype = torch.float32,
) -> AttentionContext:
    """The attention_context of ``n_queries`` positions from ``start`` on.

    Args:
        config: its positions, window and direction decide.
        n_queries: positions in this pass.
        start: positions that passed before (in a cache).
        pad: how many filling tokens stand at the left of each text; nobody looks at them.
        keys: the place of each key, if they are not simply ``0 … start + n_queries − 1``.
        device: of the stream.
        dtype: of the stream.

    >>> make_attention_context(GPTConfig(vocab_size=5, window=2), 3).mask[0, 0].int().tolist()
    [[1, 0, 0], [1, 1, 0], [0, 1, 1]]
    """
    queries = torch.arange(start, start + n_queries, device=device)
    rotation = None
    if config.positions == "rope":
        places = queries if pad is None else (queries - pad[:, None]).clamp(min=0)[:, None]
        rotation = RotaryPositions(config)(places, dtype)
    n_keys = start + n_queries if keys is None else len(keys)
    cut = config.window is not None and config.window < n_keys
    if pad is None and config.positions != "alibi":
        if n_queries == 1 and (keys is not None or not cut):
            return AttentionContext(
                False, None, rotation
            )  # one query sees all that is kept: nothing to forbid
        if not cut and keys is None and (start == 0 or not config.causal):
            return AttentionContext(config.causal, None, rotation)
    keys = torch.arange(n_keys, device=device) if keys is None else keys
    distance = queries[:, None] - keys
    seen = distance >= 0 if config.causal else torch.ones_like(distance, dtype=torch.bool)
    if config.window is not None:
        seen = seen & (distance.abs() < config.window)
    mask = seen[None, None]
    if pad is not None:
        # Filling tokens see themselves, so that their rows stay numbers; nobody reads those.
        mask = mask & ((keys >= pad[:, None])[:, None, None] | (distance == 0))
    if config.positions == "alibi":
        slopes = torch.tensor(alibi_slopes(config.n_heads), dtype=dtype, device=device)
        price = -slopes[:, None, None] * distance.abs().to(dtype)
        mask = torch.where(mask, price[None], -math.inf)
    return AttentionContext(False, mask, rotation)
