"""The quiz as a notebook shows it: the stored output in a browser, with its script and without."""

import json
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def stored():
    """What chapter 7 stores: the HTML, and the script."""
    cells = json.loads((ROOT / "notebooks" / "07_bpe.ipynb").read_text(encoding="utf8"))["cells"]
    cell = next(c for c in cells if 'quiz("bpe")' in "".join(c["source"]))
    page, script = (output["data"] for output in cell["outputs"])
    return "".join(page["text/html"]), "".join(script["application/javascript"])


@pytest.fixture
def tab(browser):
    context = browser.new_context()
    tab = context.new_page()
    tab.wrong, tab.asked = [], []
    tab.on("pageerror", lambda e: tab.wrong.append(str(e)))
    tab.on("request", lambda r: tab.asked.append(r.url))
    yield tab
    context.close()


@pytest.mark.parametrize("width", [390, 1280])
def test_an_answer_is_judged_in_the_notebook(tab, stored, width):
    page, script = stored
    tab.set_viewport_size({"width": width, "height": 900})
    tab.set_content(f"<!doctype html><body>{page}<script>{script}</script></body>")
    tab.get_by_text("Longest piece first").click()
    wrong = tab.locator(".Feedback.incorrect")
    assert wrong.inner_text().startswith("That is a different recipe")
    tab.get_by_text("Oldest first, as they were learned").click()
    assert tab.locator(".Feedback.correct").inner_text() == "Later merges build on earlier ones."
    number = tab.locator("input.Input-text")
    number.fill("1000")
    number.press("Enter")
    assert tab.locator(".Feedback.incorrect").inner_text() == "The 256 bytes are tokens, too."
    number.fill("1256")
    number.press("Enter")
    assert tab.locator(".Feedback.correct").count() == 2
    assert tab.locator(".quiz-text").count() == 0, "the text for readers without scripts is gone"
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= width
    assert tab.wrong == [] and [url for url in tab.asked if url.startswith("http")] == []


def test_without_its_script_the_questions_are_text(tab, stored):
    tab.set_content(f"<!doctype html><body>{stored[0]}</body>")
    assert tab.get_by_text("Byte-pair encoding has learned its merges").is_visible()
    answer = tab.locator("details p").first
    assert not answer.is_visible()
    tab.locator("summary").first.click()
    assert answer.inner_text().startswith("Oldest first, as they were learned.")
