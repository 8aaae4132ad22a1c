"""The words of a chapter: for readers who know no other text, in both themes, and without mathematics."""

import itertools
import json
import re
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
OTHERS = re.compile(
    r"workbench|complete guide|simply but faithfully|\*from[- ]scratch\*|\bthe guide\b|\b(?:FS|CG|WB|SF)\d?\b",
    re.I,
)
THEME = re.compile(r"\b(?:dark|darker|darkest|black all over|light ones?)\b")


def cells_of(path):
    return json.loads(path.read_text(encoding="utf8"))["cells"]


def prose(path):
    texts = ("".join(c["source"]) for c in cells_of(path) if c["cell_type"] == "markdown")
    return re.sub(r"<!--.*?-->", "", "\n\n".join(texts))


def sections(path):
    """Each part of the prose with its heading, and whether it lies under one that can be skipped."""
    deep = 9
    for part in re.split(r"(?m)^(?=#{1,4} )", prose(path)):
        level, title = re.match(r"(#*) ?(.*)", part).groups()
        if len(level) <= deep:
            deep = len(level) if title.startswith("Deeper") else 9
        yield title, deep < 9, part


def printed(path):
    """What the cells print and what stands for their pictures."""
    for cell in cells_of(path):
        yield cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
        yield from ("".join(o["text"]) for o in cell.get("outputs", []) if o["output_type"] == "stream")


@every_notebook
def test_no_explanation_leans_on_a_text_that_a_reader_does_not_know(path):
    """Credit is given in *What the sources say*, in the references, and below headings that can be skipped."""
    for title, deep, part in sections(path):
        assert not OTHERS.search(title), title
        if not deep and title not in ("What the sources say", "References"):
            assert not (found := OTHERS.search(part)), f"{title}: {found}"


@every_notebook
def test_the_zoo_is_explained_where_it_is_first_named(path):
    first = next((line for line in prose(path).split("\n") if re.search(r"\bzoo\b", line)), "collection")
    assert "collection" in first, first


@every_notebook
def test_the_picture_has_no_formula_and_points_to_nothing_below(path):
    for title, _, part in sections(path):
        if title == "The picture":
            assert "$" not in part and "below" not in part


@every_notebook
def test_what_is_said_of_a_figure_holds_in_both_themes_and_has_no_marks(path):
    for said in [prose(path), *printed(path)]:
        assert not THEME.search(said), THEME.search(said)
    for said in printed(path):
        assert not (marked := re.search(r"(?<![\w*])\*[A-Za-z][^*\n]{0,30}[a-z]\*(?!\w)", said)), marked


def test_the_porter_s_sheet_fits_on_a_phone():
    [sheet] = ["".join(c["source"]) for c in cells_of(NOTEBOOKS[0]) if "sheet = " in "".join(c["source"])]
    assert max(map(len, sheet.split("\n"))) <= 30


PLACES = re.compile(
    r"\b(?:left|right|upper|lower|top|bottom|above|below|beside|side by side|hover\w*|click\w*|(?:first|second|middle|last) (?:panel|column|plot))\b",
    re.I,
)


def captions(path):
    """For each plot and drawing of a chapter, what stands below it."""
    for cell in cells_of(path):
        outputs = cell.get("outputs", [])
        for k, output in enumerate(outputs):
            if re.search(r'<svg [^>]*class="(?:plot|diagram)"', "".join(output.get("data", {}).get("image/svg+xml", ""))):
                below = outputs[k + 1].get("data", {}) if k + 1 < len(outputs) else {}
                yield "".join(below.get("text/markdown", ""))


@every_notebook
def test_every_plot_and_drawing_has_a_caption_that_says_what_it_means(path):
    """It is read at every width (panels stand one below the other on a phone), and in the way without formulas."""
    found = list(captions(path))
    assert found, "there is a plot in every chapter"
    for caption in found:
        assert 8 <= len(caption.split()) <= 60, caption
        assert not PLACES.search(re.sub("right answer|top-[kp]", "", caption)), f"the panels move: {caption}"
        assert "$" not in caption and "`" not in caption, caption
        assert not re.search(r"[∂∇√Σ]|[₀-₉⁰⁴-⁹]", caption), f"a symbol of a formula: {caption}"
    assert len(set(found)) == len(found), "each figure shows something else"


@every_notebook
def test_a_chapter_opens_with_one_set_up(path):
    """What it imports stands in one cell, so that its opening shows one fold of that name."""
    opening = itertools.takewhile(lambda c: not "".join(c["source"]).startswith("## "), cells_of(path))
    silent = [c for c in opening if c["cell_type"] == "code" and not c["outputs"]]
    assert len([c for c in silent if "remove-cell" not in c["metadata"].get("tags", [])]) == 1


@every_notebook
def test_one_thing_has_one_name(path):
    """A part of a model is named by its block, and what greets a leader of the calling game is a title."""
    alts = [cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "") for cell in cells_of(path)]
    for text in (prose(path), *alts):
        assert not (found := re.search(r"(?i)\blayer \d\b|epithet", text)), found
