"""A Hugging Face ``config.json`` becomes a `GPTConfig`; what is not built here is refused by its name."""

from collections.abc import Mapping
from typing import Any

from support.core import InputError
from support.core.validation import Fraction, check
from support.exchange.hf_known_fields import MATTERING, warn_of_others
from support.model import GPTConfig

Fields = Mapping[str, Any]

ACTIVATIONS = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu": "gelu",
    "relu": "relu",
}
_ROPES = {
    "default": (),
    "linear": ("factor",),
    "llama3": ("factor", "low_freq_factor", "high_freq_factor", "original_max_position_embeddings"),
}
_OF_ROPE = {"rope_type", "type", "rope_theta", "partial_rotary_factor", "original_max_position_embeddings"}
CLASSES = {
    "gpt2": "GPT2LMHeadModel",
    "llama": "LlamaForCausalLM",
    "mistral": "MistralForCausalLM",
    "mixtral": "MixtralForCausalLM",
    "qwen2": "Qwen2ForCausalLM",
    "qwen3": "Qwen3ForCausalLM",
}


def read_fields(fields: Fields) -> GPTConfig:
    """The configuration that a ``config.json`` describes.

    Raises:
        InputError: the architecture is not known here, or a field is missing, of a wrong type, or asks for
            something that is not built; the sentence names it.

    >>> cfg = read_fields({"model_type": "gpt2", "vocab_size": 9, "n_positions": 8, "n_embd": 4,
    ...                    "n_layer": 1, "n_head": 2})
    >>> cfg.activation, cfg.d_ff
    ('gelu_tanh', 16)
    """
    architecture = fields.get("model_type")
    if not isinstance(architecture, str) or architecture not in CLASSES:
        known = ", ".join(CLASSES)
        raise InputError(f"The architecture model_type={architecture!r} is not known here; known: {known}.")
    if fields.get("quantization_config"):
        raise InputError(
            "The field quantization_config is not built here; give weights in float32, float16 or bfloat16."
        )
    for name, without_effect in MATTERING.items():
        _only(fields, name, without_effect)
    config = _gpt2(fields) if architecture == "gpt2" else _llama_like(fields, architecture)
    warn_of_others(fields, architecture)
    return config


def _gpt2(fields: Fields) -> GPTConfig:
    _only(fields, "scale_attn_weights", True)
    _only(fields, "scale_attn_by_inverse_layer_idx", False)
    activation: Any = _known(fields, "activation_function", "gelu_new", ACTIVATIONS)
    rates = {_number(fields, name, 0.1) for name in ("resid_pdrop", "embd_pdrop", "attn_pdrop")}
    for rate in rates:
        check("The fields resid_pdrop, embd_pdrop and attn_pdrop: a rate", rate, Fraction)
    return GPTConfig(
        vocab_size=_count(fields, "vocab_size"),
        context=_count(fields, "n_positions"),
        d_model=_count(fields, "n_embd"),
        n_layers=_count(fields, "n_layer"),
        n_heads=_count(fields, "n_head"),
        d_ff=_count(fields, "n_inner", None),
        norm_eps=_number(fields, "layer_norm_epsilon", 1e-5),
        activation=activation,
        tie_weights=_flag(fields, "tie_word_embeddings", True),
        # Ours is one rate for all three places. It plays no part unless the model is trained further.
        dropout=rates.pop() if len(rates) == 1 else 0.0,
        init_std=_number(fields, "initializer_range", 0.02),
    )


def _llama_like(fields: Fields, architecture: str) -> GPTConfig:
    _known(fields, "hidden_act", "silu", {"silu": "silu", "swish": "silu"})
    base, scaling = _rope(fields, 1e6 if architecture == "mixtral" else 1e4)
    bias = _flag(fields, "attention_bias", False)
    if architecture not in ("llama", "qwen3"):
        _only(fields, "attention_bias", False)
    if architecture != "llama":
        _only(fields, "mlp_bias", False)
    config: dict[str, Any] = {}
    if architecture == "mixtral":
        config |= {
            "n_experts": _count(fields, "num_local_experts"),
            "experts_per_token": _count(fields, "num_experts_per_tok"),
            "balance_weight": _number(fields, "router_aux_loss_coef", 0.001),
        }
        if config["n_experts"] < 2:
            raise InputError("The field num_local_experts=1 is not built here; a mixture has at least 2.")
    return GPTConfig(
        vocab_size=_count(fields, "vocab_size"),
        context=_count(fields, "max_position_embeddings"),
        d_model=_count(fields, "hidden_size"),
        n_layers=_count(fields, "num_hidden_layers"),
        n_heads=_count(fields, "num_attention_heads"),
        n_kv_heads=_count(fields, "num_key_value_heads", None),
        d_head=_count(fields, "head_dim", 128 if architecture == "qwen3" else None),
        d_ff=_count(fields, "intermediate_size"),
        positions="rope",
        rope_base=base,
        rope_scaling=scaling,
        norm="rms",
        norm_eps=_number(fields, "rms_norm_eps", 1e-5 if architecture == "mixtral" else 1e-6),
        activation="swiglu",
        attention_bias=bias,
        qkv_bias=True if architecture == "qwen2" else bias,
        ffn_bias=_flag(fields, "mlp_bias", False),
        qk_norm=architecture == "qwen3",
        window=_window(fields, architecture),
        tie_weights=_flag(fields, "tie_word_embeddings", False),
        init_std=_number(fields, "initializer_range", 0.02),
        **config,
    )


def _rope(fields: Fields, usual_base: float) -> tuple[int | float, dict[str, Any] | None]:
    """The base of RoPE's frequencies, and how they are scaled.

    Newer files say both under ``rope_parameters``, older ones under ``rope_theta`` and ``rope_scaling``.
    """
    newer, older = (_rope_place(fields, where) for where in ("rope_parameters", "rope_scaling"))
    for name in older.keys() & newer.keys():
        if newer[name] != older[name]:
            raise InputError(f"The fields rope_scaling and rope_parameters contradict each other in {name}.")
    given, kind = newer | older, (newer | older).get("rope_type", "default")
    for place in (fields, given):
        if place.get("partial_rotary_factor") not in (None, 1):
            part = place["partial_rotary_factor"]
            raise InputError(f"The field partial_rotary_factor={part} is not built here; only 1.0 is.")
    bases = [place["rope_theta"] for place in (given, fields) if place.get("rope_theta") is not None]
    if len(bases) == 2 and bases[0] != bases[1]:
        raise InputError(
            f"The field rope_theta={bases[1]!r} contradicts rope_parameters, which says {bases[0]!r}."
        )
    base = _number({"rope_theta": bases[0] if bases else None}, "rope_theta", usual_base)
    for name in sorted(set(map(str, given)) - _OF_ROPE.union(_ROPES[kind])):
        raise InputError(
            f"RoPE of rope_type={kind!r} has {name}={given.get(name)!r}, which is not built here."
        )
    if kind == "default":
        return base, None
    trained = "original_max_position_embeddings"
    usual = {trained: fields.get(trained) or given.get(trained) or fields.get("max_position_embeddings")}
    return base, {"rope_type": kind} | {
        name: _number({**given, **usual}, name) for name in _ROPES[kind] if name in {**given, **usual}
    }


def _rope_place(fields: Fields, where: str) -> dict[str, Any]:
    """What one of the two fields says, in the newer spelling."""
    given = fields.get(where) or {}
    if not isinstance(given, dict) or any(isinstance(value, dict) for value in given.values()):
        raise InputError(f"The field {where} differs from layer to layer, which is not built here.")
    kind = given.get("rope_type", given.get("type", "default"))
    if not isinstance(kind, str) or kind not in _ROPES:
        known = ", ".join(_ROPES)
        raise InputError(
            f"The field {where} has rope_type={kind!r}, which is not built here; known: {known}."
        )
    named = {"rope_type": kind} if "rope_type" in given or "type" in given else {}
    return {name: value for name, value in given.items() if name != "type"} | named


def _window(fields: Fields, architecture: str) -> int | None:
    """How far back a layer sees; the same for all layers, or refused."""
    if architecture == "llama":
        _only(fields, "sliding_window", None)
    given = fields.get("layer_types") or ()
    if not isinstance(given, list | tuple) or not all(isinstance(kind, str) for kind in given):
        raise InputError(f"The field layer_types={given!r} must be a list of strings.")
    window, kinds = _count(fields, "sliding_window", None), set(given)
    for kind in sorted(kinds - {"full_attention", "sliding_attention"}):
        raise InputError(f"The field layer_types has {kind!r}, which is not built here.")
    named = "layer_types" if kinds else "max_window_layers"
    if architecture in ("qwen2", "qwen3"):
        if not _flag(fields, "use_sliding_window", False):
            window = None
        elif not kinds:  # the first layers see everything, the others a window
            first, layers = _count(fields, "max_window_layers", 28), _count(fields, "num_hidden_layers")
            kinds = {"full_attention" if i < first else "sliding_attention" for i in range(layers)}
    if len(kinds) > 1:
        raise InputError(
            f"The field {named} gives some layers a sliding_window and others none, which is not built here; "
            "all must be alike."
        )
    if kinds == {"sliding_attention"} and window is None:
        raise InputError("The field layer_types asks for a window, but sliding_window does not say how wide.")
    return None if kinds == {"full_attention"} else window


_MISSING: Any = object()


def _get(fields: Fields, name: str, usual: Any) -> Any:
    value = fields.get(name)
    value = usual if value is None else value
    if value is _MISSING:
        raise InputError(f"config.json lacks the field {name!r}; is it complete?")
    return value


def _count(fields: Fields, name: str, usual: Any = _MISSING) -> Any:
    value = _get(fields, name, usual)
    if value is not None and (isinstance(value, bool) or not isinstance(value, int)):
        raise InputError(f"The field {name}={value!r} must be a whole number.")
    return value


def _number(fields: Fields, name: str, usual: Any = _MISSING) -> int | float:
    value = _get(fields, name, usual)
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"The field {name}={value!r} must be a number.")
    return value


def _flag(fields: Fields, name: str, usual: bool) -> bool:
    value = _get(fields, name, usual)
    if not isinstance(value, bool):
        raise InputError(f"The field {name}={value!r} must be true or false.")
    return value


def _only(fields: Fields, name: str, needed: Any) -> None:
    value = fields.get(name)
    if value is not None and value != needed:
        raise InputError(f"The field {name}={value!r} is not built here; only {needed!r} is.")


def _known(fields: Fields, name: str, usual: str, known: Mapping[str, str]) -> str:
    value = fields.get(name, usual)
    if not isinstance(value, str) or value not in known:
        raise InputError(f"The field {name}={value!r} is not built here; known: {', '.join(known)}.")
    return known[value]
