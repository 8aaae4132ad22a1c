"""Whoever reads the code only finds all names that it uses."""

import builtins
import copy
import json
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "book" / "ext"))
import needs

NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))


def missing(notebook, given):
    """The names that the code uses before anything has bound them, where ``given`` stands at its head."""
    all_cells = needs.cells(notebook)
    kept = [cell for cell in all_cells if cell.part not in needs.LEFT_OUT]
    first = next(k for k, cell in enumerate(kept) if cell.part)  # behind what every way keeps
    kept.insert(first, needs.Cell("In code", given, *needs.names(given)))
    known, found = {*dir(builtins), "display", "get_ipython"}, []
    # (A function may call another that is defined after it.)
    later = {name for cell in kept for name in cell.binds}
    later -= {name for cell in all_cells if cell.part in needs.LEFT_OUT for name in cell.binds}
    for cell in kept:
        found += sorted(cell.uses - known - later)
        known |= cell.binds
    return found


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_the_code_finds_its_names_without_the_picture_and_by_hand(path):
    notebook = json.loads(path.read_text(encoding="utf8"))
    taken, code = needs.needed(needs.cells(notebook))
    assert missing(notebook, code) == []
    if taken:
        assert set(missing(notebook, "")) & set(taken), "without it names are missed"


def test_a_name_that_only_an_omitted_part_changes_is_found():
    def cell(source, kind="code"):
        return {"cell_type": kind, "source": source, "metadata": {}}

    cells = [
        cell("import math"),
        cell("## By hand", "markdown"),
        cell("rows = []"),
        cell("rows.append(1)\nprint(rows)"),
    ]
    notebook = {"cells": [*cells, cell("other = 2"), cell("## In code", "markdown"), cell("sum(rows)")]}
    assert needs.needed(needs.cells(notebook)) == (["rows"], "rows = []\nrows.append(1)")
    broken = copy.deepcopy(notebook)
    broken["cells"][2]["source"] = "rose = []"
    assert missing(broken, "") == ["rows"]
