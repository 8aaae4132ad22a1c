"""The feed-forward network: up projection, activation function, down projection, at each position alone."""

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
    """Two matrices and an activation function: ``[..., d_model] → [..., d_ff] → [..., d_model]``.

    Follows Vaswani et al. 2017, section 3.3.

    >>> network = FeedForward(GPTConfig(vocab_size=5, d_model=8, n_heads=2))
    >>> list(network.up.weight.shape), list(network.down.weight.shape)
    ([32, 8], [8, 32])
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.up = nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.activation = ACTIVATIONS[config.activation]
        self.down = nn.Linear(config.d_ff, config.d_model, bias=config.ffn_bias)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """``down(activation(up(x)))``, for each position by itself."""
        return self.down(self.activation(self.up(x)))


class SwiGLU(nn.Module):
    """Three matrices: the activated gate multiplies the up projection; the down projection ends it.

    Follows Shazeer 2020; the gate's activation function is SiLU, ``x · sigmoid(x)``.

    >>> network = SwiGLU(GPTConfig(vocab_size=5, d_model=8, n_heads=2, activation="swiglu"))
    >>> {name: list(p.shape) for name, p in network.named_parameters() if name.endswith("weight")}
    {'gate.weight': [24, 8], 'up.weight': [24, 8], 'down.weight': [8, 24]}
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.gate = nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.up = nn.Linear(config.d_model, config.d_ff, bias=config.ffn_bias)
        self.down = nn.Linear(config.d_ff, config.d_model, bias=config.ffn_bias)

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """``down(silu(gate(x)) · up(x))``, for each position by itself."""
        return self.down(F.silu(self.gate(x)) * self.up(x))
