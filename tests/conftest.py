"""Every test runs with the shapes in the signatures checked (jaxtyping + beartype), seeded, on one thread.

(Not with ``CHECK_SIGNATURES=no``: what the pages are compared with was checked by the tests of the package.)
Tools and benchmarks are scripts beside the package: they are on the path here. `script` loads one benchmark.
"""

import functools
import gc
import importlib.util
import os
import random
import sys
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("SUPPORT_DEVICE", "cpu")
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # no helper processes that import torch anew
os.environ.setdefault("NUMBA_OPT", "0")  # what is compiled here runs for a moment

gc.disable()  # until all is imported

import jaxtyping
import numpy as np
import pytest
import torch
from signatures import checked

if os.environ.get("CHECK_SIGNATURES") != "no":
    jaxtyping.jaxtyped = checked
    jaxtyping.install_import_hook("support", "beartype.beartype")

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "benchmarks"), str(ROOT / "book" / "ext")]


def pytest_collection_finish():
    """What was imported stays, so the garbage collector need not look through it again and again.

    It comes less often than usual, too: a figure is hundreds of thousands of objects, which go together.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 10)
    gc.enable()


@pytest.fixture(autouse=True)
def _same_start():
    """What `seed_everything(0)` does, without the millisecond in which torch notes where it was called."""
    random.seed(0)
    np.random.seed(0)
    torch.default_generator.manual_seed(0)
    if torch.cuda.is_available():
        torch.cuda.manual_seed_all(0)
    torch.set_num_threads(int(os.environ["OMP_NUM_THREADS"].split(",")[0]))
    torch.set_flush_denormal(True)


@pytest.fixture(scope="session")
def script():
    """``script(name)``: the module ``benchmarks/<name>.py``, imported once."""

    @functools.cache
    def load(name):
        spec = importlib.util.spec_from_file_location(name, ROOT / "benchmarks" / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module

    return load
