"""A pytest plugin: what each chapter's test run took, in seconds and memory, and how its cells fared.

Loaded by `tools/run_tests.py`; writes .make/chapters/NAME.json, which the status page shows if it is there.
"""

import json
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from process_memory import peak_megabytes

FOLDER = Path(__file__).resolve().parent.parent / ".make" / "chapters"
WATCHED: dict[str, dict[str, Any]] = {}


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_protocol(item):
    """Time one cell, and look at its kernel afterwards."""
    start = time.perf_counter()
    yield
    if item.path.suffix != ".ipynb":
        return
    seen = WATCHED.setdefault(item.path.stem, {"seconds": 0.0, "megabytes": None, "cells": Counter()})
    seen["seconds"] += time.perf_counter() - start
    manager = getattr(getattr(item.parent, "kernel", None), "km", None)
    if manager is not None and manager.provisioner is not None:  # gone behind the last cell
        seen["megabytes"] = peak_megabytes(manager.provisioner.pid) or seen["megabytes"]
    FOLDER.mkdir(parents=True, exist_ok=True)
    text = json.dumps({**seen, "seconds": round(seen["seconds"], 1)})
    (FOLDER / f"{item.path.stem}.json").write_text(text, encoding="utf8")


def pytest_runtest_logreport(report):
    """Count what passed and what failed."""
    stem = Path(report.nodeid.partition("::")[0]).stem
    if report.when == "call" and report.nodeid.partition("::")[0].endswith(".ipynb"):
        blank = {"seconds": 0.0, "megabytes": None, "cells": Counter()}
        WATCHED.setdefault(stem, blank)["cells"][report.outcome] += 1
