"""The code of a claim as a reader sees it, and the parts of the package that it goes through."""

import ast
import functools
import importlib
import inspect
import textwrap
import types
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]
DESCRIPTIONS = {"GPTConfig", "TrainConfig"}  # what describes a model or a training, and computes nothing


@functools.cache
def _module(name: str) -> tuple[list[str], ast.Module]:
    """A module's lines and its tree."""
    text = inspect.getsource(importlib.import_module(name))
    return text.splitlines(), ast.parse(text)


@functools.cache
def _functions(module: str) -> dict[str, ast.FunctionDef]:
    """The functions of a module by name."""
    return {node.name: node for node in _module(module)[1].body if isinstance(node, ast.FunctionDef)}


def tree(function: Function) -> ast.FunctionDef:
    """The definition of a function."""
    return _functions(function.__module__)[function.__name__]


def body(function: Function) -> str:
    """The lines of a function without its decorator and docstring."""
    definition = tree(function)
    lines = _module(function.__module__)[0]
    return textwrap.dedent("\n".join(lines[definition.body[0].end_lineno : definition.end_lineno])).strip()


def result(function: Function) -> str:
    """The expression that a function returns."""
    return ast.unparse(tree(function).body[-1].value)


def constants(function: Function) -> str:
    """What a claim uses of its own file and of the worked example: shared numbers, small functions."""
    known = _assignments("book.ledger.example") | _assignments(function.__module__)
    given = {name for name in _names(function) if name in function.__globals__}
    return "\n".join(lines for name, lines in known.items() if name in given)


@functools.cache
def _assignments(module: str) -> dict[str, str]:
    """The names that a module's top level gives a value, with the lines that do so; its claims left out."""
    lines, whole = _module(module)
    found = {}
    for node in whole.body:
        if isinstance(node, ast.Assign):
            names = [target.id for target in node.targets if isinstance(target, ast.Name)]
        else:
            names = [node.name] if isinstance(node, ast.FunctionDef) and not node.decorator_list else []
        found.update(dict.fromkeys(names, "\n".join(lines[node.lineno - 1 : node.end_lineno])))
    return found


def _names(function: Function) -> list[str]:
    """The names that a function reads and does not give a value itself."""
    nodes = [node for node in ast.walk(tree(function)) if isinstance(node, ast.Name)]
    local = {node.id for node in nodes if isinstance(node.ctx, ast.Store)}
    return [name for name in dict.fromkeys(node.id for node in nodes) if name not in local]


def _is(node: ast.expr, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name


@functools.cache
def through(function: Function) -> tuple[str, ...]:
    """The public callables of `support` that a function calls, itself or by helpers of the ledger."""
    space, found = function.__globals__, set()
    for name in _names(function):
        known = space.get(name)
        if isinstance(known, types.FunctionType) and known.__module__.startswith("book.ledger."):
            found.update(through(known))
        if isinstance(known, types.ModuleType) and known.__name__.startswith("support."):
            nodes = (node for node in ast.walk(tree(function)) if isinstance(node, ast.Attribute))
            found.update(f"{known.__name__}.{node.attr}" for node in nodes if _is(node.value, name))
    return tuple(sorted(path for path in found if path.rpartition(".")[2] not in DESCRIPTIONS))
