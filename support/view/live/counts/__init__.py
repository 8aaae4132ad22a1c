"""Where the parameters of real models are: counted from their published configurations, part by part.

`figure.js` beside this file draws the same in the page.
"""

from functools import lru_cache
from typing import Any

from matplotlib.figure import Figure

from support.model import GPTConfig
from support.view import style
from support.view.figure import legend_above
from support.view.live.amounts import counted, in_gigabytes
from support.view.live.controls import Choice, Slider, shown
from support.view.live.description import LiveFigure

_GPT2: dict[str, Any] = {"vocab_size": 50257, "context": 1024}
_LLAMA: dict[str, Any] = {
    **{"vocab_size": 32000, "d_model": 4096, "n_layers": 32, "n_heads": 32, "positions": "rope"},
    **{"norm": "rms", "activation": "swiglu", "attention_bias": False, "ffn_bias": False},
    "tie_weights": False,
}
_WIDE: dict[str, Any] = {"n_kv_heads": 8, "d_ff": 14336}
_SEVENTY: dict[str, Any] = {"d_model": 8192, "d_ff": 28672, "n_layers": 80, "n_heads": 64, "n_kv_heads": 8}
STORIES = "Our story model"
MODELS: dict[str, dict[str, Any]] = {
    STORIES: {
        "vocab_size": 649,
        "context": 192,
        "d_model": 96,
        "n_layers": 4,
        "n_heads": 4,
        "d_ff": 320,
    },
    "GPT-2 small": _GPT2 | {"d_model": 768, "n_layers": 12, "n_heads": 12},
    "GPT-2 medium": _GPT2 | {"d_model": 1024, "n_layers": 24, "n_heads": 16},
    "GPT-2 large": _GPT2 | {"d_model": 1280, "n_layers": 36, "n_heads": 20},
    "GPT-2 XL": _GPT2 | {"d_model": 1600, "n_layers": 48, "n_heads": 25},
    "GPT-3": _GPT2 | {"context": 2048, "d_model": 12288, "n_layers": 96, "n_heads": 96},
    "Llama 7B": _LLAMA,
    "Llama 2 70B": _LLAMA | _SEVENTY,
    "Llama 3 8B": _LLAMA | _WIDE | {"vocab_size": 128256},
    "Mistral 7B": _LLAMA | _WIDE,
    "Mixtral 8x7B": _LLAMA | _WIDE | {"n_experts": 8, "experts_per_token": 2},
}
PARTS = ("embedding", "positions", "attention", "feed-forward", "router", "norms", "head")


@lru_cache
def by_part(name: str) -> dict[str, int]:
    """How many parameters each part of a model has, by the formulas of its configuration.

    >>> by_part("GPT-2 small")["feed-forward"], sum(by_part("GPT-2 small").values())
    (56669184, 124439808)
    """
    c = GPTConfig(**MODELS[name])
    assert c.d_head and c.n_kv_heads and c.d_ff  # a made configuration has them all
    queries, pairs = c.n_heads * c.d_head, c.n_kv_heads * c.d_head
    attention = c.d_model * (queries + 2 * pairs) + queries * c.d_model
    attention += (queries + 2 * pairs) * bool(c.qkv_bias) + c.d_model * c.attention_bias
    up = 2 if c.activation == "swiglu" else 1
    network = (up + 1) * c.d_model * c.d_ff + (up * c.d_ff + c.d_model) * c.ffn_bias
    norm = c.d_model * (2 if c.norm == "layer" else 1)
    return {
        "embedding": c.vocab_size * c.d_model,
        "positions": c.context * c.d_model * (c.positions == "learned"),
        "attention": c.n_layers * attention,
        "feed-forward": c.n_layers * c.n_experts * network,
        "router": c.n_layers * c.n_experts * c.d_model * (c.n_experts > 1),
        "norms": (2 * c.n_layers + 1) * norm,
        "head": 0 if c.tie_weights else c.vocab_size * c.d_model,
    }


def _row(name: str) -> list[dict[str, Any]]:
    parts = by_part(name)
    total = sum(parts.values())
    return [{"part": p, "count": n, "share": n / total, "written": f"{n:,}"} for p, n in parts.items()]


TABLES = {name: _row(name) for name in MODELS}
TOTALS = {name: sum(by_part(name).values()) for name in MODELS}
WRITTEN = {name: counted(total) for name, total in TOTALS.items()}


def in_bytes(gigabytes: float | int) -> str:
    """Memory with its unit: megabytes, if it is less than a tenth of a gigabyte.

    >>> in_bytes(0.000958), in_bytes(0.249)
    ('1.0 MB', '0.249 GB')
    """
    return f"{shown(1000 * gigabytes, 1)} MB" if gigabytes < 0.1 else f"{in_gigabytes(gigabytes)} GB"


def counts(model: str, other: str, bits: float | int) -> dict[str, Any]:
    """The parts of two models, and the memory that the weights of each need.

    Args:
        model: one of `MODELS`.
        other: another one, to compare with.
        bits: of a parameter.

    >>> found = counts("GPT-2 small", "Llama 7B", 16)
    >>> found["total"], found["memory"], found["other_memory"], found["parts"][3]["written"]
    ('124.4 million', '0.249 GB', '13.48 GB', '56,669,184')
    """
    parts = [
        a | {"other_share": b["share"], "other_written": b["written"]}
        for a, b in zip(TABLES[model], TABLES[other], strict=True)
    ]
    return {
        "parts": parts,
        "total": WRITTEN[model],
        "other_total": WRITTEN[other],
        "memory": in_bytes(TOTALS[model] * bits / 8e9),
        "other_memory": in_bytes(TOTALS[other] * bits / 8e9),
        "times": TOTALS[model] / TOTALS[other],
        "ffn": parts[3]["share"],
        "tables": parts[0]["share"] + parts[1]["share"] + parts[6]["share"],
    }


def draw_counts(values: dict[str, Any], found: dict[str, Any]) -> Figure:
    """Two bars of equal length, each divided among the parts of a model."""
    fig, ax = style.subplots(figsize=(style.WIDTH, 2.9))
    names = [values["model"], values["other"]]
    ys = range(2)
    for part, hatch in zip(range(len(PARTS)), ("", "..", "//", "", "xx", "--", "\\\\"), strict=True):
        for y, key in zip(ys, ("share", "other_share"), strict=True):
            left = sum(item[key] for item in found["parts"][:part])
            share = found["parts"][part][key]
            ax.barh(y, 100 * share, left=100 * left, color=style.colour(part), hatch=hatch, label=PARTS[part])
    labels = [
        f"{names[0]}\n{found['total']}\n{found['memory']}",
        f"{names[1]}\n{found['other_total']}\n{found['other_memory']}",
    ]
    ax.set_yticks(ys, labels=labels)
    ax.invert_yaxis()
    ax.set(xlabel="% of the parameters", xlim=(0, 100))
    legend_above(fig, [item["part"] for item in found["parts"] if item["count"] or item["other_share"]])
    return fig


FIGURE = LiveFigure(
    name="counts",
    title="Where the parameters are",
    controls=(
        Choice("model", "Model", tuple(MODELS), "GPT-2 small"),
        Choice("other", "Compared with", tuple(MODELS), "Llama 3 8B"),
        Slider("bits", "Bits of a parameter", 2, 32, 2, 16, "{bits:.0f}"),
    ),
    compute=counts,
    draw=draw_counts,
    says="{model} has {total} parameters, {ffn:.1%} of them in feed-forward networks and {tables:.1%} in "
    "tables of tokens and positions. With {bits:.0f} bits each they take {memory}. {other} has "
    "{other_total}, which take {other_memory}.",
    columns=("part", "model", "share", "compared with", "share of it"),
    rows=(("{part}", "{written}", "{share:.1%}", "{other_written}", "{other_share:.1%}"),),
    each="parts",
    data={"tables": TABLES, "totals": TOTALS, "written": WRITTEN},
)
