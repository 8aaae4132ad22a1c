"""Which library multiplies by the weights of a linear layer in float32 on a CPU; chosen by measurement."""

import platform
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from pathlib import Path
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn
from torch.autograd.function import once_differentiable
from torch.overrides import TorchFunctionMode

# On an AMD EPYC with AVX-512, MKL leaves those vectors unused: 209 GFLOP/s, where oneDNN reaches 448.
# Two threads, 2,048 rows, 512 × 128 weights, MKL and oneDNN, ms: forward 1.4 and 0.7, gradient of the rows
# 1.5 and 0.6, of the weights 1.5 and 1.0. On an AMD EPYC with AVX2 both take the same time.
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
    """Whether oneDNN's products in float32 use wider vectors than MKL's on this processor."""
    wide = "AVX512" in torch.backends.cpu.get_cpu_capability()
    return has_onednn() and torch.backends.mkl.is_available() and wide and "Intel" not in vendor()


def has_onednn() -> bool:
    """Whether this build of torch has oneDNN's product of a linear layer.

    >>> type(has_onednn())
    <class 'bool'>
    """
    return torch.backends.mkldnn.is_available() and hasattr(torch.ops.mkldnn, "_linear_pointwise")


def onednn_product(
    x: Float[Tensor, "*row input"],
    weight: Float[Tensor, "output input"],
    bias: Float[Tensor, "output"] | None = None,
) -> Float[Tensor, "*row output"]:
    """oneDNN's ``x @ weight.T + bias``; both may be transposed views, and there is no gradient.

    The product is oneDNN's inner product (https://uxlfoundation.github.io/oneDNN).

    >>> x, weight = torch.ones(2, 3), torch.ones(4, 3)
    >>> onednn_product(x, weight).shape
    torch.Size([2, 4])
    """
    return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")


class OneDNNLinear(torch.autograd.Function):
    """`F.linear` for rows, with three products of oneDNN: one forward, and one for each gradient."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """``[row, input]`` times ``[output, input]``, plus ``[output]``: ``[row, output]``."""
        ctx.save_for_backward(x, weight)
        return onednn_product(x, weight, bias)

    @staticmethod
    @once_differentiable
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, Tensor | None, Tensor | None]:
        """Gradients of the rows, the weights and the bias, from that of the outputs, ``[row, output]``."""
        x, weight = ctx.saved_tensors
        of_x, of_weight, of_bias = ctx.needs_input_grad
        x_gradient = onednn_product(gradient, weight.t()) if of_x else None
        weight_gradient = None
        if of_weight and weight.shape[0] > weight.shape[1]:  # the narrower side goes first: it is faster
            weight_gradient = onednn_product(x.t(), gradient.t()).t()
        elif of_weight:
            weight_gradient = onednn_product(gradient.t(), x.t())
        return x_gradient, weight_gradient, gradient.sum(0) if of_bias else None


class InsteadOfLinear(TorchFunctionMode):
    """Within it, `F.linear` is another product where that suits, whoever calls it.

    Args:
        suits: rows, weight, bias → whether to take the product.
        product: of the same three.
    """

    def __init__(self, suits: Callable[..., bool], product: Callable[..., Tensor]) -> None:
        super().__init__()
        self.suits, self.product = suits, product

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        if func is F.linear and not kwargs and self.suits(*args):
            return self.product(*args)
        return func(*args, **(kwargs or {}))


def suits_onednn(x: Tensor, weight: Tensor) -> bool:
    """Whether rows and weight are plain float32 tensors of a CPU, and nothing else chooses their product.

    >>> x, weight = torch.ones(2, 3), torch.ones(4, 3)
    >>> suits_onednn(x, weight), suits_onednn(x.double(), weight.double())
    (True, False)
    """
    return (
        x.dtype == weight.dtype == torch.float32
        and x.device.type == weight.device.type == "cpu"
        and type(x) is Tensor
        and type(weight) in (Tensor, nn.Parameter)
        and weight.is_contiguous()
        and not torch.is_autocast_enabled("cpu")
        and not torch.compiler.is_compiling()  # it has products of its own
    )


def _is_large(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> bool:
    return x.numel() * weight.shape[0] >= WORTHWHILE and suits_onednn(x, weight)


def _with_gradients(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    rows = OneDNNLinear.apply(x.reshape(-1, x.shape[-1]), weight, bias)
    # Not a view: of logits that are one, a model that is sharded over processes warns.
    return torch.ops.aten._unsafe_view(rows, [*x.shape[:-1], weight.shape[0]])


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
    return (
        InsteadOfLinear(_is_large, _with_gradients)
        if where.type == "cpu" and onednn_is_faster()
        else nullcontext()
    )
