"""transformers is the oracle: `AutoTokenizer` on our folder gives our ids, and padding changes no text."""

import json
import random

import pytest
import torch
from helpers import shaken

from support.core import InputError
from support.exchange import from_huggingface, to_huggingface, tokenizer_from_huggingface
from support.exchange.hf_tokenizer import special_ids
from support.exchange.word_level import WHITE_SPACE
from support.model import GPT, GPTConfig
from support.text import BPETokenizer, Vocabulary
from support.text.byte_alphabet import BYTES, printable
from support.worlds import python_prose

transformers = pytest.importorskip("transformers")

LLAMA = {
    "positions": "rope",
    "norm": "rms",
    "activation": "swiglu",
    "attention_bias": False,
    "ffn_bias": False,
}
KINDS = {"gpt2": {}, "llama": LLAMA}
PROMPTS = ["the cat", "the dog sat on the", "a"]


def bpe():
    return BPETokenizer.train(python_prose()[:30_000], 400, ["<PAD>", "<EOS>"])


def words():
    sentences = ["the cat sat", "the dog sat on the mat", "a a"]
    return Vocabulary.from_corpus(sentences, ["<PAD>", "<EOS>"], unk="<unk>")


def encode(tokenizer, text):
    return tokenizer.encode(text, *(["all"] if isinstance(tokenizer, BPETokenizer) else []))


@pytest.fixture(params=[bpe, words], ids=["bytes", "words"])
def tokenizer(request):
    return request.param()


def written(folder, tokenizer, **more):
    model = GPT(GPTConfig(vocab_size=len(tokenizer), context=64, d_model=16, n_layers=1, **more)).eval()
    return shaken(model), to_huggingface(model, folder, tokenizer=tokenizer)[0]


def test_ids_equal_ours_and_none_is_added(tokenizer, tmp_path):
    written(tmp_path, tokenizer)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert len(theirs) == len(tokenizer)
    assert (theirs.pad_token_id, theirs.eos_token_id, theirs.bos_token_id) == (0, 1, None)
    random.seed(0)
    texts = ["", "the <PAD> cat<EOS>", "  the\n\tcat\x1fsat\u3000on ", "the dog <EOS> zebra", "é😀 é the"]
    prose = [*python_prose()[:5_000].split(), "the", "<EOS>"]
    texts += [" ".join(random.choices(prose, k=20)) for _ in range(99)]
    if isinstance(tokenizer, Vocabulary):
        texts = [text.replace("cat<EOS>", "cat <EOS>") for text in texts]
    for text in texts:
        ids = encode(tokenizer, text)
        assert theirs(text)["input_ids"] == ids, text
        assert theirs.decode(ids) == tokenizer.decode(ids)


def test_words_end_where_pythons_do():
    import regex

    every = "".join(map(chr, range(0xD800))) + "".join(map(chr, range(0xE000, 0x110000)))
    assert regex.sub(WHITE_SPACE, " ", every).split(" ") == every.split()


def test_a_vocabulary_without_an_unknown_word_refuses_it_there_too(tmp_path):
    vocabulary = Vocabulary(["<PAD>", "cat"])
    written(tmp_path, vocabulary)
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    assert theirs("cat cat")["input_ids"] == [1, 1]
    with pytest.raises(Exception, match="UNK"):
        theirs("dog")


@pytest.mark.parametrize("kind", KINDS)
def test_a_padded_batch_is_continued_as_each_text_alone(tokenizer, tmp_path, kind):
    written(tmp_path, tokenizer, **KINDS[kind])
    theirs = transformers.AutoTokenizer.from_pretrained(tmp_path)
    model = transformers.AutoModelForCausalLM.from_pretrained(tmp_path)
    greedy = {"max_new_tokens": 8, "do_sample": False, "eos_token_id": None}
    batch = theirs(PROMPTS, padding=True, return_tensors="pt")
    assert batch["input_ids"].max() < len(tokenizer)
    together = model.generate(**batch, **greedy)
    for prompt, row in zip(PROMPTS, together, strict=True):
        alone = model.generate(**theirs(prompt, return_tensors="pt"), **greedy)[0]
        assert row[-len(alone) :].equal(alone)
        ours = from_huggingface(tmp_path)
        with torch.no_grad():
            assert int(ours(torch.tensor([encode(tokenizer, prompt)]))[0, -1].argmax()) == int(alone[-8])


def test_the_pipeline_writes(tokenizer, tmp_path):
    written(tmp_path, tokenizer)
    write = transformers.pipeline("text-generation", model=str(tmp_path))
    answers = write(PROMPTS, max_new_tokens=4, do_sample=False, batch_size=3)
    assert [a[0]["generated_text"].startswith(p) for a, p in zip(answers, PROMPTS, strict=True)] == [True] * 3


def test_a_tokenizer_comes_back_from_its_folder(tokenizer, tmp_path):
    written(tmp_path, tokenizer)
    back = tokenizer_from_huggingface(tmp_path)
    assert type(back) is type(tokenizer)
    assert encode(back, "the cat <EOS>") == encode(tokenizer, "the cat <EOS>")
    if isinstance(back, Vocabulary):
        assert back == tokenizer


def test_what_transformers_writes_is_read(tokenizer, tmp_path):
    written(tmp_path / "ours", tokenizer)
    transformers.AutoTokenizer.from_pretrained(tmp_path / "ours").save_pretrained(tmp_path / "theirs")
    back = tokenizer_from_huggingface(tmp_path / "theirs")
    assert encode(back, "the cat <EOS>") == encode(tokenizer, "the cat <EOS>")


def test_gpt2s_two_files_are_read(tmp_path):
    (tmp_path / "merges.txt").write_text("#version: 0.2\nt h\n")
    ids = {printable(byte): i for i, byte in enumerate(BYTES)}
    (tmp_path / "vocab.json").write_text(json.dumps(ids))
    with pytest.raises(InputError, match="b'th', which has no id"):
        tokenizer_from_huggingface(tmp_path)
    (tmp_path / "vocab.json").write_text(json.dumps({printable(b): i for i, b in enumerate([*BYTES, b"th"])}))
    assert tokenizer_from_huggingface(tmp_path).encode("th") == [256]
    (tmp_path / "vocab.json").unlink()
    with pytest.raises(InputError, match=r"no file vocab\.json"):
        tokenizer_from_huggingface(tmp_path)


def test_roles_are_given_by_ids_or_names(tmp_path):
    tokenizer = BPETokenizer([], ["<|endoftext|>", "<|user|>"])
    fields = written(tmp_path, tokenizer)[1]
    assert fields["eos_token_id"] == fields["pad_token_id"] == 0 and fields["bos_token_id"] is None
    config = GPTConfig(vocab_size=300, n_layers=1)
    fields, _ = to_huggingface(GPT(config), tmp_path, tokenizer, bos_token_id=1, eos_token_id=[0, 1])
    assert (fields["bos_token_id"], fields["eos_token_id"], fields["pad_token_id"]) == (1, [0, 1], 0)
    settings = json.loads((tmp_path / "tokenizer_config.json").read_text())
    assert settings["bos_token"] == "<|user|>" and settings["model_max_length"] == config.context
    fields, _ = to_huggingface(GPT(config), tmp_path, BPETokenizer([]))
    assert fields["eos_token_id"] is None and "pad_token_id" not in fields


@pytest.mark.parametrize(
    ("tokenizer", "more", "words"),
    [
        (BPETokenizer([], ["<EOS>"]), {"eos_token_id": 40}, "eos_token_id=40 is no special token"),
        (BPETokenizer([], ["<EOS>"]), {"pad_token_id": "0"}, "pad_token_id='0' must be a valid integer"),
        (Vocabulary(["a"] + [str(i) for i in range(400)]), {}, "has 401 ids and the model 300"),
    ],
)
def test_a_tokenizer_that_does_not_fit_is_refused(tmp_path, tokenizer, more, words):
    with pytest.raises(InputError, match=words):
        special_ids(tokenizer, more, 300)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda c: c.update(pre_tokenizer={"type": "Whitespace"}), "WordLevel after Whitespace"),
        (lambda c: c.update(normalizer={"type": "Lowercase"}), "normalizer"),
        (lambda c: c.update(truncation={"max_length": 4}), "truncation"),
        (lambda c: c["model"]["vocab"].update(cat=77), "does not number its"),
        (lambda c: c["model"].update(vocab=["cat"]), "valid dictionary"),
        (lambda c: c["model"].update(type="WordPiece"), "WordPiece"),
        (lambda c: c.update(model=3), "model"),
    ],
)
def test_a_file_of_words_of_another_kind_is_refused(tmp_path, change, words):
    written(tmp_path, Vocabulary(["<PAD>", "cat"]))
    path = tmp_path / "tokenizer.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=words):
        tokenizer_from_huggingface(tmp_path)
