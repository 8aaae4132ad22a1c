"""The plan of the book, and the chapters that are written, for the tools, the pages and the tests."""

import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml

ROOT = Path(__file__).resolve().parents[1]
PLAN = ROOT / "book" / "ledger" / "chapters.yml"
CONTENTS = ROOT / "_toc.yml"


def parts() -> list[dict[str, Any]]:
    """The parts of the book, each with its chapters: the name of the notebook → the chapter's name."""
    return yaml.safe_load(PLAN.read_text(encoding="utf8"))


@cache
def chapters() -> dict[str, tuple[str, str]]:
    """A chapter's number → the name of its notebook, and its own."""
    return {stem[:2]: (stem, name) for part in parts() for stem, name in part["chapters"].items()}


def notebook(stem: str) -> Path:
    """Where a chapter's notebook is, or will be."""
    return ROOT / "notebooks" / f"{stem}.ipynb"


@cache
def cells(stem: str) -> list[dict[str, Any]]:
    """A notebook's cells; none if there is no such notebook, or if the book does not show it."""
    if not notebook(stem).exists() or f"notebooks/{stem}" not in CONTENTS.read_text(encoding="utf8"):
        return []
    return json.loads(notebook(stem).read_text(encoding="utf8"))["cells"]


def prose(stem: str) -> str:
    """All that a notebook says between its code."""
    return "\n".join("".join(c["source"]) for c in cells(stem) if c["cell_type"] == "markdown")
