"""Digits are grouped in one way: in a column of a table, at the axes of a plot, in the form that prints tables.

And what a plot's cell says beside it is a table or a sentence, not the form in which Python prints its data.
"""

import json
import re
from pathlib import Path

import pytest

from support.view import matrix, table

NOTEBOOKS = sorted((Path(__file__).resolve().parents[2] / "notebooks").glob("*.ipynb"))
BARE = re.compile(r"−?\d{4}(\.\d+)?")


def columns(path):
    """The columns of numbers of each table that a notebook stores."""
    for cell in json.loads(path.read_text(encoding="utf8"))["cells"]:
        for output in cell.get("outputs", []):
            lines = "".join(output.get("data", {}).get("text/markdown", "")).split("\n")
            rows = [
                [part.strip() for part in line.split("|")[1:-1]] for line in lines if line.startswith("|")
            ]
            for head, rule, *numbers in zip(*rows, strict=False):
                if rule.endswith("-:"):
                    yield head, numbers


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_column_has_commas_in_all_its_thousands_or_in_none(path):
    for head, numbers in columns(path):
        grouped = [
            number for number in numbers if re.fullmatch(r"−?[\d,]+(\.\d+)?", number) and "," in number
        ]
        assert not grouped or not [n for n in numbers if BARE.fullmatch(n)], (head, numbers)


def test_a_table_groups_its_columns():
    assert repr(table([[2017, 5150], [2026, 20300]])) == "2017   5,150\n2026  20,300"
    assert (
        repr(matrix([[2017.0, 5150.0], [2026.0, 20300.0]], digits=1)) == "2017.0   5,150.0\n2026.0  20,300.0"
    )


def plots(path):
    """The plots of a notebook, and what their cells print beside them."""
    for cell in json.loads(path.read_text(encoding="utf8"))["cells"]:
        outputs = cell.get("outputs", [])
        drawn = ["".join(output.get("data", {}).get("image/svg+xml", "")) for output in outputs]
        if any(drawn):
            yield cell["id"], drawn, "".join("".join(output.get("text", "")) for output in outputs)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_ticks_have_commas_and_no_computer_powers(path):
    for cell, drawn, _ in plots(path):
        for svg in drawn:
            labels = re.findall(r'<g id="[xy]tick_\d+">.*?>([^<>]*)</text>', svg, re.S)
            bare = [n for n in labels if re.fullmatch(r"[−-]?\d{4,}(\.\d+)?|[−-]?[\d.]+e[-+]?\d+", n)]
            assert not bare, (cell, bare)


RAW = re.compile(r"[\[{]['\"\d−-]|': ")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_numbers_of_a_figure_are_no_raw_data(path):
    assert [cell for cell, _, printed in plots(path) if RAW.search(printed)] == []
