"""Where am I? A vector added to the token's own, a turn of queries and keys, or a price on distance."""

import math
from typing import Any

import torch
from jaxtyping import Float, Int
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


Where = int | slice | Int[Tensor, "*batch position"]  # how many positions, or which


class LearnedPositions(nn.Module):
    """One trained row for each position, as in GPT-2."""

    def __init__(self, context: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(context, d_model))

    def forward(self, where: Where) -> Float[Tensor, "*batch position d_model"]:
        return _rows(self.weight, where)


class SinusoidalPositions(nn.Module):
    """Rows that are computed, never trained, and therefore not stored in a checkpoint."""

    weight: Tensor

    def __init__(self, context: int, d_model: int) -> None:
        super().__init__()
        self.register_buffer("weight", sinusoids(context, d_model), persistent=False)

    def forward(self, where: Where) -> Float[Tensor, "*batch position d_model"]:
        return _rows(self.weight, where)


def _rows(table: Tensor, where: Where) -> Tensor:
    return table[:where] if isinstance(where, int) else table[where]


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


def rope_frequencies(
    d_head: int,
    base: float = 10_000.0,
    scaling: dict[str, Any] | None = None,
    device: torch.device | str | None = None,
) -> Float[Tensor, "pair"]:
    """How far each pair of numbers is turned from one position to the next, in radians.

    ``scaling`` stretches a trained model to longer texts: ``linear`` slows every pair by ``factor``;
    ``llama3`` slows only the pairs that had not gone round once within the trained length.

    Follows Su et al. 2021 (RoFormer); Chen et al. 2023 for the linear stretch; Llama 3's release for its own.

    >>> rope_frequencies(4).tolist()
    [1.0, 0.01]
    """
    pair = torch.arange(0, d_head, 2, dtype=torch.float64, device=device)
    frequencies = base ** (-pair / d_head)
    if scaling is None:
        return frequencies
    slowed = frequencies / scaling["factor"]
    if scaling.get("rope_type", scaling.get("type")) == "linear":
        return slowed
    turns = scaling["original_max_position_embeddings"] * frequencies / (2 * math.pi)
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    share = ((turns - low) / (high - low)).clamp(0, 1)  # 0: slow it down, 1: leave it
    return share * frequencies + (1 - share) * slowed


Rotation = tuple[Float[Tensor, "*batch position pair"], Float[Tensor, "*batch position pair"]]


class RotaryPositions(nn.Module):
    """The cosine and sine by which each position's queries and keys are turned; nothing is trained."""

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.d_head, self.base, self.scaling = config.d_head, config.rope_base, config.rope_scaling

    def forward(self, positions: Int[Tensor, "*batch position"], dtype: torch.dtype) -> Rotation:
        """Angles are taken in float64, so that far positions keep their digits."""
        frequencies = rope_frequencies(self.d_head, self.base, self.scaling, positions.device)
        angles = positions[..., None] * frequencies
        wide = torch.float64 if dtype == torch.float64 else torch.float32
        return angles.cos().to(wide), angles.sin().to(wide)


def apply_rope(
    x: Float[Tensor, "*batch position d_head"],
    cosine: Float[Tensor, "*angles position pair"],
    sine: Float[Tensor, "*angles position pair"],
) -> Float[Tensor, "*batch position d_head"]:
    """Turn each pair of numbers by its angle; pair ``i`` is made of numbers ``i`` and ``i + d_head / 2``.

    >>> quarter = torch.tensor([[torch.pi / 2]])
    >>> apply_rope(torch.tensor([[1.0, 0.0]]), quarter.cos(), quarter.sin()).round(decimals=3).tolist()
    [[-0.0, 1.0]]
    """
    first, second = x.chunk(2, dim=-1)
    turned = torch.cat([first * cosine - second * sine, second * cosine + first * sine], dim=-1)
    return turned.to(x.dtype)


def alibi_slopes(n_heads: int) -> list[float]:
    """What a step of distance costs in each head's scores: 1/2, 1/4 … 1/256 for eight heads.

    For a number of heads that is no power of two, the rest comes from the next power's odd places.

    Follows Press et al. 2021.

    >>> alibi_slopes(4), alibi_slopes(3)
    ([0.25, 0.0625, 0.015625, 0.00390625], [0.0625, 0.00390625, 0.25])
    """
    power = 2 ** int(math.log2(n_heads))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    between = [2 ** (-4 * (i + 1) / power) for i in range(0, 2 * power, 2)]
    return slopes + between[: n_heads - power]
