"""A checkpoint's folder: ``config.json`` and safetensors, in one file or in shards."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch import Tensor

from support.core import InputError
from support.core.json_file import read_json, write_json
from support.core.tensor_file import read_tensors, write_tensors

WEIGHTS, INDEX = "model.safetensors", "model.safetensors.index.json"
HEADER = {"format": "pt"}  # the tensors are torch's; transformers insists on being told


def read_folder(folder: Path) -> tuple[dict[str, Any], dict[str, Tensor]]:
    """The fields and the tensors; nothing but JSON and safetensors is opened.

    Raises:
        InputError: a file is missing or damaged; it is named.
    """
    if not (folder / "config.json").is_file():
        raise InputError(
            f"There is no config.json in the folder {folder.name!r}; give a checkpoint's folder."
        )
    fields = _read_json(folder / "config.json")
    if (folder / INDEX).is_file():
        files = _shards(_read_json(folder / INDEX))
    elif (folder / WEIGHTS).is_file():
        files = [WEIGHTS]
    else:
        raise InputError(
            f"There is no model.safetensors in the folder {folder.name!r}; pickled weights are not read: "
            "load them with transformers and save them with safe_serialization=True."
        )
    tensors: dict[str, Tensor] = {}
    for name in files:
        tensors |= read_tensors(folder / name, "file", advice="fetch it again")[1]
    return fields, tensors


def _shards(index: dict[str, Any]) -> list[str]:
    places = index.get("weight_map")
    if not isinstance(places, dict) or not places:
        raise InputError(f"{INDEX} has no weight_map, which says where each tensor lies; fetch it again.")
    for tensor, name in places.items():
        if not isinstance(name, str) or name != Path(name).name or not name.endswith(".safetensors"):
            raise InputError(
                f"{INDEX} puts {tensor!r} into {name!r}, which is no safetensors file beside it."
            )
    return sorted(set(places.values()))


def _read_json(path: Path) -> dict[str, Any]:
    values = read_json(path, "fetch it again")
    if not isinstance(values, dict):
        raise InputError(f"{path.name} must hold a JSON object; fetch it again.")
    return values


def refuse_shards(folder: Path) -> None:
    """Raise where a file of ours would not be the one that is read.

    Raises:
        InputError: the folder holds an index of shards, which would be read instead.
    """
    if (folder / INDEX).exists():
        raise InputError(f"The folder {folder.name!r} holds a checkpoint in shards; give a fresh folder.")


def write_folder(folder: Path, fields: Mapping[str, Any], tensors: Mapping[str, Tensor]) -> None:
    """Write both files, the weights first; a crash leaves each of them old or new, never half."""
    write_tensors(folder / WEIGHTS, tensors, HEADER, seal=False)
    write_json(folder / "config.json", fields)
