"""Tables, listings, bound numbers, checks: what they print, and what they refuse."""

import inspect
import math

import numpy as np
import pytest
import torch

from support.core import InputError
from support.text import Vocabulary
from support.view import bind, check, matrix, source, table
from support.worlds.base import entropy


def test_table_prints_plain_text_and_markdown():
    t = table(
        [["<BOS>", torch.tensor(0.12345), 3], ["a|b", -1e-9, 10]], ["word", "*share*", "n"], caption="Words."
    )
    assert repr(t).splitlines() == [
        "Words.",
        "word   *share*   n",
        "<BOS>    0.123   3",
        "a|b      0.000  10",
    ]
    assert t._repr_markdown_().splitlines() == [
        "Words.",
        "",
        "| word | *share* | n |",
        "| :--- | ---: | ---: |",
        "| &lt;BOS&gt; | 0.123 | 3 |",
        "| a\\|b | 0.000 | 10 |",
    ]


def test_code_in_a_cell_is_left_alone_but_for_the_bar():
    assert "| `x<1` &lt;b&gt; |" in table([["`x<1` <b>"]])._repr_markdown_()


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (np.float32(0.5), "0.50"), (np.int64(3), "3"), (np.bool_(True), "yes"), (torch.tensor(False), "no"),
        (float("-inf"), "−∞"), (float("nan"), "nan"), (torch.Size([2, 3]), "2×3"), (None, ""),
        (-0.5, "−0.50"),
    ],
)  # fmt: skip
def test_cells_of_any_kind(cell, text):
    assert table([[cell]], digits=2).rows == ((text,),)


def test_matrix_marks_what_a_text_prints_differently():
    ours = torch.tensor([[-0.125, 0.3, -torch.inf], [1.0, 0.085, 2.0]])
    said = [[-0.10, 0.30, -torch.inf], [1.0, 0.09, 2.1]]
    shown = repr(matrix(ours, digits=3, printed=said, printed_digits=2))
    assert shown.split("\n")[0].split("  ")[0] == "−0.125 ≠ −0.10"
    assert shown.count("≠") == 2 and "2.000 ≠ 2.10" in shown
    with pytest.raises(InputError, match="shape"):
        matrix(ours, printed=[[1.0]])


def test_matrix_takes_tensors_with_gradients_whole_numbers_and_vectors():
    assert repr(matrix(torch.eye(2, requires_grad=True), digits=1)) == "1.0  0.0\n0.0  1.0"
    assert repr(matrix(torch.arange(3), columns=list("abc"))) == "a  b  c\n0  1  2"
    assert repr(matrix(torch.eye(1, dtype=torch.bfloat16))) == "1.00"


def test_one_word_counts_the_rows_or_columns_of_a_matrix():
    shown = repr(matrix(torch.arange(4).view(2, 2), rows="text", columns="dim"))
    assert shown.split("\n")[0].split() == ["dim", "0", "dim", "1"] and "\ntext 1" in shown


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda: table([]), "at least one row"),
        (lambda: table([[1, 2], [3]]), "row 2 has 1 cells"),
        (lambda: matrix(np.zeros((2, 2, 2))), "one or two dimensions"),
        (lambda: matrix(np.eye(2), rows=["a"]), "1 names do not fit 2 rows"),
        (lambda: source(), "name at least one"),
        (lambda: source(len), "no Python source"),
        (lambda: bind(**{"not a name": 1}), "cannot be a name"),
        (lambda: bind({"a": 1}, a=2), "given twice"),
        (lambda: bind(year=2026), "declares a number"),
        (lambda: bind(a=0.1 + 0.2), "round it"),
        (lambda: bind(a=""), "not one line"),
        (lambda: bind(a="1\n2"), "not one line"),
        (lambda: bind(a=True), "neither text nor a number"),
        (lambda: bind(a=[1]), "neither text nor a number"),
        (lambda: check(abs, abs, []), "no case"),
        (lambda: check(abs, abs, [1, 2], {"you forgot the sign": lambda x: x}), "no case tells"),
    ],
)
def test_wrong_input_is_refused_in_a_sentence(act, message):
    with pytest.raises(InputError, match=message):
        act()


def test_bound_numbers_are_one_line_each():
    b = bind({"share": "81.3"}, words=np.int64(12345), loss=0.25, tensor=torch.tensor(7), name="Tarso")
    assert repr(b).splitlines() == [
        "share = 81.3",
        "words = 12345",
        "loss = 0.25",
        "tensor = 7",
        "name = Tarso",
    ]


def test_source_is_the_code_that_runs():
    whole = source(entropy, docstring=True).code
    assert inspect.getsource(entropy).rstrip() in whole
    assert '"""' not in source(entropy).code
    listing = source(Vocabulary)
    assert listing.code.startswith("# support/text/vocabulary.py\nclass Vocabulary")
    assert '"""' not in listing.code and "def encode" in listing.code
    compile(listing.code, "listing", "exec")
    assert listing._repr_markdown_().startswith("````python\n") and listing._repr_markdown_().endswith(
        "\n````"
    )


def test_source_of_methods_is_dedented_and_keeps_a_lone_docstring():
    class Nothing:
        """Only a docstring; without it there would be no body."""

    assert "Only a docstring" in source(Nothing).code
    assert source(Vocabulary.encode, Vocabulary.decode).code.count("# support/text") == 1
    assert source(Vocabulary.encode).code.splitlines()[1].startswith("def encode")


CASES = [torch.tensor([1.0, 2.0]), torch.tensor([[0.0, 3.0]])]
MISTAKES = {"you summed down the columns; sum along the rows": lambda x: x.softmax(0)}


@pytest.mark.parametrize(
    ("answer", "printed"),
    [
        (lambda x: None, "not written yet"),
        (lambda x: ..., "not written yet"),
        (lambda x: (_ for _ in ()).throw(NotImplementedError), "not written yet"),
        (lambda x: x.softmax(-1), "right on all 2 cases"),
        (lambda x: x.softmax(-1).numpy(), "right on all 2 cases"),
        (lambda x: x.softmax(-1) + 1e-8, "right on all 2 cases"),
        (lambda x: x.softmax(0), "not yet: you summed down the columns"),
        (lambda x: x.softmax(-1)[:1], "not yet: on case 1 the shape should be (2,), yours is (1,)"),
        (lambda x: x, "not yet: case 1 ([1.0, 2.0]) should give [0.2689, 0.7311], yours gives [1.0, 2.0]"),
        (lambda x: x.nothing, "not yet: case 1 stopped with AttributeError"),
        (lambda x: x.zero_(), "not yet: case 1 ([1.0, 2.0]) should give"),
    ],
)
def test_check_names_what_was_done(answer, printed, capsys):
    check(answer, lambda x: x.softmax(-1), CASES, MISTAKES)
    assert capsys.readouterr().out.startswith(printed)
    assert CASES[0].tolist() == [1.0, 2.0]  # an answer that changes its input does not spoil the cases


@pytest.mark.parametrize(
    ("given", "wanted", "same"),
    [
        ("a", "a", True), ("a", ["a"], False), ({"a": 1.0}, {"a": 1.0 + 1e-9}, True),
        ({"a": 1}, {"b": 1}, False),
        ((1, 2), [1, 2], True), ([1, 2], [1, 2, 3], False), (math.nan, math.nan, True),
        (math.inf, math.inf, True),
        (math.inf, 1.0, False), ({1, 2}, {2, 1}, True), (None, 0, False), (1, True, True), ("1", 1, False),
        ([("a", 0.1)], [("a", 0.1)], True), (np.zeros((2, 1)), np.zeros(2), False),
        (1.0, math.inf, False), (-math.inf, math.inf, False), ([1.0, 7.0], [1.0, -math.inf], False),
        (75_497_480, 75_497_472, False), (10**400, 4.0, False),
        (torch.eye(2).to_sparse(), torch.eye(2), True),
    ],
)  # fmt: skip
def test_check_compares_what_answers_can_be(given, wanted, same, capsys):
    check(lambda _: given, lambda _: wanted, [0])
    assert capsys.readouterr().out.startswith("right") is same


@pytest.mark.parametrize(
    ("given", "wanted", "told"),
    [
        ("40", 40, "should give 40, yours gives '40'"),
        (0.500_12, 0.500_07, "should give 0.50007, yours gives 0.50012"),
        (0.500_000_1, 0.500_000_9, "should give 0.5000009, yours gives 0.5000001"),
        (
            [[0.0] * 30, [1.0] * 30],
            [[0.0] * 30, [1.0] * 29 + [2.0]],
            "at [1][29] should give 2.0, yours gives 1.0",
        ),
        ({"b" * 70: 1}, {"a" * 70: 1}, f"should have the key '{'a' * 70}'"),
        ({"a" * 70: 1, "c": 0}, {"a" * 70: 1}, "should not have the key 'c'"),
    ],
)
def test_check_says_where_an_answer_differs(given, wanted, told, capsys):
    check(lambda _: given, lambda _: wanted, [0], tolerance=1e-9)
    said = capsys.readouterr().out
    assert said.startswith("not yet: case 1 (0)") and told in said
