"""What `make test` runs fails when it should: on a changed output, with a difference that can be read."""

import subprocess
import sys
from pathlib import Path

import nbformat
import notebook_form
import pytest
import refresh
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

ROOT = Path(__file__).resolve().parents[2]
PRINTS = "print('perplexity', 6 * 7)"


def printed(text):
    return new_output("stream", name="stdout", text=text)


def picture(alt):
    data = {"image/png": "iVBORw0KGgo=", "text/plain": "<Figure>"}
    return new_output("display_data", data=data, metadata={"image/png": {"alt": alt}} if alt else {})


def cell(source="x = 1", *outputs, count=1, tags=(), **metadata):
    metadata = {**metadata, **({"tags": list(tags)} if tags else {})}
    return new_code_cell(source, outputs=list(outputs), execution_count=count, metadata=metadata)


def book(*cells):
    return new_notebook(cells=[new_markdown_cell("# T"), *cells])


@pytest.fixture
def run_nbval(tmp_path):
    def run(notebook):
        nbformat.write(notebook, tmp_path / "made.ipynb")
        command = [sys.executable, "-m", "pytest", "--nbval", "-q", "-p", "no:cacheprovider", "--no-header"]
        return subprocess.run([*command, str(tmp_path)], cwd=tmp_path, capture_output=True, text=True)

    return run


def test_a_changed_stored_output_fails_and_shows_both(run_nbval):
    done = run_nbval(book(cell(PRINTS, printed("perplexity 41\n"))))
    assert done.returncode == 1
    assert "perplexity 41" in done.stdout and "perplexity 42" in done.stdout
    assert "1 failed" in done.stdout


def test_the_right_output_passes(run_nbval):
    assert run_nbval(book(cell(PRINTS, printed("perplexity 42\n")))).returncode == 0


@pytest.mark.parametrize(
    "rule, cells",
    [
        (notebook_form.executed, [cell(count=None)]),
        (notebook_form.executed, [cell(count=2)]),
        (notebook_form.quiet, [cell("x", new_output("stream", name="stderr", text="Warning"))]),
        (notebook_form.quiet, [cell("x", new_output("error", ename="E", evalue="", traceback=[]))]),
        (notebook_form.skips, [cell("x", printed("1"), tags=["nbval-skip"])]),
        (notebook_form.skips, [cell("# NBVAL_IGNORE_OUTPUT\nx", printed("1"), reason="slow")]),
        (notebook_form.short_cells, [cell("\n".join("abcdef"))]),
        (notebook_form.short_cells, [cell(), cell(), cell("\n".join("x" * 26))]),
        (notebook_form.described_pictures, [cell("x", printed("3"), picture(None))]),
        (
            notebook_form.described_pictures,
            [cell("x", picture("a"), mystnb={"image": {"alt": "A line that falls, from here to there"}})],
        ),
        (notebook_form.telling, [cell("x", printed("True\n"))]),
        (notebook_form.plain_markdown, [new_markdown_cell("see {ref}`here`")]),
        (notebook_form.plain_markdown, [new_markdown_cell("```{note}\nx\n```")]),
        (notebook_form.plain_markdown, [new_markdown_cell(":::{tip}\nx\n:::")]),
        (notebook_form.stamped, [cell("import support")]),
    ],
)
def test_each_rule_finds_its_breach(rule, cells):
    good = cell(refresh.first_cell())
    assert rule(book(*cells)) != []
    others = [cell("1 + 1", printed("3 of 4\n"), count=k) for k in range(2, 12)]
    assert rule(book(good, *others)) == []


def test_a_broken_link_is_found(tmp_path):
    (tmp_path / "there.ipynb").write_text("{}")
    link = new_markdown_cell("[a](there.ipynb), [b](gone.ipynb) and [c](https://example.org)")
    assert notebook_form.links(book(link), tmp_path) == ["cell 1 links to gone.ipynb, which does not exist"]


def made(tmp_path, *cells):
    path = tmp_path / "made.ipynb"
    nbformat.write(book(*cells), path)
    return path


def test_refresh_stores_outputs_alt_text_numbers_and_first_cell(tmp_path, capsys):
    show = (
        "from IPython.display import Image, display\n"
        "alt = {'image/png': {'alt': 'It falls from 3 to 1.'}}\n"
        "display({'image/png': 'iVBORw0KGgo='}, raw=True, metadata=alt)\n"
        "print(3, end=' '); print(1)"
    )
    bind = (
        "class bind:\n    __init__ = lambda self, n: None\n    __repr__ = lambda self: 'n = 42'\nbind(n=42)"
    )
    path = made(tmp_path, new_markdown_cell("It is 41<!-- n -->."), new_code_cell(show), new_code_cell(bind))
    stored, seconds, megabytes = refresh.refresh(path)
    notebook = nbformat.read(path, as_version=4)
    assert stored and seconds > 0 and megabytes in (None, *range(30, 4000))
    assert [c.get("execution_count") for c in notebook.cells] == [None, 1, None, 2, 3]
    assert notebook.cells[1].source == refresh.first_cell()
    assert notebook.cells[2].source == "It is 42<!-- n -->."
    assert notebook.cells[3].metadata.mystnb.image.alt == "It falls from 3 to 1."
    assert notebook_form.executed(notebook) == []
    assert "41 is now 42 (n)" in capsys.readouterr().out
    before = path.read_bytes()
    refresh.refresh(path)
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "source, sentence",
    [
        ("import sys; print('careful', file=sys.stderr)", "writes to stderr: careful"),
        ("1 / 0", "ZeroDivisionError"),
        ("object()", "prints a memory address"),
    ],
)
def test_refresh_refuses_and_leaves_the_stored_version(tmp_path, capsys, source, sentence):
    path = made(tmp_path, new_code_cell(source))
    before = path.read_bytes()
    assert refresh.refresh(path)[0] is False
    assert sentence in capsys.readouterr().out
    assert path.read_bytes() == before


def test_address_is_stamped_everywhere(tmp_path):
    assert 'REPOSITORY = "https://example.org/a/b"' in refresh.first_cell("https://example.org/a/b")
    notebook = book(new_code_cell(refresh.first_cell("https://old.example/a")), new_code_cell("1"))
    refresh.stamp(notebook)
    assert notebook_form.stamped(notebook) == []
    assert len(notebook.cells) == 3
