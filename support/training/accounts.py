"""What training costs: bytes of memory, operations, and how much of a machine's speed is used."""

import os
import sys
import timeit
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Literal

import torch
from torch import nn

from support.core import InputError
from support.core.validation import checked
from support.model import GPT, GPTConfig

BLOCK_WIDTHS = 8  # norm 1 in and out, q, k, v, attention's output, norm 2 in and out: of d_model numbers each
ACTIVATIONS = {"relu": 1, "gelu": 2, "gelu_tanh": 2}  # of d_ff numbers each: ReLU's output is its own input
NORM_STATISTICS = 4  # mean and deviation of two LayerNorms


@dataclass(frozen=True)
class MemoryPlan:
    """Bytes that training holds on one device.

    Attributes:
        weights: with mixed precision a 16-bit copy and the float32 master.
        gradients: one for each weight.
        optimiser: what AdamW or SGD with momentum keeps for each weight.
        activations: what is held at the peak of the backward pass.
    """

    weights: float | int
    gradients: float | int
    optimiser: float | int
    activations: float | int

    @property
    def total(self) -> float | int:
        """All four."""
        return self.weights + self.gradients + self.optimiser + self.activations


def block_activations(config: GPTConfig) -> int:
    """Numbers that one block keeps for its backward pass, for each token, with fused attention.

    Raises:
        InputError: the block is not GPT-2's: LayerNorm, one feed-forward network, as many key heads as heads.

    >>> block_activations(GPTConfig(vocab_size=28, d_model=64, n_heads=4))
    1032
    """
    usual = config.activation in ACTIVATIONS and config.norm == "layer" and config.n_experts <= 1
    if not usual or config.n_kv_heads != config.n_heads or config.dropout or config.positions == "rope":
        raise InputError(
            "the activations are counted for GPT-2's block only: LayerNorm, ReLU or GELU, no experts, no "
            "RoPE, no dropout, as many key heads as heads; measure others with saved_for_backward()"
        )
    inside = ACTIVATIONS[config.activation] * config.d_ff
    return BLOCK_WIDTHS * config.d_model + inside + NORM_STATISTICS + config.n_heads


@checked
def memory_plan(
    config: GPTConfig,
    tokens: int,
    precision: Literal["float32", "mixed"] = "float32",
    optimiser: Literal["adamw", "sgd"] = "adamw",
    recompute_every: int = 0,
    shards: int = 1,
) -> MemoryPlan:
    """The memory that a training step needs on each device.

    Args:
        config: of a model with GPT-2's blocks.
        tokens: in the batch of one device.
        precision: float32, or 16-bit weights, gradients and activations with a float32 master copy.
        optimiser: AdamW keeps two numbers for each weight, SGD with momentum one.
        recompute_every: keep the stream before every so many blocks, recompute the rest; 0 keeps all.
        shards: devices that share weights, gradients and optimiser (fully sharded data parallelism).

    Raises:
        InputError: a number is out of range, or the block is another one.

    >>> plan = memory_plan(GPTConfig(vocab_size=50257, context=1024, d_model=768, n_layers=12), tokens=8192)
    >>> f"{plan.weights / 1e9:.2f} {plan.optimiser / 1e9:.2f} {plan.activations / 1e9:.2f} GB"
    '0.50 1.00 6.53 GB'
    """
    if tokens < 1 or shards < 1 or not 0 <= recompute_every <= config.n_layers:
        raise InputError(
            f"tokens={tokens} and shards={shards} must be at least 1, recompute_every={recompute_every} "
            f"between 0 and the {config.n_layers} layers"
        )
    count = _parameters(config)
    each_weight, each_gradient, width = (4, 4, 4) if precision == "float32" else (2 + 4, 2, 2)
    inside = config.n_layers * block_activations(config)
    if recompute_every:
        segments = -(-config.n_layers // recompute_every)
        inside = segments * config.d_model + recompute_every * block_activations(config)
    around = 2 * config.d_model + config.vocab_size + 2  # the final norm, and the log-probabilities
    return MemoryPlan(
        weights=each_weight * count / shards,
        gradients=each_gradient * count / shards,
        optimiser={"adamw": 8, "sgd": 4}[optimiser] * count / shards,
        activations=width * tokens * (inside + around),
    )


def _parameters(config: GPTConfig) -> int:
    """The parameters of a GPT, from its first block, because all blocks are equally large."""
    with torch.device("meta"):
        shallow = GPT(replace(config, n_layers=1))
    block = sum(p.numel() for p in shallow.blocks[0].parameters())
    return shallow.n_parameters() + (config.n_layers - 1) * block


def saved_for_backward(compute: Callable[[], Any], besides: nn.Module) -> int:
    """The bytes that autograd keeps after a computation, counted by its hooks, each storage once.

    Args:
        compute: what to run, e.g. a forward pass that returns the loss.
        besides: the model, whose own parameters and buffers do not count.

    >>> layer, x = nn.Linear(8, 8), torch.ones(100, 8)
    >>> saved_for_backward(lambda: layer(x).exp(), layer)  # x and the exponential, 100 × 8 floats each
    6400
    """
    own = {t.untyped_storage().data_ptr() for t in (*besides.parameters(), *besides.buffers())}
    held: dict[int, torch.Tensor] = {}

    def keep(tensor: torch.Tensor) -> torch.Tensor:
        held.setdefault(tensor.untyped_storage().data_ptr(), tensor)
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda tensor: tensor):
        result = compute()
    found = sum(t.untyped_storage().nbytes() for place, t in held.items() if place not in own)
    del result
    return found


def peak_memory(compute: Callable[[], Any]) -> int:
    """The most bytes that torch allocated at once during a computation on the CPU, beyond those before.

    >>> peak_memory(lambda: torch.ones(1000) + torch.ones(1000))  # two terms and their sum, in float32
    12000
    """
    with _quiet(), torch.autograd.profiler.profile(profile_memory=True, use_kineto=False) as run:
        compute()
    events: Any = run.kineto_results
    changes = sorted((e.start_ns(), e.nbytes()) for e in events.events() if e.name() == "[memory]")
    now = peak = 0
    for _, change in changes:
        now += change
        peak = max(peak, now)
    return peak


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what the profiler's native code writes to the standard error."""
    sys.stderr.flush()
    kept = os.dup(2)
    with open(os.devnull, "w") as nowhere:
        os.dup2(nowhere.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def matmul_intensity(m: int, k: int, n: int, bytes_each: int = 4) -> float:
    """Operations for each byte moved by an m × k by k × n product, if each matrix is moved once.

    Args:
        m: rows of the first matrix and of the result.
        k: what is summed over.
        n: columns of the second matrix and of the result.
        bytes_each: 4 for float32, 2 for bfloat16.

    >>> matmul_intensity(1024, 1024, 1024), round(matmul_intensity(1, 1024, 1024), 2)
    (170.66666666666666, 0.5)
    """
    return 2 * m * k * n / (bytes_each * (m * k + k * n + m * n))


def roofline(intensity: float | int, peak: float | int, bandwidth: float | int) -> float | int:
    """The attainable operations a second (Williams, Waterman and Patterson 2009).

    Args:
        intensity: operations for each byte.
        peak: the machine's operations a second.
        bandwidth: its bytes a second.

    >>> roofline(0.5, peak=100e9, bandwidth=10e9) / 1e9
    5.0
    """
    return min(peak, intensity * bandwidth)


def machine_rates(size: int = 1024, repeat: int = 5) -> tuple[float, float]:
    """Operations a second of a large float32 product, and bytes a second of a copy, on the CPU here.

    Args:
        size: rows and columns of the two square matrices.
        repeat: how often each is timed; the fastest counts.

    >>> operations, moved = machine_rates(size=128, repeat=1)
    >>> operations > 0 and moved > 0
    True
    """
    a, b = torch.ones(size, size), torch.ones(size, size)
    source, goal = torch.ones(16 * 2**20), torch.ones(16 * 2**20)  # 64 MiB: more than a cache holds
    # The first of each is not counted: it meets a cold machine.
    product = min(timeit.repeat(lambda: torch.mm(a, b), number=1, repeat=repeat + 1)[1:])
    copied = min(timeit.repeat(lambda: goal.copy_(source), number=1, repeat=repeat + 1)[1:])
    return 2 * size**3 / product, 2 * source.nbytes / copied


def mfu(model: GPT, tokens_per_second: float | int, peak: float | int, length: int | None = None) -> float:
    """Model FLOPs utilisation: the operations that the model needs, over those that the machine could do.

    Recomputed activations do not count, because the model does not need them.

    Follows Chowdhery et al. 2022 (PaLM), appendix B.

    Args:
        model: which is trained.
        tokens_per_second: measured.
        peak: the machine's operations a second, in the precision of the products.
        length: of the sequences; the whole context if not given.

    >>> with torch.device("meta"):
    ...     gpt2 = GPT(GPTConfig(vocab_size=50304, context=1024, d_model=768, n_layers=12, n_heads=12))
    >>> round(mfu(gpt2, tokens_per_second=102_400 / 0.755, peak=312e12), 3)
    0.372
    """
    return tokens_per_second * model.flops_per_token(length, training=True) / peak
