"""Sphinx reads and writes the pages on every processor, and does nothing for nothing.

jupyter-book has no option for either. It numbers figures, for which Sphinx walks through all pages once more;
none of ours has a caption with a number. And each word of the search is stemmed once, not once for each page.
"""

import sys
from functools import cache
from pathlib import Path
from typing import Any

from sphinx.search.en import SearchEnglish

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import run_tests

# They keep nothing between two pages (the numbers of sections are given after all pages are read), but do
# not say so; with -W Sphinx's remark on it would end the build.
SAFE = ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex")


class Stemmed(SearchEnglish):
    """English words, each of which is stemmed once."""

    def init(self, options: dict[str, str]) -> None:
        super().init(options)
        self.stem = cache(super().stem)  # type: ignore[method-assign]


def unnumbered(app: Any, config: Any) -> None:
    """No numbers of figures, whatever an extension wants."""
    config.numfig = False


def share(app: Any) -> None:
    """As many processes as the tests use."""
    for name in SAFE:
        app.extensions[name].parallel_read_safe = True
        app.extensions[name].parallel_write_safe = True
    app.parallel = run_tests.workers()


def setup(app: Any) -> dict[str, Any]:
    app.add_search_language(Stemmed)
    app.connect("config-inited", unnumbered, priority=900)  # after those that switch them on
    app.connect("builder-inited", share)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
