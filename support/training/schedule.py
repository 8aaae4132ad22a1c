"""The learning rate of each step, and which weights decay."""

import functools
import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from support.core import InputError
from support.core.validation import CountOrZero, checked
from support.training.config import TrainConfig

_BLOCK, _TABLE = re.compile(r"\bblocks\.(\d+)\."), re.compile(r"\b(embedding|position)\.")


@checked
def learning_rate(step: CountOrZero, config: TrainConfig) -> float:
    """The learning rate of a step: linear warm-up to ``lr``, then half a cosine down to ``min_lr``.

    Follows Loshchilov and Hutter 2017 (the cosine) with the warm-up of Goyal et al. 2017.

    Args:
        step: counted from 0.
        config: its ``lr``, ``warmup``, ``steps`` and ``min_lr``.

    >>> config = TrainConfig(steps=100, lr=1.0, warmup=10, min_lr=0.0)
    >>> [round(learning_rate(step, config), 3) for step in (0, 4, 9, 10, 55, 99)]
    [0.1, 0.5, 1.0, 1.0, 0.5, 0.0]
    """
    if step < config.warmup:
        return config.lr * (step + 1) / config.warmup
    done = (step - config.warmup) / max(1, config.steps - config.warmup)
    return config.min_lr + (config.lr - config.min_lr) * (1 + math.cos(math.pi * min(done, 1.0))) / 2


def decay_groups(model: nn.Module, weight_decay: float, layer_decay: float = 1.0) -> list[dict[str, Any]]:
    """The parameters in groups: matrices of linear layers decay; the rest does not.

    Norms, biases and tables (token and position embeddings) do not decay: the row of a rare token gets few
    gradients, and would shrink in between. A group's ``rate`` multiplies the learning rate: 1 for the last
    block and what comes after it, and ``layer_decay`` times less for each block further down and the tables
    (discriminative rates, Howard and Ruder 2018).

    Args:
        model: its frozen parameters are left out.
        weight_decay: of the matrices.
        layer_decay: from one block to the next one down.

    Returns:
        what a torch optimiser takes: dicts of ``params``, ``weight_decay``, and our ``rate``.

    >>> groups = decay_groups(nn.Linear(2, 3), weight_decay=0.1)
    >>> [(len(g["params"]), g["weight_decay"], g["rate"]) for g in groups]
    [(1, 0.1, 1.0), (1, 0.0, 1.0)]
    """
    tables = {
        id(p) for m in model.modules() if not isinstance(m, nn.Linear) for p in m.parameters(recurse=False)
    }
    depths = _depths(model) if layer_decay != 1 else {}
    found: dict[tuple[int, bool], list[nn.Parameter]] = {}
    for p in model.parameters():
        if p.requires_grad:
            decays = p.dim() >= 2 and id(p) not in tables
            found.setdefault((depths.get(id(p), 0), decays), []).append(p)
    return [
        {
            "params": found.get((depth, decays), []),
            "weight_decay": weight_decay if decays else 0.0,
            "rate": float(layer_decay**depth),
        }
        for depth in sorted({depth for depth, _ in found} | {0})
        for decays in (True, False)
    ]


def _depths(model: nn.Module) -> dict[int, int]:
    """How far below the last block each parameter is, by its id; the tables are below the first."""
    names = {id(p): _BLOCK.search(name) for name, p in model.named_parameters()}
    n_blocks = 1 + max((int(found[1]) for found in names.values() if found), default=-1)
    below = {id(p): n_blocks for name, p in model.named_parameters() if _TABLE.search(name)}
    return {i: n_blocks - 1 - int(found[1]) for i, found in names.items() if found} | below


def set_learning_rate(
    optimiser: torch.optim.Optimizer, step: int, config: TrainConfig, factor: float = 1.0
) -> float:
    """Give each group of an optimiser its rate at a step; the learning rate itself.

    Args:
        optimiser: made by `make_optimiser`.
        step: counted from 0.
        config: as for `learning_rate`.
        factor: of all rates.

    >>> config = TrainConfig(steps=10, lr=0.1, warmup=2)
    >>> optimiser = make_optimiser(nn.Linear(2, 3), config)
    >>> set_learning_rate(optimiser, 0, config), [group["lr"] for group in optimiser.param_groups]
    (0.05, [0.05, 0.05])
    """
    lr = learning_rate(step, config)
    for group in optimiser.param_groups:
        group["lr"] = factor * lr * group["rate"]
    return lr


@checked
def make_optimiser(model: nn.Module, config: TrainConfig) -> torch.optim.Optimizer:
    """AdamW (Loshchilov and Hutter 2019) or SGD with momentum, over `decay_groups`.

    Raises:
        InputError: no parameter can be trained.

    >>> type(make_optimiser(nn.Linear(2, 3), TrainConfig(steps=1, optimiser="sgd"))).__name__
    'SGD'
    """
    groups = [g for g in decay_groups(model, config.weight_decay, config.layer_decay) if g["params"]]
    if not groups:
        raise InputError(
            "No parameter of this model can be trained: all are frozen, or it has none; call "
            "requires_grad_(True) on those that are to learn."
        )
    make: Callable[..., torch.optim.Optimizer]
    if config.optimiser == "sgd":
        make = functools.partial(torch.optim.SGD, groups, lr=config.lr, momentum=config.betas[0])
    else:
        make = functools.partial(torch.optim.AdamW, groups, lr=config.lr, betas=config.betas)
    # One kernel for all weights instead of several a weight: the same numbers, sooner.
    try:
        optimiser = make(fused=True)
    except RuntimeError:  # a device or an older torch without that kernel
        return make()
    if config.optimiser == "sgd" and config.betas[0]:
        # The kernel takes a momentum for every weight or for none, and leaves it unset if float16 skips the
        # first step; but the first tokens may pass an expert by. From zero the numbers are the same.
        for p in itertools.chain.from_iterable(group["params"] for group in groups):
            optimiser.state[p]["momentum_buffer"] = torch.zeros_like(p)
    return optimiser
