"""LoRA: train two thin matrices beside each frozen weight matrix; merge their product, or take it off."""

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from support.core import InputError
from support.core.validation import Count, check
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

    Follows Hu et al. 2021 (LoRA), section 4.1.

    >>> update = LowRankUpdate(d_in=3, d_out=2, rank=1, alpha=2.0)
    >>> update.delta().abs().sum().item(), update.n_parameters
    (0.0, 5)
    """

    def __init__(self, d_in: int, d_out: int, rank: int, alpha: float) -> None:
        super().__init__()
        self.rank, self.alpha = rank, alpha
        self.A = nn.Parameter(torch.randn(rank, d_in) / math.sqrt(d_in))
        self.B = nn.Parameter(torch.zeros(d_out, rank))

    @property
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
        self.training = linear.training

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch d_out"]:
        """The layer's own output, and the updates of the adapters in use."""
        y = F.linear(x, self.weight, self.bias)
        for part, update in self.active_updates():
            first, last = self.rows[part]
            y = y + F.pad(update(x), (first, self.out_features - last))
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
        return plain.train(self.training)


def add_lora(
    model: GPT,
    rank: int,
    alpha: float | int | None = None,
    targets: Sequence[str] = TARGETS,
    name: str = "default",
    seed: int = 0,
) -> GPT:
    """Freeze a model and give it an adapter, in place: only the adapter is trained from now on.

    The model computes what it did before, until the adapter has been trained. Call it again with another
    name for a second adapter; the new one is then the one in use (see `use_adapters`).

    Args:
        model: the base model.
        rank: of each update; at most the smaller side of a projection is of use.
        alpha: the update is scaled by alpha / rank; 2 · rank if not given.
        targets: which of the seven projections get an update. ``gate`` is passed over in a model without.
        name: of the adapter.
        seed: of the first matrices.

    Raises:
        InputError: a target or rank that there is not, a name that is taken, or no projection to adapt.

    Follows Hu et al. 2021 (LoRA).

    >>> model = add_lora(GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, n_layers=1)), rank=1)
    >>> sum(p.numel() for p in lora_parameters(model))  # 4 · (8 + 8) + (8 + 32) + (32 + 8)
    144
    """
    check("add_lora: rank", rank, Count)
    unknown = [target for target in targets if target not in TARGETS]
    if unknown or not targets:
        raise InputError(f"add_lora: targets={list(targets)} must be some of {', '.join(TARGETS)}.")
    if name in adapter_names(model) or not name.isidentifier():
        raise InputError(f"add_lora: name={name!r} must be a word that no other adapter of the model has.")
    if not _layers(model.config, targets):
        raise InputError(f"add_lora: this model has none of the projections {list(targets)}.")
    model.requires_grad_(False)
    generator_state = torch.get_rng_state()
    torch.manual_seed(seed)
    for path, rows in _layers(model.config, targets):
        layer = lora_layer(model, path)
        updates = {
            part: LowRankUpdate(layer.in_features, last - first, rank, rank * 2.0 if alpha is None else alpha)
            for part, (first, last) in rows.items()
        }
        layer.updates[name] = nn.ModuleDict(updates).to(layer.weight)
    torch.set_rng_state(generator_state)
    use_adapters(model, name)
    return model


def lora_layer(model: GPT, path: str) -> LoRALinear:
    """The layer at a place such as ``blocks.0.attention.qkv``, made ready for updates if it is not yet."""
    parent, _, last = path.rpartition(".")
    layer: Any = model.get_submodule(path)
    if not isinstance(layer, LoRALinear):
        if type(layer) is not nn.Linear:
            raise InputError(f"LoRA adapts linear layers; {path} is a {type(layer).__name__}.")
        layer = LoRALinear(layer, dict(_layers(model.config, TARGETS))[path])
        setattr(model.get_submodule(parent), last, layer)
    return layer


def adapter_names(model: nn.Module) -> list[str]:
    """The names of all adapters of a model, in the order in which they came.

    >>> adapter_names(GPT(GPTConfig(vocab_size=9)))
    []
    """
    return list(dict.fromkeys(name for layer in lora_layers(model).values() for name in layer.updates))


def lora_layers(model: nn.Module) -> dict[str, LoRALinear]:
    """The layers that carry updates, by their places, such as ``blocks.0.attention.qkv``."""
    return {path: module for path, module in model.named_modules() if isinstance(module, LoRALinear)}


def lora_parameters(model: nn.Module, name: str | None = None) -> list[nn.Parameter]:
    """The matrices A and B of the adapter of this name, or of all adapters: what training updates.

    Raises:
        InputError: there is no such adapter.
    """
    _known(model, [] if name is None else [name])
    return [
        parameter
        for layer in lora_layers(model).values()
        for adapter, updates in layer.updates.items()
        if name in (None, adapter)
        for parameter in updates.parameters()
    ]


def use_adapters(model: nn.Module, *names: str) -> None:
    """Compute with these adapters and no other; with none, the base model computes. Updates add up.

    Only the adapters in use are trained.

    Raises:
        InputError: there is no such adapter.
    """
    _known(model, names)
    for layer in lora_layers(model).values():
        layer.active = names
        for adapter, updates in layer.updates.items():
            updates.requires_grad_(adapter in names)


@contextmanager
def without_adapters(model: nn.Module) -> Iterator[None]:
    """The base model for a while, e.g. as the reference that a tuned model is compared with.

    >>> model = add_lora(GPT(GPTConfig(vocab_size=9)), rank=1)
    >>> with without_adapters(model): print({layer.active for layer in lora_layers(model).values()})
    {()}
    """
    before = {layer: layer.active for layer in lora_layers(model).values()}
    for layer in before:
        layer.active = ()
    try:
        yield
    finally:
        for layer, active in before.items():
            layer.active = active


def merge_lora(model: GPT) -> GPT:
    """Add the adapters in use to the weights, in place; the rest is dropped. No cost remains at inference.

    In exact arithmetic the merged model is the adapted one; in floating point they differ by rounding.

    >>> model = merge_lora(add_lora(GPT(GPTConfig(vocab_size=9)), rank=1))
    >>> adapter_names(model), type(model.blocks[0].attention.qkv).__name__
    ([], 'Linear')
    """
    for path, layer in lora_layers(model).items():
        parent, _, last = path.rpartition(".")
        setattr(model.get_submodule(parent), last, layer.merged())
    return model.requires_grad_(True)


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
        for path, rows in _layers(config, targets)
        for first, last in rows.values()
    )


def _layers(config: GPTConfig, targets: Sequence[str]) -> list[tuple[str, dict[str, tuple[int, int]]]]:
    """Each layer to be adapted, and which of its rows belong to which projection."""
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


def _known(model: nn.Module, names: Sequence[str]) -> None:
    there = adapter_names(model)
    unknown = [name for name in names if name not in there]
    if unknown:
        raise InputError(f"There is no adapter {unknown[0]!r}; there are {', '.join(there) or 'none'}.")
