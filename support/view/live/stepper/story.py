"""A story in steps: which matrices they make, when each number appears, and the sum that made it."""

import math
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from support.core import InputError
from support.view.live.controls import shown

NONE = "none"
MOST_GIVEN = 15  # numbers that the table of steps repeats when nobody has computed them
Rows = Sequence[Sequence[float | int | str]] | Float[np.ndarray, "row column"]


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


@dataclass
class Cell:
    """A number as it is shown, the step that makes it, the sum that made it and the cells in that sum."""

    value: float | str
    text: str
    step: int
    sum: str = ""
    sources: tuple[str, ...] = ()
    gone: int | None = None  # the step from which on it is no longer kept


@dataclass
class Matrix:
    """A matrix that fills as the steps go on; a cell that no step makes stays empty.

    Args:
        name: short; its cells are called ``name[row, column]``.
        title: what stands above it.
        shape: rows and columns.
        rows: their names, or none.
        columns: their names, or none.
        role: what it is, one of `support.view.style.ROLES`; it decides the colour.
        digits: after the point.
        top: the value whose shade is the deepest; the largest one if it is 0.
        words: what it is, for the line of names; its title, if there are none.
    """

    name: str
    title: str
    shape: tuple[int, int]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    role: str
    digits: int
    top: float = 0.0
    words: str = ""
    cells: dict[tuple[int, int], Cell] = field(default_factory=dict)

    def show(self, r: int, c: int) -> str:
        """A number as it is shown."""
        return self.cells[r, c].text

    def value(self, r: int, c: int) -> float:
        """A number as it is."""
        return float(self.cells[r, c].value)

    def key(self, r: int, c: int) -> str:
        """What a cell is called."""
        return f"{self.name}[{r}, {c}]"

    def row(self, r: int) -> list[float]:
        """The numbers of a row."""
        return [self.value(r, c) for c in range(self.shape[1])]

    def shade(self, cell: Cell) -> int:
        """How deep a cell's colour is, in per cent, with the sign of its number."""
        numbers = [abs(x.value) for x in self.cells.values() if not isinstance(x.value, str)]
        top = self.top or max([x for x in numbers if math.isfinite(x)], default=0.0)
        if isinstance(cell.value, str) or not math.isfinite(cell.value) or not top:
            return 0
        return round(100 * max(-1.0, min(1.0, cell.value / top)))

    def spec(self) -> dict[str, Any]:
        """What the page needs to know."""
        high, wide = self.shape
        grid: list[list[Any]] = [[None] * wide for _ in range(high)]
        for (r, c), cell in self.cells.items():
            item = [cell.text, cell.step, self.shade(cell), cell.sum, list(cell.sources)]
            grid[r][c] = item if cell.gone is None else [*item, cell.gone]
        names = {"name": self.name, "title": self.title, "words": self.words or self.title, "role": self.role}
        return {**names, "rows": list(self.rows), "columns": list(self.columns), "cells": grid}


class Story:
    """Steps and the matrices that they make.

    Args:
        digits: after the point, unless a matrix has its own.

    >>> story = Story(digits=1)
    >>> story.step("Given", "Two matrices are given.")
    >>> a = story.given("A", "A", [[1, 2]])
    >>> b = story.given("B", "B", [[3], [4]])
    >>> story.step("Product", "They are multiplied.")
    >>> c = story.product("C", "C = A B", a, b)
    >>> story.told("C[0, 0]", 1)
    ' C[0, 0] = 1.0 · 3.0 + 2.0 · 4.0 = 11.0.'
    """

    def __init__(self, digits: int = 3) -> None:
        self.digits = digits
        self.steps: list[tuple[str, str]] = []
        self.matrices: dict[str, Matrix] = {}
        self.lines: dict[int, list[tuple[str, str]]] = {}

    def step(self, title: str, says: str) -> None:
        """Begin a step: what it is called, and what it does, in one sentence."""
        self.steps.append((title, says))

    def line(self, first: Matrix, *rest: str | Matrix) -> None:
        """How the matrices of the present step stand in a line: a matrix, a sign, a matrix, and so on.

        >>> story = Story()
        >>> story.step("Product", "Two matrices are multiplied.")
        >>> made = story.product("C", "C = A B", story.given("A", "A", [[1]]), story.given("B", "B", [[2]]))
        >>> story.lines
        {0: [('', 'A'), ('×', 'B'), ('=', 'C')]}
        """
        signs, others = rest[::2], rest[1::2]
        pairs = [(str(sign), m.name) for sign, m in zip(signs, others, strict=True) if isinstance(m, Matrix)]
        self.lines[len(self.steps) - 1] = [("", first.name), *pairs]

    def matrix(
        self,
        name: str,
        title: str,
        shape: tuple[int, int],
        rows: Iterable[str] = (),
        columns: Iterable[str] = (),
        role: str = "ink",
        digits: int | None = None,
        top: float = 0.0,
        words: str = "",
    ) -> Matrix:
        """A matrix that is still empty; see `Matrix`.

        Raises:
            InputError: there is one of that name, or it has not as many names as rows or columns.
        """
        made = Matrix(
            name,
            title,
            shape,
            tuple(rows),
            tuple(columns),
            role,
            self.digits if digits is None else digits,
            top,
            words,
        )
        if name in self.matrices:
            raise InputError(f"there is a matrix {name!r} already; give the new one another name")
        for names, size in ((made.rows, shape[0]), (made.columns, shape[1])):
            if names and len(names) != size:
                raise InputError(f"{name} has {size} rows or columns and {len(names)} names; make them equal")
        self.matrices[name] = made
        return made

    def put(
        self, where: Matrix, r: int, c: int, value: float | str, how: str = "", sources: Iterable[str] = ()
    ) -> None:
        """Make one cell in the present step: its value, the sum behind it, and the cells in that sum."""
        text = value if isinstance(value, str) else shown(value, where.digits)
        where.cells[r, c] = Cell(value, text, len(self.steps) - 1, how, tuple(sources))

    def drop(self, where: Matrix, r: int) -> None:
        """From the present step on, a row is no longer kept."""
        for (row, _), cell in where.cells.items():
            if row == r:
                cell.gone = len(self.steps) - 1

    def given(self, name: str, title: str, values: Rows, **about: Any) -> Matrix:
        """A matrix that nobody computes; ``about`` goes to `matrix`."""
        made = self.matrix(name, title, (len(values), len(values[0])), **about)
        for r, row in enumerate(values):
            for c, value in enumerate(row):
                self.put(made, r, c, value if isinstance(value, str) else float(value))
        return made

    def each(
        self,
        name: str,
        title: str,
        of: Matrix,
        act: Callable[[float], float],
        how: str,
        sources: Iterable[str] = (),
        **about: Any,
    ) -> Matrix:
        """Every number of a matrix by itself; ``how`` has {} where the number stands."""
        about = {"rows": of.rows, "columns": of.columns, "role": of.role} | about
        made = self.matrix(name, title, of.shape, **about)
        for r, c in of.cells:
            self.put(made, r, c, act(of.value(r, c)), how.format(of.show(r, c)), [of.key(r, c), *sources])
        return made

    def product(
        self, name: str, title: str, a: Matrix, b: Matrix, transposed: bool = False, **about: Any
    ) -> Matrix:
        """The matrix product of two, the second of them transposed if asked."""
        wide = b.shape[0 if transposed else 1]
        names = b.rows if transposed else b.columns
        made = self.matrix(name, title, (a.shape[0], wide), **({"rows": a.rows, "columns": names} | about))
        for r in range(a.shape[0]):
            for c in range(wide):
                self.dot(
                    made, r, c, a, r, [(b, *((c, k) if transposed else (k, c))) for k in range(a.shape[1])]
                )
        self.line(a, "×", b, "ᵀ =" if transposed else "=", made)
        return made

    def dot(
        self, made: Matrix, r: int, c: int, a: Matrix, row: int, others: Sequence[tuple[Matrix, int, int]]
    ) -> None:
        """One cell as the dot product of a row with as many cells from elsewhere."""
        pairs = [(k, *other) for k, other in enumerate(others)]
        value = math.fsum(a.value(row, k) * b.value(i, j) for k, b, i, j in pairs)
        how = added(f"{a.show(row, k)} · {factor(b.show(i, j))}" for k, b, i, j in pairs)
        sources = [a.key(row, k) for k, *_ in pairs] + [b.key(i, j) for _, b, i, j in pairs]
        self.put(made, r, c, value, how, sources)

    @property
    def of_numbers(self) -> bool:
        """Whether it makes numbers only, and no texts."""
        cells = [cell for matrix in self.matrices.values() for cell in matrix.cells.values()]
        return not any(isinstance(cell.value, str) for cell in cells)

    def cells(self) -> list[str]:
        """The cells that a sum has made, in the order of the matrices."""
        found = []
        for matrix in self.matrices.values():
            found += [matrix.key(r, c) for (r, c), cell in matrix.cells.items() if cell.sum]
        return found

    def find(self, key: str) -> Cell:
        """A cell by what it is called.

        Raises:
            InputError: there is none.
        """
        for matrix in self.matrices.values():
            for (r, c), cell in matrix.cells.items():
                if matrix.key(r, c) == key:
                    return cell
        raise InputError(f"no matrix has a cell {key!r}; cells are called as in {self.cells()[0]!r}")

    def told(self, key: str, step: int) -> str:
        """The sum behind a cell, as a sentence; or which step will make it."""
        if key == NONE:
            return ""
        cell = self.find(key)
        if cell.step > step:
            return f" {key} is made in step {cell.step + 1}, {self.steps[cell.step][0]}."
        return f" {key} = {cell.sum} = {cell.text}."

    def table(self) -> list[dict[str, str]]:
        """What each step makes, a row for each matrix."""
        rows = []
        for step, (title, _) in enumerate(self.steps):
            for matrix in self.matrices.values():
                lines: dict[int, list[str]] = {}
                for (r, _), cell in sorted(matrix.cells.items()):
                    if cell.step == step:
                        lines.setdefault(r, []).append(cell.text)
                if lines:
                    numbers = " / ".join("  ".join(line) for line in lines.values())
                    if len(matrix.cells) > MOST_GIVEN and not any(c.sum for c in matrix.cells.values()):
                        numbers = f"{matrix.shape[0]} × {matrix.shape[1]} given numbers"
                    rows.append({"step": f"{step + 1} {title}", "makes": matrix.title, "numbers": numbers})
        return rows
