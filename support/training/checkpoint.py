"""Saving and loading: safetensors only, written atomically, checked when read."""

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor, nn

from support.core import InputError, atomic_write
from support.core.validation import checked
from support.text import BPETokenizer, Vocabulary
from support.training.model_kinds import build, describe, differences, unwrap

FORMAT = "neuron-to-assistant checkpoint 2"
Tokenizer = Vocabulary | BPETokenizer


@dataclass
class Checkpoint:
    """What a file holds.

    Attributes:
        model: the model, in evaluation mode.
        extra: tensors besides the weights (optimiser, history, random state), by ``part.name``.
        metadata: what was noted beside them, as plain values.
        tokenizer: what turns text into the model's ids, if it was saved.
    """

    model: nn.Module
    extra: dict[str, Tensor] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)
    tokenizer: Tokenizer | None = None

    def part(self, name: str) -> dict[str, Tensor]:
        """The extra tensors of one part, by their names within it."""
        return {key[len(name) + 1 :]: t for key, t in self.extra.items() if key.startswith(f"{name}.")}


@checked
def save_checkpoint(
    model: nn.Module,
    path: str | os.PathLike[str],
    extra: dict[str, Tensor] | None = None,
    metadata: dict[str, Any] | None = None,
    tokenizer: Tokenizer | None = None,
    weights: Mapping[str, Tensor] | None = None,
) -> None:
    """Write a model to one safetensors file; a crash leaves the old file whole.

    Args:
        model: a `GPT`, `Encoder`, `Classifier` or `EncoderDecoder`, compiled or not.
        path: the file; its usual ending is ``.safetensors``.
        extra: more tensors, named ``part.name`` with a part other than ``model``.
        metadata: plain values that JSON can hold.
        tokenizer: what turns text into the model's ids.
        weights: the model's ``state_dict``, if the model itself holds only a part of it.

    Raises:
        InputError: the model is of another kind, or parts of it were replaced.
        OSError: the file cannot be written; the error names it.

    >>> import tempfile
    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> file = Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> save_checkpoint(model, file, metadata={"steps": 7})
    >>> load_checkpoint(file).metadata
    {'steps': 7}
    """
    weights = unwrap(model).state_dict() if weights is None else weights
    tensors = {f"model.{name}": t for name, t in weights.items()} | (extra or {})
    tensors = _separate({name: t.detach().cpu().contiguous() for name, t in tensors.items()})
    header = {
        "format": FORMAT,
        "model": json.dumps(describe(model)),
        "metadata": json.dumps(metadata or {}),
        "tokenizer": json.dumps(None if tokenizer is None else _tokenizer_to_dict(tokenizer)),
    }
    header["sha256"] = _checksum(header, tensors)
    with atomic_write(path) as temporary:
        try:
            save_file(tensors, temporary, metadata=header)
        except SafetensorError as error:
            raise OSError(f"{path} could not be written: {error}") from None


@checked
def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read what `save_checkpoint` wrote (see the example there), and check that no bit of it has changed.

    Raises:
        InputError: there is no such file, it is no safetensors file (a pickle is never opened), or it is
            damaged or of another kind.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no checkpoint {path.name} in {path.parent}; check the path.")
    try:
        with safe_open(path, framework="pt") as file:
            header = file.metadata() or {}
            if not header.get("format", "").startswith(FORMAT[:-1]):
                raise InputError(
                    f"{path.name} was not written by save_checkpoint; for a Hugging Face folder use "
                    "support.exchange.from_huggingface."
                )
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError:
        raise InputError(
            f"{path.name} is not a whole safetensors file; only safetensors checkpoints are opened, "
            "so save it again with save_checkpoint."
        ) from None
    if header["format"] != FORMAT:
        raise InputError(
            f"{path.name} is in the format {header['format']!r}, not in {FORMAT!r}; save it anew."
        )
    if header.get("sha256") != _checksum(header, tensors):
        raise InputError(
            f"{path.name} is damaged: its checksum does not fit its content; take another copy of the file."
        )
    try:
        return _assemble(header, tensors)
    except InputError as error:
        raise InputError(f"{path.name} cannot be loaded: {error}") from None
    except (KeyError, TypeError, ValueError, AttributeError, MemoryError, RuntimeError) as error:
        raise InputError(
            f"{path.name} cannot be loaded: its header makes no sense ({type(error).__name__}: {error})."
        ) from None


def _assemble(header: dict[str, str], tensors: dict[str, Tensor]) -> Checkpoint:
    description = json.loads(header["model"])
    weights = {name[6:]: t for name, t in tensors.items() if name.startswith("model.")}
    differing = differences(description, weights)
    if differing:
        raise InputError(f"The weights do not fit the shape in its header ({differing[0]}); it was altered.")
    model = build(description).to(next(iter(weights.values())).dtype)
    model.load_state_dict({name: t.clone() for name, t in weights.items()}, assign=True)  # each in its dtype
    extra = {name: t for name, t in tensors.items() if not name.startswith("model.")}
    tokenizer = json.loads(header["tokenizer"])
    return Checkpoint(
        model.eval(),
        extra,
        json.loads(header["metadata"]),
        None if tokenizer is None else _tokenizer_from_dict(tokenizer),
    )


def _separate(tensors: dict[str, Tensor]) -> dict[str, Tensor]:
    """Shared tensors as copies: the format allows no sharing."""
    seen: set[int] = set()
    for name, tensor in tensors.items():
        if tensor.numel() and tensor.data_ptr() in seen:
            tensors[name] = tensor.clone()
        seen.add(tensor.data_ptr())
    return tensors


def _checksum(header: dict[str, str], tensors: dict[str, Tensor]) -> str:
    """SHA-256 of everything that the file holds, in an order that does not depend on the file."""
    fields = [[key, value] for key, value in sorted(header.items()) if key != "sha256"]
    return digest(tensors, json.dumps(fields).encode())


def digest(tensors: Mapping[str, Tensor], before: bytes = b"") -> str:
    """SHA-256 of some bytes and of tensors, in the order of their names: their types, shapes and numbers.

    >>> digest({"a": torch.ones(1), "b": torch.ones(2)}) == digest({"b": torch.ones(2), "a": torch.ones(1)})
    True
    """
    total = hashlib.sha256(before)
    for name, tensor in sorted(tensors.items()):
        total.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}".encode())
        total.update(tensor.detach().cpu().contiguous().reshape(-1).view(torch.uint8).numpy().data)
    return total.hexdigest()


def _tokenizer_to_dict(tokenizer: Tokenizer) -> dict[str, Any]:
    if isinstance(tokenizer, Vocabulary):
        return {"Vocabulary": tokenizer.to_dict()}
    return {"BPETokenizer": tokenizer.to_dict(), "equal_ranks": tokenizer.equal_ranks}


def _tokenizer_from_dict(content: dict[str, Any]) -> Tokenizer:
    if "Vocabulary" in content:
        return Vocabulary.from_dict(content["Vocabulary"])
    return BPETokenizer.from_dict(content["BPETokenizer"], equal_ranks=content.get("equal_ranks", False))
