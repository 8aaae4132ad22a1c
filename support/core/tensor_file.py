"""Safetensors files: read or refused in a sentence, written whole or not at all, sealed by a checksum."""

import hashlib
import json
import os
from collections.abc import Mapping
from pathlib import Path

import torch
from safetensors import SafetensorError, safe_open
from safetensors.torch import save_file
from torch import Tensor

from support.core.errors import InputError
from support.core.files import atomic_write


def write_tensors(
    path: str | os.PathLike[str], tensors: Mapping[str, Tensor], header: Mapping[str, str], seal: bool = True
) -> None:
    """Write one safetensors file; a crash leaves the old file whole.

    Args:
        path: the file.
        tensors: by name; what shares its memory with another (a tied matrix, views) is written in full.
        header: what the file says of itself.
        seal: add a checksum of everything to the header, for `refuse_damaged`.

    Raises:
        InputError: a tensor has a name that the format keeps for itself.
        OSError: the file cannot be written; the error names it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "numbers.safetensors"
    >>> write_tensors(path, {"a": torch.ones(2)}, {"of": "nothing"})
    >>> header, tensors = read_tensors(path, "file", advice="write it again")
    >>> refuse_damaged(path, header, tensors)
    >>> header["of"], tensors["a"].tolist()
    ('nothing', [1.0, 1.0])
    """
    if "__metadata__" in tensors:
        raise InputError("No tensor can be called __metadata__, which safetensors uses itself; rename it.")
    kept, seen = {}, set()
    for name, tensor in tensors.items():
        tensor = tensor.detach().cpu().contiguous()
        memory = tensor.untyped_storage().data_ptr()
        kept[name] = tensor.clone() if tensor.numel() and memory in seen else tensor
        seen.add(memory)
    header = dict(header) | ({"sha256": checksum(header, kept)} if seal else {})
    with atomic_write(path) as temporary:
        try:
            save_file(kept, temporary, metadata=header)
        except SafetensorError as error:
            raise OSError(f"{path} could not be written: {error}") from None


def read_tensors(
    path: str | os.PathLike[str], kind: str, advice: str
) -> tuple[dict[str, str], dict[str, Tensor]]:
    """The header and the tensors of a safetensors file (see the example of `write_tensors`).

    Args:
        path: the file.
        kind: what it is called in the message if there is none.
        advice: what to do if it cannot be read, for the end of the message.

    Raises:
        InputError: there is no such file, or it is not a whole safetensors file; a pickle is never opened.
    """
    path = Path(path)
    if not path.is_file():
        raise InputError(f"There is no {kind} {path.name} in {path.parent}; check the path.")
    try:
        with safe_open(path, framework="pt") as file:
            return file.metadata() or {}, {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118
    except (SafetensorError, OSError) as error:
        raise InputError(f"{path.name} is not a whole safetensors file ({error}); {advice}.") from None


def refuse_damaged(path: Path, header: Mapping[str, str], tensors: Mapping[str, Tensor]) -> None:
    """Raise unless a sealed file holds what was written.

    Raises:
        InputError: its checksum is missing, or it does not fit.
    """
    if header.get("sha256") != checksum(header, tensors):
        raise InputError(
            f"{path.name} is damaged: its checksum does not fit its content; take another copy of the file."
        )


def checksum(header: Mapping[str, str], tensors: Mapping[str, Tensor]) -> str:
    """SHA-256 of everything that a file holds, in an order that does not depend on the file."""
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
