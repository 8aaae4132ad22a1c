"""The sizes of published models, counted a second time by the library that their files are made for."""

import pytest
import torch

from support.model import GPT, GPTConfig

transformers = pytest.importorskip("transformers")

GPT2 = {"vocab_size": 50257, "n_positions": 1024}
LLAMA = {"vocab_size": 32000, "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32}
MODELS = {
    "GPT-2 small": transformers.GPT2Config(**GPT2, n_embd=768, n_layer=12, n_head=12),
    "GPT-2 medium": transformers.GPT2Config(**GPT2, n_embd=1024, n_layer=24, n_head=16),
    "GPT-2 large": transformers.GPT2Config(**GPT2, n_embd=1280, n_layer=36, n_head=20),
    "GPT-2 XL": transformers.GPT2Config(**GPT2, n_embd=1600, n_layer=48, n_head=25),
    "GPT-3 (as GPT-2)": transformers.GPT2Config(
        vocab_size=50257, n_positions=2048, n_embd=12288, n_layer=96, n_head=96
    ),
    "Llama 7B": transformers.LlamaConfig(**LLAMA, intermediate_size=11008),
    "Llama 2 70B": transformers.LlamaConfig(
        vocab_size=32000,
        hidden_size=8192,
        num_hidden_layers=80,
        num_attention_heads=64,
        num_key_value_heads=8,
        intermediate_size=28672,
    ),
    "Mixtral 8x7B": transformers.MixtralConfig(
        **LLAMA, num_key_value_heads=8, intermediate_size=14336, num_local_experts=8, num_experts_per_tok=2
    ),
}


def ours(theirs):
    """The same shape as a `GPTConfig`."""
    if isinstance(theirs, transformers.GPT2Config):
        sizes = {"context": theirs.n_positions, "d_model": theirs.n_embd, "n_layers": theirs.n_layer}
        return GPTConfig(vocab_size=theirs.vocab_size, n_heads=theirs.n_head, **sizes)
    return GPTConfig(
        vocab_size=theirs.vocab_size,
        d_model=theirs.hidden_size,
        n_layers=theirs.num_hidden_layers,
        n_heads=theirs.num_attention_heads,
        n_kv_heads=theirs.num_key_value_heads,
        d_ff=theirs.intermediate_size,
        n_experts=getattr(theirs, "num_local_experts", 1),
        experts_per_token=getattr(theirs, "num_experts_per_tok", 1),
        **{"positions": "rope", "norm": "rms", "activation": "swiglu"},
        **{"attention_bias": False, "ffn_bias": False, "tie_weights": False},
    )


@pytest.mark.parametrize("name", MODELS)
def test_counts_as_transformers_counts(name):
    with torch.device("meta"):
        theirs = transformers.AutoModelForCausalLM.from_config(MODELS[name])
        model = GPT(ours(MODELS[name]))
    assert model.n_parameters() == sum(p.numel() for p in theirs.parameters())
