"""Saving and loading: safetensors only, written atomically, with the model's shape in the file's header."""

import json
import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from support.core import InputError, atomic_write
from support.model import GPT, GPTConfig

FORMAT = "neuron-to-assistant checkpoint 1"


@dataclass
class Checkpoint:
    """What a file holds.

    Attributes:
        model: the model, in evaluation mode.
        extra: tensors besides the weights (optimiser, history, random state), by ``part.name``.
        metadata: what was noted beside them, as plain values.
    """

    model: GPT
    extra: dict[str, Tensor] = field(default_factory=dict)
    metadata: dict[str, Any] = field(default_factory=dict)

    def part(self, name: str) -> dict[str, Tensor]:
        """The extra tensors of one part, by their names within it."""
        return {key[len(name) + 1 :]: t for key, t in self.extra.items() if key.startswith(f"{name}.")}


def save_checkpoint(
    path: str | os.PathLike[str],
    model: GPT,
    extra: dict[str, Tensor] | None = None,
    metadata: dict[str, Any] | None = None,
) -> None:
    """Write a model to one safetensors file; a crash leaves the old file whole.

    Args:
        path: the file; its usual ending is ``.safetensors``.
        model: its weights and its `GPTConfig` are saved.
        extra: more tensors, named ``part.name`` with a part other than ``model``.
        metadata: plain values that JSON can hold.

    >>> import tempfile
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> file = Path(tempfile.mkdtemp()) / "model.safetensors"
    >>> save_checkpoint(file, model, metadata={"steps": 7})
    >>> load_checkpoint(file).metadata
    {'steps': 7}
    """
    tensors = {f"model.{name}": t for name, t in model.state_dict().items()} | (extra or {})
    tensors = {name: t.detach().cpu().contiguous() for name, t in tensors.items()}
    header = {
        "format": FORMAT,
        "config": json.dumps(model.config.to_dict()),
        "metadata": json.dumps(metadata or {}),
    }
    with atomic_write(path) as temporary:
        save_file(tensors, temporary, metadata=header)


def load_checkpoint(path: str | os.PathLike[str]) -> Checkpoint:
    """Read what `save_checkpoint` wrote.

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
            tensors = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except SafetensorError:
        raise InputError(
            f"{path.name} is not a whole safetensors file; only safetensors checkpoints are opened, "
            "so save it again with save_checkpoint."
        ) from None
    if header.get("format") != FORMAT:
        raise InputError(
            f"{path.name} was not written by save_checkpoint; for a Hugging Face folder use "
            "support.exchange.from_huggingface."
        )
    model = GPT(GPTConfig.from_dict(json.loads(header["config"])))
    weights = {name[6:]: t for name, t in tensors.items() if name.startswith("model.")}
    try:
        model.to(next(iter(weights.values())).dtype).load_state_dict(weights)
    except RuntimeError:
        raise InputError(
            f"The weights in {path.name} do not fit the shape in its header; it was altered."
        ) from None
    extra = {name: t for name, t in tensors.items() if not name.startswith("model.")}
    return Checkpoint(model.eval(), extra, json.loads(header["metadata"]))


def random_state(device: torch.device) -> dict[str, Tensor]:
    """The state of torch's generators, so that dropout goes on where it stopped."""
    states = {"random.cpu": torch.get_rng_state()}
    if device.type == "cuda":
        states["random.cuda"] = torch.cuda.get_rng_state(device)
    return states


def restore_random_state(states: dict[str, Tensor], device: torch.device) -> None:
    """Set what `random_state` gave (by the names within the part ``random``)."""
    torch.set_rng_state(states["cpu"])
    if device.type == "cuda" and "cuda" in states:
        torch.cuda.set_rng_state(states["cuda"], device)
