"""The last touches: nothing that no page loads, and roles that are right."""

import shutil
from pathlib import Path
from typing import Any


def prune(app: Any, exception: Exception | None) -> None:
    """Remove it, once the pages are written. The icons come from book/assets/icons.css."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir) / "_static"
    for ending in ("*.map", "*.LICENSE.txt", "*.ttf", "fa-brands*"):
        for path in static.rglob(ending):
            path.unlink()
    for folder in ("locales", "sphinx_thebe"):
        shutil.rmtree(static / folder, ignore_errors=True)
    script = static / "scripts" / "fontawesome.js"
    if script.exists():
        script.write_text("// The icons are in icons.css.\n", encoding="utf8")


def mend_roles(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Docutils calls its bibliography a list, but none of its entries a list item."""
    if "body" in context:
        context["body"] = context["body"].replace(
            '<div role="list" class="citation-list">', '<div class="citation-list">'
        )


def setup(app: Any) -> dict[str, Any]:
    app.connect("html-page-context", mend_roles)
    app.connect("build-finished", prune)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
