"""Run all chapters on the device at hand and record their seconds for the status page.

    python tools/gpu_status.py [--out book/ledger/gpu_status.json] [--any-device] [NOTEBOOK ...]

Meant for a machine with an NVIDIA GPU: there every chapter runs at its larger scale. A chapter that fails is
recorded with its error, and the others still run. Without a GPU it refuses, unless --any-device is given.
"""

import argparse
import datetime
import json
import platform
import sys
import time
from pathlib import Path

import nbformat
import torch
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from support.core import atomic_write, device, scale  # noqa: E402


def seconds_of(path: Path, timeout: int = 900) -> dict:
    """Execute one notebook, in its folder, without storing what it prints."""
    notebook = nbformat.read(path, as_version=4)
    client = NotebookClient(notebook, timeout=timeout, resources={"metadata": {"path": str(path.parent)}})
    start = time.perf_counter()
    try:
        client.execute()
    except CellExecutionError as error:
        return {"failed": f"{error.ename}: {error.evalue}"[:300]}
    return {"seconds": round(time.perf_counter() - start, 1)}


def main(arguments: list[str] | None = None) -> int:
    """Run, print one line a chapter, write the record; the number of failed chapters."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--out", type=Path, default=ROOT / "book" / "ledger" / "gpu_status.json")
    parser.add_argument("--any-device", action="store_true")
    given = parser.parse_args(arguments)
    where = device()
    if where.type != "cuda" and not given.any_device:
        print("There is no CUDA device here; run this on a GPU machine, or add --any-device to try it out.")
        return 1
    name = torch.cuda.get_device_name(where) if where.type == "cuda" else f"CPU ({platform.machine()})"
    record = {
        "device": name,
        "scale": scale(),
        "torch": torch.__version__,
        "date": datetime.date.today().isoformat(),
        "notebooks": {},
    }
    for path in given.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb")):
        record["notebooks"][path.stem] = result = seconds_of(path)
        print(f"{path.stem:24} {result}", flush=True)
        with atomic_write(given.out) as temporary:
            temporary.write_text(json.dumps(record, indent=1) + "\n", encoding="utf8")
    return sum("failed" in result for result in record["notebooks"].values())


if __name__ == "__main__":
    sys.exit(main())
