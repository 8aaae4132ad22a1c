"""Digits are grouped in one way: in a column of a table, and in the form that prints tables."""

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
