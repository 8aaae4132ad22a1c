"""The few shapes of which every drawing is made: box, arrow, residual stream, sum, grid, brace, stack, curve.

A drawing is read from the top to the bottom, and time runs from left to right. Places are in pixels of a
phone from the upper left corner; a box, a node or a text is placed by its middle.
"""

import itertools
import math
import re
from collections.abc import Sequence
from xml.sax.saxutils import escape

from support.view.diagram.box import Box, Point
from support.view.diagram.canvas import SMALLEST, WIDTH, Diagram, Number

SUBSCRIPT = re.compile(r"_\{([^}]*)\}")
# A formula in a label, or a shape, which stands in brackets: a page without formulas leaves both out.
FORMULA = re.compile(r"\$([^$]*)\$|(^\[[^]]+\], |[,:]? *\[[^]]+\])")


def _n(number: Number) -> str:
    return f"{number:.1f}".rstrip("0").rstrip(".")


def _path(points: Sequence[Point]) -> str:
    return "M" + "L".join(f"{_n(x)} {_n(y)}" for x, y in points)


class Drawing:
    """An empty sheet, `height` high, to which shapes are added; `done` makes it a `Diagram`.

    >>> d = Drawing(60)
    >>> box = d.box(170, 20, 80, 30, "norm", "norm")
    >>> d.arrow(box.bottom, (170, 58))
    >>> d.done("A norm, and an arrow that leaves it.")
    A norm, and an arrow that leaves it.
    """

    def __init__(self, height: Number, width: Number = WIDTH) -> None:
        self.size = (width, height)
        self.parts: list[str] = []
        self.roles: set[str] = set()

    def done(self, alt: str, wide: bool = False) -> Diagram:
        """The finished drawing with its description; with ``wide`` it may be wider than a phone."""
        return Diagram("".join(self.parts), self.size, alt, self.roles, wide)

    def _use(self, role: str) -> str:
        self.roles.add(role)
        return f"var(--{role})"

    def text(
        self,
        x: Number,
        y: Number,
        words: str,
        role: str = "ink",
        *,
        size: Number = 13,
        anchor: str = "middle",
        bold: bool = False,
        inside: bool = False,
        turn: Number = 0,
    ) -> None:
        """Words, one line for each line; ``W_{Q}`` lowers letters, and ``$z = $0.8`` marks a formula."""
        lines = words.split("\n")
        for k, line in enumerate(lines):
            base = y + 0.36 * size + (k - (len(lines) - 1) / 2) * 1.22 * size
            small = max(SMALLEST, round(0.8 * size, 1))
            shown = SUBSCRIPT.sub(
                rf'<tspan dy="3" font-size="{small:g}">\1</tspan><tspan dy="-3">&#8203;</tspan>',
                FORMULA.sub(r'<tspan class="formula">\1\2</tspan>', escape(line)),
            )
            style = ' font-weight="600"' * bold + ' class="in"' * inside
            style += f' transform="rotate({turn:g} {_n(x)} {_n(y)})"' if turn else ""
            style += f' text-anchor="{anchor}"' if anchor != "start" else ""
            self.parts.append(
                f'<text x="{_n(x)}" y="{_n(base)}" font-size="{size:g}" fill="{self._use(role)}"{style}>'
                f"{shown}</text>"
            )

    def box(
        self,
        x: Number,
        y: Number,
        w: Number,
        h: Number,
        words: str = "",
        role: str = "line",
        *,
        note: str = "",
        dashed: bool = False,
        bold: bool = False,
        size: Number = 13,
        round: Number = 7,
    ) -> Box:
        """A box with words in it and, under them, a smaller note."""
        self.roles.add(role)
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<rect class="b-{role}" x="{_n(x - w / 2)}" y="{_n(y - h / 2)}" width="{_n(w)}" '
            f'height="{_n(h)}" rx="{min(round, h / 2):g}" stroke-width="1.7"{dash}/>'
        )
        rows, below = (words.count("\n") + 1) if words else 0, (note.count("\n") + 1) if note else 0
        high, low = rows * 1.22 * size, below * 14.6
        if words:
            self.text(x, y - low / 2, words, size=size, bold=bold, inside=True)
        if note:
            self.text(x, y + high / 2, note, "faint", size=12, inside=True)
        return Box(x, y, w, h)

    def frame(self, x: Number, y: Number, w: Number, h: Number, *, dashed: bool = False) -> Box:
        """A thin line round several shapes; x and y are its upper left corner."""
        dash = ' stroke-dasharray="4 3"' if dashed else ""
        self.parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" rx="9" '
            f'stroke="{self._use("line")}" stroke-width="1.3"{dash}/>'
        )
        return Box(x + w / 2, y + h / 2, w, h)

    def line(
        self, *points: Point, role: str = "faint", width: Number = 1.5, dashed: bool = False, fade: Number = 1
    ) -> None:
        """A line through the points."""
        more = ' stroke-dasharray="4 3"' if dashed else ""
        more += f' stroke-opacity="{fade:g}"' if fade != 1 else ""
        self.parts.append(
            f'<path d="{_path(points)}" stroke="{self._use(role)}" stroke-width="{width:g}"{more}/>'
        )

    def arrow(
        self,
        *points: Point,
        words: str = "",
        role: str = "faint",
        side: str = "right",
        width: Number = 1.5,
        dashed: bool = False,
        gap: Number = 6,
    ) -> None:
        """An arrow through the points, with the shape of what travels beside its longest part."""
        (x0, y0), (x1, y1) = points[-2:]
        far = math.hypot(x1 - x0, y1 - y0) or 1.0
        u, v = (x1 - x0) / far, (y1 - y0) / far
        long, half = 6 + width, 2.4 + 0.9 * width
        bx, by = x1 - long * u, y1 - long * v
        self.line(*points[:-1], (bx, by), role=role, width=width, dashed=dashed)
        head = [(x1, y1), (bx - half * v, by + half * u), (bx + half * v, by - half * u)]
        self.parts.append(f'<path d="{_path(head)}z" fill="{self._use(role)}"/>')
        if words:
            pairs = list(itertools.pairwise(points))
            a, b = max(pairs, key=lambda p: math.hypot(p[1][0] - p[0][0], p[1][1] - p[0][1]))
            x, y = (a[0] + b[0]) / 2, (a[1] + b[1]) / 2
            ink = "faint" if role in ("faint", "line") else role
            dx, dy, anchor = {
                "right": (gap, 0, "start"),
                "left": (-gap, 0, "end"),
                "above": (0, -gap - 5, "middle"),
                "below": (0, gap + 6, "middle"),
                "on": (0, 0, "middle"),
            }[side]
            self.text(x + dx, y + dy, words, ink, size=12, anchor=anchor)

    def stream(self, *points: Point, arrow: bool = True) -> None:
        """The residual stream: the thick line on which everything flows."""
        if arrow:
            self.arrow(*points, role="stream", width=4.5)
        else:
            self.line(*points, role="stream", width=4.5)

    def node(
        self, x: Number, y: Number, words: str = "+", role: str = "stream", r: Number = 11, size: Number = 14
    ) -> Box:
        """A circle: a sum, a product, a neuron."""
        self.roles.add(role)
        self.parts.append(
            f'<circle class="b-{role}" cx="{_n(x)}" cy="{_n(y)}" r="{r:g}" stroke-width="1.8"/>'
        )
        if words:
            self.text(x, y, words, size=size, inside=True)
        return Box(x, y, 2 * r, 2 * r)

    def grid(
        self,
        x: Number,
        y: Number,
        values: Sequence[Sequence[Number | str | None]],
        role: str = "ink",
        *,
        cell: Number = 16,
        high: Number | None = None,
        digits: int | None = None,
        size: Number = 11,
    ) -> Box:
        """A matrix; x and y are its upper left corner. A number's size is its shade, None is an empty cell.

        Args:
            values: rows of numbers (shaded, and written if `digits` says how), words, or None.
            cell: how wide a cell is, and how high unless `high` says it.
            digits: how many to write of each number; None writes none.
        """
        high, ink = high or cell, self._use(role)
        numbers = [abs(v) for row in values for v in row if isinstance(v, int | float)]
        most = max(numbers, default=1) or 1
        for i, row in enumerate(values):
            for j, value in enumerate(row):
                shade, shown = (
                    0.12 if value not in (None, "$−∞$") else 0.0,
                    value if isinstance(value, str) else "",
                )
                if isinstance(value, int | float):
                    shade = 0.06 + 0.5 * abs(value) / most
                    if digits is not None:
                        shown = (
                            f"{value:.{digits}f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:g}"
                        )
                        shown = shown.replace("-", "−")
                self.cell(x + j * cell, y + i * high, cell, high, shown, role, shade, size=size)
        w, h = cell * max(map(len, values)), high * len(values)
        self.parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" stroke="{ink}" '
            'stroke-width="1.4"/>'
        )
        return Box(x + w / 2, y + h / 2, w, h)

    def cell(
        self,
        x: Number,
        y: Number,
        w: Number,
        h: Number,
        words: str = "",
        role: str = "ink",
        shade: Number = 0,
        *,
        size: Number = SMALLEST,
        edge: Number = 0.7,
    ) -> None:
        """One cell of a grid, shaded from 0 to 1 in the colour of its role; a strong edge is in it, too."""
        ink, line = self._use(role), self._use("line" if edge < 1 else role)
        fill = f'fill="{ink}" fill-opacity="{shade:.2f}"' if shade else ""
        self.parts.append(
            f'<rect x="{_n(x)}" y="{_n(y)}" width="{_n(w)}" height="{_n(h)}" '
            f'stroke="{line}" stroke-width="{f"{edge:g}".removeprefix("0")}" {fill}/>'
        )
        if words:
            self.text(x + w / 2, y + h / 2, words, size=size, inside=True)

    def brace(self, a: Point, b: Point, words: str = "", role: str = "faint", bulge: Number = 8) -> None:
        """A brace from one point to the next, its tip to the right of the way there, and words."""
        far = math.hypot(b[0] - a[0], b[1] - a[1]) or 1.0
        u, v = (b[0] - a[0]) / far, (b[1] - a[1]) / far
        px, py = -v * bulge, u * bulge

        def at(along: Number, out: Number) -> str:
            return f"{_n(a[0] + along * far * u + out * px)} {_n(a[1] + along * far * v + out * py)}"

        self.parts.append(
            f'<path d="M{at(0, 0)}Q{at(0, 0.5)} {at(0.12, 0.5)}L{at(0.38, 0.5)}Q{at(0.5, 0.5)} {at(0.5, 1)}'
            f'Q{at(0.5, 0.5)} {at(0.62, 0.5)}L{at(0.88, 0.5)}Q{at(1, 0.5)} {at(1, 0)}" '
            f'stroke="{self._use(role)}" stroke-width="1.4"/>'
        )
        if words:
            x, y = (a[0] + b[0]) / 2 + 1.4 * px, (a[1] + b[1]) / 2 + 1.4 * py
            anchor = "start" if px > 4 else "end" if px < -4 else "middle"
            self.text(x, y + (8 if py > 4 else -8 if py < -4 else 0), words, role, size=12, anchor=anchor)

    def stack(
        self, x: Number, y: Number, w: Number, h: Number, words: str, role: str, *, n: int = 3, note: str = ""
    ) -> Box:
        """Several boxes of one kind, one behind the other."""
        for k in range(n - 1, 0, -1):
            self.box(x + 5 * k, y - 5 * k, w, h, role=role)
        return self.box(x, y, w, h, words, role, note=note)

    def curve(
        self, points: Sequence[Point], role: str, *, width: Number = 2, closed: bool = False, fill: Number = 0
    ) -> None:
        """A line through many points, closed and filled if asked for."""
        paint = f' fill="{self._use(role)}" fill-opacity="{fill:g}"' if fill else ""
        self.parts.append(
            f'<path d="{_path(points)}{"z" if closed else ""}" stroke="{self._use(role)}" '
            f'stroke-width="{width:g}"{paint}/>'
        )
