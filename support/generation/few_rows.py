"""Which product of a linear layer is fastest for a few rows; chosen by measurement."""

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from support.model.linear_kernels import InsteadOfLinear, has_onednn, onednn_product, suits_onednn

# oneDNN's product against torch's usual one (MKL's), float32, weights that no cache holds, two threads of an
# AMD EPYC with AVX2: 1.1 to 2.3 times as fast from 2¹⁸ numbers in a weight and up to 32 rows (2.1 to 2.7 for
# 2 to 16 rows and GPT-2's head), 0.7 to 1.0 at 2¹⁶ numbers, 1.0 from 64 rows on.
LARGE, FEW = 2**18, 32


def _suits(x: Tensor, weight: Tensor, bias: Tensor | None = None) -> bool:
    few = weight.numel() >= LARGE and x.numel() <= FEW * x.shape[-1]
    return few and not torch.is_grad_enabled() and suits_onednn(x, weight)


def few_rows(model: nn.Module) -> AbstractContextManager[Any]:
    """A context in which a model reads a few tokens sooner: large layers take oneDNN's product.

    It differs by rounding, is for float32 on a CPU without gradients, and changes nothing in the model: what
    replaces a layer or wraps it is called as ever. Elsewhere the context does nothing.

    Args:
        model: its linear layers of `LARGE` numbers or more, called with ``x`` of shape [..., in] and at most
            `FEW` rows before the last dimension, take that product.

    Measured as said above; the product is oneDNN's inner product (https://uxlfoundation.github.io/oneDNN).

    >>> layer, x = nn.Linear(512, 512), torch.ones(1, 512)
    >>> with torch.inference_mode(), few_rows(layer):
    ...     torch.allclose(layer(x), x @ layer.weight.T + layer.bias, atol=1e-5)
    True
    """
    large = any(p.numel() >= LARGE and p.device.type == "cpu" for p in model.parameters())
    return InsteadOfLinear(_suits, onednn_product) if has_onednn() and large else nullcontext()
