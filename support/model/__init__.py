"""The transformer: configuration, positions, attention, feed-forward, norms, the block, and `GPT`."""

from support.model.attention import SelfAttention, attend, causal_mask, scaled_dot_product
from support.model.block import Block
from support.model.config import GPTConfig
from support.model.feed_forward import FeedForward
from support.model.gpt import GPT
from support.model.norms import layer_norm
from support.model.positions import sinusoids

__all__ = [
    "GPT",
    "Block",
    "FeedForward",
    "GPTConfig",
    "SelfAttention",
    "attend",
    "causal_mask",
    "layer_norm",
    "scaled_dot_product",
    "sinusoids",
]
