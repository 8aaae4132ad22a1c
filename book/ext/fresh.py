"""Which pages must be made again, told by what their files hold and not by when they were written.

Sphinx compares times: a file that was put back, or came with an older date, is missed, and a copied folder
is read from nothing. Here each page has a digest of its source, of what it declares to depend on, and, if it
runs code of the package (a live figure, a page of records, the API), of the whole package. And what a page
says about another one (titles, anchors, the table of contents, citations) changes the other's links and
sidebar: all pages are then written, though only the changed ones are read.
"""

import hashlib
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from docutils import nodes
from live import live_figure  # beside this file

ROOT = Path(__file__).resolve().parents[2]
RUNS_CODE = "fresh_runs_code"  # in a page's metadata
CODE = ("support/**/*.py", "support/**/*.json", "support/**/*.safetensors")
RECORDS = ("book/ledger/**/*", ".make/chapters/*.json")


@cache
def digest(path: Path) -> str:
    """Of what a file holds; empty if it is not there."""
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""


@cache
def digest_of(patterns: tuple[str, ...]) -> str:
    """Of all files under the project that fit one of the patterns, and of their names."""
    whole = hashlib.sha256()
    for path in sorted({p for pattern in patterns for p in ROOT.glob(pattern)}):
        if path.is_file() and not {"__pycache__", ".runs"} & set(path.parts):
            whole.update(f"{path.relative_to(ROOT)} {digest(path)}\n".encode())
    return whole.hexdigest()


def content(env: Any, name: str) -> str:
    """The digest of all that a page is made from."""
    source = Path(env.doc2path(name))
    parts = {str(source): digest(source)}
    parts |= {str(p): digest(Path(env.srcdir, p)) for p in env.dependencies.get(name, ())}
    if source.suffix != ".ipynb" or RUNS_CODE in env.metadata.get(name, {}):
        parts["code"] = digest_of(CODE)
    if source.suffix != ".ipynb":
        parts["records"] = digest_of(RECORDS)
    return hashlib.sha256(repr(sorted(parts.items())).encode()).hexdigest()


def mark(app: Any, document: nodes.document) -> None:
    """Note in a page's metadata that it runs code of the package."""
    if next(document.findall(live_figure), None) is not None:
        app.env.metadata[app.env.docname][RUNS_CODE] = True


def outdated(app: Any, env: Any, added: set[str], changed: set[str], removed: set[str]) -> list[str]:
    """The pages that have changed; those that only seem so are taken out of `changed`."""
    known = getattr(env, "page_contents", {})
    there = env.found_docs - added
    fresh = {name for name in there if known.get(name) == content(env, name)}
    missing = {name for name in fresh if not Path(app.doctreedir, f"{name}.doctree").exists()}
    changed -= fresh - missing
    return sorted(there - fresh)


def stable(data: Any) -> str:
    """Data as text, whatever order it was gathered in and wherever it lies in memory."""
    if isinstance(data, dict):
        data = list(data.items())
    parts = sorted(map(repr, data)) if isinstance(data, list | set) else [repr(data)]
    return re.sub(r" at 0x[0-9a-f]+", "", "\n".join(parts))


def shared(env: Any) -> Iterator[str]:
    """What pages say of each other, as text."""
    for name in sorted(env.found_docs):
        toc = env.tocs.get(name)
        title = env.titles.get(name)
        yield f"{name}: {title and title.astext()}: {toc and toc.pformat()}"
        slugs = env.metadata.get(name, {}).get("myst_slugs") or {}
        yield stable({slug: place[1:] for slug, place in slugs.items()})  # but for the line
    for domain in ("std", "py", "cite"):
        for key, data in sorted(env.domaindata.get(domain, {}).items()):
            yield f"{domain} {key}: {stable(data)}"


def updated(app: Any, env: Any) -> list[str]:
    """Remember the contents; all pages, if what they say of each other has changed.

    Else those with entries of the index: the search remembers them of the pages that it sees written only.
    """
    env.page_contents = {name: content(env, name) for name in env.found_docs}
    whole = hashlib.sha256("\n".join(shared(env)).encode()).hexdigest()
    same, env.page_relations = getattr(env, "page_relations", "") == whole, whole
    indexed = {name for name, entries in env.domaindata["index"]["entries"].items() if entries}
    return sorted(indexed if same else env.found_docs)


def setup(app: Any) -> dict[str, Any]:
    app.connect("doctree-read", mark)
    app.connect("env-get-outdated", outdated)
    app.connect("env-updated", updated, priority=900)  # after those that complete the environment
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
