"""Questions at the end of a chapter, and all of them on one page, from the files in `support/view/questions`.

A file is named as its chapter's notebook is after the number. The notebook shows the same questions with
`support.view.quiz`; its cell is not on the page, where `quiz.js` judges the answers. Without script the
answers stand in a fold.
"""

import json
import sys
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import plan
from references import typeset  # beside this file

from support.view.quiz import FOLDER, said, turned
from support.view.quiz import load as load_topic

COUNT = '<p class="quiz-count pst-js-only" role="status"></p>\n'
BEFORE = ("take-aways", "references")  # the sections before which a chapter's questions stand


def file(number: str) -> Path:
    """Where a chapter's questions are, or would be."""
    return FOLDER / f"{plan.chapters()[number][0].partition('_')[2]}.json"


def load(number: str) -> list[dict[str, Any]]:
    """The questions of a chapter; none if it has no file."""
    path = file(number)
    return load_topic(path.stem) if path.exists() else []


def html(question: dict[str, Any], name: str, more: str = "") -> str:
    """One question as a form.

    >>> q = {"question": "1 + 1?", "type": "numeric",
    ...      "answers": [{"type": "value", "value": 2, "correct": True, "feedback": "Yes."}]}
    >>> 'type="text"' in html(q, "a")
    True
    """
    classes = "quiz" if question.get("picture") else "quiz not-in-picture"
    told = [answer | {"feedback": typeset(answer["feedback"])} for answer in question["answers"]]
    data = escape(json.dumps(question | {"answers": told}, ensure_ascii=False), quote=True)
    if question["type"] == "numeric":
        field = f'<input type="text" inputmode="decimal" name="{name}" autocomplete="off">'
        field = f"<label>Your number {field}</label>"
    else:
        order = turned(question, name)
        field = "".join(
            f'<label><input type="radio" name="{name}" value="{question["answers"].index(a)}"> '
            f"{escape(typeset(a['answer']))}</label>"
            for a in order
        )
    return (
        f'<form class="{classes}" id="{name}" data-question="{data}"><fieldset>'
        f"<legend>{escape(typeset(question['question']))}</legend>{field}</fieldset>"
        '<p class="quiz-do pst-js-only"><button type="submit">Check</button> '
        f'<output aria-live="polite"></output></p>{more}'
        f"<noscript><details><summary>Answer</summary><p>{escape(typeset(said(question)))}</p></details></noscript></form>\n"
    )


def forms(number: str, more: str = "") -> str:
    """All questions of a chapter, and a line that counts the right answers."""
    asked = "".join(html(q, f"quiz-{number}-{k}", more) for k, q in enumerate(load(number), 1))
    return f"{asked}{COUNT}"


class AtTheEnd(SphinxTransform):
    """Puts a chapter's questions before its take-aways, as a section of its own."""

    default_priority = 406

    def apply(self, **_: Any) -> None:
        name = self.env.docname.rpartition("/")[2]
        if not self.env.docname.startswith("notebooks/") or not load(name[:2]):
            return
        self.env.note_dependency(str(file(name[:2])))
        ids = {i: s for s in self.document.findall(nodes.section) for i in s["ids"]}
        later = next((ids[name] for name in BEFORE if name in ids), None)
        if later is None:
            return
        section = nodes.section(ids=["quiz"], names=["quiz"])
        section += nodes.title("", "Quiz")
        section += nodes.raw("", forms(name[:2]), format="html")
        later.parent.insert(later.parent.index(later), section)


class Questions(SphinxDirective):
    """All questions of a file, or of all chapters, each with a link to its chapter."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        for path in FOLDER.glob("*.json"):
            self.env.note_dependency(str(path))
        if self.arguments:
            return [nodes.raw("", forms(self.arguments[0]), format="html")]
        out: list[nodes.Node] = []
        jumps = []
        for number, (stem, name) in plan.chapters().items():
            if not load(number) or not plan.notebook(stem).exists():
                continue
            jumps.append(f'<a href="#of-{number}" title="{escape(name)}">{int(number)}</a>')
            fold = (
                f'<details class="quiz-of" id="of-{number}"><summary>{int(number)} {escape(name)}</summary>'
                f'<p><a href="../notebooks/{stem}.html">To the chapter</a></p>{forms(number)}</details>'
            )
            out.append(nodes.raw("", fold, format="html"))
        jump = f'<nav class="quiz-jumps" aria-label="To a chapter">To chapter {" ".join(jumps)}</nav>'
        return [nodes.raw("", jump + COUNT, format="html"), *out]


def load_script(app: Any, page: str, template: str, context: Any, doctree: nodes.document | None) -> None:
    """The script, on pages that ask something."""
    raws = doctree.findall(nodes.raw) if doctree is not None else ()
    if any('<form class="quiz' in raw.astext() for raw in raws):
        app.add_js_file("quiz.js", loading_method="defer")


def setup(app: Any) -> dict[str, Any]:
    app.add_transform(AtTheEnd)
    app.add_directive("quiz", Questions)
    app.connect("html-page-context", load_script)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
