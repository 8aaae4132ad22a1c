"""GPT-2's own files and tiktoken's, made here; `tokenizers` and tiktoken are the oracles."""

import base64
import gzip
import json
import random
import unicodedata

import pytest
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from support.core import InputError
from support.text import BPETokenizer
from support.text.byte_alphabet import BYTES, printable
from support.text.pretokenise import SOURCES
from support.worlds import python_prose

LETTERS = (
    "aAsStTbBeEvV" + "ſKßжиกé\u0301한中" + "0123٣²" + "''’!?.,/=-_# " * 2 + "  \t\n\n\r" + "😀👩‍🚀\u200b"
)


@pytest.fixture(scope="module")
def trained():
    return BPETokenizer.train(python_prose()[:100_000] + "a b  c\n\n" * 50 + "==== ====" * 50, 1200)


def texts(n):
    random.seed(1)
    for _ in range(n):
        yield "".join(random.choices(LETTERS, k=random.randint(1, 40)))
    yield from (python_prose()[200_000:230_000], "", "=" * 99, " " * 77 + "a")


@pytest.fixture
def gpt2_files(trained, tmp_path):
    lines = [" ".join(map(printable, pair)) for pair in trained.merges]
    (tmp_path / "vocab.bpe").write_text("#version: 0.2\n" + "\n".join(lines) + "\n", encoding="utf-8")
    ids = {printable(token): i for token, i in trained.vocabulary.items()} | {"<|endoftext|>": 1200}
    (tmp_path / "encoder.json").write_text(json.dumps(ids))
    return tmp_path / "vocab.bpe", tmp_path / "encoder.json"


def test_gpt2_files_give_the_ids_of_tokenizers(gpt2_files):
    merges, ids = gpt2_files
    theirs = Tokenizer(models.BPE.from_file(str(ids), str(merges)))
    theirs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    ours = BPETokenizer.from_gpt2_files(merges, ids)
    assert ours.special_tokens == {"<|endoftext|>": 1200} and ours.vocab_size == 1201
    for text in texts(500):
        assert ours.encode(text) == theirs.encode(text).ids
    assert ours.encode("a<|endoftext|>", allowed_special="all")[-1] == 1200


def test_gpt2_files_without_ids_and_packed(gpt2_files, trained):
    merges, _ = gpt2_files
    packed = merges.with_suffix(".gz")
    packed.write_bytes(gzip.compress(merges.read_bytes()))
    for file in (merges, packed):
        assert BPETokenizer.from_gpt2_files(file).vocabulary == trained.vocabulary


def tiktoken_file(path, vocabulary):
    lines = [base64.b64encode(token) + b" %d\n" % i for token, i in vocabulary.items()]
    path.write_bytes(b"".join(lines))
    return path


PATTERNS = {"gpt-2": "r50k_base", "gpt-4": "cl100k_base", "gpt-4o": "o200k_base"}


@pytest.mark.parametrize("pattern", PATTERNS)
def test_tiktoken_files_give_the_ids_of_tiktoken(trained, tmp_path, pattern, monkeypatch):
    tiktoken = pytest.importorskip("tiktoken")
    public = pytest.importorskip("tiktoken_ext.openai_public")
    # The published pattern, without the published vocabulary, which would be fetched.
    monkeypatch.setattr(public, "load_tiktoken_bpe", lambda *_, **__: {})
    monkeypatch.setattr(public, "data_gym_to_mergeable_bpe_ranks", lambda *_, **__: {})
    published = getattr(public, PATTERNS[pattern])()["pat_str"]
    special = {"<|end|>": 1205}
    theirs = tiktoken.Encoding(
        "x", pat_str=published, mergeable_ranks=trained.vocabulary, special_tokens=special
    )
    file = tiktoken_file(tmp_path / "x.tiktoken", trained.vocabulary)
    ours = BPETokenizer.from_tiktoken(file, pattern, special_tokens=special)
    assert ours.special_tokens["<|end|>"] == 1205 and ours.vocab_size == 1206
    for text in texts(3_000):
        assert ours.encode(text) == theirs.encode_ordinary(text), repr(text)
    assert ours.encode("a<|end|>", allowed_special="all") == theirs.encode("a<|end|>", allowed_special="all")


def test_of_two_places_for_one_token_the_leftmost_is_merged(tmp_path):
    """tiktoken ranks tokens, not merges: "aab" is made of "aa"+"b" or of "a"+"ab", whichever comes first."""
    made = [b"xy", b"yx", b"xyx"]
    ids = {token: i for i, token in enumerate([*BYTES, *made])}
    ours = BPETokenizer.from_tiktoken(tiktoken_file(tmp_path / "x.tiktoken", ids), "gpt-2")
    tiktoken = pytest.importorskip("tiktoken")
    theirs = tiktoken.Encoding("x", pat_str=SOURCES["gpt-2"], mergeable_ranks=ids, special_tokens={})
    random.seed(0)
    for _ in range(2_000):
        text = "".join(random.choices("xy", k=random.randint(1, 70)))
        assert ours.encode(text) == theirs.encode(text)


def test_ids_that_no_token_has_get_a_name(tmp_path):
    file = tiktoken_file(tmp_path / "x.tiktoken", {b: i for i, b in enumerate(BYTES)})
    ours = BPETokenizer.from_tiktoken(file, special_tokens={"<|end|>": 258})
    assert ours.special_tokens == {"<|end|>": 258, "<|unused_256|>": 256, "<|unused_257|>": 257}
    assert BPETokenizer.from_tiktoken(file).special_tokens == {}
    with pytest.raises(InputError, match="same id"):
        BPETokenizer.from_tiktoken(file, special_tokens={"<|end|>": 0})


def test_composed_text_differs_from_tokenizers_only_at_marks_that_are_new():
    """The docstring of `BPETokenizer` says so; the order of marks depends on tables that grow."""
    theirs = normalizers.NFC()
    marks = [chr(i) for i in range(0x110000) if unicodedata.combining(chr(i))]
    other = []
    for mark in marks:
        neighbours = "\u0334", "\u0345"  # marks of the lowest and of the highest class
        cases = [f"a{n}{mark}" for n in neighbours] + [f"a{mark}{n}" for n in neighbours]
        if any(unicodedata.normalize("NFC", c) != theirs.normalize_str(c) for c in cases):
            other.append(mark)
    old = [mark for mark in other if unicodedata.ucd_3_2_0.category(mark) != "Cn"]
    assert len(marks) > 800 and len(other) < 150 and old == []
