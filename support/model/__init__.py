"""The transformer: configuration, positions, attention, feed-forward, norms, blocks, `GPT`, its cache."""

from support.model.attention import CrossAttention, SelfAttention, attend, causal_mask, scaled_dot_product
from support.model.block import Block
from support.model.cache import KVCache, cache_bytes
from support.model.config import GPTConfig
from support.model.encoder import Classifier, Encoder
from support.model.encoder_decoder import EncoderDecoder, Given, Pair
from support.model.experts import Experts, Routing
from support.model.fast_step import FastStep, can_step_fast
from support.model.feed_forward import FeedForward, SwiGLU
from support.model.gpt import GPT
from support.model.norms import layer_norm, rms_norm
from support.model.positions import alibi_slopes, rope_frequencies, rotate, sinusoids
from support.model.sight import Sight, make_sight

__all__ = [
    "GPT",
    "Block",
    "Classifier",
    "CrossAttention",
    "Encoder",
    "EncoderDecoder",
    "Experts",
    "FastStep",
    "FeedForward",
    "GPTConfig",
    "Given",
    "KVCache",
    "Pair",
    "Routing",
    "SelfAttention",
    "Sight",
    "SwiGLU",
    "alibi_slopes",
    "attend",
    "cache_bytes",
    "can_step_fast",
    "causal_mask",
    "layer_norm",
    "make_sight",
    "rms_norm",
    "rope_frequencies",
    "rotate",
    "scaled_dot_product",
    "sinusoids",
]
