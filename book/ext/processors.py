"""Sphinx reads and writes the pages on every processor; jupyter-book has no option for it."""

import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import run_tests

# They keep nothing between two pages (the numbers of sections are given after all pages are read), but do
# not say so; with -W Sphinx's remark on it would end the build.
SAFE = ("sphinx_multitoc_numbering", "sphinx_jupyterbook_latex")


def share(app: Any) -> None:
    """As many processes as the tests use."""
    for name in SAFE:
        app.extensions[name].parallel_read_safe = True
        app.extensions[name].parallel_write_safe = True
    app.parallel = run_tests.workers()


def setup(app: Any) -> dict[str, Any]:
    app.connect("builder-inited", share)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
