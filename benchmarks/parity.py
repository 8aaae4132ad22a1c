"""The model family against transformers: the largest logit difference, architecture by shape, as a table.

    python benchmarks/parity.py

It keeps the table in support/zoo/records/parity.json, too.

Weights are random and far from a fresh start: peaked attention, random norm gains, random biases. Columns:

- float32, float64: the largest difference between our logits and theirs over two texts that fill the context.
  transformers computes norms, softmax, angles and router shares in float32 always; for the float64 column
  those places are lifted (see `in_float64`).
- back: the same in float32 when our model is written as a folder and loaded by transformers.
- cached: our logits with the cache against ours without it in float64: two chunks, then token by token.
- generation: our cached logits against theirs (`use_cache`), while they generate greedily.
- rounding: how far apart rounding to float32 alone can bring two runs (`rounding_gap` in tests/helpers.py).
- largest weight: how peaked attention is, the mean over heads and positions of the largest attention weight.
"""

import copy
import importlib
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import torch
import transformers

sys.path.append(str(Path(__file__).resolve().parents[1] / "tests"))
from helpers import rounding_gap
from recording import keep_record, made_by

from support.core import seed_everything
from support.exchange import from_huggingface, to_huggingface
from support.model import GPT

GPT2 = {"vocab_size": 512, "n_positions": 64, "n_layer": 2, "n_head": 3, "n_embd": 48}
LLAMA = {
    "vocab_size": 512,
    "max_position_embeddings": 64,
    "hidden_size": 48,
    "intermediate_size": 80,
    "num_hidden_layers": 2,
    "num_attention_heads": 6,
    "num_key_value_heads": 2,
}
GPT_NEO = {
    "vocab_size": 512,
    "max_position_embeddings": 64,
    "hidden_size": 48,
    "num_layers": 2,
    "num_heads": 3,
    "attention_types": [[["global", "local"], 1]],
    "window_size": 8,
}
GPT_NEOX = {name: value for name, value in LLAMA.items() if name != "num_key_value_heads"}
GPT_NEOX |= {"num_attention_heads": 3}
SMALL = {"gpt2": GPT2, "gpt_neo": GPT_NEO, "gpt_neox": GPT_NEOX}  # the others are like Llama
NEW = int(transformers.__version__.split(".")[0]) >= 5  # before, experts had one way, and RoPE other fields
EAGER = {"attn_implementation": "eager"} | ({"experts_implementation": "eager"} if NEW else {})
NO_TOKENS = {"bos_token_id": None, "eos_token_id": None, "pad_token_id": None}
LLAMA3 = {
    "rope_type": "llama3",
    "rope_theta": 500_000.0,
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 16,
}
# Architecture → what its transformers class is called; then its shapes, each a change of the small one.
CLASSES = {
    "gpt2": "GPT2",
    "llama": "Llama",
    "mistral": "Mistral",
    "mixtral": "Mixtral",
    "qwen2": "Qwen2",
    "qwen3": "Qwen3",
    "gpt_neo": "GPTNeo",
    "gpt_neox": "GPTNeoX",
}
SHAPES = {
    "gpt2": {
        "1 layer, 2 heads, 8 wide": {"n_layer": 1, "n_head": 2, "n_embd": 8, "vocab_size": 11},
        "1 head, 24 wide": {"n_head": 1, "n_embd": 24},
        "12 layers, 4 heads, 32 wide": {"n_layer": 12, "n_head": 4, "n_embd": 32},
        "3 layers, 6 heads, 192 wide": {"n_layer": 3, "n_head": 6, "n_embd": 192, "n_positions": 128},
        "ReLU, inner 20": {"n_inner": 20, "activation_function": "relu"},
        "exact GELU": {"activation_function": "gelu"},
        "loose norm": {"layer_norm_epsilon": 1e-2},
        "untied head": {"tie_word_embeddings": False},
    },
    "llama": {
        "6 heads on 2 KV heads": {},
        "as many KV heads": {"num_key_value_heads": 6},
        "1 KV head, 8 layers": {"num_key_value_heads": 1, "num_hidden_layers": 8},
        "biases everywhere": {"attention_bias": True, "mlp_bias": True},
        "wide heads, tied": {"head_dim": 20, "tie_word_embeddings": True},
        "base 500,000, Llama 3 scaling": {"rope_parameters": LLAMA3},
        "linear scaling": {
            "rope_parameters": {"rope_type": "linear", "rope_theta": 10_000.0, "factor": 4.0}
        },
        "192 wide, context 128": {"hidden_size": 192, "max_position_embeddings": 128},
    },
    "mistral": {
        "no window": {"sliding_window": None},
        "window 7": {"sliding_window": 7},
        "window 2, tied": {"sliding_window": 2, "tie_word_embeddings": True},
        "window 40, narrow heads": {"sliding_window": 40, "head_dim": 4},
    },
    "mixtral": {
        "8 experts, 2 visited": {},
        "3 experts, 1 visited": {"num_local_experts": 3, "num_experts_per_tok": 1},
        "4 experts, all visited": {"num_local_experts": 4, "num_experts_per_tok": 4},
        "window 9, tied": {"sliding_window": 9, "tie_word_embeddings": True},
    },
    "qwen2": {
        "6 heads on 2 KV heads": {},
        "tied, base 1,000,000": {
            "tie_word_embeddings": True,
            "rope_parameters": {"rope_type": "default", "rope_theta": 1_000_000.0},
        },
        "window 7 in all layers": {"use_sliding_window": True, "sliding_window": 7, "max_window_layers": 0},
    },
    "qwen3": {
        "heads of 16": {"head_dim": 16},
        "tied, biases": {"head_dim": 8, "tie_word_embeddings": True, "attention_bias": True},
        "heads of 128, 4 layers": {"head_dim": 128, "num_hidden_layers": 4},
        "window 7 in all layers": {
            "head_dim": 16, "use_sliding_window": True, "sliding_window": 7, "max_window_layers": 0,
        },
    },
    "gpt_neo": {
        "every second layer local, window 8": {},
        "global alone": {"attention_types": [[["global"], 2]]},
        "local alone, window 2": {"attention_types": [[["local"], 2]], "window_size": 2},
        "8 layers, untied, exact GELU, inner 20": {
            "num_layers": 8, "attention_types": [[["global", "local"], 4]], "tie_word_embeddings": False,
            "intermediate_size": 20, "activation_function": "gelu",
        },
    },
    "gpt_neox": {
        "a quarter of each head rotated": {},
        "the whole head rotated, in sequence": {
            "rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0, "partial_rotary_factor": 1.0},
            "use_parallel_residual": False,
        },
        "half of each head, base 500, tied": {
            "rope_parameters": {"rope_type": "default", "rope_theta": 500.0, "partial_rotary_factor": 0.5},
            "tie_word_embeddings": True,
        },
        "8 layers, no biases, tanh GELU": {
            "num_hidden_layers": 8, "attention_bias": False, "hidden_act": "gelu_new",
        },
    },
}  # fmt: skip
COLUMNS = ("float32", "float64", "back", "cached", "generation", "rounding")
CASES = [(architecture, shape) for architecture, shapes in SHAPES.items() for shape in shapes]
# The shape of a published model, for the table alone.
LARGE = {("gpt2", "GPT-2 small's"): {"n_layer": 12, "n_head": 12, "n_embd": 768, "vocab_size": 50257}}


def theirs(architecture: str, changes: dict, perturb: bool = True) -> torch.nn.Module:
    """A transformers model in which every tensor matters; or, unperturbed, as transformers begins one."""
    name = CLASSES[architecture]
    small = SMALL.get(architecture, LLAMA)
    if not NEW and (rope := changes.get("rope_parameters")):
        apart = ("rope_theta", "partial_rotary_factor")
        scaling = {name: value for name, value in rope.items() if name not in apart}
        scaling = None if rope["rope_type"] == "default" else scaling
        changes = {**changes, "rope_theta": rope["rope_theta"], "rope_scaling": scaling}
        if "partial_rotary_factor" in rope:
            changes |= {"rotary_pct": rope["partial_rotary_factor"], "rotary_emb_base": rope["rope_theta"]}
    config = getattr(transformers, f"{name}Config")(**(small | NO_TOKENS | changes), **EAGER)
    head = "LMHeadModel" if architecture == "gpt2" else "ForCausalLM"
    model = getattr(transformers, name + head)(config).eval()
    if perturb:
        shake(model)
    return model


@torch.no_grad()
def shake(model: torch.nn.Module) -> None:
    """Random gains and biases, and scores spread so widely that attention has favourites."""
    for name, p in model.named_parameters():
        if p.ndim == 1:
            p.add_(0.5 * torch.randn_like(p))
            if "q_norm" in name or "k_norm" in name:
                p.mul_(2)
        elif "c_attn" in name:
            p.normal_(std=2 / p.shape[0] ** 0.5)
        elif ".attn.attention." in name:  # GPT-Neo does not scale its scores
            p.normal_(std=1 / p.shape[-1] ** 0.5)
        elif any(part in name for part in ("q_proj", "k_proj", "query_key_value")):
            p.normal_(std=2 / p.shape[-1] ** 0.5)
        else:
            p.normal_(std=1 / p.shape[-1] ** 0.5)


class _Wide:
    """torch, in which float32 is float64."""

    float32 = float = torch.float64

    def __getattr__(self, name):
        return getattr(torch, name)


@contextmanager
def in_float64() -> Iterator[None]:
    """Where transformers insists on float32, whatever the type of its model, give it float64.

    For models that are made inside: their turning speeds are computed when they are made. In the Llama of 8
    layers with one KV head, a model in float64 without this differs from ours by 5e-5, and with all of these
    places lifted but one by: RMSNorm 3e-5, the angles (position times speed) 1e-5, softmax 1e-5, the turning
    speeds 6e-6; with all of them lifted by 1e-13. Mixtral's router has a softmax of its own.
    """
    # Of generation, what it reports of the logits; of the models also those that nobody has imported yet.
    names = ["modeling_rope_utils", "generation.utils", *(f"models.{n}.modeling_{n}" for n in CLASSES)]
    files = [importlib.import_module(f"transformers.{name}") for name in names]
    narrow = torch.Tensor.float
    try:
        for file in files:
            file.torch = _Wide()
        torch.Tensor.float = torch.Tensor.double
        yield
    finally:
        torch.Tensor.float = narrow
        for file in files:
            file.torch = torch


def ids_for(model: torch.nn.Module, batch: int = 2) -> torch.Tensor:
    """Texts that fill the context."""
    config = model.config
    return torch.randint(config.vocab_size, (batch, config.max_position_embeddings))


def gap(a: torch.Tensor, b: torch.Tensor) -> float:
    """The largest difference."""
    return float((a - b).abs().max())


@torch.no_grad()
def peak(model: torch.nn.Module, ids: torch.Tensor) -> float:
    """The mean of the largest attention weight, where there is more than one to choose from."""
    patterns = torch.stack(model(ids, output_attentions=True).attentions)
    return float(patterns[..., 4:, :].amax(-1).mean())


@torch.no_grad()
def gap_float64(architecture: str, changes: dict) -> float:
    """Ours against theirs, all in float64."""
    theirs(architecture, changes, perturb=False)  # so that its file is loaded
    with in_float64():
        other = theirs(architecture, changes).double()
        ids = ids_for(other)
        want = other(ids).logits
    return gap(from_huggingface(other)(ids), want)


@torch.no_grad()
def gap_back(ours: GPT, ids: torch.Tensor) -> float:
    """Ours against transformers, which loads the folder that we wrote."""
    with tempfile.TemporaryDirectory() as folder:
        to_huggingface(ours, folder)
        loaded = transformers.AutoModelForCausalLM.from_pretrained(
            folder, dtype=ours.embedding.weight.dtype, **EAGER
        )
    return gap(ours(ids), loaded.eval()(ids).logits)


def gap_cached(ours: GPT, ids: torch.Tensor) -> float:
    """Ours with the cache, chunk by chunk and then token by token, against ours in one pass (float64)."""
    ours = copy.deepcopy(ours).double()
    cache = ours.cache(batch=len(ids))
    half = ids.shape[1] // 2
    sizes = [half - 3, 3] + [1] * (ids.shape[1] - half)
    return gap(torch.cat([ours(part, cache) for part in ids.split(sizes, dim=1)], dim=1), ours(ids))


def gap_generation(ours: GPT, other: torch.nn.Module, ids: torch.Tensor, n_new: int = 20) -> float:
    """Their logits while they generate greedily with a cache, against ours with ours on the same tokens."""
    prompt = ids[:, : ids.shape[1] - n_new]
    answer = other.generate(
        prompt, attention_mask=torch.ones_like(prompt), max_new_tokens=n_new, do_sample=False,
        use_cache=True, return_dict_in_generate=True, output_logits=True,
    )  # fmt: skip
    cache = ours.cache(batch=len(ids))
    rows = [ours(prompt, cache, last=True)[:, 0]]
    new = answer.sequences[:, prompt.shape[1] :]
    rows += [ours(new[:, i : i + 1], cache)[:, 0] for i in range(n_new - 1)]
    return gap(torch.stack(rows), torch.stack(answer.logits))


def gap_rounding(ours: GPT, ids: torch.Tensor) -> float:
    """What float32 may do to the logits, derived from our model in float64."""
    exact = copy.deepcopy(ours).double()
    return rounding_gap(lambda: exact(ids))


@torch.no_grad()
def measure(architecture: str, changes: dict) -> list[float]:
    """One row of the table."""
    seed_everything(0)
    other = theirs(architecture, changes)
    ours, ids = from_huggingface(other), ids_for(other)
    return [
        ours.n_parameters(),
        gap(ours(ids), other(ids).logits),
        gap_float64(architecture, changes),
        gap_back(ours, ids),
        gap_cached(ours, ids),
        gap_generation(ours, other, ids),
        gap_rounding(ours, ids),
        peak(other, ids),
    ]


def rows() -> Iterator[dict]:
    """The whole table, row by row."""
    for (architecture, shape), changes in ({c: SHAPES[c[0]][c[1]] for c in CASES} | LARGE).items():
        size, *gaps, weight = measure(architecture, changes)
        numbers = {name: float(f"{g:.1e}") for name, g in zip(COLUMNS, gaps, strict=True)}
        yield {"architecture": architecture, "shape": shape, "parameters": size, **numbers, "peak": weight}


def main() -> None:
    transformers.logging.set_verbosity_error()
    transformers.logging.disable_progress_bar()
    seed_everything(0)
    record = made_by("parity") | {"transformers": transformers.__version__, "torch": torch.__version__}
    print(", ".join(f"{key}: {value}" for key, value in record.items()), end="\n\n")
    print(f"| architecture | shape | parameters | {' | '.join(COLUMNS)} | largest weight |")
    print("| --- | --- |" + " ---: |" * (len(COLUMNS) + 2))
    record["runs"] = []
    for row in rows():
        record["runs"].append(row | {"peak": round(row["peak"], 2)})
        gaps = " | ".join(f"{row[name]:.1e}" for name in COLUMNS)
        name = CLASSES[row["architecture"]]
        print(f"| {name} | {row['shape']} | {row['parameters']:,} | {gaps} | {row['peak']:.2f} |", flush=True)
    keep_record("parity", record)


if __name__ == "__main__":
    main()
