"""Which precision a training run computes its matrix products in, and the scaled loss of float16.

Weights, their updates, norms and the loss stay in the weights' own precision.

Follows Micikevicius et al. 2018 (mixed precision, loss scaling).
"""

import platform
from contextlib import AbstractContextManager, nullcontext

import torch
from torch import nn

from support.core import InputError
from support.model.linear_kernels import float32_products

# Smaller models stay in float32 on a CPU, the same on every processor: bfloat16 gains little there. One step
# on an AMD Zen 5 core, ms, float32 and bfloat16: 6.6 and 7.8 with 28,000 weights, 31 and 24 with 103,000,
# 87 and 56 with 221,000, 147 and 83 with 478,000.
CPU_GAINS_FROM = 250_000


def native_bfloat16(where: torch.device) -> bool:
    """Whether the device multiplies matrices in bfloat16 itself, rather than emulating it.

    >>> native_bfloat16(torch.device("meta"))
    False
    """
    if where.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    if where.type != "cpu":
        return False
    if platform.machine().lower() in ("arm64", "aarch64"):
        return bool(torch.ops.mkldnn._is_mkldnn_bf16_supported())
    # On x86 that operator also says yes to processors that emulate; these two ask for the instructions.
    names = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(getattr(torch.cpu, name, lambda: False)() for name in names)


def choose_precision(wanted: str, model: nn.Module) -> torch.dtype | None:
    """The dtype of the products, or None for the weights' own.

    ``"auto"`` leaves weights that are not float32 alone. On a GPU it takes bfloat16 where the card has it,
    else float16. On a CPU with native bfloat16 it takes that for models of at least `CPU_GAINS_FROM` weights.

    Raises:
        InputError: float16 is wanted for weights that are not float32.

    >>> choose_precision("auto", nn.Linear(2, 2)), choose_precision("bfloat16", nn.Linear(2, 2))
    (None, torch.bfloat16)
    """
    weight = next(model.parameters())
    if wanted == "float16" and weight.dtype != torch.float32:
        raise InputError(
            f'precision="float16" needs weights in float32, for small updates to count; these are in '
            f"{weight.dtype}: call model.float() first."
        )
    if wanted != "auto":
        return {"float32": None, "bfloat16": torch.bfloat16, "float16": torch.float16}[wanted]
    if weight.dtype != torch.float32:
        return None
    if weight.device.type == "cuda":
        return torch.bfloat16 if native_bfloat16(weight.device) else torch.float16
    large = sum(p.numel() for p in model.parameters()) >= CPU_GAINS_FROM
    return torch.bfloat16 if large and native_bfloat16(weight.device) else None


def products_in(
    dtype: torch.dtype | None, where: torch.device, compiled: bool = False
) -> AbstractContextManager:
    """A context in which matrix products are computed in this dtype; in float32 by the faster library.

    Args:
        dtype: None for the weights' own.
        where: the device of the model.
        compiled: the model is compiled, and has products of its own.
    """
    if dtype is None:
        return nullcontext() if compiled else float32_products(where)
    return torch.autocast(where.type, dtype=dtype)


def make_scaler(dtype: torch.dtype | None, where: torch.device) -> torch.amp.GradScaler:
    """What scales the loss up so that small gradients do not vanish in float16; elsewhere it does nothing.

    >>> make_scaler(torch.bfloat16, torch.device("cpu")).is_enabled()
    False
    """
    return torch.amp.GradScaler(where.type, enabled=dtype == torch.float16)
