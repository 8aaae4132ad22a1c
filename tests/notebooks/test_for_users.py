"""The page for people who only use such models: its examples are what the models of the book do."""

import json
import re
from pathlib import Path

import torch

from support import zoo
from support.view.live.assistant.conversation import converse

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "book" / "for_users.md").read_text(encoding="utf8")
ADVICE = re.findall(r"^\*\*([^*]+)\*\*\n\n(.+?)\n\n(> .+?)$", PAGE, re.M)


def asked(words):
    """Words that the page quotes as a prompt."""
    assert f"`{words}`" in PAGE
    return words


def test_each_piece_of_advice_has_its_reason_an_example_and_one_link():
    assert len(ADVICE) == len(re.findall(r"^\*\*", PAGE, re.M)) >= 15
    for advice, reason, example in ADVICE:
        assert advice.endswith(".") and len(advice.split()) <= 14, advice
        assert 2 <= len(re.findall(r"[.?](?= |$)", reason)) <= 4, advice
        assert example.startswith("> *Example.*"), advice
        assert len(re.findall(r"\[See [^]]+\]\(\.\./notebooks/[^)]+#[^)]+\)$", example)) == 1, advice


def test_the_story_model_goes_on_as_the_page_says():
    stories = zoo.load("stories")
    best = {}
    for words in ("the cat sat on the", "rosa had a red ball made of glass . the red ball was made of"):
        ids = torch.tensor([stories.vocabulary.encode(f"<BOS> {asked(words)}")])
        with torch.no_grad():
            found = stories.model(ids)[0, -1].softmax(dim=-1).topk(4)
        best[words] = dict(
            zip(map(stories.vocabulary.token, found.indices.tolist()), found.values.tolist(), strict=True)
        )
    cat, ball = best.values()
    assert set(cat) == {"beach", "hill", "bridge", "mountain"} and min(cat.values()) > 0.2
    assert ball["rubber"] > 0.99


def test_the_assistant_answers_as_the_page_says():
    """(Its sums are tried on its own page.)"""
    story = asked("tell me a story about leo")
    first, second = (turn["parts"][-1]["shown"] for turn in converse((story, story), True, -1, 1.0))
    assert "box" in first and "cat" in first and "boat" in second and "squirrel" in second
    assert "squirrel" not in first and "cat" not in second.split()
    for words in ("what is 347 + 585?", "what is 34567 + 12345?"):
        assert f"`{asked(words)}`" in (ROOT / "book" / "assistant.md").read_text(encoding="utf8")


def test_the_shop_assistant_answers_as_the_page_says():
    cells = json.loads((ROOT / "notebooks" / "27_tools_and_retrieval.ipynb").read_text(encoding="utf8"))[
        "cells"
    ]
    outputs = [o for c in cells for o in c.get("outputs", [])]
    printed = "\n".join("".join(o.get("data", {}).get("text/plain", "")) for o in outputs)
    rows = [re.split(r"\s{2,}", line) for line in printed.split("\n")]  # of tables
    question = "made of timber , the planks felt soft , something squeaked . who was there ?"
    right, wrong = (
        "at the bridge a mouse found the yellow wagon of mina .",
        "theo took the brown mirror to the valley and met a mouse .",
    )
    for words in (question, right, wrong):
        spoken = re.sub(r" ([.,?])", r"\1", words).lower()
        assert spoken in PAGE.lower(), spoken
    assert ["question", question] in rows
    assert ["right", right, "mina", "yes", "yes"] in rows, "answer, sure, right"
    assert ["wrong", wrong, "theo", "yes", "no"] in rows
    assert ["8 8 + 4 4", "133", "133", "132"] in rows, "told, answered, truth"
    for words in ("88 + 44", "133"):
        asked(words)
