"""Records: what long experiments measured, kept with the package, so that a chapter can show it at once."""

import json
from pathlib import Path
from typing import Any

from support.core import InputError

FOLDER = Path(__file__).parent / "records"


def record(name: str) -> dict[str, Any]:
    """What the script ``benchmarks/<name>.py`` measured; its ``command`` makes it anew.

    Raises:
        InputError: there is no such record; the message names those that there are.

    >>> record("k_hop")["command"]
    'python benchmarks/k_hop.py'
    """
    path = FOLDER / f"{name}.json"
    if not path.is_file():
        names = ", ".join(sorted(p.stem for p in FOLDER.glob("*.json")))
        raise InputError(f"There is no record {name!r}; there are {names}.")
    return json.loads(path.read_text(encoding="utf8"))
