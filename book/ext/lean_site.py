"""The last touches: nothing that no page loads, roles that are right, and a mark where a section follows."""

import shutil
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

BEFORE = "before-section"


def mark_ends(document: nodes.Element) -> None:
    """Whatever a section follows has a class that says so.

    A style can find it by ``:has(+ section)``, too, but a browser that knows such a rule looks at all of the
    page again with each change of a live figure.

    >>> top = nodes.section("", nodes.title(), nodes.paragraph(), nodes.paragraph(), nodes.section())
    >>> mark_ends(top)
    >>> [node.get("classes") for node in top]
    [[], [], ['before-section'], []]
    """
    for section in document.findall(nodes.section):
        for node, then in zip(section.children, section.children[1:], strict=False):
            if isinstance(then, nodes.section) and not isinstance(node, nodes.title | nodes.raw | nodes.Text):
                node["classes"].append(BEFORE)


class SectionEnds(SphinxPostTransform):
    """After the parts of a page stand where they stay."""

    default_priority = 900

    def run(self, **_: Any) -> None:
        mark_ends(self.document)


def prune(app: Any, exception: Exception | None) -> None:
    """Remove it, once the pages are written. The pages draw their icons themselves (tools/icons.py)."""
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
        script.write_text("// The icons stand in the pages.\n", encoding="utf8")


def mend_roles(app: Any, page: str, template: str, context: dict[str, Any], doctree: Any) -> None:
    """Docutils calls its bibliography a list, but none of its entries a list item."""
    if "body" in context:
        context["body"] = context["body"].replace(
            '<div role="list" class="citation-list">', '<div class="citation-list">'
        )


def setup(app: Any) -> dict[str, Any]:
    app.add_post_transform(SectionEnds)
    app.connect("html-page-context", mend_roles)
    app.connect("build-finished", prune)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
