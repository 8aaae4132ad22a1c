"""The directive `chapters`: the plan of the book; a chapter that exists comes with its opening question."""

import re
import sys
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import plan
from chapter_pictures import picture


def opening(stem: str) -> tuple[str, str]:
    """A chapter's title and its question: the first heading and the first line in bold."""
    prose = plan.prose(stem)
    title = re.search(r"^# +(.+?)\s*$", prose, re.M)
    question = re.search(r"^\*\*(.+?)\*\*\s*$", prose, re.M)
    return title.group(1) if title else stem, question.group(1) if question else ""


class Chapters(SphinxDirective):
    """A map with a line for each part; a chapter without a notebook is announced."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(plan.PLAN))
        lines = []
        for part in plan.parts():
            lines += ["::::::{div} chapter-part", f"**{part['part']}**", "", ":::::{div} chapter-line"]
            for stem, name in part["chapters"].items():
                path, number = plan.notebook(stem), int(stem[:2])
                written = bool(plan.cells(stem))
                title, question = opening(stem) if written else (name, "")
                if path.exists():
                    self.env.note_dependency(str(path))
                head = f"[{number} {title}](../notebooks/{path.name})" if written else f"{number} {name}"
                says = f"*{question}*" if written else "to come"
                kind = "chapter-stop" if written else "chapter-stop to-come"
                lines += [
                    f"::::{{div}} {kind}",
                    "```{raw} html",
                    picture(stem[:2]),
                    "```",
                    head,
                    "",
                    says,
                    "::::",
                ]
            lines += [":::::", "::::::", ""]
        container = nodes.container(classes=["chapter-map"])
        self.state.nested_parse(StringList(lines, source="chapters"), self.content_offset, container)
        return [container]


def onward(app: Any, page: str, template: str, context: Any, doctree: nodes.document | None) -> None:
    """From the first page one goes on to the first chapter, and back; the pages between them are help."""
    first = f"notebooks/{min(stem for part in plan.parts() for stem in part['chapters'])}"
    for here, there, way in ((app.config.root_doc, first, "next"), (first, app.config.root_doc, "prev")):
        if page == here and there in app.env.titles:
            title = app.env.titles[there].astext()
            context[way] = {"link": app.builder.get_relative_uri(here, there), "title": title}


def load(app: Any, page: str, template: str, context: Any, doctree: nodes.document | None) -> None:
    """The style and the script of the page that has the map."""
    if doctree is not None and any("chapter-map" in n["classes"] for n in doctree.findall(nodes.container)):
        app.add_css_file("front.css")
        app.add_js_file("front.js", loading_method="defer")


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("chapters", Chapters)
    app.connect("html-page-context", load)
    app.connect("html-page-context", onward)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
