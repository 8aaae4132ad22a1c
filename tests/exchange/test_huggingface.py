"""GPT-2 in `transformers` is the oracle: same weights, same logits, same insides."""

import json
import subprocess
import sys

import pytest
import torch
from safetensors.torch import load_file, save_file

from support.core import InputError
from support.exchange import from_huggingface
from support.inside.trace import trace

transformers = pytest.importorskip("transformers")

SHAPES = {
    "tiny": {"n_embd": 8, "n_head": 2, "n_layer": 1, "vocab_size": 11, "n_positions": 16},
    "one head": {"n_embd": 24, "n_head": 1, "n_layer": 2, "vocab_size": 50, "n_positions": 32},
    "deep": {"n_embd": 32, "n_head": 4, "n_layer": 12, "vocab_size": 101, "n_positions": 20},
    "wide": {"n_embd": 192, "n_head": 6, "n_layer": 3, "vocab_size": 500, "n_positions": 128},
    "narrow inner": {"n_embd": 48, "n_head": 3, "n_inner": 20, "n_layer": 2, "activation_function": "relu"},
    "exact gelu": {"n_embd": 48, "n_head": 3, "n_layer": 2, "activation_function": "gelu"},
    "loose norm": {"n_embd": 48, "n_head": 3, "n_layer": 2, "layer_norm_epsilon": 1e-2},
    "untied": {"n_embd": 48, "n_head": 3, "n_layer": 2, "tie_word_embeddings": False},
}


def reference(**changes):
    """A GPT-2 far from its tame start: peaked attention, random norm gains, random biases everywhere."""
    small = {"vocab_size": 64, "n_positions": 32, "bos_token_id": 0, "eos_token_id": 0}
    config = transformers.GPT2Config(**(small | changes), attn_implementation="eager")
    model = transformers.GPT2LMHeadModel(config).eval()
    with torch.no_grad():
        for name, p in model.named_parameters():
            if p.ndim == 1:
                p.add_(0.5 * torch.randn_like(p))
            elif "c_attn" in name:  # scores with a spread of about four: a softmax with favourites
                p.normal_(std=2 / config.n_embd**0.5)
            else:
                p.normal_(std=1 / p.shape[-1] ** 0.5)
    return model


def ids_for(model, batch=3):
    cfg = model.config
    return torch.randint(cfg.vocab_size, (batch, cfg.n_positions))


@pytest.mark.parametrize("name", SHAPES)
def test_logits_equal_transformers(name):
    theirs = reference(**SHAPES[name])
    ids = ids_for(theirs)
    ours = from_huggingface(theirs)
    with torch.no_grad():
        want = theirs(ids, output_attentions=True)
        sharpest = torch.stack([a.amax(-1)[..., 4:].mean() for a in want.attentions]).max()
        assert sharpest > 0.4, "attention must be far from uniform for the test to mean anything"
        torch.testing.assert_close(ours(ids), want.logits, atol=1e-5, rtol=0)
        exact = theirs.double()(ids).logits
        torch.testing.assert_close(ours.double()(ids), exact, atol=1e-10, rtol=0)


def test_insides_equal_transformers():
    theirs = reference(**SHAPES["deep"]).double()
    ids = ids_for(theirs)
    with torch.no_grad():
        want = theirs(ids, output_attentions=True, output_hidden_states=True)
    seen = trace(from_huggingface(theirs), ids)
    torch.testing.assert_close(seen.patterns, torch.stack(want.attentions))
    # Their last hidden state is normed already, so it is left out.
    torch.testing.assert_close(seen.streams[::2][:-1], torch.stack(want.hidden_states[:-1]))


def test_gradients_equal_transformers():
    theirs = reference().double()
    ids = ids_for(theirs)
    ours = from_huggingface(theirs)
    for model in (theirs, ours):
        logits = model(ids[:, :-1])
        logits = logits if model is ours else logits.logits
        torch.nn.functional.cross_entropy(logits.flatten(0, 1), ids[:, 1:].flatten()).backward()
    torch.testing.assert_close(ours.embedding.weight.grad, theirs.transformer.wte.weight.grad)
    block, their_block = ours.blocks[0], theirs.transformer.h[0]
    torch.testing.assert_close(block.attention.qkv.weight.grad, their_block.attn.c_attn.weight.grad.T)


def test_the_weights_are_its_own():
    theirs = reference()
    ours = from_huggingface(theirs)
    before = ours.embedding.weight.clone()
    with torch.no_grad():
        theirs.transformer.wte.weight.zero_()
    assert ours.embedding.weight.equal(before)
    assert not ours.training and all(p.requires_grad for p in ours.parameters())


def test_a_model_without_its_head():
    theirs = reference()
    torch.testing.assert_close(
        from_huggingface(theirs.transformer).state_dict(), from_huggingface(theirs).state_dict()
    )


@pytest.fixture
def folder(tmp_path):
    reference(**SHAPES["tiny"]).save_pretrained(tmp_path)
    return tmp_path


@pytest.mark.parametrize("changes", [{}, {"tie_word_embeddings": False}, {"dtype": torch.bfloat16}])
def test_a_folder_equals_the_model(tmp_path, changes):
    theirs = reference(**SHAPES["wide"]).to(changes.get("dtype", torch.float32))
    if "tie_word_embeddings" in changes:
        theirs = reference(**SHAPES["wide"], **changes)
    theirs.save_pretrained(tmp_path)
    got, want = from_huggingface(tmp_path), from_huggingface(theirs)
    assert got.config == want.config
    torch.testing.assert_close(got.state_dict(), want.state_dict(), rtol=0, atol=0)


def test_shards(tmp_path):
    theirs = reference(**SHAPES["wide"])
    theirs.save_pretrained(tmp_path, max_shard_size="500KB")
    assert len(list(tmp_path.glob("*.safetensors"))) > 1
    got, want = from_huggingface(tmp_path), from_huggingface(theirs)
    torch.testing.assert_close(got.state_dict(), want.state_dict(), rtol=0, atol=0)


def test_the_layout_of_the_first_published_files(folder):
    """The hub's GPT-2 has no prefix, stores its causal masks, and no head."""
    want = from_huggingface(folder)
    old = {k.removeprefix("transformer."): v for k, v in load_file(folder / "model.safetensors").items()}
    old["h.0.attn.bias"] = torch.ones(1, 1, 16, 16).tril()
    save_file(old, folder / "model.safetensors")
    torch.testing.assert_close(from_huggingface(folder).state_dict(), want.state_dict())


def test_a_folder_is_read_without_transformers(folder):
    code = (
        "import sys; from support.exchange import from_huggingface; "
        f"from_huggingface({str(folder)!r}); print('transformers' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.strip() == "False", done.stderr


def change_config(folder, **changes):
    path = folder / "config.json"
    values = json.loads(path.read_text()) | changes
    path.write_text(json.dumps({k: v for k, v in values.items() if v != "gone"}))


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"model_type": "mamba"}, "mamba"),
        ({"model_type": "gone"}, "model_type=None"),
        ({"activation_function": "swish"}, "activation_function='swish'"),
        ({"scale_attn_weights": False}, "scale_attn_weights"),
        ({"scale_attn_by_inverse_layer_idx": True}, "scale_attn_by_inverse_layer_idx"),
        ({"add_cross_attention": True}, "add_cross_attention"),
        ({"n_embd": "gone"}, "'n_embd'"),
        ({"n_head": 3}, "d_model=8"),
        ({"n_layer": 2}, "lacks the tensor for blocks.1"),
        ({"n_inner": 16}, r"h.0.mlp.c_fc.* has shape \[32"),
        ({"n_positions": 17}, r"wpe.* has shape \[16, 8\]"),
        ({"tie_word_embeddings": False}, "lacks the tensor for head.weight"),
    ],
)
def test_a_wrong_field_is_named(folder, changes, words):
    change_config(folder, **changes)
    with pytest.raises(InputError, match=words):
        from_huggingface(folder)


def test_a_wrong_tensor_is_named(folder):
    path = folder / "model.safetensors"
    tensors = load_file(path)
    save_file(tensors | {"transformer.h.0.attn.rotary": torch.ones(1)}, path)
    with pytest.raises(InputError, match=r"attn\.rotary"):
        from_huggingface(folder)
    save_file(tensors | {"transformer.h.1.ln_1.bias": torch.ones(8)}, path)
    with pytest.raises(InputError, match=r"h\.1\.ln_1\.bias"):
        from_huggingface(folder)
    save_file({k: v for k, v in tensors.items() if "ln_f.bias" not in k}, path)
    with pytest.raises(InputError, match=r"final_norm\.bias"):
        from_huggingface(folder)


def test_damaged_files_are_named(folder, tmp_path_factory):
    weights = folder / "model.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(InputError, match=r"model\.safetensors"):
        from_huggingface(folder)
    weights.unlink()
    (folder / "pytorch_model.bin").touch()
    with pytest.raises(InputError, match="pickled"):
        from_huggingface(folder)
    for text in ("{", "[]"):
        (folder / "config.json").write_text(text)
        with pytest.raises(InputError, match=r"config\.json"):
            from_huggingface(folder)
    with pytest.raises(InputError, match=r"config\.json"):
        from_huggingface(tmp_path_factory.mktemp("empty"))
    with pytest.raises(InputError, match="Linear"):
        from_huggingface(torch.nn.Linear(2, 2))
