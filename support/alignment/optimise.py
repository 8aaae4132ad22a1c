"""The loop that the methods share: a loss for each step, AdamW, warm-up and cosine, a clipped gradient."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from support.training import TrainConfig
from support.training.schedule import make_optimiser, set_learning_rate

Callback = Callable[[int], None]

# What the book's studies of preferences use unless they say otherwise.
SETTINGS = TrainConfig(steps=150, lr=1e-3, warmup=10, min_lr=0.0, weight_decay=0.0)


def minimise(
    model: nn.Module, loss: Callable[[int], Tensor], config: TrainConfig, callback: Callback | None = None
) -> list[float]:
    """Minimise a loss that may draw its own data; the losses of the steps.

    Args:
        model: what is trained, in place.
        loss: step → the loss, with a gradient.
        config: ``steps``, ``clip``, the optimiser and its rates count here.
        callback: called with the number of steps done after each of them.

    >>> layer = nn.Linear(1, 1)
    >>> x, config = torch.ones(1, 1), TrainConfig(steps=200, lr=0.05)
    >>> losses = minimise(layer, lambda step: layer(x).square().sum(), config)
    >>> losses[-1] < 1e-3
    True
    """
    optimiser = make_optimiser(model, config)
    losses = []
    for step in range(config.steps):
        value = loss(step)
        optimiser.zero_grad()
        value.backward()
        if config.clip is not None:
            torch.nn.utils.clip_grad_norm_(model.parameters(), config.clip)
        set_learning_rate(optimiser, step, config)
        optimiser.step()
        losses.append(value.item())
        if callback is not None:
            callback(step + 1)
    return losses
