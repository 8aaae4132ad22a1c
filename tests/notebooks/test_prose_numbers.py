"""The numerals of the prose: which ones count, what binds them, and what makes the check fail."""

import nbformat
import prose_numbers
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output


def notebook(prose, **values):
    stored = "\n".join(f"{name} = {value}" for name, value in values.items())
    output = new_output("execute_result", data={"text/plain": stored}, execution_count=1)
    source = f"bind({', '.join(values)})\nlength, width = 3, 4.5"
    return new_notebook(
        cells=[new_markdown_cell(prose), new_code_cell(source, outputs=[output], execution_count=1)]
    )


@pytest.mark.parametrize(
    "text, found",
    [
        ("GPT-2, float32, h2, Llama-3 and q4_k are names", []),
        ("`x[3]` and ``a 4`` are code", []),
        ("```python\nx = 5\n```", []),
        ("~~~\n17\n~~~\nafter 8", ["8"]),
        ("1. one\n2. two\n   3. three", []),
        ("see [chapter](11_attention.ipynb) and https://example.org/12", []),
        ("![figure 3](a_4.png)", []),
        ("<div style='width: 30px'>7 of them</div>", ["7"]),
        ("<details><summary>Hint 2</summary>", ["2"]),
        ("12,345.5 and 1e-3 and −0.31 and 3–4", ["12,345.5", "1e-3", "−0.31", "3", "4"]),
        ("32-bit, 124M, 50%", ["32", "124", "50"]),
        ("**0.5** and *7*", ["0.5", "7"]),
        ("$x_{12}^{34} + 2y - 0$", []),
        ("$x_3 \\times 5$", ["5"]),
        ("$$\\frac{1}{8}$$", ["8"]),
        ("$-0.5$ and $a - 7$", ["-0.5", "7"]),
        ("costs \\$5", ["5"]),
        ("$12{,}345$", ["12{,}345"]),
        ("$10^{-3}$", ["10"]),
        ("arXiv:1706.03762", []),
        ("| 5 | a |\n|---|---|\n| 6 | b |", ["5", "6"]),
        ("# Part 9", ["9"]),
        ("2.", ["2"]),
        ("no number here", []),
    ],
)
def test_which_numerals_count(text, found):
    assert [n.text for n in prose_numbers.numerals(text)] == found


@pytest.mark.parametrize(
    "text, names",
    [
        ("0.9998<!-- p -->", ["p"]),
        ("**0.9998**<!-- p -->", ["p"]),
        ("81.3<!-- share -->%", ["share"]),
        ("81.3%<!-- share -->", ["share"]),
        ("$3 \\times 4 = 12$<!-- given, given, product -->", ["given", "given", "product"]),
        ("$1 + 2 = 3$<!-- total -->", ["total"]),
        ("$1 + 2 = 3$<!-- given, given, total -->", ["given", "given", "total"]),
        ("$3 + 4$<!-- given -->", ["given", "given"]),
        ("$$\n7 + 8\n$$\n<!-- a, b -->", ["a", "b"]),
        ("5 <!-- apart -->", [None]),
        ("5<!-- not a name! -->", [None]),
    ],
)
def test_which_name_belongs_to_a_numeral(text, names):
    assert [n.name for n in prose_numbers.numerals(text)] == names


def test_agreement_passes_and_does_not_mind_typography():
    prose = "−0.31<!-- a -->, 12,345<!-- b -->, 12345<!-- b -->, 50%<!-- c -->"
    prose += ", $-0.31$<!-- a -->, $12{,}345$<!-- b -->"
    assert prose_numbers.problems(notebook(prose, a="-0.31", b="12345", c="50%")) == []


@pytest.mark.parametrize(
    "prose, sentence",
    [
        ("It is 0.32<!-- a -->.", "the prose says 0.32, but `a` is 0.31"),
        ("It is −0.31<!-- a -->.", "the prose says −0.31, but `a` is 0.31"),
        ("It is $-0.31$<!-- a -->.", "the prose says -0.31, but `a` is 0.31"),
        ("It is $0.32$<!-- a -->.", "the prose says 0.32, but `a` is 0.31"),
        ("It is 0.310<!-- a -->.", "the prose says 0.310, but `a` is 0.31"),
        ("It is 0.31.", "0.31 is not bound"),
        ("It is $0.31$.", "0.31 is not bound"),
        ("It is 0.31<!-- b -->.", "`b` is bound by no code cell"),
        ("It is 7<!-- given -->.", "7 is declared given, but no code cell types it"),
        ("In 217<!-- year -->.", "217 is declared a year"),
        ("$3 + 4$<!-- a, a, a -->", "the formula has 2 numerals beyond 0, 1 and 2, but 3 names"),
        ("5<!-- a, a -->", "one numeral, but 2 names"),
    ],
)
def test_a_wrong_or_unbound_number_is_found(prose, sentence):
    found = prose_numbers.problems(notebook(prose, a="0.31"))
    assert found and all(sentence in problem for problem in found)


def test_exemptions_pass():
    prose = "In 2017<!-- year -->, 41.8<!-- cite --> by step 7<!-- label -->; "
    prose += "9<!-- source --> from 4.5<!-- given -->."
    assert prose_numbers.problems(notebook(prose)) == []


def test_a_list_of_references_needs_no_comments():
    assert (
        prose_numbers.problems(notebook("Text.\n\n## References\n\nVaswani et al. (2017), pages 5998–6008."))
        == []
    )


def test_a_name_bound_twice_to_different_values_is_found():
    cells = notebook("", a="1").cells + notebook("", a="2").cells
    assert prose_numbers.problems(new_notebook(cells=cells)) == ["`a` is bound twice, to 1 and to 2"]


def test_an_exemption_cannot_be_bound():
    assert "exemption" in prose_numbers.problems(notebook("", year="1"))[0]


def test_rewriting_makes_the_prose_agree():
    prose = "Now 5<!-- n -->, −1.5<!-- x -->, $7 - 3.1$<!-- n, x -->, **4**<!-- n -->, 8%<!-- p -->"
    book = notebook(prose, n="6", x="2.5", p="9%")
    changes = prose_numbers.rewrite(book)
    assert len(changes) == 6
    assert book.cells[0].source == (
        "Now 6<!-- n -->, 2.5<!-- x -->, $6 - 2.5$<!-- n, x -->, **6**<!-- n -->, 9%<!-- p -->"
    )
    assert prose_numbers.problems(book) == []
    assert prose_numbers.rewrite(book) == []


def test_rewriting_writes_a_proper_minus():
    book = notebook("It fell by 5<!-- n -->.", n="-6.5")
    prose_numbers.rewrite(book)
    assert book.cells[0].source == "It fell by −6.5<!-- n -->."
    assert nbformat.validate(book) is None
