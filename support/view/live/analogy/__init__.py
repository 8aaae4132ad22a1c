"""Analogies among the forty nouns: a − b + c as arrows, and the words nearest to where they lead.

`figure.js` beside this file computes and draws the same in the page.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
from matplotlib.figure import Figure

from support import zoo
from support.view import style
from support.view.live.controls import Action, Choice, fill
from support.view.live.description import LiveFigure
from support.view.maps import plot_map
from support.worlds.semantic import ANALOGIES, KINDS, LATENTS, NOUNS

Values = dict[str, Any]
WORDS = list(NOUNS)
NEAR = 5
_zoo = zoo.load("semantic")
_full_text = np.array(zoo.record("semantic")["arms"]["full 0.02"][0]["rows"])
_TABLES = {
    "the zoo’s table": _zoo.model.embedding.weight.detach().double().numpy()[_zoo.vocabulary.encode(WORDS)],
    "learned from the full text": _full_text,
    "random": np.random.default_rng(0).normal(size=_full_text.shape),
}
ROWS = {name: rows.round(4).tolist() for name, rows in _TABLES.items()}  # what the page has, too
FLAT = {}  # each table on the plane of its greatest variance
for _name, _rows in _TABLES.items():
    _places, _lengths, _ = np.linalg.svd(_rows - _rows.mean(0), full_matrices=False)
    FLAT[_name] = (_places * _lengths)[:, :2].round(3).tolist()
DESIGN = [[int(x) for x in row] for row in LATENTS]
ITSELF = (
    "{question} is nearest to “{nearest}” ({cosine:.3f}), which is a word of the question; if these are left "
    "out, to “{other}” ({other_cosine:.3f}). "
)
ANOTHER = (
    "{question} is nearest to “{nearest}” ({cosine:.3f}), whether or not the words of the question are "
    "left out. "
)
DESIGNED = "In the designed meanings it is exactly “{designed}”."
NOWHERE = "In the designed meanings no noun lies there."


Row = Sequence[float | int]


def _dot(a: Row, b: Row) -> float | int:
    return sum(x * y for x, y in zip(a, b, strict=True))


def _plus(a: Row, b: Row, times: float | int = 1) -> list[float | int]:
    return [x + times * y for x, y in zip(a, b, strict=True)]


def analogies(a: str, b: str, c: str, table: str) -> Values:
    """The words whose rows have the greatest cosine with a − b + c, and the plane through the three words.

    Args:
        a, b, c: of `WORDS`.
        table: of `ROWS`.

    Returns:
        near: the nearest of all words and, beside them, of all but a, b and c; points: all words projected on
        the plane through a, b and c (or, if these are not three different words, on the plane of the greatest
        variance); target: the place of the sum; designed: the word that the sum gives in the designed
        meanings, if there is one.

    >>> found = analogies("king", "man", "woman", "learned from the full text")
    >>> found["near"][0]["every"], found["near"][0]["other"], found["designed"]
    ('king', 'soldier', 'queen')
    """
    rows = ROWS[table]
    i, j, k = (WORDS.index(word) for word in (a, b, c))
    first = _plus(rows[i], rows[j], -1)
    wanted = _plus(first, rows[k])
    cosines = [_dot(row, wanted) / math.sqrt(_dot(row, row) * _dot(wanted, wanted)) for row in rows]
    order = sorted(range(len(rows)), key=lambda n: (-cosines[n], n))
    others = [n for n in order if n not in (i, j, k)]
    near = [
        {
            "rank": n + 1,
            "every": WORDS[p],
            "cosine": cosines[p],
            "other": WORDS[q],
            "other_cosine": cosines[q],
        }
        for n, (p, q) in enumerate(zip(order[:NEAR], others[:NEAR], strict=True))
    ]
    meant = _plus(_plus(DESIGN[i], DESIGN[j], -1), DESIGN[k])
    exact = [word for word, row in zip(WORDS, DESIGN, strict=True) if row == meant]
    if len({a, b, c}) == 3:  # the difference b → a lies across, and c above it
        across = [x / math.sqrt(_dot(first, first)) for x in first]
        second = _plus(rows[k], rows[j], -1)
        rest = _plus(second, across, -_dot(second, across))
        up = [x / math.sqrt(_dot(rest, rest)) for x in rest]
        points = [[_dot(_plus(row, rows[j], -1), axis) for axis in (across, up)] for row in rows]
    else:
        points = FLAT[table]
    found: Values = {"near": near, "points": points, "designed": exact[0] if exact else ""}
    found["target"] = _plus(_plus(points[i], points[j], -1), points[k])
    about = near[0] | {"question": f"{a} − {b} + {c}", "nearest": near[0]["every"]} | found
    says = (ITSELF if near[0]["every"] in (a, b, c) else ANOTHER) + (DESIGNED if exact else NOWHERE)
    return found | {"finding": fill(says, about)}


def another(values: Values, uniform: float) -> Values:
    """The next of the chapter's questions.

    >>> another({"a": "king", "b": "man", "c": "woman"}, 0.0)
    {'a': 'lion', 'b': 'king', 'c': 'queen'}
    """
    asked = [list(question[:3]) for question in ANALOGIES]
    now = [values[name] for name in "abc"]
    then = asked[(asked.index(now) + 1) % len(asked)] if now in asked else asked[0]
    return dict(zip("abc", then, strict=True))


def draw_analogies(values: Values, found: Values) -> Figure:
    """The two equal arrows on the map; named are the words of the question and those nearest to the sum."""
    asked = [values[name] for name in "abc"]
    points = np.array(found["points"])
    best = {found["near"][0]["every"], found["near"][0]["other"]}
    fig = plot_map(points, WORDS, groups=[KINDS[word] for word in WORDS], show_only=[*asked, *best])
    ax = fig.axes[0]
    a, b, c = (points[WORDS.index(word)] for word in asked)
    for k, (start, end) in enumerate(pairwise([b, a, c, found["target"]])):
        if k != 1:
            arrow = {
                "arrowstyle": "-|>",
                "color": style.colour(3),
                "linewidth": 1.8,
                "shrinkA": 2,
                "shrinkB": 2,
            }
            ax.annotate("", xy=tuple(end), xytext=tuple(start), arrowprops=arrow)
    ax.plot(*found["target"], "*", color=style.colour(3), markersize=15, zorder=5)
    ax.set_title(f"★ {values['a']} − {values['b']} + {values['c']}: {values['table']}")
    return fig


FIGURE = LiveFigure(
    name="analogy",
    title="Analogies: a − b + c",
    controls=(
        *(
            Choice(name, label, tuple(WORDS), word)
            for name, label, word in zip("abc", ("a", "− b", "+ c"), ANALOGIES[0], strict=False)
        ),
        Choice("table", "Embedding table", tuple(ROWS), next(iter(ROWS))),
    ),
    compute=analogies,
    draw=draw_analogies,
    says="{finding}",
    columns=("", "nearest of all words", "cosine", "nearest without a, b, c", "cosine "),
    rows=(("{rank}", "{every}", "{cosine:.3f}", "{other}", "{other_cosine:.3f}"),),
    each="near",
    actions=(Action("another", "Another question", another),),
    data={
        "words": WORDS,
        "kinds": [KINDS[word] for word in WORDS],
        "rows": ROWS,
        "flat": FLAT,
        "design": DESIGN,
        "asked": [question[:3] for question in ANALOGIES],
        "says": [ITSELF, ANOTHER, DESIGNED, NOWHERE],
    },
    needs=("word_map.js",),
)
