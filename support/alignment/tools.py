"""Tools: ordinary programs that take a text and give a text back. None of them knows of a model."""

import datetime
import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Protocol, runtime_checkable

from support.core import InputError

LONGEST = 200  # characters of an expression
MOST_DIGITS = 50  # of a number, in an expression or as a result
DEEPEST = 20  # brackets within brackets

_SIGNS = {"×": "*", "÷": "/", "−": "-", "·": "*"}
_TOKEN = re.compile(r"\d+|[-+*/()]")


class ToolError(InputError):
    """A tool cannot do what was asked; the message is one sentence, which may be shown to the model."""


@runtime_checkable
class Tool(Protocol):
    """What a harness can run: a function from the words of a request to a text."""

    def __call__(self, request: str) -> str:
        """The answer to a request.

        Raises:
            ToolError: the request makes no sense.
        """
        ...


class Calculator:
    """Exact arithmetic on digits, ``+ − × ÷`` and brackets; a parser of its own, so that no code can be run.

    Results are whole numbers or fractions. Spaces between digits are left out, because a model may write
    each digit as a token.

    >>> calculator = Calculator()
    >>> calculator("3 4 7 + 5 8 5"), calculator("12*(3+4)"), calculator("1/3 - 1/2")
    ('932', '84', '-1/6')
    >>> calculator("__import__('os')")
    Traceback (most recent call last):
    support.alignment.tools.ToolError: A sum holds digits, + - * / and brackets only; leave out '_'.
    """

    def __call__(self, request: str) -> str:
        """The value of an expression.

        Raises:
            ToolError: it is no expression, too long, divides by zero, or its result has too many digits.
        """
        text = "".join(_SIGNS.get(c, c) for c in request if not c.isspace())
        if len(text) > LONGEST:
            raise ToolError(f"A sum may have {LONGEST} characters; this one has {len(text):,}.")
        strange = _TOKEN.sub("", text)
        if strange:
            raise ToolError(f"A sum holds digits, + - * / and brackets only; leave out {strange[0]!r}.")
        parser = _Parser(_TOKEN.findall(text))
        value = parser.sum()
        if parser.left():
            raise ToolError(f"The sum {text!r} does not end where it should; look at {parser.left()[0]!r}.")
        return _shown(value)


class _Parser:
    """Recursive descent: a sum of products of signed numbers or brackets."""

    def __init__(self, tokens: list[str]) -> None:
        self.tokens, self.at, self.depth = tokens, 0, 0

    def left(self) -> list[str]:
        return self.tokens[self.at :]

    def sum(self) -> Fraction:
        value = self.product()
        while self.left()[:1] in (["+"], ["-"]):
            sign = self.next()
            value = _small(value + self.product() if sign == "+" else value - self.product())
        return value

    def product(self) -> Fraction:
        value = self.signed()
        while self.left()[:1] in (["*"], ["/"]):
            sign, other = self.next(), self.signed()
            if sign == "/" and not other:
                raise ToolError("Nothing can be divided by zero.")
            value = _small(value * other if sign == "*" else value / other)
        return value

    def signed(self) -> Fraction:
        sign = 1
        while self.left()[:1] in (["+"], ["-"]):
            sign *= -1 if self.next() == "-" else 1
        return sign * self.atom()

    def atom(self) -> Fraction:
        token = self.next()
        if token == "(":
            self.depth += 1
            if self.depth > DEEPEST:
                raise ToolError(f"A sum may have {DEEPEST} brackets within brackets.")
            value = self.sum()
            if self.next() != ")":
                raise ToolError("A bracket is opened and not closed.")
            self.depth -= 1
            return value
        if not token.isdigit():
            raise ToolError(f"A number is missing before {token!r}." if token else "The sum ends too early.")
        return _small(Fraction(int(token)))

    def next(self) -> str:
        token = self.left()[0] if self.left() else ""
        self.at += 1
        return token


def _small(value: Fraction) -> Fraction:
    if max(abs(value.numerator), value.denominator) >= 10**MOST_DIGITS:
        raise ToolError(f"A number in this sum has more than {MOST_DIGITS} digits.")
    return value


def _shown(value: Fraction) -> str:
    return str(value)


class LookUp:
    """A table that is asked by name, such as a list of prices.

    >>> LookUp({"apples": "7"})("apples")
    '7'
    """

    def __init__(self, table: Mapping[str, str]) -> None:
        self.table = dict(table)

    def __call__(self, request: str) -> str:
        """The entry of that name.

        Raises:
            ToolError: there is none.
        """
        if request.strip() not in self.table:
            raise ToolError(f"There is no entry {request.strip()!r}.")
        return self.table[request.strip()]


class Clock:
    """The time of day, as ``HH:MM``.

    Args:
        now: gives the time; the computer's own clock if not given. A test gives its own.

    >>> Clock(lambda: datetime.time(9, 5))("")
    '09:05'
    """

    def __init__(self, now: Callable[[], datetime.time] | None = None) -> None:
        self.now = now or (lambda: datetime.datetime.now().time())

    def __call__(self, request: str) -> str:
        """The time; the request is not read."""
        return self.now().strftime("%H:%M")


class Scripted:
    """Answers prepared beforehand, given out one after the other, whatever is asked; for experiments.

    >>> tool = Scripted(["7", "8"])
    >>> tool("anything"), tool("else")
    ('7', '8')
    """

    def __init__(self, answers: list[str]) -> None:
        self.answers, self.requests = list(answers), list[str]()

    def __call__(self, request: str) -> str:
        """The next answer; the request is kept in ``requests``.

        Raises:
            ToolError: all answers are given out.
        """
        self.requests.append(request)
        if len(self.requests) > len(self.answers):
            raise ToolError("No answer is left.")
        return self.answers[len(self.requests) - 1]
