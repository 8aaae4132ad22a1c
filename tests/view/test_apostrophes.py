"""What a live figure or a question shows has the apostrophes and quotation marks of printed text."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LIVE = ROOT / "support" / "view" / "live"
STRAIGHT = re.compile(r"[A-Za-z]'(?:s|t|re|ll|ve|d|m)?(?![\w'])")
COMMENT = re.compile(r"^\s*//.*$|\s//\s.*$", re.M)
LITERAL = re.compile(r'"(?:[^"\\\n]|\\.)*"|`(?:[^`\\]|\\.)*`')


def said(tree):
    """The strings of a module that are no docstrings, and not raised: whoever writes Python reads those."""
    docs = {id(part) for node in ast.walk(tree) if isinstance(node, ast.Raise) for part in ast.walk(node)}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.FunctionDef, ast.ClassDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant):
                docs.add(id(first.value))
    strings = [node for node in ast.walk(tree) if isinstance(node, ast.Constant) and id(node) not in docs]
    return [node.value for node in strings if isinstance(node.value, str)]


@pytest.mark.parametrize("path", sorted(LIVE.rglob("*.py")), ids=lambda p: p.relative_to(LIVE).as_posix())
def test_no_string_of_a_live_figure_has_a_straight_apostrophe(path):
    strings = said(ast.parse(path.read_text(encoding="utf8")))
    assert [text for text in strings if STRAIGHT.search(text) and "\\" not in text] == []


SCRIPTS = sorted([*LIVE.rglob("*.js"), *(ROOT / "book" / "assets").glob("*.js")])


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: f"{p.parent.name}/{p.name}")
def test_no_script_says_a_word_with_a_straight_apostrophe(path):
    code = COMMENT.sub("", path.read_text(encoding="utf8"))
    found = [text for text in LITERAL.findall(code) if re.search(r"[A-Za-z]'(?:s|t|re|ll|ve|d|m)\b", text)]
    assert found == []
