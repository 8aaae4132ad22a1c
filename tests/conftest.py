"""Every test runs with the shapes in the signatures checked (jaxtyping + beartype), seeded, on one thread.

Tools and benchmarks are scripts beside the package: they are on the path here. `script` loads one benchmark.
"""

import dataclasses
import functools
import importlib.util
import inspect
import os
import sys
import typing
from pathlib import Path

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")
os.environ.setdefault("SUPPORT_DEVICE", "cpu")
os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")  # no helper processes that import torch anew

import jaxtyping
import pytest
from beartype import BeartypeConf, beartype

SHAPED = jaxtyping.jaxtyped  # checks what beartype checks, and that equal names of axes are equal lengths
ALONE = beartype(conf=BeartypeConf(violation_type=jaxtyping.TypeCheckError))  # one kind of error for both


def names_axes(annotation) -> bool:
    """Whether a shape stands in an annotation, or may stand there, in one that is a string."""
    if isinstance(annotation, str) or type(annotation).__module__.startswith("jaxtyping"):
        return True
    if isinstance(annotation, list | tuple):  # the arguments of a Callable
        return any(map(names_axes, annotation))
    return any(map(names_axes, typing.get_args(annotation)))


def keeps(kind: type) -> bool:
    """Whether a class is a dataclass without shapes, whose own ``__init__`` only keeps what it is given."""
    made = "__dataclass_params__" in vars(kind) and kind.__dataclass_params__.init
    if not made or hasattr(kind, "__post_init__"):
        return False
    return not any(names_axes(field.type) for field in dataclasses.fields(kind))


def checked(function=None, *, typechecker=None):
    """`jaxtyped` for a signature with shapes; beartype alone for one without, which it checks in full.

    jaxtyped binds the arguments to the signature at each call, 30 µs: of an exact world's inner loop, nine
    tenths of the time. So it is with a dataclass that only keeps what it is given. Another class
    goes by way of its ``__init__`` and a property by way of its functions.
    """
    if function is None:
        return lambda function: checked(function, typechecker=typechecker)
    if inspect.isclass(function) and keeps(function):
        function.__init__ = ALONE(function.__init__)
        return function
    if not inspect.isfunction(function) or any(map(names_axes, function.__annotations__.values())):
        return SHAPED(function, typechecker=typechecker)
    return ALONE(function) if function.__annotations__ else function


jaxtyping.jaxtyped = checked
jaxtyping.install_import_hook("support", "beartype.beartype")

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "benchmarks"), str(ROOT / "book" / "ext")]


@pytest.fixture(autouse=True)
def _same_start():
    from support.core import seed_everything

    seed_everything(0)


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
