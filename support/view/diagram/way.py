"""The way of the book: down to the floor of a world, and up to the answers."""

import math
from collections.abc import Sequence
from typing import NamedTuple

from support.core import InputError
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing


class Station(NamedTuple):
    """A place on the way.

    Attributes:
        name: what stands there.
        where: the chapters that lead to it.
        value: nats per token on the way down, a share of right answers on the way up.
    """

    name: str
    where: str
    value: float


DOWN = (
    Station("any word", "Vocabulary", math.log(649)),
    Station("counted words", "Counting", 5.18),
    Station("a trained model", "Training", 0.34),
)
UP = (Station("stories, asked", "Training", 0.04), Station("after tuning", "Fine-tuning", 0.99))
LEFT, LONG, ROW = 134, 136, 42


def way(
    down: Sequence[Station] = DOWN,
    up: Sequence[Station] = UP,
    floor: float = 0.33,
) -> Diagram:
    """The way as two stairs: the loss falls to its floor, then the share of right answers rises.

    The first stair is read downwards and the second one upwards.

    Args:
        down: predictors of one world, each with its loss in nats per token, from the worst to the best.
        up: models, each with its share of right answers, from the worst to the best.
        floor: the entropy of the world in nats per token: no predictor can have a smaller loss.

    Raises:
        InputError: a stair does not go its way, or a loss lies below the floor.

    >>> way().alt[:64]
    'The way of the book. First the loss falls, in nats per token: an'
    """
    losses, shares = [s.value for s in down], [s.value for s in up]
    if losses != sorted(losses, reverse=True) or not losses or losses[-1] < floor:
        raise InputError("the way down must fall from station to station and end at the floor or above it")
    if shares != sorted(shares) or not shares or shares[-1] > 1:
        raise InputError("the way up must rise from station to station, to 1 at most")
    d = Drawing(100)
    d.text(8, 14, "↓ down: the loss, in nats per token", "loss", bold=True, anchor="start")
    y = _stairs(d, down, [x / losses[0] for x in losses], 34, "loss")
    at = LEFT + LONG * floor / losses[0]
    d.line((at, 34), (at, y + 4), role="ink", dashed=True)
    d.text(at - 4, y + 12, f"the floor: {floor:.2f}", "ink", size=12, anchor="start")
    for k, x in enumerate(losses):
        row, words = 34 + ROW * (k + 0.5), math.exp(x)
        d.text(332, row - 8, f"{x:.2f}", "loss", size=14, anchor="end", bold=True)
        like = f"1 in {words:.0f}" if words >= 20 else f"1 in {words:.1f}"
        d.text(332, row + 9, like, "faint", size=11, anchor="end")
    y += 34
    d.line((8, y), (332, y), role="line", width=1)
    d.text(8, y + 20, "↑ up: the share of right answers", "output", bold=True, anchor="start")
    begin = y + 40
    y = _stairs(d, up[::-1], shares[::-1], begin, "output")
    for k, x in enumerate(reversed(shares)):
        d.text(332, begin + ROW * (k + 0.5), f"{100 * x:.0f}%", "output", size=14, anchor="end", bold=True)
    d.size = (d.size[0], y + 8)
    falls = "; ".join(f"{s.name} ({s.where}) {s.value:.2f}" for s in down)
    rises = "; ".join(f"{s.name} ({s.where}) {100 * s.value:.0f} percent" for s in up)
    return d.done(
        f"The way of the book. First the loss falls, in nats per token: {falls}; the floor, below which "
        f"nothing can fall, is {floor:.2f}. Then the share of right answers rises: {rises}."
    )


def _stairs(
    d: Drawing, stations: Sequence[Station], shares: Sequence[Number], y: Number, role: str
) -> Number:
    """One stair for each station, as long as its share; returns where they end."""
    edge = []
    for k, (station, share) in enumerate(zip(stations, shares, strict=True)):
        top = y + ROW * k
        edge += [(LEFT + LONG * share, top), (LEFT + LONG * share, top + ROW)]
        d.text(8, top + ROW / 2 - 8, station.name, "ink", size=13, anchor="start", bold=True)
        d.text(8, top + ROW / 2 + 9, station.where, "faint", size=11, anchor="start")
    end = y + ROW * len(stations)
    d.curve([(LEFT, y), *edge, (LEFT, end)], role, closed=True, fill=0.16, width=1)
    d.curve(edge, role, width=3)
    return end
