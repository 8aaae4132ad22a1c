"""Each field of a config.json is honoured, refused by name, or warned of; none is ignored in silence."""

import math
import warnings

import pytest

from support.core import InputError
from support.exchange.hf_config import CLASSES, read_fields
from support.exchange.hf_config_out import write_fields

SMALL = {
    "gpt2": {"vocab_size": 9, "n_positions": 8, "n_embd": 8, "n_layer": 2, "n_head": 2, "n_inner": None}
    | {"activation_function": "gelu_new", "layer_norm_epsilon": 1e-5, "initializer_range": 0.02}
    | {
        "tie_word_embeddings": True,
        "resid_pdrop": 0.1,
        "scale_attn_weights": True,
        "add_cross_attention": False,
    },
}
LLAMA = {"vocab_size": 9, "max_position_embeddings": 8, "hidden_size": 8, "num_hidden_layers": 2}
LLAMA |= {"num_attention_heads": 2, "num_key_value_heads": 1, "head_dim": 4, "intermediate_size": 16}
LLAMA |= {"hidden_act": "silu", "rms_norm_eps": 1e-6, "rope_theta": 1e4, "rope_scaling": None}
LLAMA |= {"rope_parameters": None, "attention_bias": False, "mlp_bias": False, "sliding_window": None}
LLAMA |= {"layer_types": None, "use_sliding_window": False, "max_window_layers": 2, "initializer_range": 0.02}
LLAMA |= {"tie_word_embeddings": False, "num_local_experts": 2, "num_experts_per_tok": 1}
SMALL["gpt_neo"] = {"vocab_size": 9, "max_position_embeddings": 8, "hidden_size": 8, "num_layers": 2}
SMALL["gpt_neo"] |= {"num_heads": 2, "attention_types": [[["global", "local"], 1]], "window_size": 3}
SMALL["gpt_neo"] |= {"intermediate_size": None, "activation_function": "gelu_new", "layer_norm_epsilon": 1e-5}
SMALL["gpt_neo"] |= {"resid_dropout": 0.0, "tie_word_embeddings": True, "initializer_range": 0.02}
SMALL["gpt_neox"] = {"vocab_size": 9, "max_position_embeddings": 8, "hidden_size": 16, "num_hidden_layers": 2}
SMALL["gpt_neox"] |= {"num_attention_heads": 2, "intermediate_size": 16, "hidden_act": "gelu"}
SMALL["gpt_neox"] |= {"rotary_pct": 0.25, "rotary_emb_base": 1e4, "use_parallel_residual": True}
SMALL["gpt_neox"] |= {"layer_norm_eps": 1e-5, "attention_bias": True, "tie_word_embeddings": False}
SMALL |= {name: LLAMA for name in CLASSES if name not in SMALL}
WRONG = [
    "x",
    "8",
    "false",
    [],
    [1],
    [[1]],
    {},
    {"a": 1},
    {"a": {"b": 1}},
    -3,
    0,
    2.5,
    True,
    math.nan,
    math.inf,
    2**70,
]


def read(architecture, **changes):
    return read_fields({"model_type": architecture, **SMALL[architecture], **changes})


@pytest.mark.parametrize("architecture", CLASSES)
def test_each_field_with_each_wrong_kind(architecture):
    usual = read(architecture)
    for field in ["model_type", *SMALL[architecture]]:
        for value in WRONG:
            try:
                config = read_fields({"model_type": architecture, **SMALL[architecture], field: value})
            except InputError as error:
                assert str(error).endswith(".") and "\n" not in str(error)
                continue
            wanted = SMALL[architecture].get(field)
            same = value == wanted or (not value and not wanted)
            fine = isinstance(value, type(wanted)) or (isinstance(wanted, float) and value in (0, 2.5, 2**70))
            kind = isinstance(value, bool) == isinstance(wanted, bool)
            optional = wanted is None and value in ([], {}, 0, False)
            unread = config == usual  # experts of a dense model, windows that are not used
            assert same or (fine and kind) or optional or unread, f"{field}={value!r} was accepted"


def test_a_field_without_meaning_for_an_architecture_may_hold_anything_only_if_it_changes_nothing():
    assert read("llama", num_local_experts="x") == read("llama")
    with pytest.raises(InputError, match="num_local_experts='x'"):
        read("mixtral", num_local_experts="x")


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"attention_multiplier": 0.5}, "attention_multiplier=0.5"),
        ({"logits_scaling": 8.0}, "logits_scaling=8.0"),
        ({"embedding_multiplier": 12.0}, "embedding_multiplier"),
        ({"residual_multiplier": 0.2}, "residual_multiplier"),
        ({"final_logit_softcapping": 30.0}, "final_logit_softcapping"),
        ({"sliding_window": 4}, "sliding_window=4"),
        ({"rope_parameters": {"rope_theta": 5.0}}, "rope_theta=10000.0 contradicts"),
        ({"rope_scaling": {"type": "linear", "factor": 2.0, "beta_fast": 3}}, "beta_fast=3"),
        (
            {"rope_scaling": {"factor": 2.0, "type": "linear"}, "rope_parameters": {"factor": 3.0}},
            "contradict each other in factor",
        ),
        ({"tie_word_embeddings": "false"}, "tie_word_embeddings='false' must be true or false"),
        ({"attention_bias": "no"}, "attention_bias='no'"),
        ({"layer_types": "full_attention"}, "must be a list of strings"),
    ],
)
def test_what_changes_the_logits_of_a_llama_is_refused(changes, words):
    with pytest.raises(InputError, match=words):
        read("llama", **changes)


@pytest.mark.parametrize("architecture", ["mistral", "mixtral", "qwen2"])
def test_biases_that_an_architecture_has_not_are_refused(architecture):
    with pytest.raises(InputError, match="attention_bias=True"):
        read(architecture, attention_bias=True)


def test_harmless_fields_are_honoured():
    got = read(
        "llama", pretraining_tp=2, attention_multiplier=None, logits_scaling=1.0, torch_dtype="float16"
    )
    assert got == read("llama")
    assert read("llama", rope_theta=None, rope_parameters={"rope_theta": 77.0}).rope_base == 77.0


def test_unknown_fields_are_warned_of():
    with pytest.warns(UserWarning, match="not known here: speed, use_magic"):
        read("llama", use_magic=True, speed=3)


@pytest.mark.parametrize("architecture", CLASSES)
def test_all_that_transformers_writes_is_known(architecture):
    transformers = pytest.importorskip("transformers")
    name = CLASSES[architecture].removesuffix("LMHeadModel").removesuffix("ForCausalLM")
    layers = {} if architecture == "gpt_neo" else {"num_hidden_layers": 2}  # its kinds of layers are a list
    fields = getattr(transformers, f"{name}Config")(**layers).to_dict()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        config = read_fields(fields)
        assert read_fields(write_fields(config)) == config
