from collections import Counter

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from support.core import InputError
from support.text import Vocabulary

words = st.text(st.characters(exclude_categories=["Cs", "Zs", "Zl", "Zp", "Cc"]), min_size=1, max_size=6)
corpora = st.lists(st.lists(words, max_size=8), max_size=8)


@given(corpora)
def test_ids_follow_counts_then_alphabet(corpus):
    vocabulary = Vocabulary.from_corpus(corpus, special_tokens=["<PAD>", "<BOS>"])
    counts = Counter(w for s in corpus for w in s if w not in ("<PAD>", "<BOS>"))
    assert vocabulary.tokens[:2] == ["<PAD>", "<BOS>"]
    assert vocabulary.tokens[2:] == [w for _, w in sorted((-n, w) for w, n in counts.items())]
    for sentence in corpus:
        assert [vocabulary.token(i) for i in vocabulary.encode(sentence)] == sentence


def test_the_order_of_the_sentences_does_not_matter():
    a = Vocabulary.from_corpus(["b a", "c b"])
    assert a == Vocabulary.from_corpus(["c b", "b a"]) and a.tokens == ["b", "a", "c"]


def test_strings_are_split_at_spaces_and_joined_by_one():
    vocabulary = Vocabulary(["the", "cat"])
    assert vocabulary.encode("  the   cat\n") == [0, 1]
    assert vocabulary.decode(vocabulary.encode("the cat the")) == "the cat the"
    assert vocabulary.encode("") == [] and vocabulary.decode([]) == ""


def test_limits_keep_the_frequent_words():
    corpus = ["a a a b b c"]
    assert Vocabulary.from_corpus(corpus, unk="<unk>", max_size=3).tokens == ["<unk>", "a", "b"]
    assert Vocabulary.from_corpus(corpus, min_count=2).tokens == ["a", "b"]
    assert Vocabulary.from_corpus(corpus, special_tokens=["<unk>", "<E>"], unk="<unk>").id("zebra") == 0
    with pytest.raises(InputError, match="no room for the 2 special"):
        Vocabulary.from_corpus(corpus, special_tokens=["x", "y"], max_size=1)


def test_unknown_words_are_all_listed():
    vocabulary = Vocabulary(["the", "cat"])
    with pytest.raises(InputError, match=r"'dog', 'saw' \(2 in all\)"):
        vocabulary.encode("the dog saw the dog")
    with pytest.raises(InputError, match="'dog'"):
        vocabulary.id("dog")
    assert Vocabulary(["<unk>", "the"], unk="<unk>").encode("the dog") == [1, 0]
    many = [f"w{i}" for i in range(30)]
    with pytest.raises(InputError, match=r"'w9', … \(30 in all\)"):
        vocabulary.encode(many)


@pytest.mark.parametrize("bad", [-1, 2, 1.0, "0", None])
def test_ids_outside_are_refused(bad):
    with pytest.raises(InputError, match="id"):
        Vocabulary(["the", "cat"]).decode(iter([0, bad]))


def test_ids_may_come_from_a_tensor():
    assert Vocabulary(["the", "cat"]).decode(torch.tensor([1, 0])) == "cat the"


def test_bad_lists_are_refused():
    with pytest.raises(InputError, match="'a' stands twice"):
        Vocabulary(["a", "b", "a"])
    with pytest.raises(InputError, match="an empty token"):
        Vocabulary(["a", ""])
    with pytest.raises(InputError, match="'<unk>' is not in the vocabulary"):
        Vocabulary(["a"], unk="<unk>")
    with pytest.raises(InputError, match="one string"):
        Vocabulary.from_corpus("a b c")


@settings(deadline=None)
@given(st.lists(words, unique=True, min_size=1), st.booleans())
def test_saved_and_loaded_is_the_same(tmp_path_factory, tokens, with_unk):
    path = tmp_path_factory.mktemp("v") / "vocabulary.json"
    vocabulary = Vocabulary(tokens, unk=tokens[0] if with_unk else None)
    vocabulary.save(path)
    loaded = Vocabulary.load(path)
    assert loaded == vocabulary and loaded.tokens == tokens and loaded.unk == vocabulary.unk


def test_files_that_are_no_vocabulary_are_refused(tmp_path):
    with pytest.raises(InputError, match="no file"):
        Vocabulary.load(tmp_path / "none.json")
    (tmp_path / "a.json").write_text("{")
    with pytest.raises(InputError, match="not JSON"):
        Vocabulary.load(tmp_path / "a.json")
    (tmp_path / "b.json").write_text("[1]")
    with pytest.raises(InputError, match="has the form"):
        Vocabulary.load(tmp_path / "b.json")
