"""Saving and loading: safetensors only, written atomically, checked when read."""

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torch import Tensor, nn

from support.core import InputError
from support.core.tensor_file import read_tensors, refuse_damaged, write_tensors
from support.core.validation import checked, plain
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
        metadata: plain values that JSON can hold; numbers of NumPy become Python's own.
        tokenizer: what turns text into the model's ids.
        weights: the model's ``state_dict``, if the model itself holds only a part of it.

    Raises:
        InputError: the model is of another kind, or parts of it were replaced; an extra tensor has the name
            of a weight; or JSON cannot hold the metadata.
        OSError: the file cannot be written; the error names it.

    >>> import tempfile
    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> file = Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> save_checkpoint(model, file, metadata={"steps": 7})
    >>> load_checkpoint(file).metadata
    {'steps': 7}
    """
    taken = [name for name in extra or {} if name.startswith("model.")]
    if taken:
        raise InputError(f"extra: {taken[0]!r} would be taken for a weight of the model; rename its part.")
    try:
        noted = json.dumps(metadata or {}, default=_plain_number)
    except (TypeError, ValueError) as error:
        raise InputError(f"metadata holds what JSON cannot hold ({error}); give plain values.") from None
    weights = unwrap(model).state_dict() if weights is None else weights
    header = {
        "format": FORMAT,
        "model": json.dumps(describe(model)),
        "metadata": noted,
        "tokenizer": json.dumps(None if tokenizer is None else _tokenizer_to_dict(tokenizer)),
    }
    write_tensors(path, {f"model.{name}": t for name, t in weights.items()} | (extra or {}), header)


@checked
def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read what `save_checkpoint` wrote (see the example there), and check that no bit of it has changed.

    Raises:
        InputError: there is no such file, it is no safetensors file (a pickle is never opened), or it is
            damaged or of another kind.
    """
    path = Path(path)
    header, tensors = read_tensors(path, "checkpoint", "save it again with save_checkpoint")
    if not header.get("format", "").startswith(FORMAT[:-1]):
        raise InputError(
            f"{path.name} was not written by save_checkpoint; for a Hugging Face folder use "
            "support.exchange.from_huggingface."
        )
    if header["format"] != FORMAT:
        raise InputError(
            f"{path.name} is in the format {header['format']!r}, not in {FORMAT!r}; save it anew."
        )
    refuse_damaged(path, header, tensors)
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


def _plain_number(value: Any) -> Any:
    if (number := plain(value)) is value:
        raise TypeError(f"a {type(value).__name__}")
    return number


def _tokenizer_to_dict(tokenizer: Tokenizer) -> dict[str, Any]:
    if isinstance(tokenizer, Vocabulary):
        return {"Vocabulary": tokenizer.to_dict()}
    return {"BPETokenizer": tokenizer.to_dict(), "equal_ranks": tokenizer.equal_ranks}


def _tokenizer_from_dict(content: dict[str, Any]) -> Tokenizer:
    if "Vocabulary" in content:
        return Vocabulary.from_dict(content["Vocabulary"])
    return BPETokenizer.from_dict(content["BPETokenizer"], equal_ranks=content.get("equal_ranks", False))
