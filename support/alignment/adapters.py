"""The adapters of a model: put on, chosen by name, trained alone, merged into its weights."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any

import torch
from torch import Tensor, nn

from support.alignment.lora import TARGETS, LoRALinear, LowRankUpdate, projections
from support.core import InputError
from support.core.validation import Count, Fraction, check
from support.model import GPT, evaluating

Matrices = tuple[Tensor, Tensor, float]  # A, B and alpha of one projection


def add_lora(
    model: GPT,
    rank: int,
    alpha: float | int | None = None,
    targets: Sequence[str] = TARGETS,
    name: str = "default",
    seed: int = 0,
    dropout: float = 0.0,
) -> GPT:
    """Freeze a model and give it an adapter, in place: only the adapter is trained from now on.

    The model computes what it did before, until the adapter has been trained. Call it again with another
    name for a second adapter; the new one is then the one in use (see `use_adapters`). Hooks on the layers
    that it changes stay.

    Args:
        model: the base model.
        rank: of each update; at most the smaller side of a projection is of use.
        alpha: the update is scaled by alpha / rank; 2 · rank if not given.
        targets: which of the seven projections get an update. ``gate`` is passed over in a model without.
        name: of the adapter.
        seed: of the first matrices.
        dropout: the share of an update's inputs that is dropped in training; the layer itself reads them all.

    Raises:
        InputError: a target, rank, dropout or name that cannot be used, or no projection to adapt; the model
            is then as it was.

    Follows Hu et al. 2021 (LoRA).

    >>> from support.model import GPTConfig
    >>> model = add_lora(GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, n_layers=1)), rank=1)
    >>> sum(p.numel() for p in lora_parameters(model))  # 4 · (8 + 8) + (8 + 32) + (32 + 8)
    144
    """
    check("add_lora: rank", rank, Count)
    check("add_lora: dropout", dropout, Fraction)
    alpha = rank * 2.0 if alpha is None else alpha
    unknown = [target for target in targets if target not in TARGETS]
    if unknown or not targets:
        raise InputError(f"add_lora: targets={list(targets)} must be some of {', '.join(TARGETS)}.")
    places = projections(model.config, targets)
    if not places:
        raise InputError(f"add_lora: this model has none of the projections {list(targets)}.")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        updates = {
            f"{path}.{part}": LowRankUpdate(
                _layer(model, path).in_features, last - first, rank, alpha, dropout
            )
            for path, rows in places
            for part, (first, last) in rows.items()
        }
    _put_on(model, name, updates)
    return model


@torch.no_grad()
def attach(model: GPT, name: str, matrices: Mapping[str, Matrices]) -> None:
    """Give a model an adapter with these matrices, freeze the rest, and use it.

    Args:
        model: the base model.
        name: of the adapter.
        matrices: place and projection, as in ``blocks.0.attention.qkv.q`` → (A, B, alpha).

    Raises:
        InputError: the name cannot be used, or a matrix does not fit; the model is then as it was.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> attach(model, "mine", {"blocks.0.attention.qkv.q": (torch.ones(1, 8), torch.ones(8, 1), 2.0)})
    >>> adapter_names(model), list(lora_layers(model))
    (['mine'], ['blocks.0.attention.qkv'])
    """
    all_rows, updates = dict(projections(model.config, TARGETS)), {}
    for key, (first, second, alpha) in matrices.items():
        path, _, part = key.rpartition(".")
        start, end = all_rows.get(path, {}).get(part, (0, 0))
        rank, d_in = len(first), _layer(model, path).in_features if end else 0
        if list(first.shape) != [rank, d_in] or list(second.shape) != [end - start, rank]:
            raise InputError(f"The update of {key} does not fit the model; was it trained on another one?")
        updates[key] = LowRankUpdate(d_in, end - start, rank, alpha).to(first)
        updates[key].A.copy_(first)
        updates[key].B.copy_(second)
    _put_on(model, name, updates)


def _layer(model: GPT, path: str) -> nn.Linear:
    layer: Any = model.get_submodule(path)
    if type(layer) not in (nn.Linear, LoRALinear):
        raise InputError(f"LoRA adapts linear layers; {path} is a {type(layer).__name__}.")
    return layer


def _put_on(model: GPT, name: str, updates: Mapping[str, LowRankUpdate]) -> None:
    """Freeze the model, put the updates of an adapter in their places, and use it."""
    if not updates:
        raise InputError("The adapter has no matrix at all; give one with matrices A and B.")
    if name in adapter_names(model):
        raise InputError(
            f"The model has an adapter {name!r} already; choose a name that no other adapter has."
        )
    if not name.isidentifier() or hasattr(nn.ModuleDict(), name):
        raise InputError(f"The name {name!r} must be a word that torch does not use itself; choose another.")
    model.requires_grad_(False)
    all_rows = dict(projections(model.config, TARGETS))
    for key, update in updates.items():
        path, _, part = key.rpartition(".")
        layer = _layer(model, path)
        if not isinstance(layer, LoRALinear):
            layer = LoRALinear(layer, all_rows[path])
            model.set_submodule(path, layer)
        layer.updates[name] = nn.ModuleDict(layer.updates_of(name) | {part: update.to(layer.weight)})
    use_adapters(model, name)


def adapter_names(model: nn.Module) -> list[str]:
    """The names of all adapters of a model, in the order in which they came.

    >>> from support.model import GPTConfig
    >>> adapter_names(add_lora(GPT(GPTConfig(vocab_size=9)), rank=1, name="colours"))
    ['colours']
    """
    return list(dict.fromkeys(name for layer in lora_layers(model).values() for name in layer.updates))


def lora_layers(model: nn.Module) -> dict[str, LoRALinear]:
    """The layers that carry updates, by their places, such as ``blocks.0.attention.qkv``.

    >>> from support.model import GPTConfig
    >>> list(lora_layers(add_lora(GPT(GPTConfig(vocab_size=9, n_layers=1)), rank=1, targets=["q", "o"])))
    ['blocks.0.attention.qkv', 'blocks.0.attention.output']
    """
    return {path: module for path, module in model.named_modules() if isinstance(module, LoRALinear)}


def lora_parameters(model: nn.Module, name: str | None = None) -> list[nn.Parameter]:
    """The matrices A and B of the adapter of this name, or of all adapters: what training updates.

    Raises:
        InputError: there is no such adapter.

    >>> from support.model import GPTConfig
    >>> model = add_lora(GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)), rank=1, targets=["q"])
    >>> [tuple(parameter.shape) for parameter in lora_parameters(model)]  # of both blocks
    [(1, 8), (8, 1), (1, 8), (8, 1)]
    """
    if name is not None:
        check_adapters(model, name)
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

    >>> from support.model import GPTConfig
    >>> model = add_lora(GPT(GPTConfig(vocab_size=9)), rank=1, name="colours")
    >>> use_adapters(add_lora(model, rank=1, name="places"), "colours", "places")
    >>> lora_layers(model)["blocks.0.attention.qkv"].active
    ('colours', 'places')
    """
    check_adapters(model, *names)
    for layer in lora_layers(model).values():
        layer.active = names
        for adapter, updates in layer.updates.items():
            updates.requires_grad_(adapter in names)


@contextmanager
def without_adapters(model: nn.Module) -> Iterator[None]:
    """The base model for a while, e.g. as the reference that a tuned model is compared with.

    >>> from support.model import GPTConfig
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


@contextmanager
def reading(reference: GPT | None, policy: GPT) -> Iterator[GPT]:
    """The reference of a policy for a while, without dropout; None is the policy's own base.

    Raises:
        InputError: the policy is its own reference, or it has no adapter that could be taken off.

    >>> from support.model import GPTConfig
    >>> policy = add_lora(GPT(GPTConfig(vocab_size=9, dropout=0.1)), rank=1)
    >>> with reading(None, policy) as base: print(base is policy, base.training)
    True False
    """
    if policy is reference or (reference is None and not lora_layers(policy)):
        raise InputError(
            "The policy would be its own reference; give a copy of it (copy.deepcopy), or None for a policy "
            "with an adapter (add_lora), whose base then is the reference."
        )
    base = policy if reference is None else reference
    with evaluating(base), without_adapters(base) if reference is None else nullcontext():
        yield base


def merge_lora(model: GPT) -> GPT:
    """Add the adapters in use to the weights, in place; the rest is dropped. No cost remains at inference.

    In exact arithmetic the merged model is the adapted one; in floating point they differ by rounding. All
    its weights can be trained afterwards, also those that were frozen before the adapter came. Hooks stay.

    >>> from support.model import GPTConfig
    >>> model = merge_lora(add_lora(GPT(GPTConfig(vocab_size=9)), rank=1))
    >>> adapter_names(model), type(model.blocks[0].attention.qkv).__name__
    ([], 'Linear')
    """
    for path, layer in lora_layers(model).items():
        model.set_submodule(path, layer.merged())
    return model.requires_grad_(True)


def check_adapters(model: nn.Module, *names: str) -> None:
    """Refuse a name that no adapter of the model has.

    Raises:
        InputError: there is no such adapter; the sentence names those that there are.

    >>> from support.model import GPTConfig
    >>> check_adapters(GPT(GPTConfig(vocab_size=9)), "colours")
    Traceback (most recent call last):
    support.core.errors.InputError: There is no adapter 'colours'; there are none.
    """
    there = adapter_names(model)
    unknown = [name for name in names if name not in there]
    if unknown:
        raise InputError(f"There is no adapter {unknown[0]!r}; there are {', '.join(there) or 'none'}.")
