"""What a norm does to the residual stream of untrained blocks: its length, its gradient, its tokens.

The numbers are recorded (`benchmarks/stream_length.py`); `figure.js` beside this file draws the same.
"""

import math
from typing import Any

from matplotlib.figure import Figure

from support import zoo
from support.view import style
from support.view.live.controls import Choice, Slider, Switch
from support.view.live.description import LiveFigure

RECORD = zoo.record("stream_length")
NORMS = ("no norm", "pre-norm", "post-norm")
WHATS = ("length of a token’s stream", "gradient norm (1 at the top)", "cosine similarity of tokens")
LEAST = 1e-9  # what is smaller is drawn and told as this


def _key(norm: str, residual: bool, scaled: bool) -> str:
    return f"{norm}, {'residual' if residual else 'none'}, {'scaled' if scaled else 'full'}"


def _told(value: float, what: str) -> str:
    if what == WHATS[2]:
        return f"{value:.2f}".replace("-", "−")
    if value <= LEAST:
        return "less than 0.000000001"
    if value >= 1000:
        return f"{float(f'{value:.2g}'):,.0f}"
    return f"{value:.2f}" if value >= 0.1 else f"{float(f'{value:.2g}'):.10f}".rstrip("0")


CURVES: dict[str, list[list[float]]] = {
    key: [[max(x, LEAST) for x in column] for column in columns[:2]] + [columns[2]]
    for key, columns in RECORD["runs"].items()
}
TOLD = {
    key: [[_told(x, what) for x in column] for column, what in zip(columns, WHATS, strict=True)]
    for key, columns in CURVES.items()
}


def norms(norm: str, residual: bool, scaled: bool, what: str, blocks: float | int) -> dict[str, Any]:
    """One stack of untrained blocks, after a number of them, and the other norms in the same stack.

    Args:
        norm: one of `NORMS`.
        residual: whether each sublayer's output is added to its input, or takes its place.
        scaled: whether the output matrices begin smaller, by the root of the number of sublayers.
        what: one of `WHATS`.
        blocks: from 0 to 24.

    >>> found = norms("no norm", True, False, "length of a token’s stream", 24)
    >>> found["told"], found["rows"][1]["length"]
    ('1,600,000', '29.95')
    """
    k, place = WHATS.index(what), round(blocks)
    rows = []
    for name in NORMS:
        length, gradient, alike = (column[place] for column in TOLD[_key(name, residual, scaled)])
        rows.append({"name": name, "length": length, "gradient": gradient, "alike": alike})
    key = _key(norm, residual, scaled)
    return {"told": TOLD[key][k][place], "first": TOLD[key][k][0], "rows": rows, "k": k}


def draw_norms(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """The three norms over depth; the chosen one is thick."""
    fig, ax = style.subplots(figsize=(style.WIDTH, 3.8))
    for i, name in enumerate(NORMS):
        curve = CURVES[_key(name, values["residual"], values["scaled"])][found["k"]]
        here = name == values["norm"]
        ax.plot(
            range(25), curve, style.LINES[i], color=style.colour(i), linewidth=4 if here else 1.5, label=name
        )
        if here:
            ax.plot(
                [values["blocks"]],
                [curve[round(values["blocks"])]],
                "o",
                color=style.colour(i),
                markersize=10,
            )
    ax.set(xlabel="blocks passed", ylabel=values["what"])
    if found["k"] == 2:
        ax.set_ylim(-0.3, 1.05)
    else:
        shown = [CURVES[_key(name, values["residual"], values["scaled"])][found["k"]] for name in NORMS]
        low, high = (math.log10(end(map(end, shown))) for end in (min, max))
        low = math.floor(low)
        ax.set(yscale="log", ylim=(10.0**low, 10.0 ** max(low + 1, math.ceil(high))))
    residual = "with" if values["residual"] else "without"
    ax.set_title(
        f"{residual} residual, {'scaled' if values['scaled'] else 'full-size'} initialisation", loc="left"
    )
    ax.legend()
    return fig


FIGURE = LiveFigure(
    name="norms",
    title="Norms on and off: twenty-four untrained blocks",
    controls=(
        Choice("norm", "Norm", NORMS, "pre-norm"),
        Switch("residual", "residual connections", True, "Blocks"),
        Switch("scaled", "scaled initialisation", False, "Blocks"),
        Choice("what", "Draw", WHATS, WHATS[0]),
        Slider("blocks", "Blocks passed", 0, 24, 1, 24, "{blocks:.0f}"),
    ),
    compute=norms,
    draw=draw_norms,
    says="With {norm}, the {what} is {told} after {blocks:.0f} blocks; in front of them it is {first}.",
    columns=("after so many blocks", "length of a stream", "norm of the gradient", "similarity of tokens"),
    rows=(("{name}", "{length}", "{gradient}", "{alike}"),),
    each="rows",
    data={"curves": CURVES, "told": TOLD, "norms": NORMS, "whats": WHATS},
)
