"""A Hugging Face ``config.json`` becomes a `GPTConfig`; what is not built here is refused by its name."""

from support.core import InputError
from support.exchange.hf_fields import Fields, check_only, get_count, get_flag, get_known, get_rope
from support.exchange.hf_known_fields import MATTERING, warn_of_others
from support.exchange.hf_neo import read_gpt_neo, read_gpt_neox
from support.exchange.hf_tables import GPT2, LLAMA, MIXTURE, read_table
from support.model import GPTConfig

CLASSES = {
    "gpt2": "GPT2LMHeadModel",
    "gpt_neo": "GPTNeoForCausalLM",
    "gpt_neox": "GPTNeoXForCausalLM",
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
        check_only(fields, name, without_effect)
    readers = {"gpt2": _gpt2, "gpt_neo": read_gpt_neo, "gpt_neox": read_gpt_neox}
    read = readers.get(architecture)
    config = _llama_like(fields, architecture) if read is None else read(fields)
    warn_of_others(fields, architecture)
    return config


def _gpt2(fields: Fields) -> GPTConfig:
    check_only(fields, "scale_attn_weights", True)
    check_only(fields, "scale_attn_by_inverse_layer_idx", False)
    return GPTConfig(**read_table(fields, GPT2))


def _llama_like(fields: Fields, architecture: str) -> GPTConfig:
    get_known(fields, "hidden_act", "silu", {"silu": "silu", "swish": "silu"})
    base, scaling, _ = get_rope(fields, 1e6 if architecture == "mixtral" else 1e4)
    if architecture == "mixtral":
        given = read_table(fields, LLAMA + MIXTURE, tie_weights=False, norm_eps=1e-5)
        if given["n_experts"] < 2:
            raise InputError("The field num_local_experts=1 is not built here; a mixture has at least 2.")
    else:
        d_head = 128 if architecture == "qwen3" else None
        given = read_table(fields, LLAMA, tie_weights=False, d_head=d_head)
    for name in lacking(architecture):
        check_only(fields, name, False)
    return GPTConfig(
        **given,
        positions="rope",
        rope_base=base,
        rope_scaling=scaling,
        norm="rms",
        activation="swiglu",
        qkv_bias=architecture == "qwen2" or given["attention_bias"],
        qk_norm=architecture == "qwen3",
        window=_window(fields, architecture),
    )


def lacking(architecture: str) -> tuple[str, ...]:
    """The biases of Llama that a relative of it has not."""
    return {"llama": (), "qwen3": ("mlp_bias",)}.get(architecture, ("attention_bias", "mlp_bias"))


def _window(fields: Fields, architecture: str) -> int | None:
    """How far back a layer sees; the same for all layers, or refused."""
    if architecture == "llama":
        check_only(fields, "sliding_window", None)
    given = fields.get("layer_types") or ()
    if not isinstance(given, list | tuple) or not all(isinstance(kind, str) for kind in given):
        raise InputError(f"The field layer_types={given!r} must be a list of strings.")
    window, kinds = get_count(fields, "sliding_window", None), set(given)
    for kind in sorted(kinds - {"full_attention", "sliding_attention"}):
        raise InputError(f"The field layer_types has {kind!r}, which is not built here.")
    named = "layer_types" if kinds else "max_window_layers"
    if architecture in ("qwen2", "qwen3"):
        if not get_flag(fields, "use_sliding_window", False):
            window = None
        elif not kinds:  # the first layers see everything, the others a window
            first, layers = get_count(fields, "max_window_layers", 28), get_count(fields, "num_hidden_layers")
            kinds = {"full_attention" if i < first else "sliding_attention" for i in range(layers)}
    if len(kinds) > 1:
        raise InputError(
            f"The field {named} gives some layers a sliding_window and others none, which is not built here; "
            "all must be alike."
        )
    if kinds == {"sliding_attention"} and window is None:
        raise InputError("The field layer_types asks for a window, but sliding_window does not say how wide.")
    return None if kinds == {"full_attention"} else window
