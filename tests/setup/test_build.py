"""Building the pages: what stays when a build fails, what is made again, and what is said."""

import json
import os
import shutil
import sys
from pathlib import Path

import build_book
import pytest

PAGE = '<html><head><meta charset="utf-8"></head><body>{}</body></html>'
NOTEBOOK = {"cells": [{"cell_type": "code", "source": "1 / 0", "outputs": []}]}
ERROR = {"output_type": "error", "ename": "ZeroDivisionError", "evalue": "division by zero"}


class Book:
    """A project of one notebook; `sphinx` stands in for jupyter-book and does what `plan` says."""

    def __init__(self, root: Path, monkeypatch, capsys):
        self.root, self.capsys, self.plan, self.found = root, capsys, "good", []
        for name in ("notebooks", "tools", "book/assets"):
            (root / name).mkdir(parents=True)
        (root / "_config.yml").write_text("title: x")
        shutil.copy(build_book.ROOT / "tools" / "offline.js", root / "tools")
        self.notebook = root / "notebooks" / "01_x.ipynb"
        self.notebook.write_text(json.dumps(NOTEBOOK))
        monkeypatch.setattr(build_book, "ROOT", root)
        monkeypatch.setattr(build_book, "PAGES", root / "_build" / "html")
        monkeypatch.setattr(build_book, "WORK", root / ".make" / "book")
        monkeypatch.setattr(build_book, "BEFORE", root / ".make" / "book.before")
        monkeypatch.setattr(build_book, "sphinx", self.sphinx)
        for tool in (build_book.lean_pages, build_book.take_away):  # these need a theme and a package
            monkeypatch.setattr(tool, "write", lambda site: None)
        self.monkeypatch = monkeypatch

    def sphinx(self):
        html = build_book.WORK / "_build" / "html"
        self.found.append((html / "a.html").exists())
        html.mkdir(parents=True, exist_ok=True)
        (html / "_images").mkdir(exist_ok=True)
        (html / "_images" / f"{len(self.found)}.png").touch()
        picture = f'<img src="_images/{len(self.found)}.png">'
        (html / "a.html").write_text(PAGE.format(f"build {len(self.found)} {picture}"))
        if self.plan == "interrupted":
            raise KeyboardInterrupt
        return "" if self.plan == "good" else "[book] Failed with 1 warning(s):\nWARNING: x"

    def run(self, *arguments):
        self.monkeypatch.setattr(sys, "argv", ["build_book.py", *arguments])
        code = build_book.main()
        said = self.capsys.readouterr()
        return code, said.out + said.err

    @property
    def page(self):
        return (self.root / "_build" / "html" / "a.html").read_text().partition("build ")[2][:1]

    def change(self):
        self.notebook.write_text(self.notebook.read_text() + " ")


@pytest.fixture
def book(tmp_path, monkeypatch, capsys):
    return Book(tmp_path, monkeypatch, capsys)


def test_what_has_not_changed_is_not_built(book):
    code, said = book.run()
    assert code == 0 and "no warning: open _build/html/index.html" in said and book.page == "1"
    code, said = book.run()
    assert code == 0 and "nothing has changed" in said and len(book.found) == 1
    os.utime(book.notebook)  # a new date is no change
    assert "nothing has changed" in book.run()[1]
    book.change()
    assert "no warning" in book.run()[1] and book.page == "2"
    shutil.rmtree(build_book.PAGES)
    assert "no warning" in book.run()[1] and book.page == "3"


def test_a_change_goes_on_from_the_last_build_and_a_change_of_the_builder_from_nothing(book):
    book.run()
    book.change()
    book.run()
    (book.root / "_config.yml").write_text("title: y")
    book.run()
    book.run("--clean")
    assert book.found == [False, True, False, False]
    pictures = build_book.PAGES / "_images"
    assert [path.name for path in pictures.iterdir()] == ["4.png"]  # those of earlier builds are gone


@pytest.mark.parametrize("how", ["fails", "interrupted"])
def test_the_last_good_pages_stay(book, how):
    code, said = 1, ""
    book.run()
    book.change()
    book.plan = how
    if how == "interrupted":
        with pytest.raises(KeyboardInterrupt):
            book.run()
    else:
        code, said = book.run()
        assert "Failed with 1 warning(s)" in said
        assert "The pages of the last good build are kept." in said
    assert code == 1 and book.page == "1"
    assert book.run if how == "interrupted" else book.run()[0] == 1  # it fails again: nothing is remembered
    book.plan = "good"
    code, said = book.run()
    assert code == 0 and "no warning" in said and book.page == str(len(book.found)) and all(book.found[1:])


def test_without_pages_it_says_so(book):
    book.plan = "fails"
    code, said = book.run()
    assert code == 1 and "There are no pages yet." in said and not build_book.PAGES.exists()


def test_a_stored_error_fails_the_build(book):
    book.run()
    cell = NOTEBOOK["cells"][0] | {"outputs": [ERROR]}
    book.notebook.write_text(json.dumps({"cells": [cell]}))
    code, said = book.run()
    assert code == 1 and book.page == "1"
    assert "01_x.ipynb, cell 0: a stored error output (ZeroDivisionError: division by zero)" in said
    assert "warning(s)" not in said


def test_no_notebook_of_the_book_stores_an_error():
    assert build_book.stored_errors() == []


@pytest.mark.parametrize(
    "code, head",
    [
        ("import sys; print('the last words'); sys.exit(3)", "[book] Failed: status 3, and no warning"),
        ("import sys; print('WARNING: bad link'); sys.exit(1)", "[book] Failed with 1 warning(s):"),
    ],
)
def test_a_failure_says_what_there_is(tmp_path, monkeypatch, code, head):
    monkeypatch.setattr(build_book, "ROOT", tmp_path)
    monkeypatch.setattr(build_book, "SPHINX", code)
    (tmp_path / ".make").mkdir()
    lines = build_book.sphinx().splitlines()
    assert lines[0].startswith(head) and lines[1] in ("the last words", "WARNING: bad link")


def test_the_folder_that_is_built_is_the_one_that_the_script_is_in(tmp_path, monkeypatch):
    """A copied or renamed project has an environment that names the old one: its package must not be used."""
    monkeypatch.setattr(build_book, "ROOT", tmp_path)
    (tmp_path / ".make").mkdir()
    (tmp_path / "support").mkdir()
    (tmp_path / "support" / "__init__.py").write_text("")
    script = "import support, sys; print('WARNING:', support.__file__, sys.executable)"
    monkeypatch.setattr(build_book, "SPHINX", script)
    words = build_book.sphinx().splitlines()[1].split()
    assert words == ["WARNING:", str(tmp_path / "support" / "__init__.py"), sys.executable]
