"""What makes a notebook fit for the book: each rule is a function that returns complaints."""

import ast
import re
import statistics
from pathlib import Path
from typing import Any

import refresh

SKIP_TAGS = {"nbval-skip", "nbval-ignore-output"}
SKIP_COMMENT = re.compile(r"#\s*(NBVAL_SKIP|NBVAL_IGNORE_OUTPUT|PYTEST_VALIDATE_IGNORE_OUTPUT)")
MYST = re.compile(r"\{[a-zA-Z][\w:+-]*\}`|^\s*(?:`{3,}|:{3,})\{|^\([\w-]+\)=\s*$|^\+\+\+", re.M)


def code_cells(notebook) -> list[tuple[int, Any]]:
    """Each cell of code that is not empty, with its place."""
    cells = enumerate(notebook["cells"])
    return [(k, c) for k, c in cells if c["cell_type"] == "code" and c["source"].strip()]


def is_skipped(cell) -> bool:
    """Its output is not compared."""
    return bool(SKIP_TAGS & set(cell["metadata"].get("tags", []))) or bool(
        SKIP_COMMENT.search(cell["source"])
    )


def _pictures(cell):
    kinds = ("image/png", "image/svg+xml", "image/jpeg")
    return [o for o in cell["outputs"] if any(kind in o.get("data", {}) for kind in kinds)]


def executed(notebook) -> list[str]:
    """Every code cell has been run, in order, in one go."""
    found = [c["execution_count"] for _, c in code_cells(notebook)]
    return (
        []
        if found == list(range(1, len(found) + 1))
        else [f"execution counts are {found}: run tools/refresh.py"]
    )


def quiet(notebook) -> list[str]:
    """Nothing stored on stderr; an error only where the cell says that it is expected."""
    complaints = []
    for k, cell in code_cells(notebook):
        for output in cell["outputs"]:
            if output.get("name") == "stderr":
                complaints.append(f"cell {k} stores stderr: {output['text'][:120]!r}")
            if output["output_type"] == "error" and "raises-exception" not in cell["metadata"].get(
                "tags", []
            ):
                complaints.append(f"cell {k} stores an error: {output['ename']}")
    return complaints


def skips(notebook) -> list[str]:
    """At most one output in ten is not compared, each with its reason in the cell's metadata."""
    outputs = [(k, c) for k, c in code_cells(notebook) if c["outputs"]]
    skipped = [(k, c) for k, c in outputs if is_skipped(c)]
    complaints = [
        f"cell {k} is skipped without a reason" for k, c in skipped if not c["metadata"].get("reason")
    ]
    if len(skipped) > 0.1 * len(outputs):
        complaints.append(
            f"{len(skipped)} of {len(outputs)} outputs are not compared: one in ten is the limit"
        )
    return complaints


def short_cells(notebook) -> list[str]:
    """Median five lines or fewer, nine cells in ten under twelve, none over twenty-five."""
    lines = sorted(len(c["source"].strip().splitlines()) for _, c in code_cells(notebook))
    complaints = []
    if not lines:
        return ["there is no code cell"]
    if statistics.median(lines) > 5:
        complaints.append(f"the median cell has {statistics.median(lines):g} lines: five is the limit")
    if lines[int(0.9 * (len(lines) - 1))] >= 12:
        complaints.append(
            f"the longest cells have {lines[-len(lines) // 10 - 1 :]} lines: nine in ten under 12"
        )
    if lines[-1] > 25:
        complaints.append(f"the longest cell has {lines[-1]} lines: 25 is the limit")
    return complaints


def described_pictures(notebook) -> list[str]:
    """One picture a cell, with an alternative text that states the finding, beside the numbers it draws."""
    complaints = []
    for k, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "markdown":
            if re.search(r"!\[\s*\]\(|<img(?![^>]*\balt=\"[^\"]+\")", cell["source"]):
                complaints.append(f"cell {k} has an image without alternative text")
            continue
        pictures = _pictures(cell) if cell["cell_type"] == "code" else []
        if not pictures:
            continue
        alt = cell["metadata"].get("mystnb", {}).get("image", {}).get("alt", "")
        printed = "".join(o.get("text", "") for o in cell["outputs"] if o["output_type"] == "stream")
        printed += "".join(
            o["data"].get("text/plain", "") for o in cell["outputs"] if "data" in o and o not in pictures
        )
        if len(pictures) > 1:
            complaints.append(f"cell {k} shows {len(pictures)} pictures: one a cell")
        if len(alt) < 30:
            complaints.append(f"cell {k} shows a picture whose alternative text is {alt!r}")
        # The text of a drawing is compared as it is, with all of its numbers.
        drawn = all("image/png" not in o["data"] for o in pictures)
        if not drawn and not re.search(r"\d", printed):
            complaints.append(f"cell {k} draws numbers but prints none: pictures are not compared")
    return complaints


def telling(notebook) -> list[str]:
    """At most a quarter of the compared outputs are a bare True or False."""
    compared = [c for _, c in code_cells(notebook) if c["outputs"] and not is_skipped(c)]
    bare = [c for c in compared if refresh.compared_text(c).strip() in ("True", "False")]
    if len(bare) > 0.25 * len(compared):
        return [f"{len(bare)} of {len(compared)} outputs are a bare True or False: a quarter is the limit"]
    return []


def plain_markdown(notebook) -> list[str]:
    """CommonMark only: Colab shows the roles and directives of Sphinx raw."""
    return [
        f"cell {k} uses MyST: {found.group()!r}"
        for k, c in enumerate(notebook["cells"])
        if c["cell_type"] == "markdown"
        and (found := MYST.search(re.sub(r"`{3,}[^`{]*?`{3,}", "", c["source"], flags=re.S)))
    ]


def stamped(notebook) -> list[str]:
    """The first code cell is the one that makes `support` importable, with the address of the repository."""
    code = code_cells(notebook)
    if code and code[0][1]["source"] == refresh.first_cell():
        return []
    return ["the first code cell is not that of tools/first_cell.py: run tools/refresh.py --no-run"]


def links(notebook, folder: Path) -> list[str]:
    """Links to other files of the book lead somewhere."""
    complaints = []
    for k, cell in enumerate(notebook["cells"]):
        if cell["cell_type"] == "markdown":
            text = re.sub(r"`[^`]*`", "", cell["source"])
            for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text):
                if not (folder / target).exists():
                    complaints.append(f"cell {k} links to {target}, which does not exist")
    return complaints


def checks_repeat(notebook) -> list[str]:
    """After all cells have run, the check of an exercise still finds its own cases and mistakes."""
    trees = [
        (k, ast.parse(re.sub(r"^[%!].*$", "", c["source"], flags=re.M))) for k, c in code_cells(notebook)
    ]
    functions = [n for _, tree in trees for n in tree.body if isinstance(n, ast.FunctionDef)]
    answers = {f.name for f in functions if getattr(getattr(f.body[-1], "value", 0), "value", 0) is ...}
    complaints = []
    for at, (k, tree) in enumerate(trees):
        calls = [n.value for n in tree.body if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call)]
        checks = [call for call in calls if getattr(call.func, "id", "") == "check"]
        read = {n.id for check in checks for n in ast.walk(check) if isinstance(n, ast.Name)} - answers
        for later, other in trees[at + 1 :]:
            complaints += [
                f"cell {later} makes {name!r} anew, which the check in cell {k} reads"
                for name in sorted(read & _made(other))
            ]
    return complaints


def _made(tree) -> set[str]:
    """The names that a cell assigns or defines."""
    made = {n.name for n in tree.body if isinstance(n, ast.FunctionDef | ast.ClassDef)}
    targets = [t for n in tree.body if isinstance(n, ast.Assign) for t in n.targets]
    return made | {n.id for t in targets for n in ast.walk(t) if isinstance(n, ast.Name)}


RULES = (
    checks_repeat,
    executed,
    quiet,
    skips,
    short_cells,
    described_pictures,
    telling,
    plain_markdown,
    stamped,
)
