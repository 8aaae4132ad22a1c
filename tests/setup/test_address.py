"""The repository's address, and a notebook's name: what is given wrongly is refused in a sentence."""

import sys
from pathlib import Path

import address
import pytest
import refresh

ROOT = Path(__file__).resolve().parents[2]
CONFIG = '# kept\nrepository:\n  url: "https://example.org/old"\nexecute:\n  url: other\n'


@pytest.fixture
def call(tmp_path, monkeypatch, capsys):
    (tmp_path / "notebooks").mkdir()
    (tmp_path / "notebooks" / "01_x.ipynb").touch()
    config = tmp_path / "_config.yml"
    config.write_text(CONFIG)
    stamped = []
    monkeypatch.setattr(address, "ROOT", tmp_path)
    monkeypatch.setattr(refresh, "refresh", lambda path, execute: stamped.append(path.name))

    def run(*words):
        monkeypatch.setattr(sys, "argv", ["address.py", *words])
        code = address.main()
        said = capsys.readouterr()
        return code, said.out + said.err, config.read_text(), list(stamped)

    return run


@pytest.mark.parametrize("words", [(), ("",), (" ",)])
def test_without_an_address_nothing_is_lost(call, words):
    code, said, config, stamped = call(*words)
    assert code == 1 and config == CONFIG and stamped == []
    assert said.startswith("[address] Which? make address URL=") and "https://example.org/old is kept" in said


@pytest.mark.parametrize(
    "word, set_as",
    [
        ("https://example.org/me/book", "https://example.org/me/book"),
        ("git@example.org:me/book.git", "https://example.org/me/book"),
        ("git@example.org:me/book", "https://example.org/me/book"),
        ("ssh://git@example.org/me/book", "ssh://git@example.org/me/book"),
        ("file:///books/this", "file:///books/this"),
        ("none", ""),
    ],
)
def test_an_address_is_set_and_stamped(call, word, set_as):
    code, said, config, stamped = call(word)
    assert code == 0 and stamped == ["01_x.ipynb"]
    assert config == CONFIG.replace("https://example.org/old", set_as)
    assert said.strip() == f"[address] {set_as or 'taken out'}"


@pytest.mark.parametrize("word", ["example.org/me", "javascript:x", 'https://x"y', "git@host", "a b"])
def test_what_is_no_address_is_refused(call, word):
    code, said, config, stamped = call(word)
    assert code == 1 and config == CONFIG and stamped == []
    assert "is no address: it starts with https://, ssh://, file:// or git@" in said


def test_a_notebook_that_is_not_there_is_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["refresh.py", "notebooks/7_bpe.ipynb"])
    assert refresh.main() == 1
    said = capsys.readouterr()
    assert said.err.splitlines() == [
        "[refresh] There is no notebook notebooks/7_bpe.ipynb; did you mean notebooks/07_bpe.ipynb?"
    ]
    assert said.out == ""


def test_lab_runs_as_root_and_passes_arguments_on():
    text = (ROOT / "Makefile").read_text(encoding="utf8")
    line = next(line for line in text.splitlines() if "-m jupyterlab" in line)
    assert "$(if $(filter 0,$(shell id -u)),--allow-root)" in line and line.endswith("$(ARGS)")


def test_a_refresh_says_nothing_that_is_not_about_the_notebook(tmp_path, capfd):
    """ipykernel warns of unencrypted sockets at every start."""
    import nbformat

    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("print(1)")])
    refresh.run(notebook, tmp_path)
    assert notebook.cells[0].outputs[0].text == "1\n"
    said = capfd.readouterr()
    assert said.out + said.err == ""
