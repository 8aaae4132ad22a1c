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


def opening(stem: str) -> tuple[str, str]:
    """A chapter's title and its question: the first heading and the first line in bold."""
    prose = plan.prose(stem)
    title = re.search(r"^# +(.+?)\s*$", prose, re.M)
    question = re.search(r"^\*\*(.+?)\*\*\s*$", prose, re.M)
    return title.group(1) if title else stem, question.group(1) if question else ""


class Chapters(SphinxDirective):
    """One list a part; a chapter without a notebook is only announced."""

    has_content = False

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(plan.PLAN))
        lines = []
        for part in plan.parts():
            lines += [f"**{part['part']}**", ""]
            coming = []
            for stem, name in part["chapters"].items():
                path = plan.notebook(stem)
                number = int(stem[:2])
                if path.exists():
                    self.env.note_dependency(str(path))
                    title, question = opening(stem)
                    lines += [f"- {number} [{title}](../notebooks/{path.name}): *{question}*"]
                else:
                    coming.append(f"{name} ({number})")
            lines += ["", f"[to come: {', '.join(coming)}]{{.to-come}}", ""] if coming else [""]
        container = nodes.container(classes=["chapters"])
        self.state.nested_parse(StringList(lines, source="chapters"), self.content_offset, container)
        return [container]


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("chapters", Chapters)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
