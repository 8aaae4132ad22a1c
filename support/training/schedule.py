"""The learning rate of each step, and which weights decay."""

import functools
import math
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from support.training.config import TrainConfig


def learning_rate(step: int, config: TrainConfig) -> float:
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


def decay_groups(model: nn.Module, weight_decay: float) -> list[dict[str, Any]]:
    """The parameters in two groups: matrices of linear layers decay; the rest does not.

    Norms, biases and tables (token and position embeddings) do not decay: the row of a rare token gets few
    gradients, and would shrink in between.

    >>> groups = decay_groups(nn.Linear(2, 3), weight_decay=0.1)
    >>> [(len(g["params"]), g["weight_decay"]) for g in groups]
    [(1, 0.1), (1, 0.0)]
    """
    tables = {
        id(p) for m in model.modules() if not isinstance(m, nn.Linear) for p in m.parameters(recurse=False)
    }
    trained = [p for p in model.parameters() if p.requires_grad]
    decays = [p for p in trained if p.dim() >= 2 and id(p) not in tables]
    chosen = {id(p) for p in decays}
    rest = [p for p in trained if id(p) not in chosen]
    return [{"params": decays, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}]


def make_optimiser(model: nn.Module, config: TrainConfig) -> torch.optim.Optimizer:
    """AdamW (Loshchilov and Hutter 2019) or SGD with momentum, over `decay_groups`.

    >>> type(make_optimiser(nn.Linear(2, 3), TrainConfig(steps=1, optimiser="sgd"))).__name__
    'SGD'
    """
    groups = [g for g in decay_groups(model, config.weight_decay) if g["params"]]
    make: Callable[..., torch.optim.Optimizer]
    if config.optimiser == "sgd":
        make = functools.partial(torch.optim.SGD, groups, lr=config.lr, momentum=config.betas[0])
    else:
        make = functools.partial(torch.optim.AdamW, groups, lr=config.lr, betas=config.betas)
    # One kernel for all weights instead of several a weight: the same numbers, sooner.
    try:
        return make(fused=True)
    except RuntimeError:  # a device or an older torch without that kernel
        return make()
