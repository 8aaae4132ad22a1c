"""The page *What each chapter adds*: `way` draws the two stairs, and `gain` shows the gain of one chapter.

The content of a `gain` has three parts with ``+++`` between them: what the chapter adds, its number, and
under which conditions the number holds.
"""

import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

sys.path[:0] = [str(Path(__file__).resolve().parents[2] / "tools"), str(Path(__file__).parent)]
import plan  # noqa: E402 - the tools are scripts beside the package
import way_numbers  # noqa: E402
from chapter_pictures import picture  # noqa: E402 - beside this file


class Way(SphinxDirective):
    """The drawing, among the page's text."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        return [nodes.raw("", way_numbers.drawing().svg, format="html", classes=["way-drawing"])]


class Gain(SphinxDirective):
    """A chapter on the way: ``{gain} 05``."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        number = self.arguments[0]
        parts = "\n".join(self.content).split("\n+++\n")
        if number not in plan.chapters() or len(parts) != 3:
            raise self.error(f"gain {number}: give a chapter's number, and three parts with +++ between them")
        stem, name = plan.chapters()[number]
        self.env.note_dependency(str(plan.notebook(stem)))
        adds, gain, holds = (part.strip() for part in parts)
        lines = [
            "```{raw} html",
            picture(number),
            "```",
            "::::{div} way-adds",
            f"[{int(number)} {name}](../notebooks/{stem}.ipynb)",
            "",
            adds,
            "::::",
            "::::{div} way-gain",
            gain,
            "::::",
            "::::{div} way-holds",
            holds,
            "::::",
        ]
        box = nodes.container(classes=["way-step"])
        self.state.nested_parse(StringList(lines, source=f"gain {number}"), self.content_offset, box)
        return [box]


def load(app: Any, page: str, template: str, context: Any, doctree: nodes.document | None) -> None:
    """The style, on the page that has steps."""
    if doctree is not None and any("way-step" in n["classes"] for n in doctree.findall(nodes.container)):
        app.add_css_file("way.css")


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("way", Way)
    app.add_directive("gain", Gain)
    app.connect("html-page-context", load)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
