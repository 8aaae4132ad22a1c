"""The loop that the methods share: a loss for each step, AdamW, warm-up and cosine, a clipped gradient."""

import math
from collections.abc import Callable
from typing import NamedTuple

import torch
from torch import Tensor, nn

from support.model.base import in_mode
from support.training import DivergedError, TrainConfig
from support.training.distributed import clip_gradients
from support.training.schedule import make_optimiser, set_learning_rate

Callback = Callable[[int], None]

# What the book's studies of preferences use unless they say otherwise.
SETTINGS = TrainConfig(steps=150, lr=1e-3, warmup=10, min_lr=0.0, weight_decay=0.0)


class Trained(NamedTuple):
    """A model with its optimiser.

    Attributes:
        model: what is trained.
        optimiser: made by `make_optimiser`.
        rate: the learning rate is multiplied by it.
    """

    model: nn.Module
    optimiser: torch.optim.Optimizer
    rate: float = 1.0


def update(loss: Tensor, step: int, config: TrainConfig, *trained: Trained) -> float:
    """One step down the gradient of a loss; gives its value.

    Args:
        loss: with a gradient.
        step: counted from 0; the learning rate depends on it.
        config: ``clip`` and the rates count here.
        trained: the models that the loss trains, each with its own norm of the gradient.

    Raises:
        DivergedError: the loss or a gradient is no longer a number; the weights are those before.

    >>> layer, config = nn.Linear(1, 1), TrainConfig(steps=1, lr=0.05)
    >>> trained = Trained(layer, make_optimiser(layer, config))
    >>> update(layer(torch.ones(1, 1)).sum() * math.nan, 0, config, trained)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    support.training.loop.DivergedError: The loss became nan at step 0...
    """
    for one in trained:
        one.optimiser.zero_grad()
        set_learning_rate(one.optimiser, step, config, one.rate)
    loss.backward()
    limit = config.clip or math.inf
    measured = [loss.item(), *(clip_gradients(one.model.parameters(), limit).item() for one in trained)]
    if not all(map(math.isfinite, measured)):
        what = "loss" if not math.isfinite(measured[0]) else "gradient"
        bad = next(value for value in measured if not math.isfinite(value))
        raise DivergedError(
            f"The {what} became {bad} at step {step}, and the weights are those before that step; take a "
            "lower lr or a longer warmup, and see that no weight or reward is nan or inf already."
        )
    for one in trained:
        one.optimiser.step()
    return measured[0]


def minimise(
    model: nn.Module, loss: Callable[[int], Tensor], config: TrainConfig, callback: Callback | None = None
) -> list[float]:
    """Minimise a loss that may draw its own data; the losses of the steps.

    Args:
        model: what is trained, in place. It is in training mode while a loss is computed, as in
            `support.training.train`; a loss that must not meet dropout evaluates it (`evaluating`).
        loss: step → the loss, with a gradient.
        config: ``steps``, ``clip``, the optimiser and its rates count here.
        callback: called with the number of steps done after each of them.

    Raises:
        DivergedError: the loss or its gradient is no longer a number; the weights are those before.

    >>> layer = nn.Linear(1, 1)
    >>> x, config = torch.ones(1, 1), TrainConfig(steps=200, lr=0.05)
    >>> losses = minimise(layer, lambda step: layer(x).square().sum(), config)
    >>> losses[-1] < 1e-3
    True
    """
    trained = Trained(model, make_optimiser(model, config))
    losses = []
    for step in range(config.steps):
        with in_mode(model, training=True):
            value = loss(step)
        losses.append(update(value, step, config, trained))
        if callback is not None:
            callback(step + 1)
    return losses
