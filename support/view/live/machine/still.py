"""The machine view as a still picture: what a notebook stores, and a page without JavaScript shows."""

from typing import Any

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch
from matplotlib.path import Path

from support.view import style
from support.view.live.controls import shown
from support.view.live.machine.numbers import standing
from support.view.live.model_text import Values, loaded

HEADS = ("#b8450a", "#c98a00", "#9c2f4b", "#7d6200")
SIGNED = LinearSegmentedColormap.from_list("signed", ["#0b5c8f", "#ffffff", "#ef9300"])
MOST = 5  # words in the picture


def _grid(values: Any) -> Any:
    """A vector as a matrix, as square as its length allows."""
    columns = int(np.ceil(len(values) ** 0.5))
    while len(values) % columns:
        columns += 1
    return np.array(values).reshape(-1, columns)


def draw_machine(values: Values, found: Values, name: str) -> Figure:
    """Words as rows, the pass from left to right, and the next-token distribution at its end.

    A part that is switched off is missing; what the pass has not reached yet is empty. Of an opened part the
    vectors are named above, each with its length; the page shows all their numbers.
    """
    config = loaded(name)[0].config
    fig = style.subplots(wide=True, figsize=(style.WIDE * 1.5, 4.2))[0]
    fig.clear()
    fig.set_layout_engine("none")
    known = len(found["streams"][0])
    last = max(found["here"], min(found["first"] + known, found["here"] + MOST) - 1)
    rows = [p for p in range(found["first"], found["first"] + known) if last - MOST < p <= last]
    height, left, right = 0.82 / MOST, 0.1, 0.77
    per = (right - left) / config.n_layers
    side = min(0.042, 0.16 * per)
    back = fig.add_axes((0, 0, 1, 1))
    back.axis("off")

    def y(p: int) -> float:
        return 0.84 - height * (rows.index(p) + 0.5)

    def x(stage: int) -> float:
        layer, rest = divmod(stage - 1, 2)
        return left if stage == 0 else left + per * layer + (0.62 * per if rest == 0 else per - 0.001)

    for p in rows:
        here = p == found["here"]
        weight = "bold" if here else "normal"
        back.text(0.09, y(p), found["words"][p], ha="right", va="center", fontsize=12, fontweight=weight)
        for stage, stream in enumerate(found["streams"]):
            if here and stage > values["step"]:
                continue
            flat = np.array(stream)
            scale = 2 * float(np.sqrt((flat**2).mean()))
            place = (x(stage), x(stage) + side, y(p) - 0.062, y(p) + 0.062)
            cells = _grid(stream[p - found["first"]])
            back.imshow(cells, cmap=SIGNED, vmin=-scale, vmax=scale, extent=place, aspect="auto", zorder=2)
        for layer, heads in enumerate(found["patterns"]):
            if here and values["step"] <= 2 * layer:
                continue
            for h, head in enumerate(heads):
                if f"h{layer}{h}" in found["off"]:
                    continue
                for key in (k for k in rows if k <= p):
                    weight_of = head[p - found["first"]][key]
                    if weight_of < 0.02:
                        continue
                    a, b, shift = x(2 * layer) + side, x(2 * layer + 1), 0.012 * (1.5 - h)
                    points = [(a, y(key) + shift), ((a + b) / 2, y(key) + shift)]
                    points += [((a + b) / 2, y(p) + shift), (b, y(p) + shift)]
                    path = Path(points, [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4])
                    strokes = {"lw": 0.4 + 5 * weight_of, "alpha": 0.75 if here else 0.18}
                    # As add_patch does, but no limits are sought, which takes most of its time.
                    back.add_artist(PathPatch(path, fill=False, ec=HEADS[h % 4], **strokes))
    for layer in range(config.n_layers):
        between, hyphen = (
            (" ", "-") if config.n_layers < 3 else ("\n", "-\n")
        )  # two lines where room is short
        for middle, words in (
            (x(2 * layer) + 0.32 * per, f"attention{between}{layer}"),
            (x(2 * layer + 1) + 0.22 * per, f"feed{hyphen}forward {layer}"),
        ):
            back.text(
                middle, 0.87 if config.n_layers > 2 else 0.92, words, ha="center", va="bottom", fontsize=11
            )
        if f"m{layer}" not in found["off"] and values["step"] > 2 * layer + 1:
            for p in rows:
                units = np.array(found["units"][layer][p - found["first"]])
                start = x(2 * layer + 1) + side + 0.006
                place = (start, start + 0.38 * per - side - 0.012, y(p) - 0.05, y(p) + 0.05)
                cells = np.abs(units).reshape(8, -1)
                back.imshow(cells, cmap="Greens", extent=place, aspect="auto", zorder=2)
    stands = values["step"] >= standing(name)
    back.text(0.83, 0.93, "next word" if stands else "if it stopped here", fontsize=11)
    for rank, item in enumerate(found["top"][:8]):
        at = 0.84 - 0.1 * rank
        back.barh(at - 0.035, 0.15 * item["p"], left=0.84, height=0.03, color=style.COLOURS["blue"])
        back.text(0.84, at, f"{item['word']}  {shown(item['p'], 1, percent=True)}", fontsize=11, va="center")
    told = (f"{v['name']}: length {np.linalg.norm(v['values']):.2f}" for v in found["detail"])
    if found["detail"]:
        back.text(0.01, 0.99, f"{values['open']}.  " + ";  ".join(told), fontsize=9, va="top")
    back.set(xlim=(0, 1), ylim=(0, 1))
    return fig
