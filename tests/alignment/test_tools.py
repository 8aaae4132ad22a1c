"""Tools: the calculator against Python's own arithmetic, and what it refuses."""

import ast
import datetime
import random
from fractions import Fraction

import pytest

from support.alignment.tools import Calculator, Clock, LookUp, Scripted, Tool, ToolError


def expression(draw, depth=0):
    """A random expression of whole numbers; Python's own operators know its exact value."""
    if depth > 3 or draw.random() < 0.3:
        return str(draw.randrange(50))
    a, b = expression(draw, depth + 1), expression(draw, depth + 1)
    text = f"{a}{draw.choice('+-*/')}{b}"
    return f"({text})" if draw.random() < 0.5 else draw.choice(["", "-"]) + text


def exactly(text):
    """The value of an expression by Python's own parser, in fractions."""

    def value(node):
        if isinstance(node, ast.Constant):
            return Fraction(node.value)
        if isinstance(node, ast.UnaryOp):
            return -value(node.operand) if isinstance(node.op, ast.USub) else value(node.operand)
        a, b = value(node.left), value(node.right)
        return {"Add": a.__add__, "Sub": a.__sub__, "Mult": a.__mul__, "Div": a.__truediv__}[
            type(node.op).__name__
        ](b)

    # Python refuses 007; our numbers have no leading zeros.
    return value(ast.parse(text, mode="eval").body)


def test_the_calculator_is_pythons_arithmetic():
    draw, n = random.Random(0), 0
    while n < 400:
        text = expression(draw)
        try:
            want = str(exactly(text))
        except ZeroDivisionError:
            with pytest.raises(ToolError, match="zero"):
                Calculator()(text)
            continue
        if len(text) <= 200:
            assert Calculator()(text) == want, text
            n += 1


@pytest.mark.parametrize(
    "request_, sentence",
    [
        ("__import__('os')", "leave out '_'"),
        ("2+x", "leave out 'x'"),
        ("9" * 201, "200 characters"),
        ("9" * 60, "50 digits"),
        ("*".join(["9" * 9] * 12), "50 digits"),
        ("(" * 30 + "1" + ")" * 30, "20 brackets"),
        ("(1+2", "not closed"),
        ("1+2)", "does not end"),
        ("1+*2", "missing before"),
        ("", "ends too early"),
        ("1/0", "zero"),
        ("2**9", "missing before"),
    ],
)
def test_a_bad_sum_is_refused_in_a_sentence(request_, sentence):
    with pytest.raises(ToolError, match=sentence.replace("*", r"\*")):
        Calculator()(request_)


def test_typographic_signs_and_spaced_digits():
    assert Calculator()("1 2 × 3 − 8 ÷ 2") == "32"


def test_the_other_tools():
    assert LookUp({"apples": "7"})(" apples ") == "7"
    with pytest.raises(ToolError, match="no entry 'pears'"):
        LookUp({"apples": "7"})("pears")
    assert Clock(lambda: datetime.time(23, 59))("") == "23:59"
    assert len(Clock()("")) == 5
    scripted = Scripted(["a"])
    assert scripted("x") == "a" and scripted.requests == ["x"]
    with pytest.raises(ToolError, match="No answer"):
        scripted("y")
    assert all(isinstance(tool, Tool) for tool in (Calculator(), LookUp({}), Clock(), scripted))
