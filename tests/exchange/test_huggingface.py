"""Folders as transformers writes them and reads them, and what is refused; equal logits: test_parity.py."""

import json

import pytest
import torch
from forked import forked
from safetensors.torch import load_file, save_file

from support.alignment import add_lora, merge_lora
from support.core import InputError
from support.exchange import from_huggingface, to_huggingface
from support.exchange.hf_config import read_fields
from support.model import GPT, GPTConfig, quantize

transformers = pytest.importorskip("transformers")

TINY = {"n_embd": 8, "n_head": 2, "n_layer": 1, "vocab_size": 11, "n_positions": 16}


@pytest.fixture(scope="module")
def parity(script):
    return script("parity")


@pytest.fixture
def theirs(parity):
    """``theirs("llama", {"head_dim": 4})``: one of theirs, far from its tame start."""
    return parity.theirs


def test_the_weights_are_its_own(theirs):
    other = theirs("gpt2", TINY)
    ours = from_huggingface(other)
    before = ours.embedding.weight.clone()
    with torch.no_grad():
        other.transformer.wte.weight.zero_()
    assert ours.embedding.weight.equal(before)
    assert not ours.training and all(p.requires_grad for p in ours.parameters())


def same(got, want):
    assert got.config == want.config
    torch.testing.assert_close(got.state_dict(), want.state_dict(), rtol=0, atol=0)


@pytest.mark.parametrize("architecture", ["gpt2", "llama"])
def test_a_model_without_its_head(theirs, architecture):
    other = theirs(architecture, {"tie_word_embeddings": True})
    same(from_huggingface(other.base_model), from_huggingface(other))
    untied = theirs(architecture, {"tie_word_embeddings": False})
    with pytest.raises(InputError, match=r"lacks the tensor 'lm_head\.weight'"):
        from_huggingface(untied.base_model)


@pytest.fixture
def folder(theirs, tmp_path):
    theirs("gpt2", TINY).save_pretrained(tmp_path)
    return tmp_path


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16, torch.float16], ids=str)
@pytest.mark.parametrize("architecture", ["gpt2", "llama", "mixtral"])
def test_a_folder_equals_the_model(theirs, tmp_path, architecture, dtype):
    other = theirs(architecture, {}).to(dtype)
    other.save_pretrained(tmp_path / "one")
    other.save_pretrained(tmp_path / "shards", max_shard_size="50KB")
    assert len(list((tmp_path / "shards").glob("*.safetensors"))) > 2
    want = from_huggingface(other)
    assert want.embedding.weight.dtype == dtype
    same(from_huggingface(tmp_path / "one"), want)
    same(from_huggingface(tmp_path / "shards"), want)
    to_huggingface(want, tmp_path / "ours")
    same(from_huggingface(tmp_path / "ours"), want)


def test_the_layout_of_the_first_published_files(folder):
    """The hub's GPT-2 has no prefix, stores its causal masks, and no head."""
    want = from_huggingface(folder)
    old = {k.removeprefix("transformer."): v for k, v in load_file(folder / "model.safetensors").items()}
    old["h.0.attn.bias"] = torch.ones(1, 1, 16, 16).tril()
    save_file(old, folder / "model.safetensors")
    same(from_huggingface(folder), want)


def test_older_spellings(theirs, tmp_path):
    """Llama files of 2023 and 2024: the base and its stretch apart, and the frequencies stored."""
    stretch = {"rope_type": "linear", "rope_theta": 123.0, "factor": 4.0}
    theirs("llama", {"rope_parameters": stretch}).save_pretrained(tmp_path)
    want = from_huggingface(tmp_path)
    assert want.config.rope_base == 123.0 and want.config.rope_scaling["factor"] == 4.0
    old = {"type": "linear", "factor": 4.0}
    change_config(tmp_path, rope_parameters="gone", rope_theta=123.0, rope_scaling=old, head_dim="gone")
    tensors = load_file(tmp_path / "model.safetensors")
    tensors["model.layers.0.self_attn.rotary_emb.inv_freq"] = torch.ones(4)
    save_file(tensors, tmp_path / "model.safetensors")
    same(from_huggingface(tmp_path), want)


def test_weights_of_several_types_become_the_widest(folder):
    tensors = load_file(folder / "model.safetensors")
    name = "transformer.wte.weight"
    save_file(tensors | {name: tensors[name].bfloat16()}, folder / "model.safetensors")
    got = from_huggingface(folder)
    assert {p.dtype for p in got.parameters()} == {torch.float32}
    assert got(torch.zeros(1, 3, dtype=torch.long)).isfinite().all()


@pytest.mark.parametrize("architecture", ["gpt2", "llama", "mistral", "mixtral", "qwen2", "qwen3"])
def test_their_own_defaults_are_read_alike(parity, architecture):
    """A config.json that says little more than its architecture means what transformers takes it to mean."""
    import transformers

    layers = "n_layer" if architecture == "gpt2" else "num_hidden_layers"
    said = {layers: 1, "model_type": architecture}
    theirs = getattr(transformers, parity.CLASSES[architecture] + "Config")(**said)
    whole = read_fields(theirs.to_dict())
    sizes = ("vocab_size", "n_positions", "n_embd", "n_layer", "n_head", "max_position_embeddings")
    sizes += ("hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads")
    sizes += ("intermediate_size", "num_local_experts", "num_experts_per_tok", "sliding_window")
    short = {name: value for name, value in theirs.to_dict().items() if name in sizes}
    assert read_fields(said | short) == whole


def test_a_folder_is_read_and_written_without_transformers(folder, tmp_path):
    code = (
        "import sys; from support.exchange import from_huggingface, to_huggingface; "
        f"model = from_huggingface({str(folder)!r}); to_huggingface(model, {str(tmp_path / 'new')!r}); "
        "print('transformers' in sys.modules)"
    )
    done = forked(code)
    assert done.stdout.strip() == "False", done.stderr
    assert (tmp_path / "new" / "config.json").is_file()


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
        ({"n_layer": 2}, r"lacks the tensor 'h\.1\.ln_1"),
        ({"n_inner": 16}, r"h.0.mlp.c_fc.* has shape \[32"),
        ({"n_positions": 17}, r"wpe.* has shape \[16, 8\]"),
        ({"tie_word_embeddings": False}, "lacks the tensor 'lm_head.weight'"),
        ({"n_embd": "8"}, "n_embd='8' must be a whole number"),
        ({"layer_norm_epsilon": "small"}, "layer_norm_epsilon='small' must be a number"),
        ({"quantization_config": {"bits": 4}}, "quantization_config"),
    ],
)
def test_a_wrong_field_is_named(folder, changes, words):
    change_config(folder, **changes)
    with pytest.raises(InputError, match=words):
        from_huggingface(folder)


@pytest.mark.parametrize(
    ("architecture", "changes", "words"),
    [
        ("llama", {"hidden_act": "gelu"}, "hidden_act='gelu' is not built here; known: silu"),
        ("llama", {"hidden_size": "gone"}, "lacks the field 'hidden_size'"),
        ("llama", {"num_key_value_heads": 4}, "n_kv_heads=4"),
        ("llama", {"rope_parameters": {"rope_type": "yarn", "factor": 2.0}}, "rope_type='yarn'"),
        (
            "llama",
            {"rope_scaling": {"type": "dynamic", "factor": 2.0}},
            "rope_scaling has rope_type='dynamic'",
        ),
        ("llama", {"rope_parameters": {"rope_type": "linear"}}, "lacks factor"),
        ("llama", {"rope_parameters": {"rope_type": "llama3", "factor": 8.0}}, "lacks high_freq_factor"),
        ("llama", {"rope_parameters": {"rope_theta": "big"}}, "rope_theta='big' must be a number"),
        ("llama", {"rope_parameters": {"full_attention": {"rope_theta": 1.0}}}, "from layer to layer"),
        ("llama", {"partial_rotary_factor": 0.5}, "partial_rotary_factor=0.5"),
        ("llama", {"rope_parameters": {"partial_rotary_factor": 0.25}}, "partial_rotary_factor=0.25"),
        ("llama", {"head_dim": 7}, "d_head=7 is odd"),
        ("llama", {"attention_bias": True}, r"lacks the tensor 'layers\.0\.self_attn\.q_proj\.bias'"),
        ("llama", {"num_attention_heads": 12}, r"q_proj\.weight' has shape \[48, 48\]"),
        ("llama", {"num_hidden_layers": 1}, r"layers\.1\..* one too many"),
        ("llama", {"model_type": "qwen3"}, r"lacks the tensor .*q_norm"),
        ("mistral", {"sliding_window": "wide"}, "sliding_window='wide'"),
        ("mistral", {"layer_types": ["full_attention", "sliding_attention"]}, "layer_types"),
        ("qwen2", {"model_type": "qwen2_moe"}, "model_type='qwen2_moe'"),
        (
            "qwen2",
            {"use_sliding_window": True, "sliding_window": 9, "max_window_layers": 1, "layer_types": None},
            "max_window_layers",
        ),
        (
            "qwen2",
            {
                "use_sliding_window": True,
                "sliding_window": 9,
                "layer_types": ["full_attention", "sliding_attention"],
            },
            "layer_types",
        ),
        ("qwen2", {"layer_types": ["linear_attention", "full_attention"]}, "layer_types.*linear_attention"),
        ("mixtral", {"num_local_experts": 1}, "num_local_experts=1"),
        ("mixtral", {"num_experts_per_tok": 9}, "experts_per_token=9"),
        ("mixtral", {"num_local_experts": 9}, r"gate\.weight' has shape \[8, 48\]"),
    ],
)
def test_what_is_not_built_is_refused_by_name(theirs, tmp_path, architecture, changes, words):
    theirs(architecture, {}).save_pretrained(tmp_path)
    change_config(tmp_path, **changes)
    with pytest.raises(InputError, match=words):
        from_huggingface(tmp_path)


def test_a_wrong_tensor_is_named(folder):
    path = folder / "model.safetensors"
    tensors = load_file(path)
    save_file(tensors | {"transformer.h.0.attn.rotary": torch.ones(1)}, path)
    with pytest.raises(InputError, match=r"attn\.rotary"):
        from_huggingface(folder)
    save_file(tensors | {"transformer.h.1.ln_1.bias": torch.ones(8)}, path)
    with pytest.raises(InputError, match=r"h\.1\.ln_1\.bias"):
        from_huggingface(folder)
    save_file(tensors | {"transformer.wte.weight": torch.ones(11, 8, dtype=torch.int8)}, path)
    with pytest.raises(InputError, match=r"wte\.weight' holds int8"):
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


def test_wrong_stacks_of_experts_are_named(theirs):
    other = theirs("mixtral", {})
    experts = other.model.layers[1].mlp.experts
    experts.gate_up_proj = torch.nn.Parameter(torch.ones(8, 161, 48))
    with pytest.raises(InputError, match=r"layers\.1\.mlp\.experts\.gate_up_proj.*no stack"):
        from_huggingface(other)
    experts.gate_up_proj = torch.nn.Parameter(torch.ones(7, 160, 48))
    with pytest.raises(InputError, match=r"lacks the tensor 'layers\.1\..*experts\.7\.w1"):
        from_huggingface(other)


def test_a_wrong_index_is_named(theirs, tmp_path):
    theirs("llama", {}).save_pretrained(tmp_path, max_shard_size="100KB")
    path = tmp_path / "model.safetensors.index.json"
    index = json.loads(path.read_text())
    lost = index["weight_map"]["model.norm.weight"]
    for wrong, words in [
        ({}, "no weight_map"),
        ({"weight_map": {"a": "../elsewhere.safetensors"}}, "elsewhere"),
        ({"weight_map": {"a": "pytorch_model.bin"}}, r"pytorch_model\.bin"),
        ({"weight_map": {k: v for k, v in index["weight_map"].items() if v != lost}}, "lacks the tensor"),
    ]:
        path.write_text(json.dumps(wrong))
        with pytest.raises(InputError, match=words):
            from_huggingface(tmp_path)
    path.write_text(json.dumps(index))
    (tmp_path / lost).unlink()
    with pytest.raises(InputError, match=lost):
        from_huggingface(tmp_path)


LLAMA = {"positions": "rope", "norm": "rms", "activation": "swiglu", "attention_bias": False}
LLAMA |= {"ffn_bias": False}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"positions": "alibi"}, "positions='learned', and this model has 'alibi'"),
        ({"norm": "rms"}, "norm='layer', and this model has 'rms'"),
        ({"activation": "swiglu"}, "activation='gelu_tanh', and this model has 'swiglu'"),
        ({"norm_first": False}, "norm_first=True"),
        ({"causal": False}, "causal=True"),
        ({"masked_ids": (0,)}, r"masked_ids=\(\)"),
        ({"attention_bias": False}, "qkv_bias=True"),
        ({"ffn_bias": False}, "ffn_bias=True"),
        ({"n_kv_heads": 2}, "n_kv_heads=4"),
        ({"d_head": 5}, "d_head=4"),
        ({"window": 3}, "window=None"),
        ({"n_experts": 2}, "n_experts=1"),
        (LLAMA | {"norm": "layer"}, "norm='rms'"),
        (LLAMA | {"activation": "gelu"}, "activation='swiglu'"),
        (LLAMA | {"logit_softcap": 3.0}, "logit_softcap=None"),
        (LLAMA | {"attention_scale": 3.0}, "attention_scale=None"),
        (LLAMA | {"n_experts": 2, "attention_bias": True}, "mixtral .* qkv_bias=False"),
        (LLAMA | {"qk_norm": True, "qkv_bias": True}, "qwen3 .* qkv_bias=False"),
        (LLAMA | {"window": 4, "attention_bias": True}, "mistral .* qkv_bias=False"),
        (LLAMA | {"window": 4, "ffn_bias": True}, "mistral .* ffn_bias=False"),
        (LLAMA | {"qkv_bias": True, "ffn_bias": True}, "qwen2 .* ffn_bias=False"),
    ],
)
def test_what_theirs_lack_is_not_written(tmp_path, changes, words):
    model = GPT(GPTConfig(vocab_size=7, context=8, d_model=16, n_heads=4, n_layers=1, **changes))
    with pytest.raises(InputError, match=words):
        to_huggingface(model, tmp_path)
    assert not list(tmp_path.iterdir())


def test_other_models_and_folders_are_not_written_into(tmp_path):
    config = GPTConfig(vocab_size=7, d_model=16, n_layers=1)
    with pytest.raises(InputError, match="cross-attention"):
        to_huggingface(GPT(config, cross=True))
    (tmp_path / "model.safetensors.index.json").write_text("{}")
    with pytest.raises(InputError, match="in shards"):
        to_huggingface(GPT(config), tmp_path)


def test_a_folder_of_the_hubs_cache(theirs, tmp_path, monkeypatch):
    """What ``snapshot_download`` hands over (links into its cache) is a folder like any other."""
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    hub = pytest.importorskip("huggingface_hub")
    cache = tmp_path / "models--me--tiny"
    theirs("llama", {}).save_pretrained(tmp_path / "made", max_shard_size="50KB")
    (snapshot := cache / "snapshots" / ("0" * 40)).mkdir(parents=True)
    (cache / "refs").mkdir()
    (cache / "refs" / "main").write_text("0" * 40)
    for number, file in enumerate(sorted((tmp_path / "made").iterdir())):
        blob = cache / "blobs" / str(number)
        blob.parent.mkdir(exist_ok=True)
        (snapshot / file.name).symlink_to(file.rename(blob))
    place = hub.snapshot_download(
        "me/tiny", cache_dir=tmp_path, allow_patterns=["*.json", "*.safetensors"], local_files_only=True
    )
    assert from_huggingface(place).config.n_kv_heads == 2


@pytest.mark.parametrize("replace", [quantize, lambda model: add_lora(model, rank=1)])
def test_a_model_with_replaced_parts_is_not_written(tmp_path, replace):
    model = replace(GPT(GPTConfig(vocab_size=9, d_model=32, activation="gelu_tanh")))
    with pytest.raises(InputError, match=r"added or replaced \(blocks.*merge_lora"):
        to_huggingface(model, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    if hasattr(model.blocks[0].attention.qkv, "updates"):
        assert to_huggingface(merge_lora(model))[0]["model_type"] == "gpt2"
