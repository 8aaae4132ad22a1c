"""Oracles: the `tokenizers` library, with the same settings on the same text, and the naive version."""

import json
import random
import sys
import unicodedata

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

from support.core import InputError
from support.text import BPETokenizer
from support.text.bpe_merging import merge_long, merge_short
from support.text.byte_alphabet import BYTES, from_printable, printable
from support.text.naive_bpe import encode_naive, train_naive
from support.text.pretokenise import split
from support.worlds import python_prose

TEXT = python_prose()[:60_000]
ANY_TEXT = st.text(st.characters(exclude_categories=["Cs"]))
# A narrow alphabet makes many ties, runs and overlaps.
TIED_TEXT = st.text(st.sampled_from("aab  c1é😀\n'sX"), max_size=120)


def reference(text: str | list[str], vocab_size: int, special_tokens=()) -> Tokenizer:
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocab_size,
        special_tokens=list(special_tokens),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    tokenizer.train_from_iterator([text] if isinstance(text, str) else text, trainer)
    return tokenizer


def merges_of(tokenizer: Tokenizer) -> list[tuple[bytes, bytes]]:
    merges = json.loads(tokenizer.to_str())["model"]["merges"]
    return [(from_printable(a), from_printable(b)) for a, b in merges]


@pytest.fixture(scope="module")
def ours() -> BPETokenizer:
    return BPETokenizer.train(TEXT, 1500, special_tokens=["<PAD>", "<|end|>"])


@pytest.fixture(scope="module")
def theirs() -> Tokenizer:
    return reference(TEXT, 1500, ["<PAD>", "<|end|>"])


def test_the_bytes_are_in_the_reference_order():
    vocabulary = reference("", 256).get_vocab()
    assert [printable(b) for b in BYTES] == sorted(vocabulary, key=vocabulary.get)
    assert sorted(BYTES) == [bytes([i]) for i in range(256)]


def test_merges_and_vocabulary_equal_the_reference(ours, theirs):
    assert ours.merges == merges_of(theirs)
    mine = {printable(t): i for t, i in ours.vocabulary.items()} | ours.special_tokens
    assert mine == theirs.get_vocab() and ours.vocab_size == len(ours) == 1500


def test_merges_equal_the_naive_version(ours):
    text = TEXT[:8_000]
    assert BPETokenizer.train(text, 256 + 120).merges == train_naive(text, 120)
    tokens = [ours.token(i) for i in ours.encode(TEXT[8_000:9_000])]
    assert tokens == encode_naive(TEXT[8_000:9_000], ours.merges)


@settings(max_examples=150, deadline=None)
@given(TIED_TEXT, st.integers(0, 60))
@example("aaaaaaaaaaa aaaa aaaaaaa", 20)
def test_ties_and_runs_equal_the_reference_and_the_naive_version(text, n_merges):
    ours = BPETokenizer.train(text, 256 + n_merges)
    theirs = reference(text, 256 + n_merges)
    assert ours.merges == merges_of(theirs) == train_naive(text, n_merges)
    assert ours.encode(text) == theirs.encode(text).ids


@settings(max_examples=300, deadline=None)
@given(ANY_TEXT)
@example("")
@example("\x00\x1c\x85\u2028\ufeff\U0010ffff")
@example("👩‍👩‍👧‍👦 é é \r\n\t  end  ")
def test_any_text_comes_back_exactly(ours, text):
    ids = ours.encode(text)
    assert ours.decode(ids) == text
    assert b"".join(ours.token(i) for i in ids) == text.encode()
    assert ours.decode(ours.encode(text, allowed_special="all")) == text


def test_every_character_comes_back():
    tokenizer = BPETokenizer([])
    for start in range(0, sys.maxunicode + 1, 4096):
        text = "".join(chr(c) for c in range(start, start + 4096) if not 0xD800 <= c < 0xE000)
        assert tokenizer.decode(tokenizer.encode(text)) == text


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(exclude_categories=["Cs", "Cn"])))
def test_ids_equal_the_reference(ours, theirs, text):
    assert ours.encode(text, allowed_special="all") == theirs.encode(text).ids


def test_pieces_differ_from_the_reference_only_at_characters_new_in_unicode():
    splitter = pre_tokenizers.ByteLevel(add_prefix_space=False)
    for c in range(0, sys.maxunicode + 1):
        if 0xD800 <= c < 0xE000 or unicodedata.category(chr(c)) in ("Cn", "Co"):
            continue
        text = f"a{chr(c)}  {chr(c)}1{chr(c)}!"
        theirs = [text[a:b] for _, (a, b) in splitter.pre_tokenize_str(text)]
        if split(text) != theirs:
            # Python's table is older than the regex library's, so whatever it knows both must know.
            pytest.fail(
                f"U+{c:04X} {unicodedata.category(chr(c))} is cut differently: {split(text)} {theirs}"
            )


@settings(max_examples=200, deadline=None)
@given(st.data())
def test_decode_never_raises_in_range_and_equals_the_reference(ours, theirs, data):
    ids = data.draw(st.lists(st.integers(0, ours.vocab_size - 1), max_size=30))
    assert ours.decode(ids) == theirs.decode(ids, skip_special_tokens=False)


@pytest.mark.parametrize("bad", [-1, 1500, 2**40, 0.5, "a", None])
def test_ids_out_of_range_are_refused(ours, bad):
    with pytest.raises(InputError, match="id"):
        ours.decode(iter([0, bad]))


def test_ids_may_come_from_a_tensor(ours):
    assert ours.decode(torch.tensor(ours.encode("Paolo chiama"))) == "Paolo chiama"


@pytest.mark.parametrize("text", ["\ud800", "fine until \udfff here"])
def test_lone_surrogates_are_refused(ours, text):
    for action in (ours.encode, lambda t: BPETokenizer.train(t, 300), split):
        with pytest.raises(InputError, match=r"lone surrogate, U\+D[8F]"):
            action(text)


def test_training_is_deterministic_and_ties_go_to_the_lowest_ids():
    # Each of these pairs occurs once: "ab" has the lowest left id, then the lowest right one.
    assert BPETokenizer.train("bd\nac\nab", 257).merges == [(b"a", b"b")] == train_naive("bd\nac\nab", 1)
    merges = {tuple(BPETokenizer.train(TEXT, 400).merges) for _ in range(2)}
    assert len(merges) == 1


def test_a_text_without_pairs_left_gives_a_smaller_vocabulary():
    assert BPETokenizer.train("ab", 1000).vocab_size == 257 == reference("ab", 1000).get_vocab_size()
    assert BPETokenizer.train("", 1000).encode("") == []


def test_special_tokens_are_text_unless_allowed(ours):
    end = ours.special_tokens["<|end|>"]
    assert end == 1 and end not in ours.encode("a<|end|>b")
    assert ours.encode("a<|end|>b", allowed_special=["<|end|>"])[1] == end
    assert ours.encode("a<|end|>b", allowed_special="all") == [*ours.encode("a"), end, *ours.encode("b")]
    assert ours.decode([end]) == "<|end|>"
    for wrong in ["<|end|>", ["<EOS>"]]:
        with pytest.raises(InputError, match="allowed_special"):
            ours.encode("a", allowed_special=wrong)


def test_the_longest_special_token_wins():
    tokenizer = BPETokenizer([], special_tokens=["<a", "<a>"])
    assert tokenizer.encode("<a><a", allowed_special="all") == [1, 0]


def test_nothing_is_learned_from_special_tokens():
    text = "one story<|end|>another story<|end|>" * 20
    ours = BPETokenizer.train(text, 300, special_tokens=["<|end|>"])
    assert ours.merges == merges_of(reference(text.split("<|end|>"), 300, ["<|end|>"]))
    assert not any(b"end" in a + b for a, b in ours.merges)


@pytest.mark.parametrize(
    "arguments, message",
    [
        (dict(text="a", vocab_size=255), "too small"),
        (dict(text="a", vocab_size=257, special_tokens=["<a>", "<b>"]), "need 258"),
        (dict(text="a", vocab_size=300, special_tokens=["<a>", "<a>"]), "different"),
        (dict(text="a", vocab_size=300, special_tokens=[""]), "not empty"),
        (dict(text="a", vocab_size=300, special_tokens="<a>"), "one string"),
        (dict(text="a", vocab_size=300, special_tokens=["a"]), "written like a token"),
    ],
)
def test_bad_settings_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        BPETokenizer.train(**arguments)


def test_merges_must_be_in_order():
    for merges in ([(b"ab", b"c")], [(b"a", b"b")] * 2, [(b"a", b"")]):
        with pytest.raises(InputError, match="Merge"):
            BPETokenizer(merges)
    with pytest.raises(InputError, match="ids must number the 256"):
        BPETokenizer([], ids={})


@settings(max_examples=100, deadline=None)
@given(st.text(st.sampled_from("the hisé<>\n"), max_size=200))
def test_long_pieces_are_merged_like_short_ones(ours, text):
    ids = [ours.vocabulary[bytes([b])] for b in text.encode()]
    assert merge_short(list(ids), ours._rank) == merge_long(list(ids), ours._rank)


def test_a_piece_without_end_takes_no_quadratic_time(ours, theirs):
    random.seed(0)
    text = "".join(random.choices("etaoinshrdlu", k=60_000))
    assert ours.encode(text) == theirs.encode(text).ids


def test_files_are_read_by_the_library_and_back(ours, theirs, tmp_path):
    ours.save(tmp_path / "ours.json")
    theirs.save(str(tmp_path / "theirs.json"))
    sample = python_prose()[100_000:110_000] + "<|end|>é😀"
    ids = ours.encode(sample, allowed_special="all")
    assert Tokenizer.from_file(str(tmp_path / "ours.json")).encode(sample).ids == ids
    for name in ("ours.json", "theirs.json"):
        loaded = BPETokenizer.load(tmp_path / name)
        assert loaded.merges == ours.merges and loaded.vocabulary == ours.vocabulary
        assert loaded.special_tokens == ours.special_tokens
        assert loaded.encode(sample, allowed_special="all") == ids


def test_a_file_in_the_form_of_gpt2_is_read(theirs, tmp_path):
    """GPT-2's own file numbers the special token last and writes merges as strings."""
    plain = reference(TEXT, 400)
    plain.add_special_tokens(["<|endoftext|>"])
    content = json.loads(plain.to_str())
    content["model"]["merges"] = [" ".join(m) for m in content["model"]["merges"]]
    content["post_processor"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": False}
    (tmp_path / "tokenizer.json").write_text(json.dumps(content))
    loaded = BPETokenizer.load(tmp_path / "tokenizer.json")
    assert loaded.special_tokens == {"<|endoftext|>": 400}
    text = "for x in y:<|endoftext|>"
    assert loaded.encode(text, allowed_special="all") == plain.encode(text).ids


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda c: c.update(normalizer={"type": "Lowercase"}), "normalizer Lowercase"),
        (lambda c: c.update(pre_tokenizer={"type": "Whitespace"}), "pre-tokenizer Whitespace"),
        (lambda c: c["pre_tokenizer"].update(add_prefix_space=True), "add_prefix_space"),
        (lambda c: c["model"].update(dropout=0.1), "dropout"),
        (lambda c: c["model"].update(type="Unigram"), "Unigram"),
        (lambda c: c["added_tokens"][0].update(lstrip=True), "lstrip"),
        (lambda c: c.pop("model"), "model is missing"),
        (lambda c: c["model"]["merges"].append(["☃", "a"]), "stands for no byte"),
        (lambda c: c["model"]["vocab"].pop("!"), "ids must number"),
    ],
)
def test_other_tokenizers_files_are_refused(ours, tmp_path, change, message):
    ours.save(tmp_path / "t.json")
    content = json.loads((tmp_path / "t.json").read_text())
    change(content)
    (tmp_path / "t.json").write_text(json.dumps(content))
    with pytest.raises(InputError, match=message):
        BPETokenizer.load(tmp_path / "t.json")
    with pytest.raises(InputError, match="no file"):
        BPETokenizer.load(tmp_path / "none.json")
