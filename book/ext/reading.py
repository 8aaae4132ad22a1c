"""What of a chapter's cells is on the page: set-up is folded, and checks stay in the notebook.

Folded is the first cell, which imports, and any with the tag ``plumbing``. A cell that only calls for a
drawing or a live figure is folded, too: the picture is what it says; so is all code of *The picture* and of
*By hand*, whose numbers stand open. In *Check yourself* the cell that a reader fills in stays open, and a
line leads to the notebook, because nothing runs on the page. The cells that hold a check, and with it the
solution, are left out; the solution itself has its own fold. (The ways of reading are in `ways.py`.)
"""

import ast
import re
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

SOLVES = re.compile(r"^(check\(|mistakes\s*=|cases\w*\s*=|def )", re.M)
OPEN = re.compile(r"^\s+\.\.\.|=\s*\.\.\.", re.M)  # what a reader fills in
IMPORTS = 3  # a cell with at least so many imports is set-up
# What a cell calls that holds no more than a figure.
DRAWERS = ("diagram.", "show(diagram.", "live(", "view.live(")
CHECK = "The check (it knows the solution)"
DRAWN = "Show how it is drawn", "Hide how it is drawn"
MADE = "Show what it is computed from", "Hide what it is computed from"
CODE = "Show the code", "Hide the code"
FOLDS = dict([DRAWN, MADE, CODE])
PARTS = {"The picture": MADE[0], "By hand": CODE[0]}  # whose code is folded


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
    >>> fold_of("matrix(Q)", "By hand"), fold_of("matrix(Q)", "In code")
    ('Show the code', '')
    """
    if sum(isinstance(step, ast.Import | ast.ImportFrom) for step in steps_of(source)) >= IMPORTS:
        return "Set-up: what this chapter imports"
    if heading == "Check yourself" and SOLVES.search(source) and not OPEN.search(source):
        return CHECK
    if only_draws(source):
        return DRAWN[0]
    return PARTS.get(heading, "")


def to_write() -> nodes.raw:
    """The line below a cell to fill in: nothing runs on the page."""
    link = '<a href="#take-away">take this chapter as a notebook</a>'
    words = f"To write your answer, {link}: it checks what you write."
    return nodes.raw("", f'<p class="exercise-place">{words}</p>', format="html")


class Reading(SphinxTransform):
    """Folds cells of a chapter, and leaves out its checks."""

    default_priority = 405

    def apply(self, **_: Any) -> None:
        if not self.env.docname.startswith("notebooks/"):
            return
        for cell in list(self.document.findall(nodes.container)):
            if cell.get("nb_element") != "cell_code" or not cell.children:
                continue
            code = cell.children[0]
            section = cell.parent
            while isinstance(section.parent, nodes.section) and isinstance(
                section.parent.parent, nodes.section
            ):
                section = section.parent
            heading = section[0].astext() if isinstance(section, nodes.section) else ""
            if code.get("nb_element") != "cell_code_source" or cell.get("hide_mode", "output") != "output":
                continue  # (numbers that a tag folds stand open in *By hand*, whose code is folded)
            if heading == "Check yourself" and OPEN.search(code.astext()):
                cell.parent.insert(cell.parent.index(cell) + 1, to_write())
            plumbing = "tag_plumbing" in cell["classes"]
            fold = CODE[0] if plumbing else fold_of(code.astext(), heading)
            before = cell.parent[max(0, cell.parent.index(cell) - 1)]
            if plumbing and before is not cell and "tag_plumbing" in before.get("classes", []):
                before.children[0].extend(code.children)  # one fold for all that follow one another
                cell.parent.remove(cell)
            elif fold == CHECK:
                cell.parent.remove(cell)
            elif fold:
                cell["hide_mode"], cell["prompt_show"] = "input", fold
                cell["prompt_hide"] = FOLDS.get(fold, "Fold it again")


def setup(app: Any) -> dict[str, Any]:
    app.add_transform(Reading)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
