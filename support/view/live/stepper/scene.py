"""A drawing above the matrices of a stepper: where a story has a place, it shows what moves there."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class Scene:
    """Lines and words, each of which comes with its step.

    Args:
        size: width and height of the drawing, in its own units.
        label: what it shows, for whoever does not see it.

    >>> scene = Scene((100, 50), "A way.")
    >>> scene.line(2, "move", [(0.0, 0.0), (10.0, 5.25)])
    >>> scene.lines
    [(2, 'move', 'M0 0L10 5.2')]
    """

    size: tuple[int, int]
    label: str
    lines: list[tuple[int, str, str]] = field(default_factory=list)
    words: list[tuple[int, str, float, float, str]] = field(default_factory=list)

    def line(self, step: int, kind: str, points: Sequence[tuple[float, float]]) -> None:
        """A line through points, from a step on; its kind says how it looks (live.css)."""
        ends = [f"{round(x, 1):g} {round(y, 1):g}" for x, y in points]
        self.lines.append((step, kind, "M" + "L".join(ends)))

    def word(self, step: int, kind: str, x: float, y: float, says: str) -> None:
        """A word that begins at a place, from a step on."""
        self.words.append((step, kind, round(x, 1), round(y, 1), says))
