"""The page of scales: a figure whose colours follow the page, with its numbers in a table below.

A model's paper is named by its key in `references.bib` and linked by its DOI or arXiv number; sizes are
counted by `GPTConfig`, not copied.
"""

from html import escape
from typing import Any

from docutils import nodes
from pybtex.database import parse_file
from references import BIB, address  # beside this file
from scale_drawings import LADDERS, ladder, short, squares
from sphinx.util.docutils import SphinxDirective

from support.model import GPT, GPTConfig, cache_bytes

PAPER = "a small Transformer, computed on paper"
OURS = {  # how the page calls a model of the zoo
    "calling-game": "our model of the calling game",
    "semantic": "our model of the semantic world",
    "stories": "our model of the story world",
    "stories-small": "our small model of the story world",
}
BRIEF = {  # and in a drawing, where there is less room
    PAPER: "on paper",
    "GPT-2 small": "GPT-2",
    **{name: key.replace("-", " ") for key, name in OURS.items()},
}


def shapes() -> dict[str, tuple[GPTConfig, float | None, str]]:
    """Name → configuration, tokens read in training (None: not published, 0: never trained), and its key."""
    gpt2 = {"vocab_size": 50257, "context": 1024}
    llama = {"vocab_size": 32000, "context": 4096, "positions": "rope", "norm": "rms", "activation": "swiglu"}
    llama |= {"attention_bias": False, "ffn_bias": False, "tie_weights": False}
    wide = {"d_model": 4096, "n_layers": 32, "n_heads": 32, "d_ff": 11008}
    large = {"d_model": 8192, "n_layers": 80, "n_heads": 64, "n_kv_heads": 8, "d_ff": 28672}
    mixtral = wide | {"d_ff": 14336, "n_kv_heads": 8, "n_experts": 8, "experts_per_token": 2}
    guide = {"vocab_size": 50000, "context": 16, "d_model": 6, "n_layers": 3, "n_heads": 2, "norm": "none"}
    guide |= {"positions": "sinusoidal", "attention_bias": False, "ffn_bias": False}
    herd = llama | {"vocab_size": 128256, "context": 131072, "d_model": 16384, "n_layers": 126}
    herd |= {"n_heads": 128, "n_kv_heads": 8, "d_ff": 53248}
    three = gpt2 | {"context": 2048, "d_model": 12288, "n_layers": 96, "n_heads": 96}
    return {
        PAPER: (GPTConfig(**guide), 0, ""),
        "GPT-2 small": (GPTConfig(**gpt2, d_model=768, n_layers=12, n_heads=12), None, "radford2019"),
        "Llama 7B": (GPTConfig(**llama | wide | {"context": 2048}), 1.0e12, "touvron2023a"),
        "Mixtral 8x7B": (GPTConfig(**llama | mixtral | {"context": 32768}), None, "jiang2024"),
        "Llama 2 70B": (GPTConfig(**llama | large), 2.0e12, "touvron2023b"),
        "GPT-3": (GPTConfig(**three), 3.0e11, "brown2020"),
        "Llama 3.1 405B": (GPTConfig(**herd), 1.56e13, "dubey2024"),
    }


def deepseek_v3() -> dict[str, Any]:
    """DeepSeek-V3 from its paper's shape: `GPTConfig` has no latent attention and no shared experts.

    >>> [f"{deepseek_v3()[name] / 1e9:.0f}" for name in ("parameters", "active")]
    ['671', '37']
    """
    d, layers, dense, heads, vocabulary = 7168, 61, 3, 128, 129280
    latent, rotated, query, d_head, length = 512, 64, 1536, 128, 2048
    expert, routed, chosen = 3 * d * 2048, 256, 8  # SwiGLU has three matrices; one expert more is shared
    asking = d * query + query * heads * (d_head + rotated)
    keeping = d * (latent + rotated) + latent * heads * 2 * d_head
    common = vocabulary * d + layers * (asking + keeping + heads * d_head * d)
    common += dense * 3 * d * 18432 + (layers - dense) * routed * d
    active = common + (layers - dense) * (chosen + 1) * expert
    parameters = vocabulary * d + common + (layers - dense) * (routed + 1) * expert
    return {
        "name": "DeepSeek-V3",
        "brief": "DeepSeek-V3",
        "parameters": parameters,
        "active": active,
        "shape": f"{d:,} · {layers} · {heads}",
        "kept": "–",
        "flops": 2 * active + 2 * layers * length * heads * (2 * d_head + rotated),
        "cache": 2 * layers * (latent + rotated),
        "training": 16 * parameters,
        "tokens": 1.48e13,
        "key": "deepseek2024b",
    }


def scales() -> list[dict[str, Any]]:
    """A row for each model of the zoo and each published one, smallest first."""
    import torch

    from support import zoo

    rows = []
    for name in sorted(zoo.RECIPES):
        entry = zoo.load(name)
        card = entry.card
        rows.append(_row(OURS[name], entry.model.config, entry.model, None, ""))
        rows[-1]["tokens"] = card.get("data", {}).get("training tokens")
    for name, (config, tokens, key) in shapes().items():
        with torch.device("meta"):
            model = GPT(config)
        rows.append(_row(name, config, model, tokens, key))
    return sorted([*rows, deepseek_v3()], key=lambda row: row["parameters"])


def _row(name: str, config: GPTConfig, model: Any, tokens: float | None, key: str) -> dict[str, Any]:
    return {
        "name": name,
        "brief": BRIEF.get(name, name),
        "parameters": model.n_parameters(),
        "shape": f"{config.d_model:,} · {config.n_layers} · {config.n_heads}",
        "kept": f"{config.n_kv_heads} × {config.d_head}",
        "flops": model.flops_per_token(length=min(config.context, 2048)),
        "cache": cache_bytes(config, length=1, bytes_per_number=2),
        "training": 16 * model.n_parameters(),  # weights, gradients, and Adam's two, in 32 bits
        "tokens": tokens,
        "key": key,
    }


def scale_table(rows: list[dict[str, Any]]) -> str:
    """The numbers of the figure, and what follows from them."""
    works = parse_file(str(BIB)).entries
    heads = ("Model", "Parameters", "Width · layers · heads", "Operations per token")
    heads += ("KV heads × width of a head", "Cache, bytes per token")
    heads += ("Bytes to train", "Tokens read", "Tokens per parameter")
    lines = []
    for row in rows:
        ratio = f"{row['tokens'] / row['parameters']:.3g}" if row["tokens"] else "–"
        name = escape(row["name"])
        if row["key"]:
            name = f'<a href="{address(works[row["key"]].fields)}">{name}</a>'
        cells = [f"{row['parameters']:,}", row["shape"], short(row["flops"]), row["kept"]]
        cells += [short(row["cache"]), short(row["training"]), short(row["tokens"]), ratio]
        filled = "".join(f"<td>{cell}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{name}</th>{filled}</tr>')
    head = "".join(f'<th scope="col">{h}</th>' for h in heads)
    return (
        '<div class="pst-scrollable-table-container" tabindex="0"><table class="table scales cards">'
        f"<thead><tr>{head}</tr></thead><tbody>{''.join(lines)}</tbody></table></div>"
    )


def compared() -> list[tuple[str, float, float]]:
    """What the guide sets side by side: its model on paper with a text of 3 tokens, and GPT-3 with 2,048.

    >>> [round(large / small) for _, small, large in compared()[:3]]
    [2048, 48, 32]
    """
    import torch

    pair = [shapes()[name][0] for name in (PAPER, "GPT-3")]
    with torch.device("meta"):
        parameters = [GPT(config).n_parameters() for config in pair]
    lengths, widths, hidden = (3, 2048), [c.d_model for c in pair], [4 * c.d_model for c in pair]
    counts = {
        "Width": widths,
        "Heads": [c.n_heads for c in pair],
        "Layers": [c.n_layers for c in pair],
        "Width of the feed-forward network": hidden,
        "Vocabulary": [c.vocab_size for c in pair],
        "Parameters": parameters,
        "Products for the scores of one layer, n²d": [
            n * n * d for n, d in zip(lengths, widths, strict=True)
        ],
        "Products of one feed-forward matrix of one layer": [
            n * d * f for n, d, f in zip(lengths, widths, hidden, strict=True)
        ],
    }
    return [(name, *both) for name, both in counts.items()]


def comparison(rows: list[tuple[str, float, float]]) -> str:
    """The same recipe twice, with how many times larger one is."""
    body = "".join(
        f'<tr><th scope="row">{name}</th>{"".join(f"<td>{short(x)}</td>" for x in (a, b, round(b / a)))}</tr>'
        for name, a, b in rows
    )
    heads = ("Size", "On paper", "GPT-3", "Times larger")
    head = "".join(f'<th scope="col">{h}</th>' for h in heads)
    return (
        '<div class="pst-scrollable-table-container" tabindex="0"><table class="table compared">'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


class Scale(SphinxDirective):
    """The figure; `table`: its numbers; `squares`: areas; `compared`: the guide's model beside GPT-3."""

    optional_arguments = 1

    def run(self) -> list[nodes.Node]:
        self.env.note_dependency(str(BIB))
        if self.arguments == ["compared"]:
            return [nodes.raw("", comparison(compared()), format="html")]
        rows = scales()
        if self.arguments == ["squares"]:
            return [nodes.raw("", squares(rows), format="html")]
        if self.arguments == ["table"]:
            return [nodes.raw("", scale_table(rows), format="html")]
        drawings = "".join(ladder(rows, layout) for layout in LADDERS)
        return [nodes.raw("", drawings, format="html")]


def setup(app: Any) -> dict[str, Any]:
    app.add_directive("scale", Scale)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
