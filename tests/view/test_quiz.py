"""The questions that a notebook asks: stored with each chapter, judged in a browser by jupyterquiz."""

import json
import re
from pathlib import Path

import nbformat
import pytest
import refresh

from support.core import InputError
from support.view import quiz
from support.view.quiz import FOLDER, as_html, as_text, load, turned

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def cell_of(path):
    """The cell that asks, and its place among all cells."""
    cells = nbformat.read(path, as_version=4).cells
    topic = path.stem.partition("_")[2]
    (at,) = [k for k, c in enumerate(cells) if c.cell_type == "code" and f'quiz("{topic}")' in c.source]
    return cells, at


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_every_notebook_asks_before_its_take_aways(path):
    cells, at = cell_of(path)
    headings = [
        h for c in cells[:at] if c.cell_type == "markdown" for h in re.findall(r"^## (.+)$", c.source, re.M)
    ]
    assert headings[-1].lower().startswith("check yourself")
    assert cells[at + 1].source.lower().startswith("## take-aways")
    assert cells[at].metadata["tags"] == ["remove-cell"], "the page asks by itself"
    page, script = (output.data for output in cells[at].outputs)
    questions = load(path.stem.partition("_")[2])
    for question in questions:
        assert question["question"] in page["text/plain"]
        assert (
            json.dumps(question["answers"][0]["feedback"]).strip('"')[:15] in script["application/javascript"]
        )


def test_every_file_of_questions_belongs_to_a_notebook():
    topics = {path.stem.partition("_")[2] for path in NOTEBOOKS}
    assert {path.stem for path in FOLDER.glob("*.json")} == topics


def test_what_is_published_is_the_same_at_every_run_and_leaves_chance_alone():
    stored, at = cell_of(next(p for p in NOTEBOOKS if p.stem.endswith("_bpe")))
    draw = "import random\nrandom.seed(7)\n{}print(random.random())"
    sources = [stored[at].source, 'quiz("bpe")', draw.format(""), draw.format("quiz('bpe')\n")]
    fresh = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(source) for source in sources])
    refresh.run(fresh, ROOT / "notebooks")
    first, again, plain, between = (cell.outputs for cell in fresh.cells)
    assert [o.data for o in first] == [o.data for o in again] == [o.data for o in stored[at].outputs]
    assert between[-1].text == plain[0].text


def test_words_are_escaped_and_nothing_is_lost():
    question = {
        "question": "Is a < b & c?",
        "type": "multiple_choice",
        "answers": [
            {"answer": "<b>yes</b>", "correct": True, "feedback": "Indeed."},
            {"answer": "no", "correct": False, "feedback": "Look again."},
        ],
    }
    assert "Is a &lt; b &amp; c?" in as_html([question], "x") and "<b>yes" not in as_html([question], "x")
    assert "Answers:\n1. <b>yes</b>. Indeed." in as_text([question], "x")
    assert sorted(a["answer"] for a in turned(question, "x")) == ["<b>yes</b>", "no"]


def test_an_unknown_topic_is_named():
    with pytest.raises(InputError, match="did you mean 'attention'"):
        quiz("atention")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_some_questions_need_the_picture_only(path):
    asked = [q for q in load(path.stem.partition("_")[2]) if q.get("picture")]
    assert len(asked) >= 2
    for question in asked:
        words = question["question"] + " ".join(str(a.get("answer", "")) for a in question["answers"])
        assert not re.search(r"[=√∑·∂_]|\bsoftmax|\bcosine|\bReLU|derivative", words), words
        assert len(question["answers"]) >= 3
