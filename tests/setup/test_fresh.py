"""Which pages Sphinx reads and writes again: what they hold decides, not the dates of their files."""

import io
import os
import sys
import time
from pathlib import Path

import pytest
from sphinx.application import Sphinx
from sphinx.util.docutils import docutils_namespace

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def project(tmp_path, monkeypatch):
    """`build()` gives the names of the pages that were read, and of those that were written."""
    monkeypatch.syspath_prepend(str(ROOT / "book" / "ext"))
    import fresh

    monkeypatch.setattr(fresh, "CODE", (str(Path("tests", "setup", "no such file")),))
    source = tmp_path / "source"
    source.mkdir()
    (source / "conf.py").write_text("extensions = ['fresh']\nhtml_theme = 'basic'\n")
    (source / "index.rst").write_text("Index\n=====\n\n.. toctree::\n\n   one\n   two\n")
    (source / "one.rst").write_text("One\n===\n\nIt says one.\n")
    (source / "two.rst").write_text("Two\n===\n\n.. literalinclude:: data.txt\n")
    (source / "data.txt").write_text("1\n")

    def build():
        fresh.digest.cache_clear()
        fresh.digest_of.cache_clear()
        read, written = set(), set()
        with docutils_namespace():
            app = Sphinx(source, source, tmp_path / "out", tmp_path / "trees", "html", status=io.StringIO())
            app.connect("source-read", lambda _, name, text: read.add(name))
            app.connect("html-page-context", lambda _, name, *rest: written.add(name))
            app.build()
        return read, written & {"index", "one", "two"}

    yield source, build
    sys.modules.pop("fresh", None)


def test_contents_decide(project):
    source, build = project
    everything = {"index", "one", "two"}
    assert build() == (everything, everything)
    assert build() == (set(), set())

    (source / "one.rst").write_text("One\n===\n\nIt says something else.\n")
    os.utime(source / "one.rst", (0, 0))  # as a file that was put back: older than the page
    assert build() == ({"one"}, {"one", "index"})  # and what lists it

    (source / "data.txt").write_text("2\n")
    os.utime(source / "data.txt", (0, 0))
    assert build() == ({"two"}, {"two", "index"})

    os.utime(source / "two.rst", (time.time() + 9, time.time() + 9))
    assert build()[0] == set()  # only its date is new
    os.utime(source / "two.rst", (0, 0))

    (source / "one.rst").write_text("First\n=====\n\nIt says something else.\n")
    assert build() == ({"one"}, everything)  # its title stands in the others' sidebars
    assert build() == (set(), set())


def test_the_search_forgets_nothing(project):
    source, build = project
    (source / "two.rst").write_text("Two\n===\n\n.. index:: marmalade\n\nText.\n")
    build()
    found = (source.parent / "out" / "searchindex.js").read_text()
    (source / "one.rst").write_text("One\n===\n\nIt says one, still.\n")
    assert build()[0] == {"one"}
    again = (source.parent / "out" / "searchindex.js").read_text()
    assert found.count("marmalade") == again.count("marmalade") >= 1


def test_code_and_records(project, monkeypatch):
    """A page that is not a notebook may show the package or a record: a change there is a change of it."""
    import fresh

    source, build = project
    monkeypatch.setattr(fresh, "ROOT", source)
    monkeypatch.setattr(fresh, "CODE", ("code.py",))
    (source / "code.py").write_text("a = 1")
    build()
    assert build() == (set(), set())
    (source / "code.py").write_text("a = 2")
    assert build()[0] == {"index", "one", "two"}
