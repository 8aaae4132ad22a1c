"""Every notebook of the book keeps the rules of the house."""

import copy
import functools
import json
import re
import subprocess
import sys
from pathlib import Path

import nbformat
import notebook_form
import prose_numbers
import pytest
import refresh
import yaml

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
SPINE = [
    *("06_vocabulary", "07_bpe", "08_embeddings", "09_maps", "11_attention"),
    *("13_feed_forward", "15_the_whole_model", "18_training", "21_sampling"),
]


@functools.cache
def stored(path):
    return nbformat.read(path, as_version=4)


def read(path):
    """A notebook, which a test may change."""
    return copy.deepcopy(stored(path))


every_notebook = pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)


@every_notebook
@pytest.mark.parametrize("rule", notebook_form.RULES, ids=lambda rule: rule.__name__)
def test_keeps_the_rule(path, rule):
    assert rule(read(path)) == []


@every_notebook
def test_numbers_in_the_prose_are_bound_to_computed_values(path):
    assert prose_numbers.problems(read(path)) == []


@every_notebook
def test_links_lead_somewhere(path):
    assert notebook_form.links(read(path), path.parent) == []


@every_notebook
def test_stored_as_refresh_would_store_it(path):
    notebook = read(path)
    before = nbformat.writes(notebook, version=4)
    refresh.normalise(notebook)
    assert nbformat.writes(notebook, version=4) == before, "run tools/refresh.py --no-run"


@every_notebook
def test_has_the_parts_of_a_chapter(path):
    text = "\n".join(c.source for c in read(path).cells if c.cell_type == "markdown")
    headings = [h.lower() for h in re.findall(r"^## +(.+?)\s*$", text, re.M)]
    parts = [
        "picture",
        "by hand",
        "in code",
        "experiment",
        "sources",
        "check yourself",
        "take-aways",
        "references",
    ]
    missing = [part for part in parts if not any(part in heading for heading in headings)]
    assert missing == []


@every_notebook
def test_says_what_a_reader_will_be_able_to_do_before_it_draws_anything(path):
    sources = [cell.source for cell in read(path).cells]
    aims = next(i for i, source in enumerate(sources) if "**You will be able to**" in source)
    assert aims < next(i for i, source in enumerate(sources) if re.search(r"(?m)^show\(", source))


def test_the_spine_is_there():
    assert set(SPINE) <= {path.stem for path in NOTEBOOKS}


def test_the_table_of_contents_names_exactly_the_notebooks():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf8"))
    files = re.findall(r"'file': '([^']+)'", str(toc))
    chapters = [f for f in files if f.startswith("notebooks/")]
    assert chapters == [f"notebooks/{path.stem}" for path in NOTEBOOKS], "in reading order, each once"
    for file in files:
        assert any((ROOT / f"{file}{end}").exists() for end in (".md", ".ipynb")), file


def test_nbval_collects_every_cell_of_every_notebook():
    command = [
        sys.executable,
        "-m",
        "pytest",
        "--nbval",
        "--collect-only",
        "-q",
        "-p",
        "no:cacheprovider",
        "notebooks",
    ]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout
    for path in NOTEBOOKS:
        cells = [c for c in read(path).cells if c.cell_type == "code"]
        assert len(re.findall(rf"{path.stem}.*::Cell \d+", shown)) == len(cells), path.stem


def test_the_test_command_runs_nbval_on_the_whole_folder():
    import run_tests

    (command,) = run_tests.commands("notebooks")
    assert "--nbval" in command and command[-1] == "notebooks"
    assert not any(word.startswith(("--ignore", "--deselect", "-k", "--nbval-lax")) for word in command)
    assert list(run_tests.WHAT) == ["style", "types", "units", "notebooks", "book", "pages"]


def test_one_output_in_ten_at_most_is_not_compared():
    cells = [c for path in NOTEBOOKS for c in read(path).cells if c.cell_type == "code" and c.outputs]
    skipped = [c for c in cells if notebook_form.is_skipped(c)]
    assert len(skipped) <= 0.1 * len(cells)


def test_the_record_of_seconds_names_only_chapters_that_exist():
    record = ROOT / "book" / "ledger" / "status.json"
    if not record.exists():
        pytest.skip("no run has been recorded yet")
    seconds = {name: entry["seconds"] for name, entry in json.loads(record.read_text()).items()}
    assert set(seconds) <= {path.stem for path in NOTEBOOKS}
    assert all(0 < value <= 60 for value in seconds.values()), seconds
    assert sum(seconds.values()) <= 12 * 60


def test_tables_are_folded_below_the_stepper_that_shows_their_numbers():
    for path in NOTEBOOKS:
        cells = [c for c in read(path).cells if c.cell_type == "code"]
        steppers = [k for k, c in enumerate(cells) if re.search(r'live\("\w+_steps"', c.source)]
        folded = [k for k, c in enumerate(cells) if "hide-output" in c.metadata.get("tags", [])]
        assert bool(steppers) == bool(folded), path.name
        # (What is folded above it shows no more than what is given.)
        given = [k for k in folded if k < steppers[0] and cells[k].source.startswith("matrix(")]
        assert not folded or steppers[0] < min({*folded} - {*given}), path.name
