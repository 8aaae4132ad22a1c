"""The ``config.json`` of GPT-Neo and GPT-NeoX (Pythia), both ways."""

import math
from typing import Any

from support.core import InputError
from support.exchange.hf_fields import Fields, get_count, get_rope
from support.exchange.hf_tables import GPT_NEO, GPT_NEOX, read_table, written
from support.model import GPTConfig


def read_gpt_neo(fields: Fields) -> GPTConfig:
    """The configuration of a GPT-Neo: a GPT-2 with unscaled scores and a window in some layers.

    Source: Black et al. 2021.
    """
    given = read_table(fields, GPT_NEO)
    kinds = _attention_layers(fields, given["n_layers"])
    windowed = tuple(layer for layer, kind in enumerate(kinds) if kind == "local")
    return GPTConfig(
        **given,
        qkv_bias=False,
        attention_scale=1.0,
        window=get_count(fields, "window_size", 256) if windowed else None,
        window_layers=windowed if 0 < len(windowed) < len(kinds) else None,
    )


def read_gpt_neox(fields: Fields) -> GPTConfig:
    """The configuration of a GPT-NeoX: RoPE on a part of each head, parallel blocks.

    Source: Black et al. 2022; Biderman et al. 2023 (Pythia).
    """
    given = read_table(fields, GPT_NEOX, tie_weights=False)
    named = {"rope_theta": fields.get("rotary_emb_base"), "partial_rotary_factor": fields.get("rotary_pct")}
    older = {name: value for name, value in named.items() if value is not None}
    base, scaling, share = get_rope({**older, **fields}, 10_000.0, share=0.25)
    if not 0 < share <= 1:
        raise InputError(
            f"The share of each head that RoPE rotates is {share}; it must be above 0 and at most 1."
        )
    d_head = given["d_model"] // given["n_heads"] if given["n_heads"] > 0 else 0
    d_rotary = int(d_head * share)
    return GPTConfig(
        **given,
        positions="rope",
        rope_base=base,
        rope_scaling=scaling,
        d_rotary=None if d_rotary == d_head else d_rotary,
    )


def write_gpt_neo(config: GPTConfig) -> dict[str, Any]:
    """The fields of a GPT-Neo."""
    windows = [config.layer_window(layer) for layer in range(config.n_layers)]
    kinds = ["global" if window is None else "local" for window in windows]
    return written(config, GPT_NEO) | {
        "attention_types": [[kinds, 1]],
        "attention_layers": kinds,
        "window_size": 256 if config.window is None else config.window,
    }


def write_gpt_neox(config: GPTConfig) -> dict[str, Any]:
    """The fields of a GPT-NeoX, in the newer spelling and the older."""
    share = 1.0 if config.d_rotary is None else config.d_rotary / config.d_head
    if int(config.d_head * share) < round(config.d_head * share):
        share = math.nextafter(share, 2)  # so that rounding down gives the number of dimensions again
    scaling = config.rope_scaling or {"rope_type": "default"}
    return written(config, GPT_NEOX) | {
        "rope_parameters": {"rope_theta": config.rope_base, "partial_rotary_factor": share, **scaling},
        "rotary_emb_base": config.rope_base,
        "rotary_pct": share,
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
