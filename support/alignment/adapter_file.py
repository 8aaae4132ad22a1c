"""An adapter alone in a file: a few kilobytes, and the fingerprint of the model to which it belongs."""

import json
import os
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from support.alignment.lora import LowRankUpdate, adapter_names, lora_layer, lora_layers, use_adapters
from support.core import InputError, atomic_write
from support.core.validation import checked
from support.model import GPT
from support.training.checkpoint import digest

FORMAT = "neuron-to-assistant adapter 1"


def fingerprint(model: GPT, new_rows: int = 0) -> str:
    """SHA-256 of a model's own weights, without its adapters, and without the last rows of its vocabulary.

    Args:
        model: with or without adapters.
        new_rows: how many tokens were added to its vocabulary since (`grow_vocabulary`).

    >>> from support.alignment.lora import add_lora
    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9))
    >>> fingerprint(model) == fingerprint(add_lora(model, rank=1))
    True
    """
    kept = {name: tensor for name, tensor in model.state_dict().items() if ".updates." not in name}
    for table in kept.keys() & {"embedding.weight", "head.weight"}:
        kept[table] = kept[table][: len(kept[table]) - new_rows]
    return digest(kept)


@checked
def save_adapter(
    model: GPT,
    path: str | os.PathLike[str],
    name: str = "default",
    new_rows: int = 0,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Write one adapter, and the rows of new tokens, without the base model; a crash leaves the old file.

    Args:
        model: the adapted model; its base is not to have changed.
        path: the file; its usual ending is ``.safetensors``.
        name: of the adapter.
        new_rows: save the last rows of the embedding, too: tokens that the base model did not know.
        metadata: plain values that JSON can hold.

    Raises:
        InputError: there is no such adapter, or there are new rows in a model with an untied head.

    >>> import tempfile
    >>> from support.alignment.lora import add_lora
    >>> from support.model import GPTConfig
    >>> model = add_lora(GPT(GPTConfig(vocab_size=9)), rank=1)
    >>> file = Path(tempfile.mkdtemp()) / "adapter.safetensors"
    >>> save_adapter(model, file, metadata={"task": "colours"})
    >>> load_adapter(model, file, name="again")
    {'task': 'colours'}
    """
    if name not in adapter_names(model):
        raise InputError(f"There is no adapter {name!r} to save.")
    if new_rows and not model.config.tie_weights:
        raise InputError("New rows are saved of a model with a tied head only; save a whole checkpoint.")
    tensors: dict[str, Tensor] = {}
    alphas: dict[str, float] = {}
    for place, layer in lora_layers(model).items():
        for part, update in layer.updates_of(name).items():
            tensors[f"{place}.{part}.A"], tensors[f"{place}.{part}.B"] = update.A, update.B
            alphas[f"{place}.{part}"] = float(update.alpha)
    if new_rows:
        tensors["new_rows"] = model.embedding.weight[-new_rows:]
    header = {
        "format": FORMAT,
        "base": fingerprint(model, new_rows),
        "alphas": json.dumps(alphas),
        "metadata": json.dumps(metadata or {}),
    }
    with atomic_write(path) as temporary:
        kept = {key: tensor.detach().cpu().contiguous().clone() for key, tensor in tensors.items()}
        save_file(kept, temporary, metadata=header)


@checked
@torch.no_grad()
def load_adapter(model: GPT, path: str | os.PathLike[str], name: str = "default") -> dict[str, Any]:
    """Put a saved adapter on its base model, in place, and use it; gives the metadata that came with it.

    Args:
        model: the base model. If the adapter has rows for new tokens, it must have been grown by as many.
        path: a file that `save_adapter` wrote (see the example there).
        name: for the adapter here.

    Raises:
        InputError: there is no such file, it holds no adapter, the name is taken, or the model is not the one
            on which the adapter was trained.
    """
    header, tensors = _read(Path(path))
    rows = tensors.pop("new_rows", None)
    if header["base"] != fingerprint(model, 0 if rows is None else len(rows)):
        raise InputError(
            f"{Path(path).name} was trained on another base model: the fingerprint of the weights differs."
        )
    if rows is not None:
        model.embedding.weight[-len(rows) :] = rows.to(model.embedding.weight)
    pairs = {
        key: (tensors[f"{key}.A"], tensors[f"{key}.B"], alpha)
        for key, alpha in json.loads(header["alphas"]).items()
    }
    attach(model, name, pairs)
    return json.loads(header["metadata"])


def adapter_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What was noted beside an adapter when it was saved.

    Raises:
        InputError: there is no such file, or it holds no adapter.
    """
    return json.loads(_read(Path(path))[0]["metadata"])


def _read(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    if not path.is_file():
        raise InputError(f"There is no adapter {path.name} in {path.parent}; check the path.")
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            tensors = {key: file.get_tensor(key) for key in file.keys()}  # noqa: SIM118
    except SafetensorError:
        raise InputError(f"{path.name} is not a whole safetensors file; take another copy.") from None
    if header.get("format") != FORMAT:
        raise InputError(f"{path.name} was not written by save_adapter; for a peft folder use from_peft.")
    return header, tensors


@torch.no_grad()
def attach(model: GPT, name: str, pairs: dict[str, tuple[Tensor, Tensor, float]]) -> None:
    """Give a model an adapter with these matrices, freeze the rest, and use it.

    Args:
        model: the base model.
        name: of the adapter.
        pairs: place and projection, as in ``blocks.0.attention.qkv.q`` → (A, B, alpha).

    Raises:
        InputError: the name is taken, or a matrix does not fit.
    """
    if name in adapter_names(model):
        raise InputError(f"The model has an adapter {name!r} already; choose another name.")
    model.requires_grad_(False)
    for key, (first, second, alpha) in pairs.items():
        place, _, part = key.rpartition(".")
        layer = lora_layer(model, place)
        start, end = layer.rows.get(part, (0, 0))
        rank = len(first)
        if list(first.shape) != [rank, layer.in_features] or list(second.shape) != [end - start, rank]:
            raise InputError(f"The update of {key} does not fit the model; was it trained on another one?")
        update = LowRankUpdate(layer.in_features, end - start, rank, alpha).to(layer.weight)
        update.A.copy_(first)
        update.B.copy_(second)
        layer.updates[name] = nn.ModuleDict(layer.updates_of(name) | {part: update})
    use_adapters(model, name)
