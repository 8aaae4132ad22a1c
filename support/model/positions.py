"""Where am I? A vector for each position, added to the token's own."""

import torch
from jaxtyping import Float
from torch import Tensor, nn

from support.core import InputError
from support.model.config import GPTConfig


def sinusoids(context: int, d_model: int, base: float = 10_000.0) -> Float[Tensor, "context d_model"]:
    """Sines and cosines of the position, from fast waves (first pair) to slow ones (last pair).

    Even columns hold ``sin(position / base^(2i/d_model))``, odd columns the cosine of the same angle.

    Raises:
        InputError: ``d_model`` is odd, so that one sine would lack its cosine.

    Follows Vaswani et al. 2017, section 3.5.

    >>> sinusoids(3, 4)[1].round(decimals=4).tolist() == torch.tensor([0.8415, 0.5403, 0.01, 1.0]).tolist()
    True
    """
    if d_model % 2:
        raise InputError(f"sinusoids come in pairs and d_model={d_model} is odd; make it even.")
    # In float64, so that far positions keep their digits.
    position = torch.arange(context, dtype=torch.float64)
    pair = torch.arange(0, d_model, 2, dtype=torch.float64)
    angle = position[:, None] / base ** (pair / d_model)
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).to(torch.get_default_dtype())


class LearnedPositions(nn.Module):
    """One trained row for each position, as in GPT-2."""

    def __init__(self, context: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(context, d_model))

    def forward(self, length: int) -> Float[Tensor, "length d_model"]:
        return self.weight[:length]


class SinusoidalPositions(nn.Module):
    """Rows that are computed, never trained, and therefore not stored in a checkpoint."""

    weight: Tensor

    def __init__(self, context: int, d_model: int) -> None:
        super().__init__()
        self.register_buffer("weight", sinusoids(context, d_model), persistent=False)

    def forward(self, length: int) -> Float[Tensor, "length d_model"]:
        return self.weight[:length]


def make_positions(config: GPTConfig) -> nn.Module | None:
    """The module that gives ``[length, d_model]`` rows to add to the embeddings, or None if nothing is added.

    >>> make_positions(GPTConfig(vocab_size=5, d_model=8, n_heads=2))(3).shape
    torch.Size([3, 8])
    """
    if config.positions == "learned":
        return LearnedPositions(config.context, config.d_model)
    if config.positions == "sinusoidal":
        return SinusoidalPositions(config.context, config.d_model)
    return None
