"""The run as on Colab finds what differs, and says which versions it took."""

import re
import sys
from pathlib import Path

import colab_like
import nbformat
import pytest

ROOT = Path(__file__).resolve().parents[2]


def notebook(*texts, tags=()):
    cells = []
    for text in texts:
        cell = nbformat.v4.new_code_cell("1", metadata={"tags": list(tags)})
        cell.outputs = [nbformat.v4.new_output("stream", text=text)]
        cells.append(cell)
    return nbformat.v4.new_notebook(cells=cells)


def test_a_changed_output_is_named_and_an_equal_one_is_not():
    assert colab_like.differences(notebook("a\n", "b"), notebook("a", "b")) == []
    assert colab_like.differences(notebook("a", "b"), notebook("a", "c")) == ["cell 1: 'b' is now 'c'"]
    skipped = notebook("a", tags=["nbval-ignore-output"])
    assert colab_like.differences(skipped, notebook("b")) == []


def test_a_cell_that_raises_is_a_difference(tmp_path):
    path = tmp_path / "x.ipynb"
    nbformat.write(nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("1 / 0")]), path)
    assert colab_like.run(path, tmp_path, "python3")[1] == ["ZeroDivisionError: division by zero"]


def test_without_a_wheel_it_says_what_to_do(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(colab_like, "ROOT", tmp_path)
    assert colab_like.session("python3", "here", []) is False
    assert capsys.readouterr().err == "[colab] There is no wheel in dist/: run `make wheel` first.\n"


def test_the_listed_versions_have_a_date_and_nothing_else():
    head, *lines = colab_like.LISTED.read_text(encoding="utf8").splitlines()
    assert re.search(r"on 20\d\d-\d\d-\d\d .*Python 3\.\d+", head)
    assert all(re.fullmatch(r"#.*|[\w-]+==[\d.]+", line) for line in lines)


@pytest.mark.parametrize("versions", ["colab", "newest"])
def test_the_weekly_workflow_runs_both(versions):
    text = (ROOT / ".github" / "workflows" / "colab.yml").read_text(encoding="utf8")
    assert f"{versions}" in text and "tools/colab_like.py --versions ${{ matrix.versions }}" in text


def test_a_kept_environment_is_taken_again_and_an_interrupted_one_made_anew(tmp_path, monkeypatch):
    installed = []
    monkeypatch.setattr(colab_like, "install", lambda *given: installed.append(given) or ["torch==9"])
    folder = tmp_path / "environment"
    (folder / "half-made").mkdir(parents=True)
    first = colab_like.kept_environment(folder, sys.executable, "newest", [])
    assert first == colab_like.kept_environment(folder, sys.executable, "newest", [])
    assert first[0].exists() and first[1] == ["torch==9"] and len(installed) == 1
    assert not (folder / "half-made").exists()
