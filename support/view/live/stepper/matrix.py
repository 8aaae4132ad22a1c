"""A matrix of a story: when each of its numbers appears, and the sum that made it."""

import math
from dataclasses import dataclass, field
from typing import Any


@dataclass
class Cell:
    """A number as it is shown, the step that makes it, the sum that made it and its cells in their order."""

    value: float | str
    text: str
    step: int
    sum: str = ""
    sources: tuple[str, ...] = ()
    sign: str = "="  # between the sum and the number; a colon after words
    gone: int | None = None  # the step from which on it is no longer kept

    @property
    def told(self) -> str:
        """The sum and what it comes to."""
        between = self.sign if self.sign == ":" else f" {self.sign}"
        return f"{self.sum}{between} {self.text}" if self.sum else ""


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
        chip: what it is called in the line of all matrices, if not by its name.
        words: one or two that stand beside its name in the line of all matrices.
        axes: what a row and a column is called that has no name; it is numbered.
        kept: it stays in view in the steps that neither make nor read it and have no line of matrices.
        tokens: its texts are tokens with spaces between them, and each is drawn in a box.
        pair: the two tokens that its step has made one of.
        scale: each number is shown multiplied by it; 1000 shows thousandths.
    """

    name: str
    title: str
    shape: tuple[int, int]
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    role: str
    digits: int
    top: float = 0.0
    chip: str = ""
    words: str = ""
    axes: tuple[str, str] = ("dimension", "dimension")
    kept: bool = False
    tokens: bool = False
    pair: tuple[str, ...] = ()
    scale: int = 1
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

    def called(self, r: int, c: int) -> str:
        """What a reader calls a cell: the matrix, its row and its column."""
        places = [
            names[at] if names else f"{axis} {at}"
            for names, axis, at, size in zip(
                (self.rows, self.columns), self.axes, (r, c), self.shape, strict=True
            )
            if names or size > 1
        ]
        return f"{self.said} ({', '.join(places)})" if places else self.said

    @property
    def said(self) -> str:
        """Its name, with what its numbers are multiplied by."""
        return self.name if self.scale == 1 else f"{self.name} · {self.scale}"

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
            item = [cell.text, cell.step, self.shade(cell), cell.told, list(cell.sources)]
            grid[r][c] = item if cell.gone is None else [*item, cell.gone]
        names = {"name": self.name, "said": self.said, "title": self.title}
        about = {"words": self.words, "role": self.role}
        of = {"rows": list(self.rows), "columns": list(self.columns), "axes": list(self.axes)}
        boxes = {"pair": list(self.pair)} if self.tokens else {}
        chip = {"chip": self.chip} if self.chip else {}
        return names | about | of | boxes | chip | {"kept": self.kept, "cells": grid}
