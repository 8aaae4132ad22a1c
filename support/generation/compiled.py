"""The step of generation, compiled: `torch.compile` derives it from the model's own modules."""

from functools import cache
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from support.core import InputError
from support.model.cache import KVCache


def step(model: Any, ids: Int[Tensor, "text 1"], kept: KVCache) -> Float[Tensor, "text 1 vocab"]:
    """Logits of the next token, one new token a text."""
    return model(ids, kept, last=True)


@cache
def compiled_step(device: str, static: bool = False, backend: str = "inductor") -> Any:
    """`step`, compiled at its first call for each model, for one text or for several (a minute at most).

    The number of texts and the length of the cache are symbols in the compiled step, so that it serves all
    lengths and attends to no empty slot. A module that is replaced, patched or hooked later is noticed, and
    the step is compiled anew. On a CPU it is driven by C++ instead of Python, which needs a C++ compiler.

    Args:
        device: ``"cpu"``, ``"cuda"`` …
        static: for a static cache, whose shapes are compiled as numbers.
        backend: see `torch.compile`.
    """
    torch._dynamo.config.skip_nnmodule_hook_guards = False  # else a hook that comes later is missed
    torch._dynamo.config.recompile_limit = 64  # with the usual 8, the fourth or fifth model is not compiled
    options: Any = {"cpp_wrapper": True} if (device, backend) == ("cpu", "inductor") else None
    return torch.compile(step, backend=backend, dynamic=not static, options=options)


def run_compiled(model: Any, ids: Int[Tensor, "text 1"], kept: KVCache) -> Float[Tensor, "text 1 vocab"]:
    """`compiled_step` of this device.

    Raises:
        InputError: there is no C++ compiler.
    """
    from torch._inductor.exc import InvalidCxxCompiler

    try:
        return compiled_step(ids.device.type, kept.static)(model, ids, kept)
    except (InvalidCxxCompiler, torch._dynamo.exc.BackendCompilerFailed) as error:
        if "InvalidCxxCompiler" not in f"{error!r} {error.__cause__!r} {error}":
            raise
        raise InputError(
            "compile=True needs a C++ compiler, and none was found: install g++ or clang, or leave "
            "compile=True out."
        ) from None
