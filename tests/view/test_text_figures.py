"""The figure BPE in a notebook: the package's tokenizer, its record, and any text."""

import pytest

from support import zoo
from support.core import InputError
from support.text import BPETokenizer
from support.view.live import find, widget
from support.view.live.bpe import merges, tokens_of, told

TEXTS = [
    "",
    "the kind girl",
    " \t\u00a0 two",
    "naïve Straße 🙂👩\u200d👧",
    "日本語 ١٢٣ x²",
    "it's 'll <img src=x onerror=alert(1)>",
]


def test_the_merges_are_those_that_training_finds(script):
    study = script("page_bpe")
    kept = zoo.record("page_bpe")
    text = study.text()
    assert (kept["stories"], kept["bytes"]) == (study.STORIES, len(text.encode()))
    trained = BPETokenizer.train(text, 256 + study.MERGES)
    assert tuple(trained.merges) == merges() and len(merges()) == study.MERGES


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("count", [0, 1, 57, 400])
def test_the_tokens_are_the_tokenizers_and_keep_every_byte(text, count):
    known = BPETokenizer(merges()[:count])
    tokens = tokens_of(text, count)["tokens"]
    assert [item["id"] for item in tokens] == known.encode(text)
    assert b"".join(bytes.fromhex(item["bytes"]) for item in tokens) == text.encode()
    assert all(item["id"] < 256 + count for item in tokens)


def test_a_merge_is_told_by_its_parts():
    first, second = tokens_of("the", 1)["tokens"]
    assert (first["token"], first["origin"]) == ("t", "a byte")
    assert (second["token"], second["origin"], second["id"]) == ("he", "merge 1: h + e", 256)
    assert told(b"\xf0\x9f") == "F0 9F" and told("\u200d".encode()) == "U+200D" and told(b"  ") == "␣␣"


def test_only_one_line_of_text_is_taken():
    figure = find("bpe")
    for bad in ("a\nb", "x" * 201, "\ud800", 5):
        with pytest.raises(InputError):
            figure.values(text=bad)
    assert figure.values(text="  a ")["text"] == "  a "


def test_the_widget_answers_and_shows_text_as_text():
    figure = find("bpe")
    box = widget(figure, figure.values())
    box.children[0].value = "<img src=x>"
    assert "&lt;" in box.children[-1].value and "<img" not in box.children[-1].value
    before = box.children[-2].value
    box.children[1].value = 0
    assert "No merges, every token is a byte: 11 characters" in box.children[-1].value
    assert box.children[-2].value != before
