"""A story in steps: which matrices they make, from which others, and how that is told."""

import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from support.core import InputError
from support.view.live.controls import shown
from support.view.live.stepper.matrix import Cell, Matrix
from support.view.live.stepper.sums import added, factor, sign_before

NONE = "none"
MOST_GIVEN = 15  # numbers that the table of steps repeats when nobody has computed them
Rows = Sequence[Sequence[float | int | str]] | Float[np.ndarray, "row column"]


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
    ' C = 1.0 · 3.0 + 2.0 · 4.0 = 11.0.'
    >>> story.operation(1)
    'A [1, 2] × B [2, 1] = C [1, 1]'
    """

    def __init__(self, digits: int = 3) -> None:
        self.digits = digits
        self.steps: list[tuple[str, str]] = []
        self.operations: dict[int, str] = {}
        self.matrices: dict[str, Matrix] = {}
        self.lines: dict[int, list[tuple[str, str]]] = {}

    def step(self, title: str, says: str, operation: str = "") -> None:
        """Begin a step: what it is called, what it does, in one sentence, and in signs if no line says it."""
        if operation:
            self.operations[len(self.steps)] = operation
        self.steps.append((title, says))

    def operation(self, step: int) -> str:
        """What a step does, in signs: as was said, or its line, with the shape of each matrix."""
        if step in self.operations:
            return self.operations[step]
        parts: list[str] = []
        for sign, name in self.lines.get(step, []):
            if sign.startswith("ᵀ"):
                turned = self.matrices[parts.pop()]
                letter = f"({turned.name})" if "/" in turned.name else turned.name
                parts.append(f"{letter}ᵀ [{turned.shape[1]}, {turned.shape[0]}]")
            parts += [sign.removeprefix("ᵀ").strip(), name]
        whole = [f"{p} {list(self.matrices[p].shape)}" if p in self.matrices else p for p in parts]
        return " ".join(part for part in whole if part)

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
        **more: Any,
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
            **more,
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
        """Make one cell in the present step: its value, the sum behind it, and its cells in order.

        Words that end with a colon are a sentence, which ends with the value.
        """
        text = value if isinstance(value, str) else shown(where.scale * value, where.digits)
        rounded = how and where.digits and not isinstance(value, str)
        sign = sign_before(text, how, where.digits) if rounded else ":" if how.endswith(":") else "="
        if rounded and value == 0:
            text = "0"  # nothing at all, which 0.000 may not be
        where.cells[r, c] = Cell(
            value, text, len(self.steps) - 1, how.removesuffix(":"), tuple(sources), sign
        )

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
        sources = [key for k, b, i, j in pairs for key in (a.key(row, k), b.key(i, j))]
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

    def place(self, key: str) -> tuple[Matrix, int, int]:
        """Where a cell stands.

        Raises:
            InputError: there is none.
        """
        for matrix in self.matrices.values():
            for r, c in matrix.cells:
                if matrix.key(r, c) == key:
                    return matrix, r, c
        raise InputError(f"no matrix has a cell {key!r}; cells are called as in {self.cells()[0]!r}")

    def find(self, key: str) -> Cell:
        """A cell by its key."""
        matrix, r, c = self.place(key)
        return matrix.cells[r, c]

    def told(self, key: str, step: int) -> str:
        """The sum behind a cell, as a sentence; or which step will make it."""
        if key == NONE:
            return ""
        matrix, r, c = self.place(key)
        cell = matrix.cells[r, c]
        if cell.step > step:
            return f" {matrix.called(r, c)} is made in step {cell.step + 1}, {self.steps[cell.step][0]}."
        return f" {cell.told}." if cell.sign == ":" else f" {matrix.called(r, c)} = {cell.told}."

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
