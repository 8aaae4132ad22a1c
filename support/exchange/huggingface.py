"""Hugging Face checkpoints become `GPT`, from a loaded model or straight from a folder."""

import json
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError
from safetensors.torch import load_file
from torch import Tensor, nn

from support.core import InputError
from support.model import GPT, GPTConfig

# Their name in a block → ours. Their "Conv1D" stores matrices input-first; ours are output-first.
_BLOCK = {
    "ln_1": "norm_1",
    "attn.c_attn": "attention.qkv",
    "attn.c_proj": "attention.output",
    "ln_2": "norm_2",
    "mlp.c_fc": "feed_forward.expand",
    "mlp.c_proj": "feed_forward.contract",
}
_WHOLE = {"wte.weight": "embedding.weight", "wpe.weight": "position.weight"}
_WHOLE |= {f"ln_f.{part}": f"final_norm.{part}" for part in ("weight", "bias")}
_ACTIVATIONS = {
    "gelu_new": "gelu_tanh",
    "gelu_pytorch_tanh": "gelu_tanh",
    "gelu_fast": "gelu_tanh",
    "gelu": "gelu",
    "relu": "relu",
}
# Stored in old files: the causal mask, which is computed here.
_BUFFERS = (".attn.bias", ".attn.masked_bias")


def from_huggingface(model_or_folder: nn.Module | str | os.PathLike[str]) -> GPT:
    """The same network as a `GPT`, with the same logits; in evaluation mode, with weights of its own.

    Args:
        model_or_folder: a ``transformers`` GPT-2 (with or without its head), or a folder that holds
            ``config.json`` and ``model.safetensors`` (one file or shards). A folder is read without
            importing ``transformers``; nothing is downloaded.

    Raises:
        InputError: a file is missing or damaged, the architecture is not known here, or a field or tensor
            does not fit; the sentence names it.

    Architecture: Radford et al. 2019, *Language Models are Unsupervised Multitask Learners*.

    >>> import tempfile
    >>> from_huggingface(tempfile.mkdtemp())
    Traceback (most recent call last):
    support.core.errors.InputError: There is no config.json in the folder ...
    """
    if isinstance(model_or_folder, nn.Module):
        values = getattr(model_or_folder, "config", None)
        if not hasattr(values, "to_dict"):
            kind = type(model_or_folder).__name__
            raise InputError(f"{kind} carries no transformers config; give a transformers model or a folder.")
        fields, tensors = values.to_dict(), model_or_folder.state_dict()
    else:
        fields, tensors = _read_folder(Path(model_or_folder))
    architecture = fields.get("model_type")
    if architecture not in _READERS:
        known = ", ".join(_READERS)
        raise InputError(f"The architecture model_type={architecture!r} is not known here; known: {known}.")
    return _READERS[architecture](fields, tensors)


def _gpt2(fields: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> GPT:
    config = _gpt2_config(fields)
    tensors = {name.removeprefix("transformer."): tensor for name, tensor in tensors.items()}
    weights: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if name.endswith(_BUFFERS) or (name == "lm_head.weight" and config.tie_weights):
            continue
        ours = "head.weight" if name == "lm_head.weight" else _gpt2_name(name)
        if ours is None:
            raise InputError(f"The tensor {name!r} has no place in a GPT-2; is the folder another model's?")
        conv = name.startswith("h.") and tensor.ndim == 2
        weights[ours] = (tensor.t() if conv else tensor).detach().clone().contiguous()
    return _fill(config, weights, {_gpt2_name(name): name for name in tensors})


def _gpt2_config(fields: Mapping[str, Any]) -> GPTConfig:
    for name, needed in {
        "scale_attn_weights": True,
        "scale_attn_by_inverse_layer_idx": False,
        "add_cross_attention": False,
    }.items():
        if fields.get(name, needed) != needed:
            raise InputError(f"The field {name}={fields[name]} is not built here; only {needed} is.")
    activation = fields.get("activation_function", "gelu_new")
    if activation not in _ACTIVATIONS:
        known = ", ".join(_ACTIVATIONS)
        raise InputError(f"The field activation_function={activation!r} is not built here; known: {known}.")
    rates = {fields.get(name, 0.1) for name in ("resid_pdrop", "embd_pdrop", "attn_pdrop")}
    try:
        return GPTConfig(
            vocab_size=fields["vocab_size"],
            context=fields["n_positions"],
            d_model=fields["n_embd"],
            n_layers=fields["n_layer"],
            n_heads=fields["n_head"],
            d_ff=fields.get("n_inner"),
            norm_eps=fields.get("layer_norm_epsilon", 1e-5),
            activation=_ACTIVATIONS[activation],
            tie_weights=fields.get("tie_word_embeddings", True),
            # Ours is one rate for all three places. It plays no part unless the model is trained further.
            dropout=rates.pop() if len(rates) == 1 else 0.0,
        )
    except KeyError as missing:
        raise InputError(f"config.json lacks the field {missing}; is it a GPT-2's?") from None


def _gpt2_name(name: str) -> str | None:
    """Our name for their tensor; None if a GPT-2 has no such tensor."""
    if name in _WHOLE:
        return _WHOLE[name]
    match name.split("."):
        case ["h", layer, *part, kind] if ".".join(part) in _BLOCK:
            return f"blocks.{layer}.{_BLOCK['.'.join(part)]}.{kind}"
    return None


def _fill(config: GPTConfig, weights: dict[str, Tensor], theirs: Mapping[str | None, str]) -> GPT:
    """A model with these weights; no memory is spent on fresh ones first."""
    with torch.device("meta"):
        model = GPT(config)
    wanted = model.state_dict()
    for name in wanted.keys() - weights.keys():
        raise InputError(f"The checkpoint lacks the tensor for {name}; is it complete?")
    for name, tensor in weights.items():
        if name not in wanted:
            raise InputError(
                f"The tensor {theirs[name]!r} is one layer too many for n_layer={config.n_layers}."
            )
        if tensor.shape != wanted[name].shape:
            raise InputError(
                f"The tensor {theirs.get(name, name)!r} has shape {list(tensor.shape)} (output first), but "
                f"config.json asks for {list(wanted[name].shape)}."
            )
    model.load_state_dict(weights, assign=True)
    return model.requires_grad_(True).eval()


def _read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    if not (folder / "config.json").is_file():
        raise InputError(
            f"There is no config.json in the folder {folder.name!r}; give a checkpoint's folder."
        )
    fields = _read_json(folder / "config.json")
    index, single = folder / "model.safetensors.index.json", folder / "model.safetensors"
    if index.is_file():
        files = sorted(set(_read_json(index).get("weight_map", {}).values()))
    elif single.is_file():
        files = [single.name]
    else:
        raise InputError(
            f"There is no model.safetensors in the folder {folder.name!r}; pickled weights are not read: "
            "load them with transformers and save them with safe_serialization=True."
        )
    tensors: dict[str, Tensor] = {}
    for name in files:
        try:
            tensors |= load_file(folder / name)
        except (SafetensorError, OSError) as error:
            raise InputError(f"{name} is missing or damaged ({error}); fetch it again.") from None
    return fields, tensors


def _read_json(path: Path) -> dict[str, Any]:
    try:
        values = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, OSError) as error:
        raise InputError(f"{path.name} is not readable JSON ({error}); fetch it again.") from None
    if not isinstance(values, dict):
        raise InputError(f"{path.name} must hold a JSON object; fetch it again.")
    return values


_READERS: dict[str, Callable[[Mapping[str, Any], Mapping[str, Tensor]], GPT]] = {"gpt2": _gpt2}
