"""The picture of attention: a shopper with a list and one coin, and the stalls of a market."""

import math
from collections.abc import Sequence

from support.core import InputError
from support.view.diagram.canvas import Diagram, Number
from support.view.diagram.shapes import Drawing, Point

COIN = 18  # the radius of the coin
ROOF, FOOT = 82, 144  # where a stall begins, and where it ends
STRIPES = 6  # of an awning
SCORES = (2, 0, 1)
WEIGHTS = tuple(math.exp(score) / sum(map(math.exp, SCORES)) for score in SCORES)  # their softmax


def market(
    stalls: Sequence[str] = ("baker", "fishmonger", "dairy"),
    signs: Sequence[str] = ("bread", "fish", "cheese"),
    scores: Sequence[Number] = SCORES,
    weights: Sequence[Number] = WEIGHTS,
    values: Sequence[Sequence[Number]] = ((9, 0), (0, 5), (3, 3)),
    meals: Sequence[str] = ("breakfast", "dinner"),
) -> Diagram:
    """A list is held against the sign of every stall, a coin is broken, and the goods land in one basket.

    Args:
        stalls: the names of two or three stalls.
        signs: what stands on the sign of each, its key; the list names the same goods.
        scores: how much of each the list asks for, and so how well it fits the sign.
        weights: what part of the coin each stall gets; they sum to one.
        values: what a stall hands over for a whole coin, one number for each meal.
        meals: what the goods are for.

    Raises:
        InputError: there are not as many of one as of another, or the pieces are no coin.

    >>> market().alt[-45:]
    'holds 6.72 for breakfast and 1.18 for dinner.'
    """
    if not 2 <= len(stalls) == len(signs) == len(scores) == len(weights) == len(values) <= 3:
        raise InputError("a market has two or three stalls: give each a sign, a score, a weight and values")
    if min(weights) < 0 or not math.isclose(sum(weights), 1, abs_tol=0.01):
        raise InputError(f"the pieces of the coin sum to {sum(weights):g}; make that 1")
    if any(len(goods) != len(meals) for goods in values) or not 1 <= len(meals) <= 3:
        raise InputError("give each stall one value for each of up to three meals")
    d, wide = Drawing(320), 340 / len(stalls)
    across = [wide * (k + 0.5) for k in range(len(stalls))]
    d.text(8, 12, "The shopper’s list: a query", "query", bold=True, anchor="start")
    d.box(170, 33, 324, 22, "", "query", round=3)
    for x, sign, score in zip(across, signs, scores, strict=True):
        d.text(x, 33, f"{sign} {score:g}", inside=True)
        d.arrow((x, 45), (x, 64), words=f"score {score:g}", role="query")
    d.text(8, ROOF - 10, "Signs: keys", "key", bold=True, anchor="start")
    d.text(332, ROOF - 10, "Goods: values", "value", bold=True, anchor="end")
    for x, stall, sign, goods in zip(across, stalls, signs, values, strict=True):
        _stall(d, x, min(98, wide - 8), sign, goods)
        d.text(x, FOOT + 11, stall, bold=True)
    y = FOOT + 31
    d.text(8, y, "One coin in pieces: the attention weights", "attention", bold=True, anchor="start")
    turn, middle, basket = -0.25, y + 28, y + 74
    for x, weight in zip(across, weights, strict=True):
        d.curve(_piece(x - 16, middle, 0, 1), "line", width=1, closed=True)
        d.curve(_piece(x - 16, middle, turn, turn + weight), "attention", width=1.6, closed=True, fill=0.45)
        turn += weight
        d.text(x + COIN - 11, middle, f"{weight:.2f}", "attention", anchor="start", bold=True)
        end = 170 + 0.55 * (x - 186)
        d.arrow((x - 16, middle + COIN + 3), (end, basket - 2), role="value", width=1 + 7 * weight)
    high = 30 + 17 * len(meals)
    _basket(d, basket, high)
    d.text(170, basket + 14, "The basket: the output", "value", bold=True, inside=True)
    told = []
    for k, meal in enumerate(meals):
        parts = [weight * goods[k] for weight, goods in zip(weights, values, strict=True)]
        summed = " + ".join(f"{part:.2f}" if part else "0" for part in parts)
        d.text(170, basket + 33 + 17 * k, f"{meal}: {summed} = {sum(parts):.2f}", size=12, inside=True)
        told.append(f"{sum(parts):.2f} for {meal}")
    d.size = (d.size[0], basket + high + 4)
    at = [
        f"the {stall} under the sign {sign} has a score of {score:g} and gets {weight:.2f} of the coin"
        for stall, sign, score, weight in zip(stalls, signs, scores, weights, strict=True)
    ]
    return d.done(
        f"A market. A shopper holds her list, the query, against the sign of every stall, its key: "
        f"{', '.join(at)}. Each stall hands over its goods, its value, in that proportion, and the basket, "
        f"the output, holds {' and '.join(told)}."
    )


def _stall(d: Drawing, x: Number, wide: Number, sign: str, goods: Sequence[Number]) -> None:
    """An awning, a sign that hangs from it, and the goods on the counter."""
    left, stripe = x - wide / 2, wide / STRIPES
    for side in (left + 4, left + wide - 4):
        d.line((side, ROOF + 15), (side, FOOT), role="line", width=2)
    for k in range(STRIPES):
        a, b = left + stripe * k, left + stripe * (k + 1)
        edge: list[tuple[float, float]] = [(a, ROOF), (b, ROOF), (b, ROOF + 13)]
        edge += [
            ((a + b) / 2 + stripe / 2 * math.cos(s), ROOF + 13 + 6 * math.sin(s)) for s in _steps(0, math.pi)
        ]
        d.curve(edge, "token", width=1, closed=True, fill=0.35 if k % 2 else 0.08)
    d.line((x, ROOF + 15), (x, ROOF + 21), role="key")
    d.box(x, ROOF + 30, 62, 18, sign, "key", round=3)
    d.box(x, FOOT - 10, wide - 8, 20, " and ".join(f"{good:g}" for good in goods), "value", round=2)


def _steps(a: Number, b: Number) -> list[float]:
    return [a + (b - a) * k / 36 for k in range(37)]


def _piece(x: Number, y: Number, start: Number, end: Number) -> list[Point]:
    """A piece of the coin, between two parts of a turn."""
    rim = [(x + COIN * math.cos(t), y + COIN * math.sin(t)) for t in _steps(math.tau * start, math.tau * end)]
    return [(x, y), *rim] if end - start < 1 else rim


def _basket(d: Drawing, y: Number, high: Number) -> None:
    d.curve([(34, y), (306, y), (290, y + high), (50, y + high)], "value", width=1.7, closed=True, fill=0.1)
    for k in range(1, 4):  # of its weave only the rim, so that one can read what is in it
        d.line((34 + k, y + 2 * k), (306 - k, y + 2 * k), role="value", width=0.6, fade=0.5)
