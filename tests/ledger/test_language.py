"""The language of the ledger computes, and reaches nothing but its operations."""

import ledger_language
import numpy as np
import pytest
from ledger_operations import OPERATIONS, THROUGH, support


def compute(text, **inputs):
    return ledger_language.compute(text, inputs, OPERATIONS)


def test_it_computes():
    X = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert compute("X.T @ X", X=X).tolist() == (X.T @ X).tolist()
    assert compute("X[1, :][::-1] / 2", X=X).tolist() == [2.0, 1.5]
    assert compute("[i * j for i in range(3) for j in range(i) if j > 0]") == [2]
    assert compute("(lambda a, b: a - b)(7, *[2])") == 5
    assert compute("1 < x < 3 and not x == 2.5", x=2) is True
    assert compute("'b' if 'b' in t.split() else 'c'", t="a b") == "b"
    assert compute("2 ** 64") == 2**64


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os')",
        "open('x')",
        "x.__class__",
        "x.T.__class__.__mro__",
        "x.tofile('somewhere')",
        "getattr(x, 'T')",
        "eval('1')",
        "next_token.__globals__",
        "(y := 3)",
        "f'{x}'",
        "lambda a=x: a",
        "len(**x)",
        "'{0.T}'.format(x)",
        "9 ** 99999",
        "1 +",
        "[i for i.real in x]",
    ],
)
def test_it_reaches_nothing_else(text):
    with pytest.raises(ledger_language.LanguageError):
        value = compute(text, x=np.zeros((2, 2)))
        if callable(value):
            value()


@pytest.mark.parametrize("path", sorted({p for paths in THROUGH.values() for p in paths.split()}))
def test_what_an_operation_names_is_public(path):
    import importlib

    assert callable(support(path))
    room, name, *_ = path.removeprefix("support.").split(".")
    module = importlib.import_module(f"support.{room}")
    assert name in module.__all__
