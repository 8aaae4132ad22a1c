"""The feed-forward network: at each position alone, expand, gate, contract."""

from collections.abc import Callable

import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from support.model.config import GPTConfig


def gelu_tanh(x: Float[Tensor, "..."]) -> Float[Tensor, "..."]:
    """GELU by the tanh formula that GPT-2 was trained with (Hendrycks and Gimpel 2016).

    >>> import torch
    >>> round(float(gelu_tanh(torch.tensor(1.0))), 4), round(float(F.gelu(torch.tensor(1.0))), 4)
    (0.8412, 0.8413)
    """
    return F.gelu(x, approximate="tanh")


ACTIVATIONS: dict[str, Callable[[Tensor], Tensor]] = {"relu": F.relu, "gelu": F.gelu, "gelu_tanh": gelu_tanh}


class FeedForward(nn.Module):
    """Two matrices with a bend between them: ``[..., d_model] → [..., d_ff] → [..., d_model]``."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.expand = nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.activation = ACTIVATIONS[config.activation]
        self.contract = nn.Linear(config.d_ff, config.d_model, bias=config.ffn_bias)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return self.contract(self.activation(self.expand(x)))


class SwiGLU(nn.Module):
    """Three matrices: one stretches, one opens or closes each number on the way, one contracts.

    Follows Shazeer 2020; the gate bends by SiLU, ``x · sigmoid(x)``.
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.gate = nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.expand = nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.contract = nn.Linear(config.d_ff, config.d_model, bias=config.ffn_bias)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        return self.contract(F.silu(self.gate(x)) * self.expand(x))
