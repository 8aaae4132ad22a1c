"""Every test runs with the shapes in the signatures checked (jaxtyping + beartype), seeded, on one thread."""

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("SUPPORT_DEVICE", "cpu")

from jaxtyping import install_import_hook

install_import_hook("support", "beartype.beartype")

import pytest


@pytest.fixture(autouse=True)
def _same_start():
    from support.core import set_up

    set_up(0)
