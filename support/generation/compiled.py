"""The step of generation, compiled: `torch.compile` derives it from the model's own modules.

On a GPU the compiled step is recorded as a CUDA graph, so that no kernel waits for Python to launch it.
"""

from collections.abc import Callable
from functools import cache, partial
from types import FunctionType
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from support.core import InputError
from support.generation.compiled_linear import Layouts, compile_graph, laid_out_once
from support.model.cache import KVCache, rolls_on
from support.model.config import GPTConfig
from support.model.experts import Experts

SLOTS = 256  # a captured step serves caches of one length; so they come in steps of this


def slots_for(config: GPTConfig, length: int, where: torch.device) -> tuple[int, bool]:
    """How many tokens the cache of a compiled step holds, for a text of ``length``; and whether it is static.

    A CUDA graph needs shapes that stay, and so does a cache that rolls: else it would be many graphs.

    >>> slots_for(GPTConfig(vocab_size=5, context=600), 300, torch.device("cuda"))
    (512, True)
    >>> slots_for(GPTConfig(vocab_size=5, context=600), 300, torch.device("cpu"))
    (300, False)
    """
    if where.type == "cuda" and not rolls_on(config, length):
        return min(config.context, -(-length // SLOTS) * SLOTS), True
    return length, where.type == "cuda" or config.window is not None


def step(model: Any, ids: Int[Tensor, "text 1"], kept: KVCache) -> Float[Tensor, "text 1 vocab"]:
    """Logits of the next token, one new token a text."""
    return model(ids, kept, last=True)


@cache
def compiled_step(device: str, static: bool = False, backend: str = "inductor") -> Any:
    """`step`, compiled at its first call for each model, for one text or for several (a minute at most).

    The number of texts and the length of the cache are symbols in the compiled step, so that it serves all
    lengths and attends to no empty slot. A module that is replaced, patched or hooked later is noticed, and
    the step is compiled anew. On a CPU it is driven by C++ instead of Python, which needs a C++ compiler, and
    its linear layers are those of `support.generation.compiled_linear`.

    Args:
        device: ``"cpu"``, ``"cuda"`` …
        static: for a static cache, whose shapes are compiled as numbers.
        backend: see `torch.compile`.
    """
    torch._dynamo.config.skip_nnmodule_hook_guards = False  # else a hook that comes later is missed
    torch._dynamo.config.recompile_limit = 64  # with the usual 8, the fourth or fifth model is not compiled
    how: Any = compile_graph if (device, backend) == ("cpu", "inductor") else backend
    return torch.compile(step, backend=how, dynamic=not static)


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


class CapturedStep:
    """The compiled step of one text or batch on a GPU, recorded once as a CUDA graph and replayed.

    What changes in place between two tokens (a weight, the cache) counts; a module that is replaced, wrapped
    or hooked meanwhile counts from the next call of `generate` on, which records anew. Follows
    https://docs.pytorch.org/docs/stable/notes/cuda.html (CUDA graphs).

    Args:
        model: on a GPU.
        ids: of the first step; it is not counted as read.
        kept: a static cache, which has read the prompt.
    """

    def __init__(self, model: Any, ids: Int[Tensor, "text 1"], kept: KVCache) -> None:
        self.ids, place = ids.clone(), kept.next_place
        assert isinstance(place, Tensor), "a CUDA graph needs a static cache"
        before, aside = place.clone(), torch.cuda.Stream()
        aside.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(aside):  # compiles, and lets libraries take their memory before the recording
            for _ in range(2):
                run_compiled(model, self.ids, kept)
                place.copy_(before)
        torch.cuda.current_stream().wait_stream(aside)
        self.graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(self.graph):
            self.logits = run_compiled(model, self.ids, kept)

    def __call__(self, ids: Int[Tensor, "text 1"]) -> Float[Tensor, "text 1 vocab"]:
        """Logits of the next token; they are overwritten by the next call."""
        self.ids.copy_(ids)
        self.graph.replay()
        return self.logits


class SteadyStep:
    """The compiled step while nobody changes the model: its guards are asked once a text, not at each token.

    At each call `torch.compile` asks whether the model is still the one that it compiled: 0.08 of 0.26 ms for
    the small model of `benchmarks/generation.py` and one text, 0.07 of 0.75 ms for sixteen (AMD EPYC with
    AVX-512). Here the first step asks, for its own position and for the last but one that the cache holds;
    those between call what was compiled for both. The step that fills the cache asks for itself, because it
    attends to all slots. Where nothing was compiled that holds for both positions, every step asks. Nor are
    the weights laid out more than once a text: what was changed in place since the last one counts.

    Args:
        model: on a CPU; nothing of it is replaced, wrapped or hooked until the text is written.
        kept: a cache, which has read the prompt.
    """

    def __init__(self, model: Any, kept: KVCache) -> None:
        self.model, self.kept = model, kept
        self.last = None if kept.static or kept.limit is None else kept.limit - 1
        self.compiled: Callable[..., Any] | None = None
        self.layouts: Layouts = {}

    def __call__(self, ids: Int[Tensor, "text 1"]) -> Float[Tensor, "text 1 vocab"]:
        """Logits of the next token."""
        with laid_out_once(self.layouts):
            return self._step(ids)

    def _step(self, ids: Tensor) -> Tensor:
        if self.compiled is not None and (self.last is None or self.kept.next_place != self.last):
            return self.compiled(self.model, ids, self.kept)
        logits = run_compiled(self.model, ids, self.kept)
        self.compiled = self.compiled or self.what_was_compiled(ids) or run_compiled
        return logits

    def what_was_compiled(self, ids: Int[Tensor, "text 1"]) -> Callable[..., Any] | None:
        """`step` as torch compiled it, if its guards hold from here to the last step but one; else None."""
        kept, place = self.kept, self.kept.next_place
        listed: Any = getattr(torch._dynamo.eval_frame, "_debug_get_cache_entry_list", None)
        fits = [] if listed is None else list(listed(step.__code__))
        try:
            for kept.next_place in [place] if self.last is None else [place, self.last - 1]:
                given = {"model": self.model, "ids": ids, "kept": kept}
                fits = [entry for entry in fits if entry.guard_manager.check(given)]
        finally:
            kept.next_place = place
        return FunctionType(fits[0].code, step.__globals__) if fits else None


def fast_step(
    model: Any, ids: Int[Tensor, "text 1"], kept: KVCache, steady: bool = False
) -> Callable[[Tensor], Tensor]:
    """The fastest step for this device, derived from the model: captured on a GPU, compiled elsewhere.

    A mixture of experts asks the device which experts have tokens, so its step cannot be captured.

    Args:
        model: on its device.
        ids: of the first step.
        kept: a cache, which has read the prompt.
        steady: nobody changes the model until the text is written, so the guards are asked once.
    """
    routed = any(isinstance(module, Experts) for module in model.modules())
    if ids.device.type == "cuda" and kept.static and not routed:
        return CapturedStep(model, ids, kept)
    return SteadyStep(model, kept) if steady else partial(run_compiled, model, kept=kept)
