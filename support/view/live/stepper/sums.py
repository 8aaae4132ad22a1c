"""Sums as they are written beside a number: how their terms are put together, and what they come to."""

import math
import re
from collections.abc import Iterable

from support.view.live.controls import shown

# The signs of a written sum, and what they are in Python.
WRITTEN = {"−": "-", "·": "*", "÷": "/", "²": "**2", "∞": "inf", "√": "sqrt ", "e^": "exp ", "ln": "log"}
NAMES = {"exp": math.exp, "sqrt": math.sqrt, "log": math.log, "max": max, "inf": math.inf}


def added(terms: Iterable[str]) -> str:
    """Terms with plus and minus between them.

    >>> added(["2 · 3", "−1 · 4", "5"])
    '2 · 3 − 1 · 4 + 5'
    """
    return re.sub(r"\+ −", "− ", " + ".join(terms))


def factor(number: str) -> str:
    """A second factor: in brackets, if it begins with a minus sign.

    >>> factor("−0.5"), factor("2")
    ('(−0.5)', '2')
    """
    return f"({number})" if number.startswith("−") else number


def comes_to(how: str) -> float:
    """The value of a sum of numbers as it is written.

    >>> comes_to("0.5 · (−4) + √900.0 ÷ 3"), comes_to("−ln 1 + max(0, −2) + 3²")
    (8.0, 9.0)
    """
    for sign, word in WRITTEN.items():
        how = how.replace(sign, word)
    return float(eval(re.sub(r"(log|sqrt) ([\d.]+)", r"\1(\2)", how), {"__builtins__": {}}, NAMES))


def sign_before(text: str, how: str, digits: int) -> str:
    """= if a number is what its sum comes to as both are written, ≈ if rounding has moved its last digit.

    >>> sign_before("0.33", "1 ÷ 3", 2), sign_before("15.139", "25 · 0.606", 3)
    ('=', '≈')
    """
    return "=" if shown(comes_to(how), digits) == text else "≈"
