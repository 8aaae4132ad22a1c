"""Keeping a record: the file that `support.zoo.record` reads, begun with command, commit and device."""

import json
import platform
import subprocess
from pathlib import Path
from typing import Any

import torch

from support.core import atomic_write
from support.zoo.record import FOLDER, record


def made_by(name: str) -> dict[str, str]:
    """How a record begins: command, commit, device. Set the threads before (``seed_everything``)."""
    git = ["git", "rev-parse", "--short", "HEAD"]
    commit = subprocess.run(git, cwd=Path(__file__).parent, capture_output=True, text=True).stdout
    return {
        "command": f"python benchmarks/{name}.py",
        "commit": commit.strip(),
        "device": f"CPU ({platform.machine()}), {(n := torch.get_num_threads())} thread{'s' * (n > 1)}",
    }


def begin_record(name: str, runs: Any, *, under: str = "runs", **settings: Any) -> dict[str, Any]:
    """The record to go on with: the kept one if it was made with these settings, else an empty one.

    Args:
        name: of the script in ``benchmarks`` and of the record.
        runs: what an empty record has under ``runs``, a list or a dictionary.
        under: another word for ``runs``.
        settings: what must be equal for runs to belong together; they become part of the record.
    """
    if (FOLDER / f"{name}.json").is_file():
        kept = record(name)
        if all(key in kept and kept[key] == value for key, value in settings.items()):
            return kept
    return {**made_by(name), **settings, under: runs}


def keep_record(name: str, content: dict[str, Any], *, indent: int | None = 1) -> None:
    """Write a record; a script that is cut off while it writes leaves the one before.

    Without ``indent`` it is one line: right for one that holds whole matrices.
    """
    with atomic_write(FOLDER / f"{name}.json") as path:
        path.write_text(json.dumps(content, indent=indent, ensure_ascii=False) + "\n", encoding="utf8")
