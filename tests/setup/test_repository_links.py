"""With an address each page leads to Colab, its source and a report of an error; without one, to none."""

from pathlib import Path

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from forked import forked
from icons import with_icons

ROOT = Path(__file__).resolve().parents[2]
EXTENSIONS = str(ROOT / "book" / "ext")
ISSUE = "/issues/new?{}=Error%20in%20notebooks/07_bpe.ipynb"
CASES = {
    "": {},
    "file:///books/this": {},
    "ssh://git@example.org/me/book": {},
    "https://example.org/me/book": {"Source": "https://example.org/me/book"},
    "https://github.com/me/book": {
        "Open in Colab": "https://colab.research.google.com/github/me/book/blob/main/notebooks/07_bpe.ipynb",
        "Source": "https://github.com/me/book/blob/main/notebooks/07_bpe.ipynb",
        "Report an error": "https://github.com/me/book" + ISSUE.format("title"),
    },
    "https://gitlab.example.org/group/me/book.git": {
        "Source": "https://gitlab.example.org/group/me/book/-/blob/main/notebooks/07_bpe.ipynb",
        "Report an error": "https://gitlab.example.org/group/me/book/-" + ISSUE.format("issue[title]"),
    },
}


@pytest.fixture
def module(monkeypatch):
    monkeypatch.syspath_prepend(EXTENSIONS)
    import repository_links

    return repository_links


@pytest.mark.parametrize("address", CASES)
def test_what_each_host_offers(module, address):
    assert module.links(address, "main", "notebooks/07_bpe.ipynb") == CASES[address]
    prose = module.links(address, "main", "book/index.md")
    assert set(prose) == set(CASES[address]) - {"Open in Colab"}, "only a chapter opens in Colab"


def build(folder, address):
    """Two pages with the book's theme and this extension; the links in their heads."""
    (folder / "notebooks").mkdir(parents=True, exist_ok=True)
    (folder / "index.md").write_text("# Home\n\n```{toctree}\nnotebooks/07_bpe\n```\n")
    cells = [nbformat.v4.new_markdown_cell("# Chapter"), nbformat.v4.new_code_cell("1")]
    language = {"language_info": {"name": "python", "pygments_lexer": "python"}}
    nbformat.write(
        nbformat.v4.new_notebook(cells=cells, metadata=language), folder / "notebooks" / "07_bpe.ipynb"
    )
    (folder / "_config.yml").write_text(yaml.safe_dump({"repository": {"url": address}}))
    (folder / "conf.py").write_text(
        f"import sys; sys.path.insert(0, {EXTENSIONS!r})\n"
        "extensions = ['myst_nb', 'sphinx_book_theme', 'repository_links']\n"
        "html_theme, nb_execution_mode = 'sphinx_book_theme', 'off'\n"
    )
    pages = folder.parent / "pages"
    sphinx = "import sys; from sphinx.cmd.build import main; sys.exit(main(sys.argv[1:]))"
    imported = ("sphinx.cmd.build", "myst_nb", "sphinx_book_theme")
    done = forked(sphinx, "-W", "-q", folder, pages / "html", imported=imported)
    assert done.returncode == 0, done.stderr
    found = {}
    for page in ("index", "notebooks/07_bpe"):
        html = (pages / "html" / f"{page}.html").read_text(encoding="utf8")
        links = BeautifulSoup(html, "html.parser").select(".article-header-buttons a[href^=http]")
        found[page] = {" ".join(link.get_text().split()): link["href"] for link in links}
    return found


def test_make_address_switches_them_on_and_off(tmp_path):
    """On, off and on in one folder: the pages that are there are written anew."""
    for address in ("https://example.org/me/book", "", "https://github.com/me/book"):
        found = build(tmp_path / "book", address)
        assert found["notebooks/07_bpe"] == CASES[address], address
        assert set(found["index"]) == set(CASES[address]) - {"Open in Colab"}


def test_the_book_uses_it_and_no_address_is_set():
    config = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf8"))
    assert "repository_links" in config["sphinx"]["config"]["extensions"]
    assert "repository_links" in config["sphinx"]["local_extensions"]
    assert not {"use_repository_button", "launch_buttons"} & set(
        config["sphinx"]["config"]["html_theme_options"]
    )


def test_its_icons_are_drawn(module):
    drawn = [with_icons(f'<i class="{icon}"></i>') for icon in module.ICONS.values()]
    assert len(drawn) == 3 and all(icon.count("<path") == 1 for icon in drawn)
