"""Two positions, a pair of dimensions, and a dot product that depends on their distance only.

`figure.js` beside this file computes and draws the same in the page.
"""

import math
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support.model.positions import rope_frequencies
from support.view import style
from support.view.live.controls import Action, Choice, Slider, fill
from support.view.live.description import LiveFigure

Values = dict[str, Any]


WAYS = ("sinusoids", "RoPE")
WIDTH, LAST = 16, 60  # numbers in a row; the last position
SPEEDS = rope_frequencies(WIDTH).tolist()
# What turns: for RoPE a query and a key, pair by pair; sinusoids begin at (cos 0, sin 0) in every pair.
QUERY = ((0.9, 0.3), (0.2, 0.8), (-0.6, 0.5), (0.7, -0.1), (0.1, 0.9), (0.8, 0.4), (-0.3, 0.6), (0.5, 0.5))
KEY = ((0.7, -0.4), (0.6, 0.6), (0.4, 0.8), (-0.2, 0.9), (0.8, 0.2), (0.3, -0.7), (0.5, 0.6), (0.9, 0.1))
TURNED = (
    "The key stands {distance} the query, so in pair {pair:.0f} the {further} is rotated "
    "{degrees:.1f}°{turns} further than the {other}. "
)
TURNS = " ({full} and {rest:.1f}°)"  # of more than one
COUNTS = ("two", "three", "four", "five", "six", "seven", "eight", "nine")
FULL = ("one full turn", *(f"{count} full turns" for count in COUNTS))
SAME = "The key stands at the position of the query, so both are rotated equally. "
SCORE = "Their score is {whole:.3f} wherever the two stand at this distance."


def turned(pair: tuple[float | int, float | int], angle: float | int) -> list[float]:
    """A pair of numbers turned about the origin.

    >>> [round(x, 3) for x in turned((1, 0), math.pi / 2)]
    [0.0, 1.0]
    """
    x, y = pair
    cosine, sine = math.cos(angle), math.sin(angle)
    return [x * cosine - y * sine, y * cosine + x * sine]


def positions(way: str, first: float | int, second: float | int, pair: float | int) -> Values:
    """Two positions: one pair of their rows, and the dot products of that pair and of all pairs.

    Args:
        way: ``sinusoids`` (the rows that are added) or ``RoPE`` (a query and a key, turned).
        first, second: the positions.
        pair: which pair of numbers, from 1; each turns more slowly than the one before.

    >>> here, there = positions("RoPE", 3, 10, 1), positions("RoPE", 23, 30, 1)
    >>> round(here["whole"], 9) == round(there["whole"], 9)
    True
    """
    now = int(pair) - 1
    starts = (
        [((1.0, 0.0), (1.0, 0.0))] * len(SPEEDS) if way == "sinusoids" else list(zip(QUERY, KEY, strict=True))
    )
    a = [turned(q, first * speed) for (q, _), speed in zip(starts, SPEEDS, strict=True)]
    b = [turned(k, second * speed) for (_, k), speed in zip(starts, SPEEDS, strict=True)]
    dots = [p[0] * q[0] + p[1] * q[1] for p, q in zip(a, b, strict=True)]
    rows = [
        {"pair": i + 1, "speed": speed, "angle": (second - first) * speed, "dot": dot}
        for i, (speed, dot) in enumerate(zip(SPEEDS, dots, strict=True))
    ]
    # The whole product at every distance: turn the second by it and leave the first.
    curve = []
    for distance in range(-LAST, LAST + 1):
        back = [turned(k, distance * speed) for (_, k), speed in zip(starts, SPEEDS, strict=True)]
        curve.append(sum(q[0] * k[0] + q[1] * k[1] for (q, _), k in zip(starts, back, strict=True)))
    apart = int(second - first)
    found: Values = {"a": a[now], "b": b[now], "pairs": rows, "curve": curve, "apart": apart}
    found |= {"whole": math.fsum(dots), "degrees": math.degrees(abs(rows[now]["angle"]))}
    further, other = ("query", "key") if apart < 0 else ("key", "query")
    words = {"pair": pair, "further": further, "other": other, "distance": _distance(apart)}
    words["turns"] = _turns(found["degrees"])
    return found | {"finding": fill((TURNED if apart else SAME) + SCORE, found | words)}


def _distance(apart: int) -> str:
    return f"{abs(apart)} position{'s' * (abs(apart) != 1)} {'before' if apart < 0 else 'after'}"


def _turns(degrees: float) -> str:
    full, rest = divmod(degrees, 360)
    return fill(TURNS, {"full": FULL[int(full) - 1], "rest": rest}) if full else ""


def together(values: Values, uniform: float, step: int = 1) -> Values:
    """Both positions one step on; at the end they stay.

    >>> together({"first": 3, "second": 9}, 0.0), together({"first": 3, "second": 60}, 0.0)
    ({'first': 4, 'second': 10}, {})
    """
    moved = {name: values[name] + step for name in ("first", "second")}
    return moved if all(0 <= place <= LAST for place in moved.values()) else {}


def back_together(values: Values, uniform: float) -> Values:
    """Both positions one step back."""
    return together(values, uniform, -1)


def draw_positions(values: Values, found: Values) -> Figure:
    """Left the pair at both positions; right the whole dot product by distance."""
    fig, (left, right) = style.subplots(1, 2, wide=True, figsize=(style.WIDE, 3.8), layout="constrained")
    circle = np.linspace(0, 2 * np.pi, 100)
    left.plot(np.cos(circle), np.sin(circle), color=style.GREY, linewidth=0.8)
    for i, (word, point, name) in enumerate((("query", found["a"], "first"), ("key", found["b"], "second"))):
        arrow = dict(arrowstyle="-|>", color=style.colour(i), linewidth=2.2, linestyle=style.LINES[i])
        left.annotate("", xy=point, xytext=(0, 0), arrowprops=arrow)
        left.plot(*point, style.marker(i), color=style.colour(i), label=f"{word}: {values[name]:.0f}")
    left.set(xlim=(-1.2, 1.2), ylim=(-1.2, 1.2), aspect="equal", title=f"pair {values['pair']:.0f}")
    left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.1), ncols=2)
    right.plot(range(-LAST, LAST + 1), found["curve"], color=style.colour(2))
    right.plot(found["apart"], found["whole"], "o", color=style.COLOURS["vermilion"], markersize=9)
    right.set(xlabel="position of the key −\nposition of the query", ylabel="score (dot product)")
    return fig


FIGURE = LiveFigure(
    name="positions",
    title="How far apart? Turning pairs",
    controls=(
        Slider("first", "Position of the query", 0, LAST, 1, 12, "{first:.0f}"),
        Slider("second", "Position of the key", 0, LAST, 1, 7, "{second:.0f}"),
        Choice("way", "Positions encoded by", WAYS, "RoPE"),
        Slider("pair", "Pair of entries", 1, WIDTH // 2, 1, 2, "{pair:.0f}"),
    ),
    compute=positions,
    draw=draw_positions,
    says="{finding}",
    columns=("pair", "radians per position", "key rotated further by", "dot product"),
    rows=(("{pair}", "{speed:.4f}", "{angle:.3f}", "{dot:.4f}"),),
    each="pairs",
    actions=(
        Action("back", "Both one position back", back_together),
        Action("on", "Both one position on", together),
    ),
    data={
        "speeds": SPEEDS,
        "query": QUERY,
        "key": KEY,
        "last": LAST,
        "says": [TURNED, SAME, SCORE, TURNS],
        "full": FULL,
    },
)
