"""The pages that are prose: their numbers are bound, their examples run, their picture is up to date."""

import doctest
import json
import re
from pathlib import Path

import front_pages
import plan
import prose_numbers
import pytest
import way_numbers

ROOT = Path(__file__).resolve().parents[2]
PAGES = sorted((ROOT / "book").glob("*.md")) + [ROOT / name for name in ("README.md", "CONTRIBUTING.md")]
every_page = pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)


def as_notebook(text, values):
    """A page as the check of the chapters knows it: its prose, its code, the values it may be bound to."""
    prose = re.sub(r"^:{3,}.*$|^:[\w-]+:.*$", "", text, flags=re.M)  # directives and their options
    code = "\n".join(re.findall(r"^```python\n(.*?)^```", text, re.M | re.S))
    stored = "\n".join(f"{name} = {value}" for name, value in values.items())
    cells = [
        {"cell_type": "markdown", "source": prose},
        {"cell_type": "code", "source": code},
        {"cell_type": "code", "source": "bind(...)", "outputs": [{"data": {"text/plain": stored}}]},
    ]
    return {"cells": cells}


@pytest.fixture(scope="module")
def made():
    return front_pages.make()


@every_page
def test_numbers_in_the_prose_are_bound(path):
    values = json.loads(front_pages.VALUES.read_text(encoding="utf8"))
    assert prose_numbers.problems(as_notebook(path.read_text(encoding="utf8"), values)) == []


def test_a_wrong_and_an_unbound_number_on_a_page_are_found():
    page = "It has 3<!-- words --> words.\n\n::::{grid} 1 1 3 3\n:gutter: 5\n::::\n\nAnd 4 more."
    found = prose_numbers.problems(as_notebook(page, {"words": "28"}))
    assert len(found) == 2 and "but `words` is 28" in found[0] and "4 is not bound" in found[1]


def test_the_values_are_those_of_the_committed_models(made):
    assert json.loads(front_pages.VALUES.read_text(encoding="utf8")) == made[1], "run tools/front_pages.py"


def test_the_samples_are_written_by_the_committed_models():
    stored = json.loads(front_pages.SAMPLES.read_text(encoding="utf8"))
    assert stored == front_pages.samples(), "run tools/front_pages.py"


def test_the_picture_is_that_of_the_committed_model(made):
    stored = front_pages.PICTURE.read_text(encoding="utf8")
    assert front_pages.texts(stored) == front_pages.texts(made[0]), "run tools/front_pages.py"
    assert len(front_pages.texts(stored)) > 40


@every_page
def test_examples_run(path):
    text = path.read_text(encoding="utf8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.M | re.S)
    examples = "\n\n".join(block for block in blocks if ">>>" in block)
    if not examples:
        pytest.skip("no example on this page")
    test = doctest.DocTestParser().get_doctest(examples, {}, path.name, str(path), 0)
    complaints: list[str] = []
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE | doctest.ELLIPSIS)
    runner.run(test, out=complaints.append)
    assert complaints == [] and len(test.examples) >= 2


@every_page
def test_links_lead_somewhere(path):
    text = re.sub(r"^```.*?^```|`[^`]*`", "", path.read_text(encoding="utf8"), flags=re.M | re.S)
    targets = re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text)
    assert [t for t in targets if not (path.parent / t).exists()] == []


def test_the_plan_names_every_notebook_under_its_number():
    stems = [stem for part in plan.parts() for stem in part["chapters"]]
    assert [int(stem[:2]) for stem in stems] == list(range(1, 28))
    assert {path.stem for path in (ROOT / "notebooks").glob("*.ipynb")} <= set(stems)


def test_the_way_has_every_chapter_once_and_borrows_the_chapters_own_numbers():
    text = (ROOT / "book" / "way.md").read_text(encoding="utf8")
    steps = re.findall(r"^::::\{gain\} (\d\d)\n(.*?)^::::$", text, re.M | re.S)
    assert [number for number, _ in steps] == [f"{k:02}" for k in range(1, 28)]
    for number, step in steps:
        gain = step.split("+++")[1]
        assert re.search(r"<!-- (c\d\d|way)_", gain) or "no gain" in gain, number
        assert {name[1:3] for name in re.findall(r"<!-- (c\d\d_\w+)", step)} <= {number}
    stored = json.loads(front_pages.VALUES.read_text(encoding="utf8"))
    assert stored["c26_rloo"] == way_numbers.chapter("26")["rloo"]
    assert {s.value for s in way_numbers.down()} >= {5.1828, 0.7298}
