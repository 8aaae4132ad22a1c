"""Places in a drawing."""

from typing import NamedTuple

from support.view.diagram.canvas import Number

Point = tuple[Number, Number]


class Box(NamedTuple):
    """Where a shape stands, so that arrows can begin and end at it."""

    x: Number
    y: Number
    w: Number
    h: Number

    @property
    def top(self) -> Point:
        return self.x, self.y - self.h / 2

    @property
    def bottom(self) -> Point:
        return self.x, self.y + self.h / 2

    @property
    def left(self) -> Point:
        return self.x - self.w / 2, self.y

    @property
    def right(self) -> Point:
        return self.x + self.w / 2, self.y
