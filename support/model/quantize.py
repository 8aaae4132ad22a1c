"""Weights in eight bits: a quarter of the bytes to read for each token, at a small, measured error."""

import copy

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from support.core import InputError
from support.core.validation import checked
from support.model.base import Transformer


class Int8Linear(nn.Module):
    """A linear layer whose weights are whole numbers of −127 to 127 times one scale for each output channel.

    The inputs stay floating-point numbers (bfloat16 in torch's product of the two). Each weight is off by at
    most half its channel's scale, or by 0.4% of itself where the rounded scale is too small for it.

    Args:
        weight: of the layer that it replaces.
        bias: of that layer; it stays as it is.

    Follows Dettmers et al. 2022 (LLM.int8()) for the scales by channel; torch's ``_weight_int8pack_mm``.

    >>> linear = nn.Linear(64, 3)
    >>> small = Int8Linear(linear.weight, linear.bias)
    >>> small(torch.ones(1, 64)).sub(linear(torch.ones(1, 64))).abs().max().item() < 0.05
    True
    """

    weight: Tensor
    scale: Tensor
    bias: Tensor | None

    def __init__(
        self, weight: Float[Tensor, "output input"], bias: Float[Tensor, "output"] | None = None
    ) -> None:
        super().__init__()
        weight = weight.detach().float()
        self.out_features, self.in_features = weight.shape
        # The scale is rounded first, so that its own rounding costs nothing.
        scale = (weight.abs().amax(dim=1).clamp(min=1e-30) / 127).bfloat16()
        rounded = (weight / scale.float()[:, None]).round().clamp(-127, 127)
        self.fill = (
            -weight.shape[1] % 32
        )  # torch's kernel reads past the end of a row that is no multiple of 16
        self.register_buffer("weight", F.pad(rounded, (0, self.fill)).to(torch.int8))
        self.register_buffer("scale", scale)
        self.register_buffer("bias", None if bias is None else bias.detach().clone())

    def forward(self, x: Float[Tensor, "*batch input"]) -> Float[Tensor, "*batch output"]:
        """``x @ weight.T · scale + bias``: the product in bfloat16, the result in the precision of ``x``."""
        rows = x.reshape(-1, x.shape[-1]).bfloat16()
        rows = F.pad(rows, (0, self.fill)) if self.fill else rows
        product = torch._weight_int8pack_mm(rows, self.weight, self.scale.bfloat16())
        product = product.to(x.dtype).view(*x.shape[:-1], -1)
        return product if self.bias is None else product + self.bias


@checked
def quantize(model: Transformer, weights: str = "int8") -> Transformer:
    """A copy of a model for generation, with every `nn.Linear` and the output head in eight bits.

    The embedding, the norms and what is no plain linear layer stay as they are; a tied head becomes a
    matrix of its own. The copy cannot be trained.

    Args:
        model: any `Transformer`; it is not changed.
        weights: ``"int8"``.

    Raises:
        InputError: another kind of weights.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9)).eval()
    >>> ids = torch.tensor([[1, 2, 3]])
    >>> bool((quantize(model)(ids) - model(ids)).abs().max() < 0.05 * model(ids).abs().max())
    True
    """
    if weights != "int8":
        raise InputError(f"weights={weights!r} is unknown; there is 'int8'.")
    small = copy.deepcopy(model).requires_grad_(False).eval()
    for name, module in list(small.named_modules()):
        if type(module) is nn.Linear and not module._forward_hooks and not module._forward_pre_hooks:
            small.set_submodule(name, Int8Linear(module.weight, module.bias))
    if small.head is None:
        small.head = Int8Linear(model.embedding.weight)
    return small
