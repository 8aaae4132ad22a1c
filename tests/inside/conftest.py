"""Models far from their tame start, in float64, so that equality means equality."""

import pytest
from helpers import shaken

from support.model import GPT, GPTConfig

FAMILY = {
    "gpt2": {},
    "llama": {
        "positions": "rope",
        "norm": "rms",
        "activation": "swiglu",
        "n_kv_heads": 1,
        "attention_bias": False,
        "ffn_bias": False,
        "tie_weights": False,
    },
    "mistral": {"positions": "rope", "norm": "rms", "activation": "swiglu", "n_kv_heads": 1, "window": 2},
    "mixtral": {"norm": "rms", "activation": "swiglu", "n_experts": 3, "experts_per_token": 2},
    "alibi": {"positions": "alibi", "activation": "relu", "d_head": 6},
    "qwen": {"positions": "rope", "qk_norm": True, "norm": "rms"},
    "no norm": {"norm": "none"},
    "encoder": {"causal": False},
}


@pytest.fixture
def random_model():
    def make(**changes):
        cfg = {"vocab_size": 9, "context": 8, "d_model": 12, "n_heads": 3, "n_layers": 3} | changes
        return shaken(GPT(GPTConfig(**cfg)).double(), 0.4).eval()

    return make


@pytest.fixture(params=FAMILY)
def family(request, random_model):
    """One model of each kind after the other."""
    return random_model(**FAMILY[request.param])
