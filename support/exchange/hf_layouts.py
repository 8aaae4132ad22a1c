"""Where each tensor of a `GPT` lies in a Hugging Face checkpoint, and the moving of it, both ways."""

import functools
import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from support.core import InputError
from support.model import GPT, GPTConfig

_NUMBER = re.compile(r"(?<=\.)\d+(?=\.|$)")  # of a layer or an expert, not the 1 of "norm_1"
FLOATS = (torch.float64, torch.float32, torch.float16, torch.bfloat16)


@dataclass(frozen=True)
class Layout:
    """The names of one architecture.

    Attributes:
        parts: our part → theirs, with ``#`` for a number; several of theirs are stacked into one of ours.
        prefix: before each name but the head's; files of the bare model lack it.
        input_first: matrices inside the blocks are stored as ``[input, output]`` (their "Conv1D").
        by_head: one tensor holds the query, key and value rows head by head; ours come kind by kind.
    """

    parts: Mapping[str, tuple[str, ...]]
    prefix: str
    input_first: bool = False
    by_head: bool = False

    @property
    def head(self) -> str:
        """Their name of the output head's matrix, which has no prefix."""
        return f"{self.parts['head'][0]}.weight"

    def names(self, ours: str) -> tuple[str, ...]:
        """Their names for our tensor, without the prefix.

        >>> GPT2.names("blocks.3.norm_1.bias")
        ('h.3.ln_1.bias',)
        >>> LLAMA.names("blocks.0.attention.qkv.weight")[1]
        'layers.0.self_attn.k_proj.weight'
        """
        part, kind = ours.rsplit(".", 1)
        numbers = _NUMBER.findall(part)
        return tuple(f"{_with(name, numbers)}.{kind}" for name in self.parts[_NUMBER.sub("#", part)])

    def is_known(self, name: str) -> bool:
        """Whether a model of this architecture, large enough, has such a tensor."""
        known = itertools.chain.from_iterable(self.parts.values())
        return _NUMBER.sub("#", name.rpartition(".")[0]) in known


def _with(name: str, numbers: list[str]) -> str:
    for number in numbers:
        name = name.replace("#", number, 1)
    return name


_GPT2 = {
    "embedding": "wte",
    "position": "wpe",
    "blocks.#.norm_1": "h.#.ln_1",
    "blocks.#.attention.qkv": "h.#.attn.c_attn",
    "blocks.#.attention.output": "h.#.attn.c_proj",
    "blocks.#.norm_2": "h.#.ln_2",
    "blocks.#.feed_forward.up": "h.#.mlp.c_fc",
    "blocks.#.feed_forward.down": "h.#.mlp.c_proj",
    "final_norm": "ln_f",
    "head": "lm_head",
}
_LLAMA = {
    "embedding": "embed_tokens",
    "blocks.#.norm_1": "layers.#.input_layernorm",
    "blocks.#.attention.qkv": "layers.#.self_attn.q_proj layers.#.self_attn.k_proj layers.#.self_attn.v_proj",
    "blocks.#.attention.norm_q": "layers.#.self_attn.q_norm",
    "blocks.#.attention.norm_k": "layers.#.self_attn.k_norm",
    "blocks.#.attention.output": "layers.#.self_attn.o_proj",
    "blocks.#.norm_2": "layers.#.post_attention_layernorm",
    "blocks.#.feed_forward.gate": "layers.#.mlp.gate_proj",
    "blocks.#.feed_forward.up": "layers.#.mlp.up_proj",
    "blocks.#.feed_forward.down": "layers.#.mlp.down_proj",
    "final_norm": "norm",
    "head": "lm_head",
}
_MIXTRAL = {key: name for key, name in _LLAMA.items() if "feed_forward" not in key} | {
    "blocks.#.feed_forward.router": "layers.#.block_sparse_moe.gate",
    "blocks.#.feed_forward.experts.#.gate": "layers.#.block_sparse_moe.experts.#.w1",
    "blocks.#.feed_forward.experts.#.up": "layers.#.block_sparse_moe.experts.#.w3",
    "blocks.#.feed_forward.experts.#.down": "layers.#.block_sparse_moe.experts.#.w2",
}
_GPT_NEO = _GPT2 | {
    "blocks.#.attention.qkv": " ".join(f"h.#.attn.attention.{kind}_proj" for kind in "qkv"),
    "blocks.#.attention.output": "h.#.attn.attention.out_proj",
}
_GPT_NEOX = {
    "embedding": "embed_in",
    "blocks.#.norm_1": "layers.#.input_layernorm",
    "blocks.#.attention.qkv": "layers.#.attention.query_key_value",
    "blocks.#.attention.output": "layers.#.attention.dense",
    "blocks.#.norm_2": "layers.#.post_attention_layernorm",
    "blocks.#.feed_forward.up": "layers.#.mlp.dense_h_to_4h",
    "blocks.#.feed_forward.down": "layers.#.mlp.dense_4h_to_h",
    "final_norm": "final_layer_norm",
    "head": "embed_out",
}


def _split(parts: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    return {ours: tuple(theirs.split()) for ours, theirs in parts.items()}


GPT2 = Layout(_split(_GPT2), "transformer.", input_first=True)
LLAMA = Layout(_split(_LLAMA), "model.")
MIXTRAL = Layout(_split(_MIXTRAL), "model.")
GPT_NEO = Layout(_split(_GPT_NEO), "transformer.")
GPT_NEOX = Layout(_split(_GPT_NEOX), "gpt_neox.", by_head=True)
LAYOUTS = {"gpt2": GPT2, "gpt_neo": GPT_NEO, "gpt_neox": GPT_NEOX, "mixtral": MIXTRAL}
LAYOUTS |= dict.fromkeys(("llama", "mistral", "qwen2", "qwen3"), LLAMA)

# Stored in old files, computed here: the causal mask, the frequencies of RoPE.
_COMPUTED = (
    ".attn.bias",
    ".attn.masked_bias",
    ".attention.bias",
    ".attention.masked_bias",
    ".rotary_emb.inv_freq",
)


def from_tensors(config: GPTConfig, layout: Layout, tensors: Mapping[str, Tensor]) -> GPT:
    """A model with these weights; no memory is spent on fresh ones first.

    All weights get one type, the widest that occurs.

    Raises:
        InputError: a tensor is missing, too many, of a wrong shape or of a type that is not computed with.
    """
    with torch.device("meta"):
        model = GPT(config)
    found = dict(_one_by_one(layout, tensors))
    weights: dict[str, Tensor] = {}
    for ours, wanted in model.state_dict().items():
        names = layout.names(ours)
        parts = []
        for name, rows in zip(names, _rows(model, names, wanted), strict=True):
            if name not in found:
                raise InputError(f"The checkpoint lacks the tensor {name!r} ({ours} here); is it complete?")
            shape = [rows, *wanted.shape[1:]]
            parts.append(_checked(name, found.pop(name), shape, layout.input_first and name.startswith("h.")))
        weights[ours] = torch.cat(parts) if len(parts) > 1 else parts[0].clone().contiguous()
        if layout.by_head and ".qkv." in ours:
            weights[ours] = weights[ours].unflatten(0, (-1, 3, config.d_head)).transpose(0, 1).flatten(0, 2)
    for name in found:
        if name == layout.head:  # tied: the embedding's rows once more
            continue
        if layout.is_known(name):
            raise InputError(f"The tensor {name!r} is one too many for what config.json describes.")
        raise InputError(f"The tensor {name!r} has no place in this architecture; is it another model's?")
    widest = functools.reduce(torch.promote_types, {w.dtype for w in weights.values()})
    model.load_state_dict({name: w.to(widest) for name, w in weights.items()}, assign=True)
    return model.requires_grad_(True).eval()


def to_tensors(model: GPT, layout: Layout) -> dict[str, Tensor]:
    """The model's weights under their names, as their files hold them; a tied head is left out."""
    tensors: dict[str, Tensor] = {}
    for ours, weight in model.state_dict().items():
        names = layout.names(ours)
        parts = weight.detach().split(_rows(model, names, weight))
        for name, part in zip(names, parts, strict=True):
            part = part.t() if layout.input_first and name.startswith("h.") and part.ndim == 2 else part
            if layout.by_head and ".qkv." in ours:
                part = part.unflatten(0, (3, -1, model.config.d_head)).transpose(0, 1).flatten(0, 2)
            full = name if name == layout.head else layout.prefix + name
            tensors[full] = part.clone().contiguous()
    return tensors


def _rows(model: GPT, names: tuple[str, ...], tensor: Tensor) -> list[int]:
    """How many rows of our tensor each of theirs fills."""
    return [tensor.shape[0]] if len(names) == 1 else model.blocks[0].attention.widths


def _checked(name: str, tensor: Tensor, shape: list[int], input_first: bool) -> Tensor:
    if tensor.dtype not in FLOATS:
        kind = str(tensor.dtype).removeprefix("torch.")
        raise InputError(f"The tensor {name!r} holds {kind}; give weights in float32, float16 or bfloat16.")
    tensor = tensor.detach().t() if input_first and tensor.ndim == 2 else tensor.detach()
    if list(tensor.shape) != shape:
        raise InputError(
            f"The tensor {name!r} has shape {list(tensor.shape)} (output first), but config.json asks for "
            f"{shape}."
        )
    return tensor


def _one_by_one(layout: Layout, tensors: Mapping[str, Tensor]) -> Iterator[tuple[str, Tensor]]:
    """Their tensors without the prefix and without what is computed; fused experts taken apart."""
    for full, tensor in tensors.items():
        name = full.removeprefix(layout.prefix)
        if name.endswith(_COMPUTED):
            continue
        if layout is MIXTRAL:  # newer transformers keep all experts of a layer in one tensor, in memory
            stem, _, part = name.rpartition(".mlp.experts.")
            if part in ("gate_up_proj", "down_proj"):
                yield from _experts(f"{stem}.block_sparse_moe.experts", part, name, tensor)
                continue
            name = name.replace(".mlp.gate.", ".block_sparse_moe.gate.")
        if layout is GPT_NEOX:  # newer transformers rename the head in memory
            name = name.replace("lm_head.", "embed_out.")
        yield name, tensor


def _experts(stem: str, part: str, name: str, tensor: Tensor) -> Iterator[tuple[str, Tensor]]:
    if tensor.ndim != 3 or (part == "gate_up_proj" and tensor.shape[1] % 2):
        raise InputError(f"The tensor {name!r} has shape {list(tensor.shape)}, which is no stack of experts.")
    for number, expert in enumerate(tensor):
        if part == "down_proj":
            yield f"{stem}.{number}.w2.weight", expert
        else:
            gate, up = expert.chunk(2)
            yield f"{stem}.{number}.w1.weight", gate
            yield f"{stem}.{number}.w3.weight", up
