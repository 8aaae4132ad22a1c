"""Tests with a single batch: its loss and gradients at the start, and whether it can be learned by heart."""

import math
from collections import Counter, defaultdict
from copy import deepcopy
from dataclasses import replace

import torch
from jaxtyping import Int
from torch import Tensor, nn

from support.core.validation import checked
from support.model import evaluating
from support.model.attention import SelfAttention
from support.training.batches import IGNORE_INDEX
from support.training.config import TrainConfig
from support.training.evaluation import cross_entropy_sum
from support.training.loop import train
from support.training.measurements import norms_by_layer

TokenBatch = tuple[Tensor, Tensor]  # inputs and targets, both [batch, position]


def memorising_floor(inputs: Int[Tensor, "batch position"], targets: Int[Tensor, "batch position"]) -> float:
    """The lowest loss that any causal model can reach on this batch, nats per target.

    Where the same prefix is followed by different targets, not even a model that knows the batch by heart can
    be sure: the loss is the entropy of the targets after each prefix.

    Args:
        inputs: of the batch.
        targets: −100 is not counted.

    >>> same_start = torch.tensor([[1, 4], [1, 5]])
    >>> round(memorising_floor(same_start, torch.tensor([[4, 2], [5, 2]])), 4) == round(math.log(2) / 2, 4)
    True
    """
    after: dict[tuple[int, ...], Counter[int]] = defaultdict(Counter)
    for row, answers in zip(inputs.tolist(), targets.tolist(), strict=True):
        for t, target in enumerate(answers):
            if target != IGNORE_INDEX:
                after[tuple(row[: t + 1])][target] += 1
    nats = sum(-n * math.log(n / c.total()) for c in after.values() for n in c.values())
    return nats / max(1, sum(c.total() for c in after.values()))


@checked
def overfit_one_batch(model: nn.Module, batch: TokenBatch, steps: int = 60, lr: float = 3e-3) -> list[float]:
    """The losses of a copy that is trained on nothing but this batch; the model itself stays as it is.

    A model and a batch without a bug go down to `memorising_floor`. Dropout is off. Karpathy 2019 recommends
    the test.

    Args:
        model: ids → logits.
        batch: inputs and targets; a few short texts do.
        steps: updates.
        lr: AdamW's learning rate, after ten steps of warm-up.

    >>> from support.model import GPT, GPTConfig
    >>> batch = torch.tensor([[1, 4, 5]]), torch.tensor([[4, 5, 2]])
    >>> losses = overfit_one_batch(GPT(GPTConfig(vocab_size=9)), batch)
    >>> losses[0] > 2, losses[-1] < 0.1
    (True, True)
    """
    trial = deepcopy(model)
    for module in trial.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
        if isinstance(module, SelfAttention):
            module.config = replace(module.config, dropout=0.0)
    config = TrainConfig(steps, lr=lr, warmup=min(10, steps), min_lr=lr, weight_decay=0.0, progress=False)
    return train(trial, lambda step: batch, config).losses


def first_gradients(model: nn.Module, batch: TokenBatch) -> dict[str, float]:
    """The norm of the gradient of each layer on one batch; the model's own gradients stay as they are.

    >>> from support.model import GPT, GPTConfig
    >>> batch = torch.tensor([[1, 4, 5]]), torch.tensor([[4, 5, 2]])
    >>> min(first_gradients(GPT(GPTConfig(vocab_size=9)), batch).values()) > 1e-4
    True
    """
    trial = deepcopy(model)
    trial.zero_grad()
    with evaluating(trial):
        (cross_entropy_sum(trial(batch[0]), batch[1]) / (batch[1] != IGNORE_INDEX).sum()).backward()
    return norms_by_layer((name, p.grad) for name, p in trial.named_parameters() if p.grad is not None)


@torch.no_grad()
def mean_loss(model: nn.Module, batch: TokenBatch) -> float:
    """The loss of one batch in evaluation mode, nats per target.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, init_std=0.0))
    >>> round(mean_loss(model, (torch.tensor([[1]]), torch.tensor([[4]]))), 3)  # ln 9
    2.197
    """
    inputs, targets = batch
    with evaluating(model):
        return float(cross_entropy_sum(model(inputs), targets) / (targets != IGNORE_INDEX).sum())
