"""The ``config.json`` of GPT-Neo and GPT-NeoX (Pythia), both ways."""

import math
from typing import Any

from support.core import InputError
from support.exchange.hf_fields import (
    Fields,
    get_activation,
    get_count,
    get_flag,
    get_number,
    get_one_rate,
    get_rope,
    their_activation,
)
from support.model import GPTConfig


def read_gpt_neo(fields: Fields) -> GPTConfig:
    """The configuration of a GPT-Neo: a GPT-2 with unscaled scores and a window in some layers.

    Source: Black et al. 2021.
    """
    n_layers = get_count(fields, "num_layers")
    kinds = _attention_layers(fields, n_layers)
    windowed = tuple(layer for layer, kind in enumerate(kinds) if kind == "local")
    return GPTConfig(
        vocab_size=get_count(fields, "vocab_size"),
        context=get_count(fields, "max_position_embeddings"),
        d_model=get_count(fields, "hidden_size"),
        n_layers=n_layers,
        n_heads=get_count(fields, "num_heads"),
        d_ff=get_count(fields, "intermediate_size", None),
        norm_eps=get_number(fields, "layer_norm_epsilon", 1e-5),
        activation=get_activation(fields, "activation_function", "gelu_new"),
        qkv_bias=False,
        attention_scale=1.0,
        window=get_count(fields, "window_size", 256) if windowed else None,
        window_layers=windowed if 0 < len(windowed) < n_layers else None,
        tie_weights=get_flag(fields, "tie_word_embeddings", True),
        dropout=get_one_rate(fields, "resid_dropout", "embed_dropout", "attention_dropout", usual=0.0),
        init_std=get_number(fields, "initializer_range", 0.02),
    )


def read_gpt_neox(fields: Fields) -> GPTConfig:
    """The configuration of a GPT-NeoX: RoPE on a part of each head, parallel blocks.

    Source: Black et al. 2022; Biderman et al. 2023 (Pythia).
    """
    d_model, n_heads = get_count(fields, "hidden_size"), get_count(fields, "num_attention_heads")
    named = {"rope_theta": fields.get("rotary_emb_base"), "partial_rotary_factor": fields.get("rotary_pct")}
    older = {name: value for name, value in named.items() if value is not None}
    base, scaling, share = get_rope({**older, **fields}, 10_000.0, share=0.25)
    if not 0 < share <= 1:
        raise InputError(
            f"The share of each head that RoPE rotates is {share}; it must be above 0 and at most 1."
        )
    d_head = d_model // n_heads if n_heads > 0 else 0
    d_rotary = int(d_head * share)
    return GPTConfig(
        vocab_size=get_count(fields, "vocab_size"),
        context=get_count(fields, "max_position_embeddings"),
        d_model=d_model,
        n_layers=get_count(fields, "num_hidden_layers"),
        n_heads=n_heads,
        d_ff=get_count(fields, "intermediate_size"),
        positions="rope",
        rope_base=base,
        rope_scaling=scaling,
        d_rotary=None if d_rotary == d_head else d_rotary,
        norm_eps=get_number(fields, "layer_norm_eps", 1e-5),
        activation=get_activation(fields, "hidden_act", "gelu"),
        parallel_blocks=get_flag(fields, "use_parallel_residual", True),
        attention_bias=get_flag(fields, "attention_bias", True),
        tie_weights=get_flag(fields, "tie_word_embeddings", False),
        dropout=get_one_rate(fields, "hidden_dropout", "attention_dropout", usual=0.0),
        init_std=get_number(fields, "initializer_range", 0.02),
    )


def write_gpt_neo(config: GPTConfig) -> dict[str, Any]:
    """The fields of a GPT-Neo."""
    windows = [config.layer_window(layer) for layer in range(config.n_layers)]
    kinds = ["global" if window is None else "local" for window in windows]
    return {
        "max_position_embeddings": config.context,
        "hidden_size": config.d_model,
        "num_layers": config.n_layers,
        "num_heads": config.n_heads,
        "intermediate_size": config.d_ff,
        "attention_types": [[kinds, 1]],
        "attention_layers": kinds,
        "window_size": 256 if config.window is None else config.window,
        "activation_function": their_activation(config.activation),
        "layer_norm_epsilon": config.norm_eps,
        "resid_dropout": config.dropout,
        "embed_dropout": config.dropout,
        "attention_dropout": config.dropout,
    }


def write_gpt_neox(config: GPTConfig) -> dict[str, Any]:
    """The fields of a GPT-NeoX, in the newer spelling and the older."""
    share = 1.0 if config.d_rotary is None else config.d_rotary / config.d_head
    if int(config.d_head * share) < round(config.d_head * share):
        share = math.nextafter(share, 2)  # so that rounding down gives the number of dimensions again
    scaling = config.rope_scaling or {"rope_type": "default"}
    return {
        "max_position_embeddings": config.context,
        "hidden_size": config.d_model,
        "num_hidden_layers": config.n_layers,
        "num_attention_heads": config.n_heads,
        "intermediate_size": config.d_ff,
        "hidden_act": their_activation(config.activation),
        "layer_norm_eps": config.norm_eps,
        "use_parallel_residual": config.parallel_blocks,
        "attention_bias": config.attention_bias,
        "rope_parameters": {"rope_theta": config.rope_base, "partial_rotary_factor": share, **scaling},
        "rotary_emb_base": config.rope_base,
        "rotary_pct": share,
        "hidden_dropout": config.dropout,
        "attention_dropout": config.dropout,
    }


def _attention_layers(fields: Fields, n_layers: int) -> list[str]:
    """Which attention each layer has: "global" or "local"."""
    kinds = fields.get("attention_layers")
    if kinds is None:
        types = fields.get("attention_types", [[["global", "local"], n_layers // 2]])
        try:
            kinds = [kind for group, times in types for _ in range(times) for kind in group]
        except (TypeError, ValueError):
            raise InputError(
                f"The field attention_types={types!r} must be a list of pairs: kinds of layers, how often."
            ) from None
    if not isinstance(kinds, list | tuple) or any(kind not in ("global", "local") for kind in kinds):
        raise InputError(f'The field attention_layers={kinds!r} must hold "global" and "local" only.')
    if len(kinds) != n_layers:
        raise InputError(f"The field attention_types speaks of {len(kinds)} layers; num_layers={n_layers}.")
    return list(kinds)
