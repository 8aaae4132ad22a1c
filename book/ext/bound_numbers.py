"""Marks, on the page, the numerals of the prose that are bound to a computed value.

In a notebook a numeral is followed by a comment that names its source (see `tools/prose_numbers.py`).
Here the comment goes, and a bound numeral becomes a `<span class="bound" title="...">`, which says what
computed it. On a page of prose, where there are few, the keyboard and a finger reach it, too; book.css shows
the words then.
"""

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
from prose_numbers import EXEMPT, NAMES, NUMERAL

CHAPTER = "This number is computed by the code of this chapter; a test compares the two."
PROSE = "This number is computed by the book's code (tools/front_pages.py, {name}); a test compares the two."

SIGN = """<p class="bound-says">A number <span class="bound-sign">with this line</span> under it
was computed by the code of this chapter.</p>"""

TAIL = re.compile(r"(?P<numeral>[-−]?(?:" + NUMERAL.pattern + r"))(?P<rest>[%]?)$")


class bound_number(nodes.inline):  # docutils names a node's class as it is visited
    """A numeral in the prose that is bound to a computed value."""


class Mark(SphinxTransform):
    """Turns `numeral, comment` into a marked numeral."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        for raw in list(self.document.findall(nodes.raw)):
            comment = NAMES.fullmatch(raw.astext().strip())
            if raw.get("format") != "html" or not comment:
                continue
            names = re.split(r"\s*,\s*", comment.group(1))
            bound = [name for name in names if name not in EXEMPT]
            before = self._before(raw)
            if bound and isinstance(before, nodes.math | nodes.math_block):
                before["classes"].append("bound-math")
            elif bound and isinstance(before, nodes.Text):
                where = self.document.settings.env.docname
                self._mark(before, bound[0], where.startswith("notebooks/"))
            raw.parent.remove(raw)
        if self.document.settings.env.docname.startswith("notebooks/"):
            any(self._explain(number) for number in self.document.findall(bound_number))

    @staticmethod
    def _explain(first: nodes.Node) -> bool:
        """Say what the line means, below the first paragraph that ends with a sentence, if one follows."""
        while first.parent and not isinstance(first.parent, nodes.section):
            first = first.parent
        around = first.parent.children if first.parent else []
        for place in range(around.index(first) if around else 0, len(around)):
            node = around[place]
            if isinstance(node, nodes.section):
                break
            if isinstance(node, nodes.paragraph) and node.astext().rstrip(")”").endswith((".", "?")):
                first.parent.insert(place + 1, nodes.raw("", SIGN, format="html"))
                return True
        return False

    @staticmethod
    def _before(node: nodes.Node) -> nodes.Node | None:
        siblings = node.parent.children
        at = siblings.index(node)
        if at == 0:
            return None
        last = siblings[at - 1]
        while isinstance(last, nodes.strong | nodes.emphasis) and last.children:
            last = last.children[-1]
        return last

    @staticmethod
    def _mark(text: nodes.Text, name: str, chapter: bool) -> None:
        found = TAIL.search(str(text))
        if not found:
            return
        span = bound_number("", found.group("numeral"), classes=["bound"])
        span["says"] = CHAPTER if chapter else PROSE.format(name=name)
        span["reached"] = not chapter
        new = [nodes.Text(str(text)[: found.start()]), span, nodes.Text(found.group("rest"))]
        parent = text.parent
        parent.replace(text, [n for n in new if not isinstance(n, nodes.Text) or str(n)])


def visit(self: Any, node: bound_number) -> None:
    more = {"title": node["says"]} | ({"tabindex": "0", "data-says": node["says"]} if node["reached"] else {})
    self.body.append(self.starttag(node, "span", "", **more))


def depart(self: Any, node: bound_number) -> None:
    self.body.append("</span>")


def setup(app: Any) -> dict[str, Any]:
    app.add_node(bound_number, html=(visit, depart))
    app.add_transform(Mark)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
