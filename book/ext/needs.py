"""What the code of a chapter needs from the parts that the way of reading *Code* leaves out.

*The picture* and *By hand* define things that cells after them use. Whoever reads the code only gets these
definitions at the head of *In code*. They are found by their names, as far as names tell: a cell is needed
if it binds a name, or changes what the name stands for, that a later cell uses.
"""

import ast
import json
import re
import symtable
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from docutils import nodes
from myst_nb.sphinx_ import HideCodeCellNode
from sphinx.transforms.post_transforms import SphinxPostTransform

LEFT_OUT = ("The picture", "By hand")
SHOWS = {"bind", "diagram", "live", "matrix", "print", "quiz", "show", "source", "table"}  # makes nothing
SHORT = 20  # so many lines stand open
MANY = 12  # names; of more, the first are named
ONLY = "only-in-code"
SHOW = "Show how they are made", "Fold it again"


class Cell(NamedTuple):
    """A code cell: the part of the chapter in which it stands, its text, what it uses and what it binds."""

    part: str
    source: str
    uses: set[str]
    binds: set[str]


def root(node: ast.AST) -> str:
    """The name of which something is an entry or an attribute; empty if there is none."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def changed(step: ast.stmt) -> Iterator[str]:
    """The names of what a statement changes in place: by an entry, an operator, or a method."""
    for node in ast.walk(step):
        if isinstance(node, ast.Assign | ast.AugAssign):
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            yield from (root(t) for t in targets if not isinstance(t, ast.Name | ast.Tuple))
            if isinstance(node, ast.AugAssign):
                yield root(node.target)
        elif isinstance(node, ast.Expr):
            parts = node.value.elts if isinstance(node.value, ast.Tuple) else [node.value]
            calls = [part.func for part in parts if isinstance(part, ast.Call)]
            yield from (root(call) for call in calls if isinstance(call, ast.Attribute))


def names(source: str) -> tuple[set[str], set[str]]:
    """What a cell uses of what was there before it, and what it binds or changes.

    >>> sorted(map(sorted, names("y = x + a\\ny[0] = b\\nrows.append(y)")))
    [['a', 'b', 'rows', 'x'], ['rows', 'y']]
    >>> sorted(map(sorted, names("def f(n):\\n    return n * scale * f(n - 1)")))
    [['f'], ['scale']]
    """
    uses: set[str] = set()
    binds: set[str] = set()
    for step in ast.parse(source).body:
        whole = symtable.symtable(ast.unparse(step), "cell", "exec")
        stored = {s.get_name() for s in whole.get_symbols() if s.is_assigned() or s.is_imported()}
        used = {s.get_name() for s in whole.get_symbols() if s.is_referenced()}
        inner = whole.get_children()
        while inner:
            table = inner.pop()
            used |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and s.is_global()}
            inner += table.get_children()
        touched = set(changed(step)) & (used | stored)  # (not what is local to a function)
        if isinstance(step, ast.AugAssign):
            used |= touched
        own = set() if isinstance(step, ast.Assign | ast.AnnAssign | ast.AugAssign) else stored
        uses |= used - own - binds
        binds |= stored | touched
    return uses, binds


def cells(notebook: dict[str, Any]) -> list[Cell]:
    """All code cells, with the part of the chapter (its heading of the second level) in which they stand."""
    found, part = [], ""
    for cell in notebook["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            part = [part, *re.findall(r"^## +(.+?)\s*$", source, re.M)][-1]
        elif cell["cell_type"] == "code" and source.strip():
            found.append(Cell(part, source, *names(source)))
    return found


def makes(source: str) -> str:
    """A cell without the statements that only show something.

    >>> makes("x = 1  # one\\nprint(x)\\nmatrix(x,\\n  digits=2)\\n\\ny = 2")
    'x = 1  # one\\n\\ny = 2'
    """
    lines = source.split("\n")
    for step in ast.parse(source).body:
        if isinstance(step, ast.Expr) and isinstance(step.value, ast.Call) and root(step.value.func) in SHOWS:
            lines[step.lineno - 1 : step.end_lineno] = [None] * (step.end_lineno - step.lineno + 1)
    return "\n".join(line for line in lines if line is not None).strip("\n")


def needed(all_cells: list[Cell]) -> tuple[list[str], str]:
    """The names that the code takes from the parts left out, and the code that makes them.

    >>> by_hand = [Cell("By hand", code, *names(code)) for code in ("x = 1\\nprint(x)", "y = 2")]
    >>> needed([*by_hand, *(Cell("In code", code, *names(code)) for code in ("y = 3", "x + y"))])
    (['x'], 'x = 1')
    """
    last: dict[str, int] = {}
    binders = []  # for each cell: where the names that it uses were bound
    for k, cell in enumerate(all_cells):
        binders.append({name: last[name] for name in cell.uses if name in last})
        last |= dict.fromkeys(cell.binds, k)
    out = {k for k, cell in enumerate(all_cells) if cell.part in LEFT_OUT}
    taken = {
        name: j for k, where in enumerate(binders) if k not in out for name, j in where.items() if j in out
    }
    keep, todo = set(), set(taken.values())
    while todo:
        k = todo.pop()
        keep.add(k)
        todo |= {j for j in binders[k].values() if j in out} - keep
    ordered = sorted(taken, key=lambda name: (taken[name], all_cells[taken[name]].source.find(name)))
    pieces = [makes(all_cells[k].source) for k in sorted(keep)]
    apart = ["\n\n" if "\n" in one + two else "\n" for one, two in pairwise(pieces)]
    return ordered, "".join(map("".join, zip(pieces, [*apart, ""], strict=True))) if pieces else ""


def told(taken: list[str]) -> nodes.paragraph:
    """The sentence above that code; of many names it gives the number and the first.

    >>> told([f"x{k}" for k in range(40)]).astext()[:66]
    'The code uses 40 names, among them x0, x1, x2 and x3, which are de'
    """
    many, one = len(taken) > MANY, len(taken) == 1
    named = taken[:4] if many else taken
    said = nodes.paragraph("", f"The code uses {len(taken)} names, among them " if many else "The code uses ")
    for k, name in enumerate(named):
        joint = " and " if many and name is named[-1] else ", "
        said += [nodes.Text(joint)] * (k > 0) + [nodes.literal(name, name)]
    said += nodes.Text(
        f", which {'is' if one else 'are'} defined in a part that this way of reading leaves out. "
        f"{'Its definition follows' if one else 'The definitions follow'}."
    )
    return said


class Needs(SphinxPostTransform):
    """Puts what the code needs at the head of *In code*, for those who read the code only."""

    default_priority = 260  # after the marks of the ways
    formats = ("html",)

    def run(self, **_: Any) -> None:
        if not self.env.docname.startswith("notebooks/"):
            return
        notebook = json.loads(Path(self.env.doc2path(self.env.docname)).read_text(encoding="utf8"))
        taken, code = needed(cells(notebook))
        place = next((s for s in self.document.findall(nodes.section) if "in-code" in s["ids"]), None)
        if not code or place is None:
            return
        block = nodes.literal_block(code, code, language="ipython3")
        source = nodes.container("", block, classes=["cell_input"], nb_element="cell_code_source")
        if code.count("\n") >= SHORT:
            fold = {"prompt_show": SHOW[0], "prompt_hide": SHOW[1], "classes": ["above-input"]}
            source = HideCodeCellNode("", source, **fold)
        cell = nodes.container("", source, classes=["cell"])
        place.insert(1, nodes.container("", told(taken), cell, classes=[ONLY]))


def setup(app: Any) -> dict[str, Any]:
    app.add_post_transform(Needs)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
