"""Forecasters who split their money among outcomes, day after day, and what becomes of it."""

import itertools
import math
from collections.abc import Mapping, Sequence

from support.core import InputError
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing, Point

SKIES = {"sun": "key", "rain": "stream", "snow": "output"}  # what may come, and its colour
LINES = ("ffn", "ink", "loss")
WEATHER = ("sun", "sun", "rain", "sun", "snow")
SPLITS = {"as it is": (0.6, 0.2, 0.2), "nearly all on sun": (0.96, 0.02, 0.02)}
LEFT, RIGHT, TALL = 42, 214, 38  # where the days begin and end; a tenfold fortune


def forecasts(
    weather: Sequence[str] = WEATHER, splits: Mapping[str, Sequence[Number]] = SPLITS, odds: Number = 3
) -> Diagram:
    """The days as they came, and the fortune of everybody who split her money in another way.

    Args:
        weather: of each day ``"sun"``, ``"rain"`` or ``"snow"``, up to forty days.
        splits: for each forecaster the parts of her money on sun, rain and snow; up to three.
        odds: how many times the part on what came is paid back.

    Raises:
        InputError: another weather, or parts that are not positive or do not sum to one.
    """
    if not set(weather) <= set(SKIES) or not 1 <= len(weather) <= 40 or not 1 <= len(splits) <= 3:
        raise InputError("give up to forty days of sun, rain or snow, and up to three splits")
    if any(min(parts) <= 0 or abs(sum(parts) - 1) > 1e-6 or len(parts) != 3 for parts in splits.values()):
        raise InputError("each split is three parts above zero, whose sum is 1")
    paths = {}
    for name, parts in splits.items():
        won = [odds * parts[list(SKIES).index(sky)] for sky in weather]
        paths[name] = [1.0, *itertools.accumulate(won, lambda money, factor: money * factor)]
    tens = [math.log10(money) for path in paths.values() for money in path]
    one = 84 + TALL * max(tens)
    end = one - TALL * min(tens)
    d, day = Drawing(end + 44), (RIGHT - LEFT) / len(weather)
    d.text(8, 14, f"The same {len(weather)} days", bold=True, anchor="start")
    for k, (sky, role) in enumerate(SKIES.items()):
        _sky(d, 166 + 60 * k, 14, sky, 2)
        d.text(176 + 60 * k, 14, sky, role, size=12, anchor="start")
    for k, sky in enumerate(weather):
        x = LEFT + day * (k + 0.5)
        _sky(d, x, 36, sky, 1)
        if sky == "snow":
            d.line((x, 46), (x, end + 6), role="output", width=0.8, dashed=True)
    d.line((LEFT, one), (RIGHT, one), role="line", width=1)
    for power in range(math.ceil(min(tens)), math.floor(max(tens)) + 1):
        words = f"× {10**power}" if power >= 0 else f"÷ {10**-power}"
        d.text(LEFT - 6, one - TALL * power, words, "faint", size=11, anchor="end")
    told = []
    for (name, path), role in zip(paths.items(), LINES, strict=False):
        points: list[Point] = [
            (LEFT + day * k, one - TALL * math.log10(money)) for k, money in enumerate(path)
        ]
        d.curve(points, role, width=2.4)
        y = points[-1][1]
        d.text(RIGHT + 8, y - 24, f"× {path[-1]:.3g}", role, bold=True, anchor="start")
        d.text(RIGHT + 8, y - 7, name, role, size=12, anchor="start")
        x = RIGHT + 8.0
        for part, sky in zip(splits[name], SKIES.values(), strict=True):
            corners = [(x, y + 3), (x, y + 14), (x + 110 * part, y + 14), (x + 110 * part, y + 3)]
            d.curve(corners, sky, width=1, closed=True, fill=0.45)
            x += 110 * part
        told.append(f"{name} she ends with {path[-1]:.3g} times her money")
    d.arrow((LEFT, end + 18), (RIGHT, end + 18))
    d.text((LEFT + RIGHT) / 2, end + 32, "time", "faint", size=12)
    return d.done(
        f"The weather of {len(weather)} days, and the fortunes of forecasters who split their money among "
        f"sun, rain and snow; what lay on the weather that came is paid back {odds:g} times. Split "
        f"{'; split '.join(told)}."
    )


def _sky(d: Drawing, x: Number, y: Number, sky: str, size: Number) -> None:
    """A small sun, a drop, or a flake."""
    role = SKIES[sky]
    if sky == "sun":
        d.node(x, y, "", role, r=1.6 * size)
    elif sky == "rain":
        d.line((x + size, y - 3 * size), (x - size, y + 3 * size), role=role, width=1.2 + 0.4 * size)
    else:
        for turn in (0, math.pi / 3, 2 * math.pi / 3):
            u, v = 2.3 * size * math.cos(turn), 2.3 * size * math.sin(turn)
            d.line((x - u, y - v), (x + u, y + v), role=role, width=1 + 0.2 * size)
