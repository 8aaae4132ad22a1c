"""Showing the package's own code: what a chapter prints is what runs."""

import ast
import inspect
import textwrap
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from support.core import InputError


@dataclass(frozen=True)
class Listing:
    """Python code to be shown. Made by `source`."""

    code: str

    def __repr__(self) -> str:
        return self.code

    def _repr_markdown_(self) -> str:
        # Four backticks, so that a fence inside a docstring does not end the block.
        return f"````python\n{self.code}\n````"


def source(*things: Any, docstring: bool = False) -> Listing:
    """The code of functions, methods or classes as it stands in the package.

    Args:
        things: what to show, in this order.
        docstring: show the documentation too; without it, only code and comments.

    Raises:
        InputError: nothing was given, or something that has no Python source.

    >>> from support.worlds.base import entropy
    >>> source(entropy)
    # support/worlds/base.py
    def entropy(distribution: Mapping[str, float]) -> float:
        return -math.fsum(p * math.log(p) for p in distribution.values() if p > 0)
    """
    if not things:
        raise InputError("name at least one function or class to show")
    blocks, last = [], None
    for thing in things:
        try:
            found = inspect.unwrap(thing)
            code = textwrap.dedent(inspect.getsource(found)).rstrip()
            file = Path(inspect.getsourcefile(found) or "")
        except (TypeError, OSError):
            raise InputError(f"{thing!r} has no Python source to show; give a function or class") from None
        code = code if docstring else _without_docstrings(code)
        place = "/".join(file.parts[file.parts.index("support") :]) if "support" in file.parts else None
        blocks.append(f"# {place}\n{code}" if place and place != last else code)
        last = place
    return Listing("\n\n\n".join(blocks))


def _without_docstrings(code: str) -> str:
    lines: list[str | None] = list(code.split("\n"))
    kinds = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
    for node in ast.walk(ast.parse(code)):
        if not isinstance(node, kinds) or ast.get_docstring(node) is None or len(node.body) == 1:
            continue
        text = node.body[0]
        end = text.end_lineno or text.lineno
        lines[text.lineno - 1 : end] = [None] * (end - text.lineno + 1)
        if lines[end:] and lines[end] == "":  # the blank line that followed it
            lines[end] = None
    return "\n".join(line for line in lines if line is not None)
