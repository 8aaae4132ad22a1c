"""Checkpoints: every kind of model, whole or refused; folders held by one run at a time."""

import json
import math
import random
import stat
import subprocess
import sys

import numpy as np
import pytest
import torch
from forked import forked
from safetensors import safe_open
from safetensors.torch import save_file
from torch import nn

from support.core import InputError, atomic_write, seed_everything
from support.core.tensor_file import checksum
from support.model import GPT, Encoder, EncoderDecoder, GPTConfig, Seq2SeqInputs
from support.text import BPETokenizer, Vocabulary
from support.text.byte_alphabet import BYTES
from support.training import (
    Seq2SeqBatches,
    SequenceBatches,
    TrainConfig,
    evaluate_loss,
    evaluate_stream,
    load_checkpoint,
    save_checkpoint,
    train,
)
from support.training.checkpoint import FORMAT
from support.training.run_folder import run_folder

SHAPE = GPTConfig(vocab_size=16, context=16, d_model=16, n_heads=2, n_layers=2)
BOTH_WAYS = GPTConfig.from_dict({**SHAPE.to_dict(), "causal": False})
TEXTS = [[1, *[3 + (7 * i + j * j) % 13 for j in range(4 + i % 7)], 2] for i in range(40)]
IDS = torch.tensor([[1, 5, 6, 7], [1, 8, 9, 2]])


def fresh(**changes) -> GPT:
    seed_everything(0, threads=1)
    return GPT(GPTConfig.from_dict({**SHAPE.to_dict(), **changes}))


KINDS = {
    "GPT": (lambda: fresh(), lambda m: m(IDS)),
    "GPT with RoPE and experts": (
        lambda: fresh(positions="rope", n_experts=3, tie_weights=False),
        lambda m: m(IDS),
    ),
    "GPT with a window in some layers": (lambda: fresh(window=3, window_layers=(1,)), lambda m: m(IDS)),
    "decoder": (lambda: GPT(SHAPE, cross=True), lambda m: m(IDS, memory=torch.ones(2, 3, 16))),
    "Encoder": (lambda: Encoder(BOTH_WAYS, pad_id=None), lambda m: m(IDS)),
    "Encoder with classes": (
        lambda: Encoder(BOTH_WAYS, n_classes=3, pool="first", pad_id=2),
        lambda m: m.classify(IDS),
    ),
    "Classifier": (lambda: Encoder(BOTH_WAYS, n_classes=3).classifier(), lambda m: m(IDS)),
    "EncoderDecoder": (lambda: EncoderDecoder(SHAPE), lambda m: m(Seq2SeqInputs(IDS, IDS))),
    "EncoderDecoder, nothing shared": (
        lambda: EncoderDecoder(SHAPE, share=False),
        lambda m: m(Seq2SeqInputs(IDS, IDS)),
    ),
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_kind_of_model_is_loaded_as_what_it_is(tmp_path, kind):
    make, run = KINDS[kind]
    model = make().eval()
    save_checkpoint(model, tmp_path / "m.safetensors")
    loaded = load_checkpoint(tmp_path / "m.safetensors").model
    assert type(loaded) is type(model)
    with torch.no_grad():
        assert torch.equal(run(loaded), run(model))


def test_a_compiled_model_is_saved_as_the_model_inside(tmp_path):
    model = fresh()
    save_checkpoint(torch.compile(model), tmp_path / "m.safetensors")
    loaded = load_checkpoint(tmp_path / "m.safetensors").model.state_dict()
    assert all(torch.equal(t, loaded[name]) for name, t in model.state_dict().items())


@pytest.mark.parametrize("kind", ["replaced", "foreign"])
def test_what_could_not_be_loaded_is_refused_before_training(tmp_path, kind):
    if kind == "replaced":
        model = fresh()
        model.blocks[0].feed_forward = nn.Sequential(nn.Linear(16, 16))
    else:
        model = nn.Sequential(nn.Embedding(16, 8), nn.Linear(8, 16))
    before = {name: t.clone() for name, t in model.state_dict().items()}
    with pytest.raises(InputError, match="train it without a folder"):
        train(model, SequenceBatches(TEXTS, 4), TrainConfig(2, folder=str(tmp_path / "run")))
    assert all(torch.equal(before[name], t) for name, t in model.state_dict().items())
    assert len(train(model, SequenceBatches(TEXTS, 4), TrainConfig(2)).steps) == 2


def test_encoder_decoders_and_classifiers_train_into_a_folder_and_resume(tmp_path):
    pairs = [(text[1:-1], text) for text in TEXTS]
    model = EncoderDecoder(SHAPE)
    config = TrainConfig(4, checkpoint_every=2, folder=str(tmp_path))
    train(model, Seq2SeqBatches(pairs, 8), config)
    again = EncoderDecoder(SHAPE)
    assert len(train(again, Seq2SeqBatches(pairs, 8), config, resume=True).steps) == 4
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), again.parameters(), strict=True))


def test_a_folder_that_cannot_be_written_is_refused_before_training(tmp_path):
    (tmp_path / "file").write_text("")
    called = []
    with pytest.raises(InputError, match=r"cannot be written to .*choose another folder"):
        train(fresh(), called.append, TrainConfig(2, folder=str(tmp_path / "file" / "run")))
    assert not called


def test_a_tokenizer_travels_with_the_model(tmp_path):
    words = Vocabulary(["<PAD>", "<BOS>", "ja", "nein"])
    bytes_ = BPETokenizer.train("ein Text, ein kleiner Text", vocab_size=262, special_tokens=["<EOS>"])
    for tokenizer in (words, bytes_):
        save_checkpoint(fresh(), tmp_path / "m.safetensors", tokenizer=tokenizer)
        loaded = load_checkpoint(tmp_path / "m.safetensors").tokenizer
        assert type(loaded) is type(tokenizer)
        assert loaded.encode("ja nein") == tokenizer.encode("ja nein")
    assert loaded.merges == bytes_.merges and loaded.special_tokens == bytes_.special_tokens
    train(fresh(), SequenceBatches(TEXTS, 4), TrainConfig(1, folder=str(tmp_path / "run")), tokenizer=words)
    assert load_checkpoint(tmp_path / "run" / "last.safetensors").tokenizer == words


def test_every_flipped_bit_is_noticed(tmp_path):
    file = tmp_path / "m.safetensors"
    train(fresh(), SequenceBatches(TEXTS, 4), TrainConfig(1, folder=str(tmp_path)))
    content = (tmp_path / "last.safetensors").read_bytes()
    choose = random.Random(0)
    places = [choose.randrange(len(content)) for _ in range(150)] + list(range(0, 1200, 16))
    for place in places:
        flipped = bytearray(content)
        flipped[place] ^= 1 << choose.randrange(8)
        file.write_bytes(flipped)
        with pytest.raises(InputError, match=r"^m\.safetensors .*\.$"):
            load_checkpoint(file)


def altered(file, header=None, tensors=None):
    """A file whose checksum fits, although it makes no sense: what a careless program could write."""
    save_checkpoint(fresh(), file)
    with safe_open(file, "pt") as opened:
        old, kept = opened.metadata(), {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118
    new = {k: v for k, v in (old | (header or {})).items() if v is not None}
    new["sha256"] = checksum(new, kept | (tensors or {}))
    save_file(kept | (tensors or {}), file, metadata=new)


def described(**changes):
    return json.dumps({"kind": "GPT", "cross": False, "config": SHAPE.to_dict() | changes})


@pytest.mark.parametrize(
    "header, tensors, sentence",
    [
        ({"model": described(n_layers=10**6)}, None, "2 layers instead of 1000000"),
        ({"model": described(d_model=2 * 10**9)}, None, "do not fit the shape"),
        ({"model": described(vocab_size=17)}, None, "do not fit the shape"),
        ({"model": described(vocab_size="many")}, None, "cannot be loaded: "),
        ({"model": described(unheard_of=1)}, None, "unknown fields"),
        ({"model": "{}"}, None, "do not fit the shape"),
        ({"model": "[]"}, None, "makes no sense"),
        ({"model": "not JSON"}, None, "makes no sense"),
        ({"model": json.dumps({"kind": "Mamba", "config": SHAPE.to_dict()})}, None, "'Mamba'"),
        ({"metadata": None}, None, "makes no sense"),
        ({"tokenizer": '{"Unigram": 1}'}, None, "makes no sense"),
        ({"format": FORMAT[:-1] + "9"}, None, "in the format"),
        (None, {"model.more": torch.zeros(2)}, "do not fit the shape"),
    ],
)
def test_malformed_files_are_refused_in_a_sentence(tmp_path, header, tensors, sentence):
    file = tmp_path / "m.safetensors"
    altered(file, header, tensors)
    with pytest.raises(InputError, match=rf"^m\.safetensors (?s:.*){sentence}"):
        load_checkpoint(file)


def test_extra_tensors_do_not_take_the_names_of_weights_and_may_be_views(tmp_path):
    model, file, ids = fresh(), tmp_path / "m.safetensors", torch.arange(10)
    for name in ("model.embedding.weight", "model.more", "__metadata__"):
        with pytest.raises(InputError, match="rename"):
            save_checkpoint(model, file, extra={name: torch.zeros(2)})
    assert not file.exists()
    save_checkpoint(model, file, extra={"data.train": ids[:8], "data.held_out": ids[6:]})
    loaded = load_checkpoint(file)
    assert {k: t.tolist() for k, t in loaded.part("data").items()} == {
        "train": [0, 1, 2, 3, 4, 5, 6, 7],
        "held_out": [6, 7, 8, 9],
    }
    vector = nn.utils.parameters_to_vector(model.parameters())
    nn.utils.vector_to_parameters(vector, model.parameters())  # all weights are views of one tensor now
    save_checkpoint(model, file)
    again = load_checkpoint(file).model.state_dict()
    assert all(torch.equal(t, again[name]) for name, t in model.state_dict().items())


def test_a_model_saved_as_last_is_no_run_to_resume(tmp_path):
    save_checkpoint(fresh(), tmp_path / "last.safetensors")
    with pytest.raises(InputError, match="no training run"):
        train(fresh(), SequenceBatches(TEXTS, 4), TrainConfig(2, folder=str(tmp_path)), resume=True)


def test_two_processes_do_not_train_into_one_folder(tmp_path):
    code = "import sys; from support.training.run_folder import run_folder\n"
    code += "with run_folder(sys.argv[1]): print('held', flush=True); input()"
    other = subprocess.Popen(
        [sys.executable, "-c", code, str(tmp_path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout.readline() == "held\n"
    with pytest.raises(InputError, match=f"process {other.pid} on .* trains into"):
        train(fresh(), SequenceBatches(TEXTS, 4), TrainConfig(2, folder=str(tmp_path)))
    other.kill()
    other.communicate()
    assert len(train(fresh(), SequenceBatches(TEXTS, 4), TrainConfig(2, folder=str(tmp_path))).steps) == 2
    with run_folder(tmp_path):  # and it is free again
        pass


def test_an_evaluation_that_is_no_number_is_not_the_best(tmp_path):
    values = iter([math.nan, 2.0, 3.0])
    config = TrainConfig(3, eval_every=1, folder=str(tmp_path))
    history = train(fresh(), SequenceBatches(TEXTS, 4), config, evaluate=lambda m: next(values))
    assert history.best == (2, 2.0)
    assert load_checkpoint(tmp_path / "best.safetensors").metadata == {"updates": 2, "evaluation": 2.0}


class Interrupted(nn.Module):
    """A model of which one part stays in evaluation mode, and whose third pass is interrupted."""

    def __init__(self, error):
        super().__init__()
        self.model, self.frozen, self.error, self.passes = fresh(), nn.Dropout(0.5), error, 0
        self.frozen.eval()

    def forward(self, ids):
        self.passes += 1
        if self.passes == 3:
            raise self.error
        return self.model(ids)


@pytest.mark.parametrize("error", [ValueError("broken"), KeyboardInterrupt()])
@pytest.mark.parametrize(
    "use",
    [
        lambda m: train(m, SequenceBatches(TEXTS, 4), TrainConfig(5)),
        lambda m: evaluate_loss(m, TEXTS, batch_size=4),
        lambda m: evaluate_stream(m, [i for text in TEXTS for i in text], context=8, batch_size=4),
    ],
)
def test_modes_are_restored_after_an_interruption(error, use):
    for training in (True, False):
        model = Interrupted(error)
        model.model.train(training)
        before = [m.training for m in model.modules()]
        with pytest.raises(type(error)):
            use(model)
        assert [m.training for m in model.modules()] == before


def test_leftovers_of_killed_processes_are_removed_and_others_stay(tmp_path):
    code = "import os, sys\nfrom support.core import atomic_write\n"
    code += "with atomic_write(sys.argv[1] + '/m.bin'): os._exit(1)"
    assert forked(code, tmp_path).returncode == 1
    assert len(list(tmp_path.iterdir())) == 1
    with atomic_write(tmp_path / "m.bin") as mine, atomic_write(tmp_path / "m.bin"):
        assert mine.exists() and len(list(tmp_path.iterdir())) == 2
    assert [p.name for p in tmp_path.iterdir()] == ["m.bin"]


def test_atomic_write_keeps_permissions_and_follows_links(tmp_path):
    (tmp_path / "elsewhere").mkdir()
    file, link = tmp_path / "elsewhere" / "private", tmp_path / "link"
    file.write_text("old")
    file.chmod(0o600)
    link.symlink_to(file)
    with atomic_write(link) as temporary:
        temporary.write_text("new")
    assert link.is_symlink() and file.read_text() == "new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_full_disk_is_told_with_the_path(tmp_path):
    with pytest.raises(OSError, match=r"m\.bin"), atomic_write(tmp_path / "m.bin"):
        raise OSError(28, "No space left on device")


@pytest.mark.parametrize("content", [b"", b"\x80\x04pickle", b"x" * 1000])
def test_files_that_are_no_safetensors_are_refused(tmp_path, content):
    file = tmp_path / "m.pt"
    file.write_bytes(content)
    with pytest.raises(InputError, match="not a whole safetensors file"):
        load_checkpoint(file)


def test_half_a_file_and_foreign_files_are_refused(tmp_path):
    file = tmp_path / "m.safetensors"
    save_checkpoint(fresh(), file)
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(InputError, match="not a whole safetensors file"):
        load_checkpoint(file)
    with pytest.raises(InputError, match="no checkpoint"):
        load_checkpoint(tmp_path / "none.safetensors")
    save_file({"w": torch.zeros(2)}, tmp_path / "foreign.safetensors")
    with pytest.raises(InputError, match="from_huggingface"):
        load_checkpoint(tmp_path / "foreign.safetensors")


def test_float64_models_keep_their_precision(tmp_path):
    model = fresh().double()
    save_checkpoint(model, tmp_path / "m.safetensors")
    loaded = load_checkpoint(tmp_path / "m.safetensors").model
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), loaded.parameters(), strict=True))
    assert loaded.embedding.weight.dtype == torch.float64 and not loaded.training


def test_a_model_of_several_precisions_keeps_each(tmp_path):
    model = fresh(tie_weights=False)
    model.blocks[0].bfloat16()  # its names come first in the file
    model.head.double()
    save_checkpoint(model, tmp_path / "m.safetensors")
    loaded = load_checkpoint(tmp_path / "m.safetensors").model.state_dict()
    for name, weight in model.state_dict().items():
        assert loaded[name].dtype == weight.dtype and torch.equal(loaded[name], weight), name


def test_an_embedding_that_both_halves_share_is_one_after_loading(tmp_path):
    save_checkpoint(EncoderDecoder(SHAPE), tmp_path / "m.safetensors")
    loaded = load_checkpoint(tmp_path / "m.safetensors").model
    assert loaded.decoder.embedding.weight is loaded.encoder.embedding.weight
    assert all(p.requires_grad for p in loaded.parameters())


def test_a_tokenizer_keeps_the_rule_that_its_own_file_cannot_hold(tmp_path):
    """tiktoken takes the leftmost of two places for one token (see tests/text/test_vocabulary_files.py)."""
    merges = [(b"x", b"y"), (b"y", b"x"), (b"x", b"yx"), (b"xy", b"x")]
    ids = {token: i for i, token in enumerate([*BYTES, b"xy", b"yx", b"xyx"])}
    tokenizer = BPETokenizer(merges, ids=ids, equal_ranks=True)
    save_checkpoint(fresh(vocab_size=len(tokenizer)), tmp_path / "m.safetensors", tokenizer=tokenizer)
    loaded = load_checkpoint(tmp_path / "m.safetensors").tokenizer
    texts = ["".join(random.choices("xy", k=12)) for _ in range(200)]
    assert [loaded.encode(text) for text in texts] == [tokenizer.encode(text) for text in texts]
    assert loaded.equal_ranks


def test_a_run_goes_on_with_its_own_data_only(tmp_path):
    config = GPTConfig(vocab_size=12, d_model=8, n_heads=2)
    settings = {"folder": str(tmp_path), "lr": np.float32(0.01)}  # a number of NumPy is a number
    train(GPT(config), SequenceBatches([[1, 2, 3]], 1), TrainConfig(steps=3, **settings))
    train(GPT(config), SequenceBatches([[1, 2, 3]], 1), TrainConfig(steps=3, **settings), resume=True)
    with pytest.raises(InputError, match="not those that this run was begun with"):
        other = SequenceBatches([[1, 2, 4]], 1)
        train(GPT(config), other, TrainConfig(steps=3, **settings), resume=True)


def test_metadata_is_what_json_can_hold(tmp_path):
    model = GPT(GPTConfig(vocab_size=12, d_model=8, n_heads=2))
    save_checkpoint(model, tmp_path / "a", metadata={"loss": np.float32(0.5), "steps": np.int64(3)})
    assert load_checkpoint(tmp_path / "a").metadata == {"loss": 0.5, "steps": 3}
    with pytest.raises(InputError, match=r"metadata holds what JSON cannot hold \(a Tensor"):
        save_checkpoint(model, tmp_path / "b", metadata={"loss": torch.ones(2)})
    assert not (tmp_path / "b").exists()
