"""An adapter alone: written, read, refused on the wrong base; and exchanged with `peft`, logits equal."""

import dataclasses
import json
import random

import pytest
import torch
from adapted_models import GPT2, IDS, LLAMA, adapted, model_of

from support.alignment import (
    adapter_names,
    add_lora,
    fingerprint,
    grow_vocabulary,
    load_adapter,
    lora_parameters,
    save_adapter,
)
from support.alignment.adapter_file import UNSEALED
from support.core import InputError
from support.core.tensor_file import read_tensors, write_tensors
from support.exchange import from_huggingface, from_peft, to_huggingface, to_peft
from support.exchange.peft import _HARMLESS, _HONOURED, _refuse_other_kinds
from support.model import GPT
from support.text import Vocabulary
from support.training import TrainConfig, train

# peft asks transformers for a name that the newest one calls deprecated.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning")
# Absolute; transformers computes the angles of RoPE in float32, whatever the weights are.
BOUND = {"gpt2": 1e-12, "llama": 1e-6}
CONFIGS = {"gpt2": GPT2, "llama": LLAMA}


def test_an_adapter_alone_gives_the_adapted_model(tmp_path):
    model = adapted(LLAMA)
    save_adapter(model, tmp_path / "a.safetensors", metadata={"task": "x"})
    base = model_of(LLAMA)
    assert load_adapter(base, tmp_path / "a.safetensors", name="again") == {"task": "x"}
    assert torch.equal(base(IDS), model(IDS))
    assert len(lora_parameters(base, "again")) == len(lora_parameters(model))


def test_a_run_with_a_folder_says_at_its_start_how_an_adapter_is_kept(tmp_path):
    model = adapted(GPT2)
    config = TrainConfig(steps=1, folder=tmp_path, progress=False)
    with pytest.raises(InputError, match=r"added or replaced .*save its adapter with save_adapter"):
        train(model, lambda step: (IDS[:, :-1], IDS[:, 1:]), config)
    assert not any(tmp_path.iterdir())


def test_new_rows_travel_with_the_adapter(tmp_path):
    vocabulary = Vocabulary([f"w{i}" for i in range(GPT2.vocab_size)])
    grown, more = grow_vocabulary(model_of(GPT2), vocabulary, ["<user>", "<end>"])
    model = add_lora(grown, rank=1)
    with torch.no_grad():
        model.embedding.weight[-2:] += 1
    save_adapter(model, tmp_path / "a.safetensors", new_rows=2)
    other, _ = grow_vocabulary(model_of(GPT2), vocabulary, ["<user>", "<end>"], seed=9)
    load_adapter(other, tmp_path / "a.safetensors")
    assert len(more) == 13 and torch.equal(other(IDS), model(IDS))


def test_the_wrong_base_is_refused(tmp_path):
    model = adapted(GPT2)
    save_adapter(model, tmp_path / "a.safetensors")
    base = model_of(GPT2)
    with torch.no_grad():
        base.blocks[0].feed_forward.up.weight[0, 0] += 1e-9
    assert fingerprint(base) != fingerprint(model)
    with pytest.raises(InputError, match="another base model"):
        load_adapter(base, tmp_path / "a.safetensors")


def test_what_is_no_adapter(tmp_path):
    (tmp_path / "b.safetensors").write_bytes(b"no")
    for name, sentence in {"a": "There is no adapter", "b": "not a whole safetensors file"}.items():
        with pytest.raises(InputError, match=sentence):
            load_adapter(model_of(GPT2), tmp_path / f"{name}.safetensors")
    with pytest.raises(InputError, match="no adapter 'x'"):
        save_adapter(adapted(GPT2), tmp_path / "c.safetensors", name="x")


def test_every_flipped_bit_is_noticed(tmp_path):
    save_adapter(adapted(GPT2, targets=["q"]), tmp_path / "whole.safetensors", metadata={"task": "x"})
    content, choose = (tmp_path / "whole.safetensors").read_bytes(), random.Random(0)
    base, file = model_of(GPT2), tmp_path / "a.safetensors"
    for place in [*(choose.randrange(len(content)) for _ in range(150)), *range(0, 900, 16)]:
        flipped = bytearray(content)
        flipped[place] ^= 1 << choose.randrange(8)
        file.write_bytes(flipped)
        with pytest.raises(InputError, match=r"^a\.safetensors .*\.$"):
            load_adapter(base, file)
    assert adapter_names(base) == []


def test_a_file_of_the_time_before_the_checksum_is_read(tmp_path):
    model, file = adapted(GPT2), tmp_path / "a.safetensors"
    save_adapter(model, file)
    header, tensors = read_tensors(file, "file", "")
    write_tensors(file, tensors, {**header, "format": UNSEALED}, seal=False)
    base = model_of(GPT2)
    load_adapter(base, file)
    assert torch.equal(base(IDS), model(IDS))


def test_another_precision_is_another_base_and_the_message_says_so(tmp_path):
    save_adapter(adapted(GPT2), tmp_path / "a.safetensors")
    with pytest.raises(InputError, match=r"on the base in torch\.float64, and convert"):
        load_adapter(model_of(GPT2).bfloat16(), tmp_path / "a.safetensors")


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("targets", [["q", "k", "v", "o", "gate", "up", "down"], ["q", "v"]])
def test_peft_loads_ours_with_equal_logits(kind, targets, tmp_path):
    peft, transformers = pytest.importorskip("peft"), pytest.importorskip("transformers")
    model = adapted(CONFIGS[kind], targets=targets)
    to_huggingface(model_of(CONFIGS[kind]), tmp_path / "base")
    to_peft(model, tmp_path / "adapter")
    theirs = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "base", dtype=torch.float64)
    theirs = peft.PeftModel.from_pretrained(theirs, tmp_path / "adapter").double().eval()
    assert torch.allclose(theirs(IDS).logits, model(IDS), rtol=0, atol=BOUND[kind])


@pytest.mark.parametrize("kind", CONFIGS)
@pytest.mark.parametrize("rslora", [False, True])
def test_we_load_theirs_with_equal_logits(kind, rslora, tmp_path):
    peft, transformers = pytest.importorskip("peft"), pytest.importorskip("transformers")
    to_huggingface(model_of(CONFIGS[kind]), tmp_path / "base")
    theirs = transformers.AutoModelForCausalLM.from_pretrained(tmp_path / "base", dtype=torch.float64)
    modules = {
        "gpt2": ["c_attn", "c_proj", "c_fc"],
        "llama": [f"{p}_proj" for p in ["q", "v", "o", "up", "gate", "down"]],
    }
    config = peft.LoraConfig(
        r=3,
        lora_alpha=5,
        target_modules=modules[kind],
        use_rslora=rslora,
        fan_in_fan_out=kind == "gpt2",
        init_lora_weights=False,
        alpha_pattern={modules[kind][1]: 7},
        task_type="CAUSAL_LM",
    )
    torch.manual_seed(3)
    theirs = peft.get_peft_model(theirs, config).double().eval()
    theirs.save_pretrained(tmp_path / "adapter")
    base = from_huggingface(tmp_path / "base")
    expected = base(IDS)
    from_peft(base, tmp_path / "adapter")
    assert torch.allclose(base(IDS), theirs(IDS).logits, rtol=0, atol=BOUND[kind])
    assert not torch.allclose(base(IDS), expected, atol=1e-3)


@pytest.mark.parametrize(
    "change, sentence",
    [({"peft_type": "IA3"}, "no LoRA adapter"), ({"use_dora": True}, "use_dora"), ({"bias": "all"}, "bias")]
    + [({"lora_alpha": alpha}, "lora_alpha") for alpha in (None, "8", [8])]
    + [({"init_lora_weights": how}, "init_lora_weights='.*merge_and_unload") for how in ("pissa", "olora")]
    + [({"alora_invocation_tokens": [3]}, "alora_invocation_tokens"), ({"of_tomorrow": 1}, "of_tomorrow")],
)
def test_other_kinds_are_refused(change, sentence, tmp_path):
    fields = to_peft(adapted(LLAMA), tmp_path)
    (tmp_path / "adapter_config.json").write_text(json.dumps({**fields, **change}))
    with pytest.raises(InputError, match=sentence):
        from_peft(model_of(LLAMA), tmp_path)


def test_every_field_of_peft_is_either_harmless_or_refused():
    """What is honoured or without effect is listed; a field that peft adds is refused if it is set."""
    peft = pytest.importorskip("peft")
    _refuse_other_kinds(peft.LoraConfig(task_type="CAUSAL_LM", peft_type="LORA").to_dict())
    known = {field.name for field in dataclasses.fields(peft.LoraConfig)}
    assert {*_HONOURED, *_HARMLESS} <= known


@pytest.mark.parametrize("left_out", ["lora_A", "lora_B"])
def test_half_a_pair_is_refused(left_out, tmp_path):
    to_peft(adapted(LLAMA), tmp_path)
    file = tmp_path / "adapter_model.safetensors"
    header, tensors = read_tensors(file, "file", "")
    tensors.pop(next(name for name in tensors if left_out in name))
    write_tensors(file, tensors, header, seal=False)
    base = model_of(LLAMA)
    with pytest.raises(InputError, match=f"{left_out}.weight is missing"):
        from_peft(base, tmp_path)
    write_tensors(file, {}, header, seal=False)
    with pytest.raises(InputError, match="no matrix at all"):
        from_peft(base, tmp_path)
    assert all(p.requires_grad for p in base.parameters())


def test_an_adapter_of_another_shape_is_refused(tmp_path):
    to_peft(adapted(GPT2), tmp_path)
    with pytest.raises(InputError, match="no place in this model"):
        from_peft(model_of(LLAMA), tmp_path)
    with pytest.raises(InputError, match="There is no file adapter_model"):
        (tmp_path / "adapter_model.safetensors").unlink()
        from_peft(GPT(GPT2), tmp_path)
