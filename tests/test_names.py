"""The names in our code are the field's: what we define bears none of the private words that were given up.

The list is the left column of the table of terms in the style guide, as far as its words have no other use in
code. A word counts wherever code defines it: functions, classes, arguments, variables, files.
"""

import ast
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
OLD = {
    *("slope", "slopes", "blame", "blames", "pull", "chance", "chances", "surprise", "surprises", "faces"),
    *(
        "bend",
        "bends",
        "bell",
        "bells",
        "coins",
        "look",
        "looks",
        "looked",
        "lane",
        "lanes",
        "wish",
        "wishes",
    ),
    *("deserved", "price", "prices", "sight", "sights", "never", "expand", "contract", "likeness"),
    *("exam", "exams", "striking", "lossof", "tokenlosses", "makesight"),
}
STANDARD = {"alibi_slopes", "slopes"}  # ALiBi's own word
EXCEPT = {"_look_up", "LookUp", "_price"}  # another meaning
TREES = ("support", "benchmarks", "tools", "book/ext", "book/ledger", "tests")


def sources(*endings: str) -> list[Path]:
    """The files of ours that git knows, or, without git, all that there are."""
    command = ["git", "ls-files", "--", *TREES, "book/assets"]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    known = found.stdout.splitlines() if found.returncode == 0 else []
    files = [ROOT / name for name in known] or [p for tree in TREES for p in (ROOT / tree).rglob("*")]
    ours = [p for p in files if p.suffix in endings and "katex" not in p.parts and p.exists()]
    assert ours
    return ours


def words(name: str) -> set[str]:
    """The words in a name.

    >>> sorted(words("headPattern_z"))
    ['head', 'pattern', 'z']
    """
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


def defined(tree: ast.AST) -> set[str]:
    """All names that a module defines."""
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name) | ast.arg(arg=name):
                found.add(name)
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                found.add(name)
    return {name for name in found if not name.startswith("test_")}  # those are sentences


def old(names: set[str]) -> set[str]:
    """Those that have an old word in them."""
    return {n for n in names - STANDARD - EXCEPT if words(n) & OLD or n.replace("_", "").lower() in OLD}


def test_python_defines_no_old_name():
    found = {str(p.relative_to(ROOT)): old(defined(ast.parse(p.read_text("utf8")))) for p in sources(".py")}
    assert not {path: names for path, names in found.items() if names}


def test_javascript_defines_no_old_name():
    known = r"\b(?:const|let|var|function)\s+(\w+)|,\s*(\w+) = |this\.(\w+) =|^\s+(\w+)\(.*\) \{$"
    pattern = re.compile(known, re.M)
    found = {
        str(p.relative_to(ROOT)): old(
            {name for some in pattern.findall(p.read_text("utf8")) for name in some}
        )
        for p in sources(".js")
    }
    assert len(found) > 10 and not {path: names for path, names in found.items() if names}


def test_no_file_bears_an_old_name():
    assert not old({p.stem for p in sources(".py", ".js", ".json", ".css")})


@pytest.mark.parametrize(
    "code", ["def blame(): ...", "f = lambda never: 0", "self.lanes = 1", "for wish in x: ..."]
)
def test_an_old_name_would_be_found(code):
    assert old(defined(ast.parse(code)))
