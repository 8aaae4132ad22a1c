"""An adapter alone: written, read, refused on the wrong base; and exchanged with `peft`, logits equal."""

import json

import pytest
import torch
from adapted_models import GPT2, IDS, LLAMA, adapted, model_of

from support.alignment import (
    add_lora,
    fingerprint,
    grow_vocabulary,
    load_adapter,
    lora_parameters,
    save_adapter,
)
from support.core import InputError
from support.exchange import from_huggingface, from_peft, to_huggingface, to_peft
from support.model import GPT
from support.text import Vocabulary

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
    [({"peft_type": "IA3"}, "no LoRA adapter"), ({"use_dora": True}, "use_dora"), ({"bias": "all"}, "bias")],
)
def test_other_kinds_are_refused(change, sentence, tmp_path):
    fields = to_peft(adapted(LLAMA), tmp_path)
    (tmp_path / "adapter_config.json").write_text(json.dumps({**fields, **change}))
    with pytest.raises(InputError, match=sentence):
        from_peft(model_of(LLAMA), tmp_path)


def test_an_adapter_of_another_shape_is_refused(tmp_path):
    to_peft(adapted(GPT2), tmp_path)
    with pytest.raises(InputError, match="no place in this model"):
        from_peft(model_of(LLAMA), tmp_path)
    with pytest.raises(InputError, match="missing or damaged"):
        (tmp_path / "adapter_model.safetensors").unlink()
        from_peft(GPT(GPT2), tmp_path)
