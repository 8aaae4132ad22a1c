"""What training a model of GPT-2's kind needs in memory on each device, and what makes it smaller.

`figure.js` beside this file computes and draws the same in the page.
"""

import math
from functools import cache
from typing import Any, Literal

from matplotlib.figure import Figure

from support.model import GPTConfig
from support.training import MemoryPlan, memory_plan
from support.view import style
from support.view.live.amounts import counted, in_gigabytes
from support.view.live.controls import Choice, Slider
from support.view.live.description import LiveFigure
from support.view.plots import plot_bars

VOCABULARY, D_HEAD = 50257, 64
PARTS = tuple(style.PART_ROLES)
PRECISIONS: dict[str, Literal["float32", "mixed"]] = {"float32": "float32", "16-bit, mixed": "mixed"}


@cache
def planned(
    layers: int, width: int, batch: int, context: int, precision: str, every: int, shards: int
) -> MemoryPlan:
    """The package's plan for AdamW; a checkpoint interval beyond the last layer is one for all layers."""
    config = GPTConfig(
        vocab_size=VOCABULARY, context=context, d_model=width, n_layers=layers, n_heads=width // D_HEAD
    )
    return memory_plan(
        config,
        tokens=batch * context,
        precision=PRECISIONS[precision],
        recompute_every=min(every, layers),
        shards=shards,
    )


def memory(
    layers: float | int,
    width: float | int,
    batch: float | int,
    context: float | int,
    precision: str,
    every: float | int,
    shards: float | int,
) -> dict[str, Any]:
    """The bytes that one device holds at the peak of a training step with AdamW.

    Args:
        layers: of GPT-2's kind.
        width: d_model; the heads have 64 dimensions each.
        batch: sequences on each device.
        context: tokens in each of them.
        precision: ``"float32"`` or ``"16-bit, mixed"``.
        every: keep the input of every so many layers; 0 keeps all activations.
        shards: devices among which weights, gradients and optimiser are divided.

    Returns:
        the parameters, in millions and in words; for each part and in total its gigabytes, as a number and
        ``written``, and ``plain``: with float32, all activations kept and one device; the share of the
        activations; what is done, in words.

    >>> found = memory(48, 1600, 8, 1024, "16-bit, mixed", 1, 8)
    >>> round(found["total"], 1), round(found["total_plain"], 1)
    (5.7, 67.0)
    """
    size = (int(layers), int(width), int(batch), int(context))
    now = planned(*size, precision, int(every), int(shards))
    plain = planned(*size, "float32", 0, 1)
    amounts: dict[str, float] = {}
    for name in (*PARTS, "total"):
        amounts |= {name: getattr(now, name) / 1e9, f"{name}_plain": getattr(plain, name) / 1e9}
    written = {f"{name}_written": in_gigabytes(amount) for name, amount in amounts.items()}
    return {
        **amounts,
        **written,
        "millions": plain.gradients / 4e6,
        "parameters": counted(plain.gradients / 4),
        "share": now.activations / now.total,
        "interval": "none" if not every else f"{int(every)}",
    }


SIZES = (
    Slider("layers", "Layers", 1, 96, 1, 48, "{layers:.0f}"),
    Slider("width", "d_model", 64, 12288, 64, 1600, "{width:.0f}"),
    Slider("batch", "Sequences on a device", 1, 64, 1, 8, "{batch:.0f}"),
    Slider("context", "Tokens in a sequence", 128, 8192, 128, 1024, "{context:.0f}"),
)
CARDS = (24, 80)  # gigabytes
# The axis is even, to 100 GB as long as that will do, and else to 150, 200, 300 …, so that no bar is short.
_MOST = memory(SIZES[0].high, SIZES[1].high, SIZES[2].high, SIZES[3].high, "float32", 0, 1)["total"]
_ENDS = sorted(
    part * 10**k for k in range(2, 1 + math.ceil(math.log10(_MOST))) for part in (1, 1.5, 2, 3, 4, 5, 6, 8)
)
REACHES = tuple(end for k, end in enumerate(_ENDS) if k == 0 or _ENDS[k - 1] < _MOST)


def draw_memory(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """Two stacked bars: as chosen, and with none of the savings."""
    reach = next(gb for gb in REACHES if gb >= max(found["total"], found["total_plain"]))
    fig = plot_bars(
        {part: [found[part], found[f"{part}_plain"]] for part in PARTS},
        ("as chosen", "no savings"),
        xlabel="GB on each device",
        digits=2,
        stacked=True,
        level={f"card of {card} GB": card for card in CARDS},
        size=(style.WIDTH, 3),
    )
    ax = fig.axes[0]
    ax.set_xlim(0, reach)
    ax.set_xticks([reach * k / 5 for k in range(6)])
    for total, name in zip(ax.texts, ("total", "total_plain"), strict=True):
        total.set_text(found[f"{name}_written"])
        total.set_bbox({"facecolor": "white", "edgecolor": "none", "pad": 1.5})
    return fig


FIGURE = LiveFigure(
    name="memory",
    title="The memory of a training step",
    controls=(
        *SIZES,
        Choice("precision", "Precision", tuple(PRECISIONS), "16-bit, mixed"),
        Slider("every", "Checkpoint every … layers", 0, 96, 1, 0, "{interval}"),
        Slider("shards", "Shards (devices)", 1, 64, 1, 1, "{shards:.0f}"),
    ),
    compute=memory,
    draw=draw_memory,
    says="A model of {parameters} parameters needs {total_written} GB on each device, and {share:.1%} "
    "of that are activations. In float32, with all activations kept and on one device, it would be "
    "{total_plain_written} GB.",
    columns=("GB on each device", "as chosen", "no savings"),
    rows=(
        *((part, f"{{{part}_written}}", f"{{{part}_plain_written}}") for part in PARTS),
        ("together", "{total_written}", "{total_plain_written}"),
    ),
    data={
        **{"vocabulary": VOCABULARY, "d_head": D_HEAD, "parts": PARTS},
        "roles": tuple(style.PART_ROLES.values()),
        **{"reaches": REACHES, "cards": CARDS},
    },
)
