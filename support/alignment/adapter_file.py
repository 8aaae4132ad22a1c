"""An adapter alone in a file: a few kilobytes, and the fingerprint of the model to which it belongs."""

import json
import os
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from support.alignment.adapters import attach, check_adapters, lora_layers
from support.core import InputError
from support.core.tensor_file import digest, read_tensors, refuse_damaged, write_tensors
from support.core.validation import checked
from support.model import GPT

FORMAT = "neuron-to-assistant adapter 2"
UNSEALED = "neuron-to-assistant adapter 1"  # the format before there was a checksum


def fingerprint(model: GPT, new_rows: int = 0) -> str:
    """SHA-256 of a model's own weights, without its adapters, and without the last rows of its vocabulary.

    Args:
        model: with or without adapters.
        new_rows: how many tokens were added to its vocabulary since (`grow_vocabulary`).

    >>> from support.alignment import add_lora
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
    >>> from support.alignment import add_lora
    >>> from support.model import GPTConfig
    >>> model = add_lora(GPT(GPTConfig(vocab_size=9)), rank=1)
    >>> file = Path(tempfile.mkdtemp()) / "adapter.safetensors"
    >>> save_adapter(model, file, metadata={"task": "colours"})
    >>> adapter_metadata(file)
    {'task': 'colours'}
    """
    check_adapters(model, name)
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
    write_tensors(path, tensors, header)


@checked
@torch.no_grad()
def load_adapter(model: GPT, path: str | os.PathLike[str], name: str = "default") -> dict[str, Any]:
    """Put a saved adapter on its base model, in place, and use it; gives the metadata that came with it.

    The base must be in the precision in which the adapter was trained; afterwards convert the whole model.

    Args:
        model: the base model. If the adapter has rows for new tokens, it must have been grown by as many.
        path: a file that `save_adapter` wrote.
        name: for the adapter here.

    Raises:
        InputError: there is no such file, it holds no adapter, the name is taken, or the model is not the one
            on which the adapter was trained.

    >>> import copy, tempfile
    >>> from support.alignment import add_lora
    >>> from support.model import GPTConfig
    >>> base, file = GPT(GPTConfig(vocab_size=9)), Path(tempfile.mkdtemp()) / "adapter.safetensors"
    >>> save_adapter(add_lora(copy.deepcopy(base), rank=1), file, metadata={"task": "colours"})
    >>> load_adapter(base, file)
    {'task': 'colours'}
    """
    header, tensors = _read(Path(path))
    rows = tensors.pop("new_rows", None)
    if header["base"] != fingerprint(model, 0 if rows is None else len(rows)):
        then, now = next(iter(tensors.values())).dtype, model.embedding.weight.dtype
        raise InputError(
            f"{Path(path).name} was trained on another base model: the fingerprint of the weights differs"
            + (f"; load it on the base in {then}, and convert the adapted model." if then != now else ".")
        )
    matrices = {
        key: (tensors[f"{key}.A"], tensors[f"{key}.B"], alpha)
        for key, alpha in json.loads(header["alphas"]).items()
    }
    attach(model, name, matrices)
    if rows is not None:
        model.embedding.weight[-len(rows) :] = rows.to(model.embedding.weight)
    return json.loads(header["metadata"])


def adapter_metadata(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What was noted beside an adapter when it was saved.

    Raises:
        InputError: there is no such file, or it holds no adapter.
    """
    return json.loads(_read(Path(path))[0]["metadata"])


def _read(path: Path) -> tuple[dict[str, str], dict[str, Tensor]]:
    header, tensors = read_tensors(path, "adapter", "take another copy")
    if header.get("format") not in (FORMAT, UNSEALED):
        raise InputError(f"{path.name} was not written by save_adapter; for a peft folder use from_peft.")
    if header["format"] == FORMAT:
        refuse_damaged(path, header, tensors)
    return header, tensors
