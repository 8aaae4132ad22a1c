"""LoRA adapters to and from the folders of the library ``peft``: the same update, the same logits."""

import math
import os
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch
from torch import Tensor, nn

from support.alignment import LoRALinear, LowRankUpdate, check_adapters, lora_layers
from support.alignment.adapters import Matrices, attach
from support.core import InputError
from support.core.json_file import read_json, write_json
from support.core.tensor_file import read_tensors, write_tensors
from support.core.validation import check, checked
from support.exchange.hf_config_out import write_fields
from support.exchange.hf_folder import HEADER
from support.exchange.hf_layouts import LAYOUTS, Layout
from support.model import GPT

CONFIG, WEIGHTS, PREFIX = "adapter_config.json", "adapter_model.safetensors", "base_model.model."
ADVICE = "save the adapter again with peft's save_pretrained"
# What a configuration may say: what is computed here, what only tells how the adapter was found or trained,
# and what has no effect unless another field asks for it. Whatever else is set would change the result.
_HONOURED = {
    *("peft_type", "r", "rank_pattern", "lora_alpha", "alpha_pattern", "use_rslora"),
    *("target_modules", "exclude_modules", "layers_to_transform", "layers_pattern"),  # as the tensors tell
    *("task_type", "auto_mapping", "peft_version", "base_model_name_or_path", "revision", "inference_mode"),
    *("lora_dropout", "fan_in_fan_out", "megatron_core", "qalora_group_size", "runtime_config"),
    *("ensure_weight_tying", "eva_config"),
}
# Of these two some values are harmless: other initialisations take a part out of the base's own weights.
_HARMLESS: dict[str, list[Any]] = {
    "bias": ["none"],
    "init_lora_weights": [True, "gaussian", "orthogonal", "eva"],
}


@checked
def to_peft(
    model: GPT, folder: str | os.PathLike[str], name: str = "default", base: str | None = None
) -> dict[str, Any]:
    """Write one adapter as a folder that ``peft.PeftModel.from_pretrained`` loads on the same base model.

    Where the other architecture keeps queries, keys and values in one matrix (GPT-2), so does its adapter:
    our three updates become one of three times the rank, with B in diagonal blocks.

    Args:
        model: a model with adapters, of an architecture that `to_huggingface` can write.
        folder: where the two files go.
        name: of the adapter.
        base: the name or folder of the base model, noted for ``peft``.

    Returns:
        the fields of ``adapter_config.json``.

    Raises:
        InputError: there is no such adapter, or the architecture is not known here.

    >>> import tempfile
    >>> from support.alignment import add_lora
    >>> from support.model import GPTConfig
    >>> model = add_lora(GPT(GPTConfig(vocab_size=9, n_layers=1)), rank=2)
    >>> to_peft(model, tempfile.mkdtemp())["r"]  # queries, keys and values together
    6
    """
    check_adapters(model, name)
    layout = _layout(model)
    tensors: dict[str, Tensor] = {}
    ranks: dict[str, int] = {}
    alphas: dict[str, float] = {}
    for place, layer in lora_layers(model).items():
        for module, (a, b, scale) in _grouped(layout, place, layer, layer.updates_of(name)).items():
            tensors[f"{PREFIX}{layout.prefix}{module}.lora_A.weight"] = a
            tensors[f"{PREFIX}{layout.prefix}{module}.lora_B.weight"] = b
            ranks[layout.prefix + module], alphas[layout.prefix + module] = len(a), scale * len(a)
    rank, alpha = next(iter(ranks.values())), next(iter(alphas.values()))
    fields = {
        "peft_type": "LORA",
        "task_type": "CAUSAL_LM",
        "base_model_name_or_path": base,
        "r": rank,
        "lora_alpha": alpha,
        "rank_pattern": {module: r for module, r in ranks.items() if r != rank},
        "alpha_pattern": {module: a for module, a in alphas.items() if a != alpha},
        "target_modules": sorted(ranks),
        "fan_in_fan_out": layout.input_first,
        "lora_dropout": 0.0,
        "bias": "none",
        "inference_mode": True,
    }
    target = Path(folder)
    write_tensors(target / WEIGHTS, tensors, HEADER, seal=False)
    write_json(target / CONFIG, fields)
    return fields


@checked
def from_peft(model: GPT, folder: str | os.PathLike[str], name: str = "default") -> GPT:
    """Put an adapter that ``peft`` saved (``save_pretrained``) on its base model, in place, and use it.

    Args:
        model: the base model, as `from_huggingface` gives it.
        folder: holds ``adapter_config.json`` and ``adapter_model.safetensors``.
        name: for the adapter here.

    Raises:
        InputError: a file is missing or damaged, the adapter is no plain LoRA, or it does not fit the model.

    >>> import copy, tempfile
    >>> from support.alignment import add_lora
    >>> from support.model import GPTConfig
    >>> base, folder = GPT(GPTConfig(vocab_size=9, n_layers=1)), tempfile.mkdtemp()
    >>> fields = to_peft(add_lora(copy.deepcopy(base), rank=2, targets=["o"]), folder)
    >>> list(lora_layers(from_peft(base, folder)))
    ['blocks.0.attention.output']
    """
    source = Path(folder)
    fields = read_json(source / CONFIG, "give a folder that peft's save_pretrained wrote")
    _refuse_other_kinds(fields)
    _, tensors = read_tensors(source / WEIGHTS, "file", ADVICE)
    layout = _layout(model)
    places = {
        module: (ours, i, len(names))
        for ours in _linear_layers(model)
        for names in [_theirs(layout, ours)]
        for i, module in enumerate(names)
    }
    matrices: dict[str, Matrices] = {}
    stems = dict.fromkeys(key.removesuffix(".weight").rpartition(".lora_")[0] or key for key in tensors)
    unpaired = {f"{stem}.lora_{part}.weight" for stem in stems for part in "AB"} ^ tensors.keys()
    for stem in stems:
        module = stem.removeprefix(PREFIX).removeprefix(layout.prefix)
        if module not in places:
            raise InputError(f"The adapter's tensor {stem!r} has no place in this model.")
        if alone := [key for key in unpaired if key.startswith(f"{stem}.lora_")]:
            fault = "is too many" if alone[0] in tensors else "is missing"
            raise InputError(f"The adapter's matrices are no pairs of A and B: {alone[0]} {fault}; {ADVICE}.")
        a, b = (tensors[f"{stem}.lora_{part}.weight"] for part in "AB")
        alpha = _alpha(fields, layout.prefix + module, len(a))
        ours, i, n = places[module]
        if not ours.endswith(".qkv"):
            part = "o" if ours.endswith("attention.output") else ours.rpartition(".")[2]
            matrices[f"{ours}.{part}"] = (a, b, alpha)
        elif n == 3:
            matrices[f"{ours}.{'qkv'[i]}"] = (a, b, alpha)
        else:  # one matrix of theirs: the three parts share A, and each has its rows of B
            rows = b.split(model.blocks[0].attention.widths)
            matrices |= {f"{ours}.{part}": (a, rows[k], alpha) for k, part in enumerate("qkv")}
    attach(model, name, matrices)
    return model


def _grouped(
    layout: Layout, place: str, layer: LoRALinear, updates: dict[str, LowRankUpdate]
) -> dict[str, tuple[Tensor, Tensor, float]]:
    """Their module → (A, B, alpha / rank)."""
    names = _theirs(layout, place)
    if not updates:
        return {}
    if not place.endswith(".qkv") or len(names) == 3:
        modules = {part: names["qkv".index(part) if len(names) == 3 else 0] for part in updates}
        return {modules[part]: (u.A, u.B, u.alpha / u.rank) for part, u in updates.items()}
    scales = {u.alpha / u.rank for u in updates.values()}
    if len(scales) > 1:
        raise InputError(f"The updates of {place} differ in alpha / rank; peft has one scale for all.")
    a = torch.cat([u.A for u in updates.values()])
    b = a.new_zeros(layer.out_features, len(a))
    column = 0
    for part, u in updates.items():
        first, last = layer.rows[part]
        b[first:last, column : column + u.rank] = u.B.detach()
        column += u.rank
    return {names[0]: (a, b, scales.pop())}


def _layout(model: GPT) -> Layout:
    config = replace(model.config, masked_ids=())  # of the logits; no adapter changes them
    layout = LAYOUTS[write_fields(config)["model_type"]]
    if layout.by_head:
        raise InputError("Adapters of GPT-NeoX are not exchanged: its matrix mixes q, k and v head by head.")
    return layout


def _theirs(layout: Layout, place: str) -> list[str]:
    return [name.removesuffix(".weight") for name in layout.names(f"{place}.weight")]


def _linear_layers(model: GPT) -> list[str]:
    names = [name for name, module in model.blocks.named_modules() if isinstance(module, nn.Linear)]
    return [f"blocks.{name}" for name in names]


def _alpha(fields: dict[str, Any], module: str, rank: int) -> float:
    """The alpha of one module, for our scale of alpha / rank."""
    patterns = fields.get("alpha_pattern") or {}
    chosen = [a for key, a in patterns.items() if re.match(rf"(.*\.)?({key})$", module)]
    alpha = chosen[0] if chosen else fields["lora_alpha"]
    check(f"{CONFIG}: lora_alpha", alpha, float)
    return float(alpha * math.sqrt(rank) if fields.get("use_rslora") else alpha)


def _refuse_other_kinds(fields: Any) -> None:
    if not isinstance(fields, dict) or fields.get("peft_type") != "LORA" or "lora_alpha" not in fields:
        raise InputError(f"{CONFIG} describes no LoRA adapter; other kinds are not read here.")
    for field, value in fields.items():
        if value and field not in _HONOURED and value not in _HARMLESS.get(field, []):
            raise InputError(
                f"{CONFIG} has {field}={value!r}, which is not computed here; merge the adapter into its "
                "base with peft's merge_and_unload, save that, and read it with from_huggingface."
            )
