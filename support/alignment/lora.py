"""LoRA: two thin matrices beside a frozen weight matrix, and the layer that adds their product."""

import math
from collections.abc import Iterator, Sequence
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from support.core import InputError
from support.model import GPT, GPTConfig

TARGETS = ("q", "k", "v", "o", "gate", "up", "down")  # the seven projections of a Llama block
_PLACES = {"o": "attention.output", **{name: f"feed_forward.{name}" for name in ("gate", "up", "down")}}


class LowRankUpdate(nn.Module):
    """The trained part of one projection: ``x → (alpha / rank) · x Aᵀ Bᵀ``.

    A starts at random and B at zero, so that the update is zero at the start.

    Args:
        d_in: inputs of the projection.
        d_out: its outputs.
        rank: r, the rows of A and the columns of B.
        alpha: α; the update is scaled by α / r.
        dropout: `LoRALinear` drops so many of its inputs in training.

    Follows Hu et al. 2021 (LoRA), section 4.1.

    >>> update = LowRankUpdate(d_in=3, d_out=2, rank=1, alpha=2.0)
    >>> update.delta().abs().sum().item(), update.n_parameters()
    (0.0, 5)
    """

    def __init__(self, d_in: int, d_out: int, rank: int, alpha: float, dropout: float = 0.0) -> None:
        super().__init__()
        self.rank, self.alpha, self.dropout = rank, alpha, dropout
        self.A = nn.Parameter(torch.randn(rank, d_in) / math.sqrt(d_in))
        self.B = nn.Parameter(torch.zeros(d_out, rank))

    def n_parameters(self) -> int:
        """How many numbers are trained: ``rank · (d_in + d_out)``."""
        return self.A.numel() + self.B.numel()

    def forward(
        self,
        x: Float[Tensor, "*batch d_in"],
    ) -> Float[Tensor, "*batch d_out"]:
        """``alpha / rank · B A x``: what is added to the layer's output."""
        return F.linear(F.linear(x, self.A), self.B) * (self.alpha / self.rank)

    def delta(self) -> Float[Tensor, "d_out d_in"]:
        """The update as one matrix, of the shape of the weight to which it is added."""
        return (self.B @ self.A) * (self.alpha / self.rank)


class LoRALinear(nn.Linear):
    """A linear layer with its own weight, and beside it the updates of any number of adapters.

    The layer may hold several projections in one matrix, as queries, keys and values; each has its rows.

    Args:
        linear: the layer whose weight and bias it takes over.
        rows: projection → its first row in the weight, and the one behind its last.
    """

    def __init__(self, linear: nn.Linear, rows: dict[str, tuple[int, int]]) -> None:
        nn.Module.__init__(self)  # the weight is that of the given layer; none is made
        self.in_features, self.out_features = linear.in_features, linear.out_features
        self.weight, self.bias = linear.weight, linear.bias
        self.rows = rows
        self.updates = nn.ModuleDict()  # adapter → projection → LowRankUpdate
        self.active: tuple[str, ...] = ()
        _take_over(linear, self)

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        """The layer's own output, and the updates of the adapters in use."""
        y = F.linear(x, self.weight, self.bias)
        for part, update in self.active_updates():
            first, last = self.rows[part]
            kept = F.dropout(x, update.dropout, self.training)
            y = y + F.pad(update(kept), (first, self.out_features - last))
        return y

    def active_updates(self) -> Iterator[tuple[str, LowRankUpdate]]:
        """The projection and the update, for each adapter in use."""
        for adapter in self.active:
            yield from self.updates_of(adapter).items()

    def updates_of(self, adapter: str) -> dict[str, LowRankUpdate]:
        """The updates of one adapter by projection; none, if it leaves this layer as it is."""
        found: Any = self.updates[adapter] if adapter in self.updates else {}  # noqa: SIM401
        return dict(found)

    @torch.no_grad()
    def merged(self) -> nn.Linear:
        """An ordinary layer with the weight W + ΔW, in the type of W."""
        plain = nn.Linear(self.in_features, self.out_features, self.bias is not None, device="meta")
        weight = self.weight.detach().clone()
        for part, update in self.active_updates():
            first, last = self.rows[part]
            weight[first:last] += update.delta()
        plain.weight, plain.bias = nn.Parameter(weight), self.bias
        _take_over(self, plain)
        return plain


def _take_over(old: nn.Module, new: nn.Module) -> None:
    """Give a layer the mode of the one whose place it takes, and its hooks: their handles go on working."""
    vars(new).update({name: value for name, value in vars(old).items() if "hook" in name})
    new.training = old.training


def lora_size(config: GPTConfig, rank: int, targets: Sequence[str] = TARGETS) -> int:
    """How many numbers an adapter of this rank trains: r · (d_in + d_out), summed over all projections.

    Args:
        config: of the model; it is not built.
        rank: of the updates.
        targets: which projections.

    >>> lora_size(GPTConfig(vocab_size=9, d_model=8, n_heads=2, n_layers=1), rank=1)
    144
    """
    with torch.device("meta"):
        block = GPT(config).blocks[0]
    return sum(
        rank * (block.get_submodule(path.split(".", 2)[2]).in_features + last - first)
        for path, rows in projections(config, targets)
        for first, last in rows.values()
    )


def projections(config: GPTConfig, targets: Sequence[str]) -> list[tuple[str, dict[str, tuple[int, int]]]]:
    """Each layer to be adapted, and which of its rows belong to which projection.

    Raises:
        InputError: a projection of experts is among the targets.

    >>> projections(GPTConfig(vocab_size=9, d_model=8, n_heads=2, n_layers=1), ["q", "v"])
    [('blocks.0.attention.qkv', {'q': (0, 8), 'v': (16, 24)})]
    """
    if config.n_experts > 1 and set(targets) & {"gate", "up", "down"}:
        raise InputError("LoRA on experts is not built here; leave gate, up and down out of the targets.")
    widths = {"q": config.n_heads, "k": config.n_kv_heads, "v": config.n_kv_heads}
    starts, rows = 0, {}
    for part, heads in widths.items():
        rows[part] = (starts, starts + heads * config.d_head)
        starts = rows[part][1]
    sizes = {"o": config.d_model, "gate": config.d_ff, "up": config.d_ff, "down": config.d_model}
    places = {"attention.qkv": {part: rows[part] for part in rows if part in targets}}
    for part, place in _PLACES.items():
        if part in targets and (part != "gate" or config.activation == "swiglu"):
            places[place] = {part: (0, sizes[part])}
    return [
        (f"blocks.{layer}.{place}", parts)
        for layer in range(config.n_layers)
        for place, parts in places.items()
        if parts
    ]
