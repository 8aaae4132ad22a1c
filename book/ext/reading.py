"""How a chapter is read on the page: set-up and checks are folded, and one may choose to see one way in only.

Folded are the first cell, which imports, and in *Check yourself* every cell that holds a check, because it
also holds the solution; the cell that a reader fills in stays open. A cell that only calls for a drawing or a
live figure is folded, too: the picture is what it says. The buttons *Picture*, *By hand* and
*In code* leave one of the three sections on the page and hide the other two (`reading.js`); the choice is
remembered.
"""

import ast
import re
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

WAYS = {"picture": "the-picture", "hand": "by-hand", "code": "in-code"}
LABELS = {"all": "Everything", "picture": "The picture", "hand": "By hand", "code": "In code"}
SOLVES = re.compile(r"^(check\(|mistakes\s*=|cases\w*\s*=|def )", re.M)
OPEN = re.compile(r"^\s+\.\.\.|=\s*\.\.\.", re.M)  # what a reader fills in
IMPORTS = 3  # a cell with at least so many imports is set-up
DRAWERS = ("diagram.", "live(", "view.live(")  # what a cell calls that holds no more than a figure
DRAWN = "Show how it is drawn", "Hide how it is drawn"


def steps_of(source: str) -> list[ast.stmt]:
    """The statements of a cell; none if a magic of the notebook stands in it.

    >>> len(steps_of("import math\\nx = 1")), steps_of("%matplotlib inline")
    (2, [])
    """
    try:
        return ast.parse(source).body
    except SyntaxError:
        return []


def only_draws(source: str) -> bool:
    """Whether a cell does nothing but call for one drawing or one live figure.

    >>> only_draws("from support.view import live\\n\\nlive('masks')"), only_draws("diagram.neuron(bias=1)")
    (True, True)
    >>> only_draws("x = 1\\nlive('masks')"), only_draws("table(rows)"), only_draws("%matplotlib inline")
    (False, False, False)
    """
    steps = [step for step in steps_of(source) if not isinstance(step, ast.ImportFrom)]
    return len(steps) == 1 and ast.unparse(steps[0]).startswith(DRAWERS)


def fold_of(source: str, heading: str) -> str:
    """What the fold of a cell says; empty if the cell stands open.

    >>> fold_of("import math\\nimport torch\\nfrom support import zoo", "")
    'Set-up: what this chapter imports'
    >>> fold_of("program = '''\\nimport a\\nimport b\\nimport c'''", "")  # in a string
    ''
    >>> fold_of("mistakes = {}\\ncheck(mine, right, cases, mistakes)", "Check yourself")
    'The check (it knows the solution)'
    >>> fold_of("def mine(x):\\n    ...", "Check yourself")
    ''
    """
    if sum(isinstance(step, ast.Import | ast.ImportFrom) for step in steps_of(source)) >= IMPORTS:
        return "Set-up: what this chapter imports"
    if heading == "Check yourself" and SOLVES.search(source) and not OPEN.search(source):
        return "The check (it knows the solution)"
    if only_draws(source):
        return DRAWN[0]
    return ""


def bar() -> str:
    """The buttons that choose a way in; without script they are not shown."""
    buttons = "".join(
        f'<button type="button" data-way="{way}" aria-pressed="{str(way == "all").lower()}">{label}</button>'
        for way, label in LABELS.items()
    )
    return f'<div class="modes pst-js-only" role="group" aria-label="What to show">{buttons}</div>'


class Reading(SphinxTransform):
    """Folds cells of a chapter, and puts the buttons over its first section."""

    default_priority = 405

    def apply(self, **_: Any) -> None:
        if not self.env.docname.startswith("notebooks/"):
            return
        for cell in self.document.findall(nodes.container):
            if cell.get("nb_element") != "cell_code" or cell.get("hide_mode") or not cell.children:
                continue
            code = cell.children[0]
            section = cell.parent
            while isinstance(section.parent, nodes.section) and isinstance(
                section.parent.parent, nodes.section
            ):
                section = section.parent
            heading = section[0].astext() if isinstance(section, nodes.section) else ""
            if code.get("nb_element") == "cell_code_source" and (fold := fold_of(code.astext(), heading)):
                cell["hide_mode"], cell["prompt_show"] = "input", fold
                cell["prompt_hide"] = DRAWN[1] if fold == DRAWN[0] else "Fold it again"
        picture = next((s for s in self.document.findall(nodes.section) if WAYS["picture"] in s["ids"]), None)
        if picture is not None:
            place = picture.parent.index(picture)
            picture.parent.insert(place, nodes.raw("", bar(), format="html"))


def setup(app: Any) -> dict[str, Any]:
    app.add_transform(Reading)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
