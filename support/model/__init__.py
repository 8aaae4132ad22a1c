"""The transformer: configuration, positions, attention, feed-forward, norms, blocks, `GPT`, its cache."""

from support.model.attention import CrossAttention, SelfAttention, attend, causal_mask, scaled_dot_product
from support.model.attention_context import AttentionContext, make_attention_context
from support.model.base import Transformer, evaluating
from support.model.block import Block
from support.model.cache import KVCache, cache_bytes
from support.model.config import GPTConfig
from support.model.encoder import Classifier, Encoder
from support.model.encoder_decoder import ConditionedDecoder, EncoderDecoder, Seq2SeqInputs
from support.model.experts import Experts, Routing
from support.model.feed_forward import FeedForward, SwiGLU
from support.model.gpt import GPT
from support.model.norms import layer_norm, rms_norm
from support.model.positions import alibi_slopes, apply_rope, rope_frequencies, sinusoids
from support.model.quantize import Int8Linear, quantize

__all__ = [
    "GPT",
    "AttentionContext",
    "Block",
    "Classifier",
    "ConditionedDecoder",
    "CrossAttention",
    "Encoder",
    "EncoderDecoder",
    "Experts",
    "FeedForward",
    "GPTConfig",
    "Int8Linear",
    "KVCache",
    "Routing",
    "SelfAttention",
    "Seq2SeqInputs",
    "SwiGLU",
    "Transformer",
    "alibi_slopes",
    "apply_rope",
    "attend",
    "cache_bytes",
    "causal_mask",
    "evaluating",
    "layer_norm",
    "make_attention_context",
    "quantize",
    "rms_norm",
    "rope_frequencies",
    "scaled_dot_product",
    "sinusoids",
]
