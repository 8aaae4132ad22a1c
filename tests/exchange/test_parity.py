"""transformers is the oracle: architecture by architecture and shape by shape, ours gives its logits.

Exactness is a matter of float64, where theirs, too, is lifted to it (`in_float64`).
The models and the measures are those of ``benchmarks/parity.py``, which prints them as a table.
"""

import copy
import functools

import pytest
import torch
from helpers import rounding_gap

from support.core import seed_everything
from support.exchange import from_huggingface, to_huggingface
from support.inside.trace import trace
from support.model import GPT, GPTConfig

pytest.importorskip("transformers")
ARCHITECTURES = ["gpt2", "llama", "mistral", "mixtral", "qwen2", "qwen3", "gpt_neo", "gpt_neox"]


@pytest.fixture(scope="module")
def parity(script):
    return script("parity")


@pytest.fixture(scope="module")
def exact(parity):
    """``exact(architecture, shape)``: theirs in float64 through and through, ours, and texts.

    Each is made once; a test gets copies, which it may change.
    """

    @functools.cache
    def make(architecture, shape):
        changes = parity.SHAPES[architecture][shape]
        parity.theirs(architecture, changes, perturb=False)  # so that its file is loaded
        seed_everything(0)
        with parity.in_float64():
            theirs = parity.theirs(architecture, changes).double()
        return theirs, from_huggingface(theirs), parity.ids_for(theirs)

    return lambda architecture, shape: copy.deepcopy(make(architecture, shape))


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_logits_equal_theirs_in_every_shape(parity, exact, architecture):
    """In float64 to 1e-10; in float32 as near as its rounding allows."""
    for shape, changes in parity.SHAPES[architecture].items():
        theirs, ours, ids = exact(architecture, shape)
        assert parity.peak(theirs, ids) > 0.35, f"{shape}: attention is too even for the test to mean much"
        with parity.in_float64():
            assert parity.gap(ours(ids), theirs(ids).logits) < 1e-10, shape
        bound = rounding_gap(lambda: ours(ids))  # noqa: B023
        assert parity.gap(ours.float()(ids), theirs.float()(ids).logits) < bound, shape
        with parity.in_float64():
            fresh = parity.theirs(architecture, changes, perturb=False).double()
            assert parity.gap(from_huggingface(fresh)(ids), fresh(ids).logits) < 1e-10, shape


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_cached_generation_equals_theirs(parity, exact, architecture):
    for shape in parity.SHAPES[architecture]:
        theirs, ours, ids = exact(architecture, shape)
        assert parity.gap_cached(ours, ids) < 1e-10, shape
        with parity.in_float64():
            assert parity.gap_generation(ours, theirs, ids) < 1e-10, shape


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_there_and_back(parity, exact, architecture, tmp_path):
    """transformers loads what we write and gives our logits; what comes back is what was sent."""
    for number, shape in enumerate(parity.SHAPES[architecture]):
        _, ours, ids = exact(architecture, shape)
        with parity.in_float64():
            assert parity.gap_back(ours, ids) < 1e-10, shape
        to_huggingface(ours.float(), tmp_path / str(number))
        again = from_huggingface(tmp_path / str(number))
        assert again.config == ours.config, shape
        torch.testing.assert_close(again.state_dict(), ours.state_dict(), rtol=0, atol=0)


LLAMA = {"positions": "rope", "norm": "rms", "activation": "swiglu", "attention_bias": False}
LLAMA |= {"ffn_bias": False, "tie_weights": False, "n_kv_heads": 2}
OURS = {
    "gpt2": {"dropout": 0.2, "activation": "relu", "d_ff": 24},
    "llama": LLAMA | {"rope_base": 500.0, "rope_scaling": {"rope_type": "linear", "factor": 2.0}},
    "mistral": LLAMA | {"window": 5, "d_head": 6},
    "mixtral": LLAMA | {"window": 5, "n_experts": 3, "experts_per_token": 2, "balance_weight": 0.05},
    "qwen2": LLAMA | {"qkv_bias": True, "tie_weights": True},
    "qwen3": LLAMA | {"qk_norm": True, "d_head": 10, "norm_eps": 1e-3},
    "gpt_neo": {"qkv_bias": False, "attention_scale": 1.0, "window": 5, "window_layers": (0,)},
    "gpt_neox": {"positions": "rope", "d_rotary": 6, "parallel_blocks": True, "rope_base": 300.0},
}


@pytest.mark.parametrize("architecture", ARCHITECTURES)
@torch.no_grad()
def test_a_model_of_ours_goes_out_and_comes_home(parity, architecture, tmp_path):
    config = GPTConfig(vocab_size=40, context=24, d_model=32, n_heads=4, init_std=0.5, **OURS[architecture])
    ours = GPT(config).eval()
    parity.shake(ours)
    fields, tensors = to_huggingface(ours, tmp_path, eos_token_id=3)
    assert fields["model_type"] == architecture and fields["eos_token_id"] == 3
    with parity.in_float64():
        assert parity.gap_back(copy.deepcopy(ours).double(), torch.randint(40, (2, 24))) < 1e-10
    home = from_huggingface(tmp_path)
    assert home.config == config
    torch.testing.assert_close(home.state_dict(), ours.state_dict(), rtol=0, atol=0)
    assert not any(t.data_ptr() == ours.embedding.weight.data_ptr() for t in tensors.values())


def test_insides_equal_theirs(parity):
    theirs = parity.theirs("gpt2", {"n_layer": 6}).double()
    ids = parity.ids_for(theirs)
    with torch.no_grad():
        want = theirs(ids, output_attentions=True, output_hidden_states=True)
    seen = trace(from_huggingface(theirs), ids)
    torch.testing.assert_close(seen.patterns, torch.stack(want.attentions))
    # Their last hidden state is normed already, so it is left out.
    torch.testing.assert_close(seen.streams[::2][:-1], torch.stack(want.hidden_states[:-1]))


def loss(logits, ids):
    return torch.nn.functional.cross_entropy(logits[:, :-1].flatten(0, 1), ids[:, 1:].flatten())


def test_gradients_equal_theirs(parity):
    theirs = parity.theirs("gpt2", {}).double()
    ids, ours = parity.ids_for(theirs), from_huggingface(theirs)
    loss(ours(ids), ids).backward()
    loss(theirs(ids).logits, ids).backward()
    torch.testing.assert_close(ours.embedding.weight.grad, theirs.transformer.wte.weight.grad)
    block, their_block = ours.blocks[0], theirs.transformer.h[0]
    torch.testing.assert_close(block.attention.qkv.weight.grad, their_block.attn.c_attn.weight.grad.T)


def test_gradients_through_turned_and_shared_keys(parity):
    parity.theirs("llama", {})
    with parity.in_float64():
        theirs = parity.theirs("llama", {}).double()
        ids = parity.ids_for(theirs)
        loss(theirs(ids).logits, ids).backward()
    ours = from_huggingface(theirs)
    loss(ours(ids), ids).backward()
    keys = ours.blocks[0].attention.qkv.weight.grad[48:64]
    torch.testing.assert_close(keys, theirs.model.layers[0].self_attn.k_proj.weight.grad)
    torch.testing.assert_close(
        ours.blocks[0].feed_forward.gate.weight.grad, theirs.model.layers[0].mlp.gate_proj.weight.grad
    )
