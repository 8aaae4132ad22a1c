"""JSON files: reading what others wrote, and writing so that a crash never leaves half a file."""

import json
import os
from pathlib import Path
from typing import Any

from support.core.errors import InputError
from support.core.files import atomic_write


def read_json(path: str | os.PathLike[str], advice: str) -> Any:
    """What a JSON file holds.

    Args:
        path: the file.
        advice: what to do if it cannot be read, for the end of the message.

    Raises:
        InputError: there is no such file, or it is not JSON.

    >>> read_json("nowhere/config.json", advice="give a folder that holds it")
    Traceback (most recent call last):
    support.core.errors.InputError: There is no file config.json; give a folder that holds it.
    """
    return parse_json(read_bytes(path, advice), as_path(path, advice).name, advice)


def write_json(path: str | os.PathLike[str], value: Any) -> None:
    """Write a value that `read_json` gives back; the file is old or new, never half."""
    with atomic_write(path) as temporary:
        temporary.write_text(json.dumps(value, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def as_path(path: str | os.PathLike[str], advice: str) -> Path:
    """The path as such.

    Raises:
        InputError: it is none.
    """
    try:
        return Path(path)
    except TypeError:
        raise InputError(f"The path {path!r} is no path; {advice}.") from None


def read_bytes(path: str | os.PathLike[str], advice: str) -> bytes:
    """The bytes of a file; the arguments and errors are those of `read_json`."""
    file = as_path(path, advice)
    try:
        return file.read_bytes()
    except FileNotFoundError:
        raise InputError(f"There is no file {file.name}; {advice}.") from None
    except OSError as error:  # a folder, or no permission
        raise InputError(f"{file.name!r} cannot be read ({error.strerror}); {advice}.") from None
    except ValueError as error:  # a null byte in the name
        raise InputError(f"{file.name!r} cannot be read ({error}); {advice}.") from None


def parse_json(content: bytes, name: str, advice: str) -> Any:
    """The value of a JSON text in UTF-8, called `name` in messages.

    >>> parse_json(b'[1]', "list.json", advice="write it again")
    [1]
    """
    try:
        return json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise InputError(f"{name} is not JSON ({error}); {advice}.") from None
