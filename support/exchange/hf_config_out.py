"""A `GPTConfig` becomes a Hugging Face ``config.json``; what their architectures lack is refused by name."""

from typing import Any

from support.core import InputError
from support.exchange.hf_config import CLASSES, lacking
from support.exchange.hf_neo import write_gpt_neo, write_gpt_neox
from support.exchange.hf_tables import COMMON, GPT2, LLAMA, MIXTURE, written
from support.model import GPTConfig


def write_fields(config: GPTConfig) -> dict[str, Any]:
    """A ``config.json`` that describes the configuration; its ``model_type`` is the simplest that can.

    Raises:
        InputError: no architecture known here has such a field; it is named.

    >>> write_fields(GPTConfig(vocab_size=9, activation="gelu_tanh"))["architectures"]
    ['GPT2LMHeadModel']
    """
    architecture, needs = _architecture(config)
    for name, needed in needs.items():
        if getattr(config, name) != needed:
            raise InputError(
                f"A {architecture} of transformers has {name}={needed!r}, and this model has "
                f"{getattr(config, name)!r}; it cannot be written as one."
            )
    fields = {
        "architectures": [CLASSES[architecture]],
        "model_type": architecture,
        **written(config, COMMON),
        "bos_token_id": None,
        "eos_token_id": None,
        "use_cache": True,
    }
    if architecture == "gpt2":
        return fields | written(config, GPT2)
    write = {"gpt_neo": write_gpt_neo, "gpt_neox": write_gpt_neox}.get(architecture)
    return fields | (_llama_fields(config, architecture) if write is None else write(config))


_PLAIN = {
    "norm_first": True,
    "residual": True,
    "causal": True,
    "attention_scale": None,
    "logit_softcap": None,
    "masked_ids": (),
    "window_layers": None,
    "parallel_blocks": False,
    "d_rotary": None,
}


def _architecture(config: GPTConfig) -> tuple[str, dict[str, Any]]:
    """The architecture to write, and what our fields must be for it."""
    heads: dict[str, Any] = {"n_kv_heads": config.n_heads, "d_head": config.d_model // config.n_heads}
    if config.positions != "rope":
        gpt2 = {"positions": "learned", "norm": "layer", "qkv_bias": True, "attention_bias": True}
        gpt2 |= {"ffn_bias": True, "qk_norm": False, "window": None, "n_experts": 1}
        if config.activation == "swiglu":
            gpt2 |= {"activation": "gelu_tanh"}
        needs = gpt2 | heads | _PLAIN
        if config.attention_scale != 1.0:
            return "gpt2", needs
        own = {"window": config.window, "window_layers": config.window_layers}
        return "gpt_neo", needs | own | {"qkv_bias": False, "attention_scale": 1.0}
    if config.norm == "layer" and config.activation != "swiglu":
        neox = heads | {"n_experts": 1, "qkv_bias": config.attention_bias, "ffn_bias": True}
        neox |= {"qk_norm": False, "window": None}
        own = {"parallel_blocks": config.parallel_blocks, "d_rotary": config.d_rotary}
        return "gpt_neox", neox | _PLAIN | own
    llama = {"norm": "rms", "activation": "swiglu", "ffn_bias": False, **_PLAIN}
    if config.n_experts > 1:
        return "mixtral", llama | {"qk_norm": False, "qkv_bias": False, "attention_bias": False}
    if config.qk_norm:
        return "qwen3", llama | {"qkv_bias": config.attention_bias}
    if config.qkv_bias and not config.attention_bias:
        return "qwen2", llama
    if config.window is not None or config.d_model % config.n_heads:
        return "mistral", llama | {"qkv_bias": False, "attention_bias": False}
    return "llama", llama | {"qkv_bias": config.attention_bias, "ffn_bias": config.ffn_bias}


def _llama_fields(config: GPTConfig, architecture: str) -> dict[str, Any]:
    scaling = config.rope_scaling or {"rope_type": "default"}
    fields = written(config, LLAMA + MIXTURE if architecture == "mixtral" else LLAMA)
    fields = {name: value for name, value in fields.items() if name not in lacking(architecture)}
    fields |= {
        "hidden_act": "silu",
        "attention_dropout": 0.0,
        # Both spellings, so that older releases read the file, too.
        "rope_parameters": {"rope_theta": config.rope_base, **scaling},
        "rope_theta": config.rope_base,
        "rope_scaling": config.rope_scaling,
    }
    if architecture != "llama":
        fields["sliding_window"] = config.window
    if architecture in ("qwen2", "qwen3"):
        fields |= {"use_sliding_window": config.window is not None, "max_window_layers": 0}
    return fields
