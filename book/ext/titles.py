"""What the search offers while one types: chapters, their sections, and the terms of the glossary.

They stand in `titles.js`, which `site.js` loads when the field of the search is first used. Choosing one
leads there. A name that several sections share (*By hand*, *Quiz*) is not offered.
"""

import json
from collections import Counter
from pathlib import Path
from typing import Any

from docutils import nodes

from support.core import atomic_write

LEFT_OUT = ("index", "book/api", "book/errata")


def offered(env: Any) -> list[tuple[str, str]]:
    """Each name with its address; the titles of pages first, then terms, then sections."""
    pages, sections = [], []
    for name in sorted(env.found_docs):
        if name.startswith(LEFT_OUT):
            continue
        for link in env.tocs[name].findall(nodes.reference):
            if link["refuri"] == name:
                place = (link.astext(), f"{name}.html{link['anchorname']}")
                (sections if link["anchorname"] else pages).append(place)
    terms = [
        (name, f"{page}.html#{anchor}")
        for (kind, name), (page, anchor) in env.get_domain("std").objects.items()
        if kind == "term"
    ]
    often = Counter(title.lower() for title, _ in sections)
    found: dict[str, tuple[str, str]] = {}
    for title, place in [*pages, *terms, *(s for s in sections if often[s[0].lower()] == 1)]:
        found.setdefault(title.lower(), (title, place))
    return [*found.values()]


def ship(app: Any, exception: Exception | None) -> None:
    """The list, as a script that a page opened as a file can load, too."""
    if exception or app.builder.format != "html":
        return
    with atomic_write(Path(app.outdir) / "_static" / "titles.js") as path:
        path.write_text(
            f"window.TITLES = {json.dumps(offered(app.env), ensure_ascii=False)};\n", encoding="utf8"
        )


def setup(app: Any) -> dict[str, Any]:
    app.connect("build-finished", ship)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
