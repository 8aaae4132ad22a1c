"""Tables: Markdown for the page, plain text for a comparison that a person can read."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
from torch import Tensor

from support.core import InputError

LONG, THOUSAND = 10_000, 1_000  # a number has commas from LONG on; beside one that has, from a thousand on
RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")
NUMBER = r"-?(\d[\d,]*)?\.?\d+(e[-+]?\d+)?\s?%?"
WRITTEN = re.compile(rf"{NUMBER}(( to | … |,? ){NUMBER})*")  # numbers, or a range of them, that came as text


@dataclass(frozen=True)
class Table:
    """Rows of text, right-aligned where they hold numbers. Made by `table` and `matrix`."""

    rows: tuple[tuple[str, ...], ...]
    columns: tuple[str, ...]
    right: tuple[bool, ...]
    caption: str | None = None

    def __repr__(self) -> str:
        lines = [self.columns, *self.rows] if any(self.columns) else self.rows
        widths = [max(len(line[i]) for line in lines) for i in range(len(self.columns))]
        text = "\n".join(
            "  ".join(
                cell.rjust(w) if r else cell.ljust(w)
                for cell, w, r in zip(line, widths, self.right, strict=True)
            ).rstrip()
            for line in lines
        )
        return f"{self.caption}\n{text}" if self.caption else text

    def _repr_markdown_(self) -> str:
        rule = ["---:" if right else ":---" for right in self.right]
        lines = [map(_escape, self.columns), rule, *(map(_escape, row) for row in self.rows)]
        body = "\n".join("| " + " | ".join(line) + " |" for line in lines)
        return f"{self.caption}\n\n{body}" if self.caption else body


def table(
    rows: Iterable[Sequence[Any]],
    columns: Sequence[Any] | None = None,
    digits: int = 3,
    caption: str | None = None,
    right: bool = False,
) -> Table:
    """A table of anything: text as it is, numbers rounded, True and False as yes and no.

    Args:
        rows: one sequence of cells per row; a cell may be text, a number, or a tensor of one number.
        columns: the headings.
        digits: digits after the point, for what is not a whole number.
        caption: a sentence above the table.
        right: right-align all columns but the first, for numbers that are given as text.

    Raises:
        InputError: there is no row, or a row has not as many cells as the others.

    >>> table([["cat", 0.51234, True], ["law", -0.00001, False]], columns=["word", "cos", "animal"], digits=2)
    word   cos  animal
    cat   0.51     yes
    law   0.00      no

    A column groups its digits in one way; years alone have no commas.

    >>> table([[2017, 5150], [2026, 20300]])
    2017   5,150
    2026  20,300
    """
    body = [list(row) for row in rows]
    if not body:
        raise InputError("a table needs at least one row")
    heads = [str(name) for name in columns] if columns is not None else [""] * len(body[0])
    for number, row in enumerate(body, 1):
        if len(row) != len(heads):
            raise InputError(f"row {number} has {len(row)} cells for {len(heads)} columns; make them equal")
    aligned = tuple(
        (right and i > 0) or not any(isinstance(row[i], str) for row in body) for i in range(len(heads))
    )
    long = [_commas_from([row[i] for row in body]) for i in range(len(heads))]
    texts = tuple(tuple(map(cell_text, row, [digits] * len(row), long)) for row in body)
    return Table(texts, tuple(heads), aligned, caption)


def matrix(
    M: Any,
    rows: Sequence[Any] | None = None,
    columns: Sequence[Any] | None = None,
    digits: int = 2,
    caption: str | None = None,
    printed: Any = None,
    printed_digits: int | None = None,
    corner: str = "",
) -> Table:
    """A vector or matrix of numbers, with names for its rows and columns.

    Args:
        M: a tensor, an array or nested lists; a vector is one row.
        rows: the names of the rows; a single word counts them, as in dim 0, dim 1.
        columns: the names of the columns, or a single word that counts them.
        digits: digits after the point; a matrix of whole numbers shows none.
        caption: a sentence above it.
        printed: what a text prints in the same places; where it is not `M` rounded, it stands behind a ≠.
        printed_digits: digits after the point in that text; `digits` if not given.
        corner: the heading of the names of the rows.

    Raises:
        InputError: `M` has more than two dimensions or is empty, or the names or the print do not fit it.

    >>> matrix([[1.0, -0.5], [0.0, float("-inf")]], rows=["the", "cat"], columns=["the", "cat"])
          the    cat
    the  1.00  −0.50
    cat  0.00     −∞
    >>> matrix([[0.5, 2.0]], rows=["cat"], columns="dim", digits=1)
         dim 0  dim 1
    cat    0.5    2.0
    >>> matrix([[0.5, 2.0]], rows=["cat"], columns="dim", digits=1, corner="word")
    word  dim 0  dim 1
    cat     0.5    2.0
    >>> matrix([0.504, -0.5], printed=[0.5, 0.5])
    0.50  −0.50 ≠ 0.50
    """
    values = np.atleast_2d(np.asarray(M.detach().cpu().double() if isinstance(M, Tensor) else M))
    if values.ndim != 2 or not values.size:
        raise InputError(
            f"a matrix of shape {values.shape} cannot be laid out in rows; give one or two dimensions"
        )
    rows, columns = (
        [f"{names} {i}" for i in range(length)] if isinstance(names, str) else names
        for names, length in zip((rows, columns), values.shape, strict=True)
    )
    for names, length, what in ((rows, values.shape[0], "rows"), (columns, values.shape[1], "columns")):
        if names is not None and len(names) != length:
            raise InputError(f"{len(names)} names do not fit {length} {what}; give one for each")
    if isinstance(M, Tensor) and not M.is_floating_point():
        values = values.astype(np.int64)
    long = [_commas_from(column) for column in values.T.tolist()]
    texts = [list(map(cell_text, row, [digits] * len(row), long)) for row in values.tolist()]
    if printed is not None:
        digits = digits if printed_digits is None else printed_digits
        texts = _marked(texts, values, printed, digits)
    heads = [str(c) for c in columns] if columns is not None else [""] * values.shape[1]
    right = [True] * len(heads)
    if rows is not None:
        texts = [[str(name), *row] for name, row in zip(rows, texts, strict=True)]
        heads, right = [corner, *heads], [False, *right]
    return Table(tuple(map(tuple, texts)), tuple(heads), tuple(right), caption)


def _marked(texts: list[list[str]], values: np.ndarray, printed: Any, digits: int) -> list[list[str]]:
    """Behind each number the printed one, where that is not the number rounded to its digits."""
    said = np.atleast_2d(
        np.asarray(printed.detach().cpu() if isinstance(printed, Tensor) else printed, float)
    )
    if said.shape != values.shape:
        raise InputError(
            f"what is printed has the shape {said.shape}, the matrix {values.shape}; give one number for each"
        )
    with np.errstate(invalid="ignore"):  # −∞ beside −∞
        same = (said == values) | (np.abs(said - values) <= 0.501 * 10.0**-digits)
    return [
        [text if ok else f"{text} ≠ {cell_text(p, digits)}" for text, ok, p in zip(*row, strict=True)]
        for row in zip(texts, same.tolist(), said.tolist(), strict=True)
    ]


def raised(number: int) -> str:
    """A whole number as an exponent is written.

    >>> raised(-12)
    '⁻¹²'
    """
    return str(number).translate(RAISED)


def power_of_ten(number: float, digits: int = 1) -> str:
    """A very small or large number as text, for a cell of a table.

    Args:
        number: finite.
        digits: behind the point of its first factor, which is from 1 to 10.

    >>> power_of_ten(9.3e-10), power_of_ten(-25_000.0, digits=0)
    ('9.3 · 10⁻¹⁰', '−2 · 10⁴')
    """
    mantissa, exponent = f"{number:.{digits}e}".split("e")
    return f"{_minus(mantissa)} · 10{raised(int(exponent))}"


def is_long(cell: Any) -> bool:
    """Whether a cell is a number that has commas, and so the others of its column have.

    >>> is_long(20300), is_long(5150), is_long("20300"), is_long(float("inf"))
    (True, False, False, False)
    """
    number = cell.item() if isinstance(cell, Tensor) and cell.numel() == 1 else cell
    return isinstance(number, Real) and math.isfinite(number) and abs(float(number)) >= LONG


def _commas_from(column: Sequence[Any]) -> int:
    """From which number on a column groups its digits: all its thousands, or only long ones."""
    return THOUSAND if any(map(is_long, column)) else LONG


def cell_text(cell: Any, digits: int, long: int = LONG) -> str:
    """One cell as text, with commas from `long` on and a true minus sign, also if the number is text.

    −0.00 loses its sign, since whether it has one depends on the machine.

    >>> [cell_text(x, 2) for x in (3, 2.0, -0.001, float("inf"), True, None, "a")]
    ['3', '2.00', '0.00', '∞', 'yes', '', 'a']
    >>> [cell_text(x, 1) for x in (2026, 50257, -12345.67)]
    ['2026', '50,257', '−12,345.7']
    >>> [cell_text(x, 1) for x in ("-3.20", "-1.5e-07", "-5%", "-1 to -2", "-1 2 -3", "a-1", "-h")]
    ['−3.20', '−1.5e-07', '−5%', '−1 to −2', '−1 2 −3', 'a-1', '-h']
    """
    if isinstance(cell, Tensor) or (isinstance(cell, np.ndarray) and cell.ndim == 0):
        if isinstance(cell, Tensor) and cell.numel() != 1:
            return "×".join(map(str, cell.shape))
        cell = cell.item()
    if cell is None:
        return ""
    if isinstance(cell, bool | np.bool_):
        return "yes" if cell else "no"
    if isinstance(cell, Integral):
        return _minus(f"{int(cell):,}" if abs(int(cell)) >= long else str(int(cell)))
    if isinstance(cell, Real):
        number = float(cell)
        if math.isinf(number):
            return "∞" if number > 0 else "−∞"
        text = f"{number:,.{digits}f}" if abs(number) >= long else f"{number:.{digits}f}"
        return text.removeprefix("-") if not text.strip("-0.") else _minus(text)
    if isinstance(cell, tuple):
        return "×".join(map(str, cell))
    text = str(cell)
    return re.sub(r"(?<!\S)-", "−", text) if WRITTEN.fullmatch(text) else text


def _minus(number: str) -> str:
    """A number with a minus sign in the place of the hyphen; that of an exponent stays."""
    return "−" + number[1:] if number.startswith("-") else number


def _escape(text: str) -> str:
    """Keep Markdown's emphasis and code, but let no word break the table or become a tag."""
    parts = re.split(r"(`[^`]*`)", text.replace("|", "\\|").replace("\n", " "))
    parts[::2] = [p.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;") for p in parts[::2]]
    return "".join(parts)
