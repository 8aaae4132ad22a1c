"""Files as Llama 3 and Qwen 2 ship them: `tokenizers` makes them here, and its ids are the oracle."""

import json
import random

import pytest
from tokenizers import Regex, Tokenizer, decoders, models, normalizers, pre_tokenizers, processors, trainers

from support.core import InputError
from support.text import BPETokenizer
from support.text.pretokenise import SOURCES, split
from support.worlds import python_prose

# Written once more, as the two releases print them, so that a slip in the package is seen.
LLAMA_3 = (
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}{1,3}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
    "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
)
QWEN_2 = (
    "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*"
    "|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+"
)
SPECIAL = ["<|begin_of_text|>", "<|end_of_text|>"]
# Capitals of clitics, letters that fold to s, digits of other scripts, line ends, marks, signs, emoji.
LETTERS = (
    "aAsStTrReEvVmMlLdDxſKßΩжي中กกำ한ä̈é" + "0123456789٣²Ⅷ" + "''''’!?.,-_@#  \t\n\r\n \u3000\u200b😀👩‍🚀"
)


def cut(pattern):
    return pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(pattern), behavior="isolated", invert=False),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )


def trained(pattern, normalizer=None):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer, tokenizer.decoder = cut(pattern), decoders.ByteLevel()
    if normalizer:
        tokenizer.normalizer = normalizer
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    trainer = trainers.BpeTrainer(vocab_size=900, initial_alphabet=alphabet, show_progress=False)
    tokenizer.train_from_iterator([python_prose()[:150_000], "It's 1234, IT'S\n\n  ''ſ 中中 é"], trainer)
    return tokenizer


def qwen(folder):
    """Qwen 2: one merge for each token, composed text, special tokens behind the rest."""
    tokenizer = trained(QWEN_2, normalizers.NFC())
    tokenizer.add_special_tokens(SPECIAL)
    tokenizer.save(str(folder / "tokenizer.json"))


def llama(folder):
    """Llama 3: every way to halve a token is a merge; a piece that is a token stays whole."""
    content = json.loads(trained(LLAMA_3).to_str())
    vocabulary = content["model"]["vocab"]
    halves = [
        (token[:i], token[i:], rank)
        for token, rank in vocabulary.items()
        for i in range(1, len(token))
        if token[:i] in vocabulary and token[i:] in vocabulary
    ]
    halves.sort(key=lambda h: (h[2], vocabulary[h[0]], vocabulary[h[1]]))
    content["model"]["merges"] = [[left, right] for left, right, _ in halves]
    content["model"]["ignore_merges"] = True
    tokenizer = Tokenizer.from_str(json.dumps(content))
    tokenizer.add_special_tokens(SPECIAL)
    begin = processors.TemplateProcessing(
        single=f"{SPECIAL[0]} $A", special_tokens=[(SPECIAL[0], tokenizer.token_to_id(SPECIAL[0]))]
    )
    tokenizer.post_processor = processors.Sequence([processors.ByteLevel(trim_offsets=False), begin])
    tokenizer.save(str(folder / "tokenizer.json"))


def texts(n):
    random.seed(0)
    for _ in range(n):
        yield "".join(random.choices(LETTERS, k=random.randint(1, 30)))
    yield from (python_prose()[200_000:230_000], "", *SPECIAL, f"one{SPECIAL[1]}two {SPECIAL[0]}")


@pytest.mark.parametrize("make", [llama, qwen])
def test_ids_equal_those_of_tokenizers(make, tmp_path):
    make(tmp_path)
    theirs = Tokenizer.from_file(str(tmp_path / "tokenizer.json"))
    ours = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert ours.vocab_size == theirs.get_vocab_size()
    for text in texts(4_000):
        ids = theirs.encode(text, add_special_tokens=False).ids
        assert ours.encode(text, allowed_special="all") == ids, text
        assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


@pytest.mark.parametrize("make", [llama, qwen])
def test_what_we_save_is_read_back_by_both(make, tmp_path):
    make(tmp_path)
    ours = BPETokenizer.load(tmp_path / "tokenizer.json")
    ours.save(tmp_path / "ours.json")
    again, theirs = (
        BPETokenizer.load(tmp_path / "ours.json"),
        Tokenizer.from_file(str(tmp_path / "ours.json")),
    )
    rules = "pattern", "normal_form", "whole_pieces", "merges", "vocabulary", "special_tokens"
    assert all(getattr(again, rule) == getattr(ours, rule) for rule in rules)
    for text in texts(300):
        assert theirs.encode(text).ids == ours.encode(text, allowed_special="all")


@pytest.mark.parametrize(("name", "pattern"), [("llama-3", LLAMA_3), ("qwen-2", QWEN_2)])
def test_pieces_equal_those_of_tokenizers(name, pattern):
    assert SOURCES[name] == pattern
    splitter = pre_tokenizers.Split(Regex(pattern), behavior="isolated", invert=False)
    for text in texts(4_000):
        assert split(text, name) == [piece for piece, _ in splitter.pre_tokenize_str(text)], text


def test_the_rules_do_something(tmp_path):
    qwen(tmp_path)
    qwen_2 = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert qwen_2.decode(qwen_2.encode("e\u0301")) == "é"  # composed
    llama(tmp_path)
    llama_3 = BPETokenizer.load(tmp_path / "tokenizer.json")
    made = [left + right for left, right in llama_3.merges]
    assert len(made) > len(set(made))  # several merges make one token
    assert split("12345", "llama-3") == ["123", "45"] and split("12", "qwen-2") == ["1", "2"]
    whole = BPETokenizer([], ids={**llama_3.vocabulary}, pattern="llama-3", whole_pieces=True)
    assert len(whole.encode(" the")) == 1 and len(whole.encode(" thethe")) == 7


def steps(content):
    return content["pre_tokenizer"]["pretokenizers"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda c: steps(c)[0]["pattern"].update(Regex=r"\w+|\W+"), "pre-tokenizer Split"),
        (lambda c: steps(c)[0].update(behavior="Removed"), "pre-tokenizer Split"),
        (lambda c: steps(c)[0].update(invert=True), "pre-tokenizer Split"),
        (lambda c: steps(c)[1].update(use_regex=True), "pre-tokenizer Split"),
        (lambda c: steps(c)[1].update(add_prefix_space=True), "add_prefix_space"),
        (lambda c: c.update(pre_tokenizer={"type": "Metaspace"}), "pre-tokenizer Metaspace"),
        (lambda c: c.update(pre_tokenizer=None), "pre-tokenizer None"),
        (lambda c: c.update(normalizer={"type": "Sequence", "normalizers": []}), "normalizer Sequence"),
        (lambda c: c.update(post_processor={"type": "BertProcessing"}), "post-processor BertProcessing"),
        (lambda c: c["model"].update(byte_fallback=True), "byte_fallback"),
        (lambda c: c["added_tokens"][0].update(normalized=True), "normalized of '<|begin_of_text|>'"),
        (lambda c: c["model"]["merges"].append(["Ġthe", "Ġthe"]), "b' the the', which has no id"),
        (lambda c: c["added_tokens"][0].update(id=5_000), "ids must number"),
    ],
)  # fmt: skip
def test_what_it_cannot_read_is_refused(tmp_path, change, message):
    qwen(tmp_path)
    path = tmp_path / "tokenizer.json"
    content = json.loads(path.read_text())
    change(content)
    path.write_text(json.dumps(content))
    with pytest.raises(InputError, match=message.replace("|", r"\|")):
        BPETokenizer.load(path)


def test_unknown_rules_are_refused():
    with pytest.raises(InputError, match="pattern='gpt-9'"):
        BPETokenizer([], pattern="gpt-9")
    with pytest.raises(InputError, match="normal_form='NFX'"):
        BPETokenizer([], normal_form="NFX")


@pytest.mark.parametrize("form", ["NFC", "NFD", "NFKC", "NFKD"])
def test_every_normal_form_is_saved_and_loaded(form, tmp_path):
    tokenizer = BPETokenizer.train("low lower lowest fine ﬁne é", 262)
    ours = BPETokenizer(tokenizer.merges, normal_form=form)
    ours.save(tmp_path / "tokenizer.json")
    again, theirs = (
        make(str(tmp_path / "tokenizer.json")) for make in (BPETokenizer.load, Tokenizer.from_file)
    )
    assert again.normal_form == form and BPETokenizer.from_dict(ours.to_dict()).merges == ours.merges
    for text in ("ﬁne lower", "e\u0301 é ①²", "가 한"):
        assert again.encode(text) == ours.encode(text) == theirs.encode(text).ids
