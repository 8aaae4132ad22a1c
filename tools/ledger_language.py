"""The small language in which an entry of the ledger says how it is computed.

An expression looks like Python (`next_token(z / 2)[0]`, `X @ W`), but it is parsed and walked here: there is
no `eval`, a name is an input of the entry or an operation of the registry, and nothing else can be reached.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

BINARY = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
    ast.MatMult: operator.matmul,
}
COMPARE = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.In: lambda a, b: a in b,
    ast.NotIn: lambda a, b: a not in b,
}
UNARY = {ast.USub: operator.neg, ast.UAdd: operator.pos, ast.Not: operator.not_}
# What may be asked of a value: attributes and methods that only compute.
ON_ARRAYS = {"T", "shape", "size", "sum", "mean", "var", "std", "max", "min", "all", "any", "argmax"}
ON_ARRAYS |= {"argmin", "imag", "real", "copy", "ravel", "tolist", "astype", "reshape"}
ON_TEXT = {"split", "join", "index"}
LARGEST_POWER = 10_000


class LanguageError(ValueError):
    """An expression uses something that the language does not have."""


def compute(text: str, inputs: Mapping[str, Any], operations: Mapping[str, Callable[..., Any]]) -> Any:
    """The value of an expression, over named inputs and named operations.

    >>> compute("twice(x) + 1", {"x": 4}, {"twice": lambda x: 2 * x})
    9
    """
    try:
        tree = ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise LanguageError(f"{text!r} is not an expression: {error.msg}") from None
    return _Walk(operations).value(tree.body, dict(inputs))


def names(text: str) -> set[str]:
    """Every name that stands in an expression.

    >>> sorted(names("twice(x) + 1"))
    ['twice', 'x']
    """
    return {node.id for node in ast.walk(ast.parse(text, mode="eval")) if isinstance(node, ast.Name)}


class _Walk:
    """One visit of the tree; `scope` maps the names that are bound here to their values."""

    def __init__(self, operations: Mapping[str, Callable[..., Any]]) -> None:
        self.operations = operations

    def value(self, node: ast.AST, scope: dict[str, Any]) -> Any:
        visit = getattr(self, f"_{type(node).__name__}", None)
        if visit is None:
            raise LanguageError(f"the language has no {type(node).__name__}")
        return visit(node, scope)

    def _Constant(self, node, scope):
        return node.value

    def _Name(self, node, scope):
        if node.id in scope:
            return scope[node.id]
        if node.id in self.operations:
            return self.operations[node.id]
        raise LanguageError(f"{node.id!r} is neither an input of the entry nor an operation")

    def _List(self, node, scope):
        out = []
        for item in node.elts:
            if isinstance(item, ast.Starred):
                out.extend(self.value(item.value, scope))
            else:
                out.append(self.value(item, scope))
        return out

    def _Tuple(self, node, scope):
        return tuple(self._List(node, scope))

    def _BinOp(self, node, scope):
        left, right = self.value(node.left, scope), self.value(node.right, scope)
        if type(node.op) not in BINARY:
            raise LanguageError(f"the language has no {type(node.op).__name__}")
        if isinstance(node.op, ast.Pow) and np.max(np.abs(right)) > LARGEST_POWER:
            raise LanguageError(f"a power of {right} is too large")
        # Lists count as arrays in sums and products; text is joined.
        if isinstance(left, list) or isinstance(right, list):
            left, right = np.asarray(left), np.asarray(right)
        return BINARY[type(node.op)](left, right)

    def _UnaryOp(self, node, scope):
        if type(node.op) not in UNARY:
            raise LanguageError(f"the language has no {type(node.op).__name__}")
        value = self.value(node.operand, scope)
        return UNARY[type(node.op)](np.asarray(value) if isinstance(value, list) else value)

    def _BoolOp(self, node, scope):
        stop = isinstance(node.op, ast.Or)
        for item in node.values:
            value = self.value(item, scope)
            if bool(value) == stop:
                return value
        return value

    def _Compare(self, node, scope):
        left, result = self.value(node.left, scope), True
        for op, item in zip(node.ops, node.comparators, strict=True):
            if type(op) not in COMPARE:
                raise LanguageError(f"the language has no {type(op).__name__}")
            right = self.value(item, scope)
            result = COMPARE[type(op)](left, right)
            if not isinstance(result, np.ndarray) and not result:
                return False
            left = right
        return result

    def _IfExp(self, node, scope):
        return self.value(node.body if self.value(node.test, scope) else node.orelse, scope)

    def _Subscript(self, node, scope):
        value = self.value(node.value, scope)
        key = self.value(node.slice, scope)
        return (np.asarray(value) if isinstance(value, list) and isinstance(key, tuple) else value)[key]

    def _Slice(self, node, scope):
        parts = (node.lower, node.upper, node.step)
        return slice(*(None if n is None else self.value(n, scope) for n in parts))

    def _Attribute(self, node, scope):
        value = self.value(node.value, scope)
        if isinstance(value, str):
            known = ON_TEXT
        else:
            known = ON_ARRAYS | ({"index"} if isinstance(value, list) else set())
            if not hasattr(value, node.attr):
                value = np.asarray(value)
        if node.attr not in known:
            raise LanguageError(f"the language has no .{node.attr}")
        return getattr(value, node.attr)

    def _Call(self, node, scope):
        function = self.value(node.func, scope)
        arguments = []
        for item in node.args:
            if isinstance(item, ast.Starred):
                arguments.extend(self.value(item.value, scope))
            else:
                arguments.append(self.value(item, scope))
        keywords = {}
        for word in node.keywords:
            if word.arg is None:
                raise LanguageError("the language has no **")
            keywords[word.arg] = self.value(word.value, scope)
        return function(*arguments, **keywords)

    def _Lambda(self, node, scope):
        parameters = [a.arg for a in node.args.args]
        if node.args.defaults or node.args.kwonlyargs or node.args.vararg or node.args.kwarg:
            raise LanguageError("a lambda has plain parameters only")

        def function(*arguments):
            return self.value(node.body, {**scope, **dict(zip(parameters, arguments, strict=True))})

        return function

    def _ListComp(self, node, scope):
        return [self.value(node.elt, inner) for inner in self._rounds(node.generators, scope)]

    def _GeneratorExp(self, node, scope):
        return self._ListComp(node, scope)

    def _SetComp(self, node, scope):
        return set(self._ListComp(node, scope))

    def _rounds(self, generators, scope):
        if not generators:
            yield scope
            return
        first, *others = generators
        for item in self.value(first.iter, scope):
            inner = dict(scope)
            self._bind(first.target, item, inner)
            if all(self.value(test, inner) for test in first.ifs):
                yield from self._rounds(others, inner)

    @staticmethod
    def _bind(target, item, scope):
        if isinstance(target, ast.Name):
            scope[target.id] = item
        elif isinstance(target, ast.Tuple) and all(isinstance(t, ast.Name) for t in target.elts):
            for name, part in zip(target.elts, item, strict=True):
                scope[name.id] = part
        else:
            raise LanguageError("a loop binds names only")
