"""Positions: a vector added to the embedding, a rotation of queries and keys, or a penalty on distance."""

import math
from collections.abc import Callable
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.model.config import GPTConfig


def sinusoids(
    context: int, d_model: int, base: float = 10_000.0, dtype: torch.dtype | None = None
) -> Float[Tensor, "context d_model"]:
    """Sines and cosines of the position, from fast waves (first pair) to slow ones (last pair).

    Column 2i holds ``sin(position / base^(2i/d_model))``, column 2i + 1 the cosine of the same angle.

    Args:
        context: how many positions.
        d_model: numbers for each.
        base: of the wavelengths, which run from 2π to almost ``base`` · 2π.
        dtype: of the result; torch's default if not given.

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
    return torch.stack([angle.sin(), angle.cos()], dim=-1).flatten(1).to(dtype or torch.get_default_dtype())


Where = int | slice | Int[Tensor, "*batch position"]  # how many positions, or which


def places(
    n: int,
    start: int | Int[Tensor, ""] = 0,
    pad: Int[Tensor, " batch"] | None = None,
    device: torch.device | str | None = None,
) -> slice | Int[Tensor, "*batch position"]:
    """The positions of ``n`` tokens from ``start`` on; each text counts from its first token after ``pad``.

    >>> places(3, 2), places(3, 0, torch.tensor([1])).tolist()
    (slice(2, 5, None), [[0, 0, 1]])
    """
    if pad is None and isinstance(start, int):
        return slice(start, start + n)
    counted = start + torch.arange(n, device=device)
    return counted if pad is None else (counted - pad[:, None]).clamp(min=0)


class LearnedPositions(nn.Module):
    """One trained row for each position, as in GPT-2."""

    def __init__(self, context: int, d_model: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.empty(context, d_model))

    def forward(self, where: Where) -> Float[Tensor, "*batch position d_model"]:
        return self.weight[:where] if isinstance(where, int) else self.weight[where]


class PositionTable(nn.Module):
    """Rows that are computed, not trained, and therefore not stored in a checkpoint.

    They are computed in float64, so that far positions keep their digits, and again whenever the module
    moves or changes its precision; in half precision they stay float32.
    """

    weight: Tensor

    def __init__(self, context: int) -> None:
        super().__init__()
        self.register_buffer("weight", self.rows(context).to(torch.get_default_dtype()), persistent=False)

    def rows(self, context: int) -> Float[Tensor, "context ..."]:
        raise NotImplementedError

    def forward(self, where: Where) -> Any:
        """The rows of these positions."""
        return self.weight[:where] if isinstance(where, int) else self.weight[where]

    def reserve(self, context: int) -> None:
        """Make the table longer, where a text goes on past the model's context (a rolling cache)."""
        if context > len(self.weight):
            self.fill(max(context, 2 * len(self.weight)), self.weight)

    def _apply(self, fn: Callable[[Tensor], Tensor], recurse: bool = True) -> "PositionTable":
        super()._apply(fn, recurse)
        self.fill(len(self.weight), self.weight)
        return self

    def fill(self, context: int, like: Tensor) -> None:
        """Compute the rows, on the device and in the precision of another tensor."""
        wide = torch.promote_types(like.dtype, torch.float32)
        with torch.inference_mode(False):  # so that training can use it, too
            self.weight = self.rows(context).to(like.device, wide)


class SinusoidalPositions(PositionTable):
    """Sines and cosines as rows to add; see `sinusoids`."""

    def __init__(self, context: int, d_model: int) -> None:
        self.d_model = d_model
        super().__init__(context)

    def rows(self, context: int) -> Float[Tensor, "context d_model"]:
        return sinusoids(context, self.d_model, dtype=torch.float64)


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
    """By what angle each pair of numbers is rotated from one position to the next, in radians (float64).

    Args:
        d_head: how many numbers are rotated; even.
        base: pair i is rotated by ``base^(−2i/d_head)``.
        scaling: stretches a trained model to longer texts. ``{"rope_type": "linear", "factor": …}`` divides
            every angle by ``factor``; ``"llama3"`` does so where a pair completes fewer than
            ``low_freq_factor`` rotations in ``original_max_position_embeddings`` positions, leaves those with
            more than ``high_freq_factor`` alone, and blends in between.
        device: where it is computed.

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
    rotations = scaling["original_max_position_embeddings"] * frequencies / (2 * math.pi)
    low, high = scaling["low_freq_factor"], scaling["high_freq_factor"]
    kept = ((rotations - low) / (high - low)).clamp(0, 1)  # 0: slow it down, 1: leave it
    return kept * frequencies + (1 - kept) * slowed


Rotation = tuple[Float[Tensor, "*batch position pair"], Float[Tensor, "*batch position pair"]]


class RotaryPositions(PositionTable):
    """The cosine and sine by which the queries and keys of each position are rotated, as a table."""

    def __init__(self, config: GPTConfig) -> None:
        self.d_rotary = config.d_head if config.d_rotary is None else config.d_rotary
        self.base, self.scaling = config.rope_base, config.rope_scaling
        super().__init__(config.context)

    def rows(self, context: int) -> Float[Tensor, "context 2 pair"]:
        frequencies = rope_frequencies(self.d_rotary, self.base, self.scaling)
        angles = torch.arange(context)[:, None] * frequencies
        return torch.stack([angles.cos(), angles.sin()], dim=1)

    def forward(self, where: Where) -> Rotation:
        cosine, sine = super().forward(where).unbind(-2)
        return cosine, sine


def apply_rope(
    x: Float[Tensor, "*batch position d_head"],
    cosine: Float[Tensor, "*angles position pair"],
    sine: Float[Tensor, "*angles position pair"],
) -> Float[Tensor, "*batch position d_head"]:
    """Rotate each pair of numbers by its angle; pair ``i`` is made of numbers ``i`` and ``i + d_head / 2``.

    Hugging Face's Llama and GPT-NeoX pair them this way; the paper pairs neighbours, 2i and 2i + 1, which is
    the same but for the order of the dimensions.

    Args:
        x: queries or keys.
        cosine: of each pair's angle at each position. With fewer angles than pairs, the first ``2 × pair``
            numbers are rotated and the others stay as they are.
        sine: of the same angles.

    Follows Su et al. 2021 (RoFormer).

    >>> quarter = torch.tensor([[torch.pi / 2]])
    >>> apply_rope(torch.tensor([[1.0, 0.0]]), quarter.cos(), quarter.sin()).round(decimals=3).tolist()
    [[-0.0, 1.0]]
    """
    n = cosine.shape[-1]
    first, second, rest = x[..., :n], x[..., n : 2 * n], x[..., 2 * n :]
    parts = [first * cosine - second * sine, second * cosine + first * sine]
    rotated = torch.cat([*parts, rest] if rest.shape[-1] else parts, dim=-1)
    return rotated.to(x.dtype)


def alibi_slopes(n_heads: int) -> list[float]:
    """What each head's scores lose for a step of distance: 1/2, 1/4 … 1/256 for eight heads.

    For a number of heads that is no power of two, the rest comes from the next power's odd places.

    Follows Press et al. 2022.

    >>> alibi_slopes(4), alibi_slopes(3)
    ([0.25, 0.0625, 0.015625, 0.00390625], [0.0625, 0.00390625, 0.25])
    """
    power = 2 ** int(math.log2(n_heads))
    slopes = [2 ** (-8 * (i + 1) / power) for i in range(power)]
    between = [2 ** (-4 * (i + 1) / power) for i in range(0, 2 * power, 2)]
    return slopes + between[: n_heads - power]
