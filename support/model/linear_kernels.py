"""Which library multiplies by the weights of a linear layer in float32 on a CPU; chosen by measurement."""

import platform
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.overrides import TorchFunctionMode

# MKL uses the vectors of AVX-512 on Intel's processors only. On an AMD EPYC with AVX-512, two threads, 2,048
# rows, 512 × 128 weights, MKL and oneDNN, ms: forward 1.4 and 0.7, gradient of the rows 1.5 and 0.6, of the
# weights 1.5 and 1.0. On an AMD EPYC with AVX2 both take the same time.
WORTHWHILE = 2**23  # multiplications in a product; below, calling from Python costs what is gained


@cache
def vendor() -> str:
    """Who made the processor, as it says itself: ``"GenuineIntel"``, ``"AuthenticAMD"`` …

    >>> vendor() == vendor()
    True
    """
    told = Path("/proc/cpuinfo")
    lines = told.read_text(errors="replace").splitlines() if told.exists() else []
    names = [line.split(":")[1].strip() for line in lines if line.startswith("vendor_id")]
    return names[0] if names else platform.processor()


@cache
def onednn_is_faster() -> bool:
    """Whether oneDNN's products in float32 use wider vectors than MKL's, which is about this processor."""
    here = torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")
    wide = "AVX512" in torch.backends.cpu.get_cpu_capability()
    return here and torch.backends.mkl.is_available() and wide and "Intel" not in vendor()


def onednn_product(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """oneDNN's ``x @ weight.T + bias``; both may be transposed views.

    >>> x, weight = torch.ones(2, 3), torch.ones(4, 3)
    >>> onednn_product(x, weight).shape
    torch.Size([2, 4])
    """
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


class OneDNNLinear(torch.autograd.Function):
    """`F.linear` for rows, with three products of oneDNN: one forward, and one for each gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Rows times weights, ``[row, input]`` and ``[output, input]``."""
        ctx.save_for_backward(x, weight)
        return onednn_product(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """Gradients of the rows, the weights and the bias."""
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        wide = weight.shape[0] > weight.shape[1]  # the narrower side goes first: up to twice as fast
        return (
            onednn_product(gradient, weight.t()) if of_x else None,
            None
            if not of_weight
            else onednn_product(x.t(), gradient.t()).t()
            if wide
            else onednn_product(gradient.t(), x.t()),
            gradient.sum(0) if of_bias else None,
        )


class _WithOneDNN(TorchFunctionMode):
    """Within it, `F.linear` takes oneDNN's products where they suit, whoever calls it."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.linear and not kwargs and _suits(*args):
            x, weight, *bias = args
            y = OneDNNLinear.apply(x.reshape(-1, x.shape[-1]), weight, bias[0] if bias else None)
            return y.view(*x.shape[:-1], -1)
        return func(*args, **(kwargs or {}))


def _suits(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> bool:
    return (
        x.numel() * weight.shape[0] >= WORTHWHILE
        and x.dtype == weight.dtype == torch.float32
        and x.device.type == weight.device.type == "cpu"
        and type(x) is Tensor
        and type(weight) in (Tensor, nn.Parameter)
        and weight.is_contiguous()
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()  # it has products of its own
    )


def float32_products(where: torch.device) -> AbstractContextManager[Any]:
    """A context in which large linear layers take the faster library's products, in training as well.

    The numbers differ by rounding. The choice depends on the processor alone, not on a clock, so that a run
    that is resumed goes on with the same numbers. Elsewhere the context does nothing.

    Args:
        where: the device of the model.

    >>> layer, x = nn.Linear(512, 512), torch.ones(64, 512)
    >>> with float32_products(torch.device("cpu")):
    ...     torch.allclose(layer(x), x @ layer.weight.T + layer.bias, atol=1e-4)
    True
    """
    return _WithOneDNN() if where.type == "cpu" and onednn_is_faster() else nullcontext()
