"""Sealed runs: a model, its batches and its settings with a fault that a reader is to find."""

import hashlib
import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch
from torch import Tensor

from support.core import InputError
from support.model import GPT, GPTConfig
from support.training.batches import IGNORE_INDEX, SequenceBatches
from support.training.config import TrainConfig
from support.training.one_batch import TokenBatch
from support.worlds import CallingGame

WORLD = CallingGame()
FAULTS = (
    "none",
    "targets not shifted",
    "wrong targets",
    "loss mask",
    "leak",
    "initialisation",
    "dead units",
    "saturated attention",
    "frozen",
    "learning rate too high",
    "learning rate too low",
)


@dataclass
class SealedRun:
    """All that `support.training.train` needs, with one fault or none.

    Attributes:
        model: freshly initialised.
        batches: step → (inputs, targets).
        config: the settings.
        held_out: games that are not among the batches.
    """

    model: GPT
    batches: Callable[[int], TokenBatch]
    config: TrainConfig
    held_out: list[list[int]]
    _fault: str = field(repr=False, default="none")

    def open(self, guess: str) -> str:
        """Whether a guess is right; a wrong guess does not tell what is.

        Raises:
            InputError: no fault has that name.

        >>> run = sealed_run(1)
        >>> [run.open(name)[:3] for name in FAULTS].count("yes")
        1
        """
        if guess not in FAULTS:
            raise InputError(f"{guess!r} is no fault of a sealed run; there are {', '.join(FAULTS)}.")
        return f"yes: {guess}" if guess == self._fault else f"no, not {guess!r}; look again"


def sealed_run(number: int) -> SealedRun:
    """A small run on the calling game; its number decides what is wrong with it.

    >>> sealed_run(1).config.steps, len(sealed_run(1).held_out)
    (100, 40)
    """
    seal = hashlib.sha256(f"sealed run {number}".encode()).digest()
    fault, strength = FAULTS[seal[0] % len(FAULTS)], 1 + seal[1] / 255
    texts = [WORLD.vocabulary.encode(text) for text in WORLD.sample(680, seed=100 + number)]
    shape = GPTConfig(28, context=WORLD.max_length, d_model=32, n_heads=2, activation="relu", masked_ids=(0,))
    config = TrainConfig(steps=100, lr=5e-3, warmup=20, weight_decay=0.01)
    if fault == "leak":
        shape = replace(shape, causal=False)
    elif fault == "saturated attention":
        shape = replace(shape, attention_scale=4 * strength)
    elif fault == "learning rate too high":
        config = replace(config, lr=0.2 * strength)
    elif fault == "learning rate too low":
        config = replace(config, lr=3e-5 * strength, min_lr=3e-6)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(number)
        model = GPT(shape)
    _damage(model, fault, strength)
    drawn = SequenceBatches(texts[40:], 16, seed=number)

    def batches(step: int) -> TokenBatch:
        inputs, targets = drawn(step)
        assert isinstance(inputs, Tensor)
        return inputs, _targets(fault, inputs, targets)

    return SealedRun(model, batches, config, texts[:40], fault)


def _damage(model: GPT, fault: str, strength: float) -> None:
    if fault == "initialisation":
        for p in model.parameters():
            p.data *= 8 * strength if p.dim() > 1 else 1
    elif fault == "dead units":
        model.blocks[1].feed_forward.up.bias.data.fill_(-10 * strength)
    elif fault == "frozen":
        model.blocks[0].requires_grad_(False)


def _targets(fault: str, inputs: Tensor, targets: Tensor) -> Tensor:
    if fault == "targets not shifted":
        return torch.where(targets == IGNORE_INDEX, targets, inputs)
    if fault == "wrong targets":
        return targets.roll(1, 0)
    if fault == "loss mask":
        places = torch.arange(targets.shape[1])
        return targets.masked_fill(places >= math.ceil(targets.shape[1] / 3), IGNORE_INDEX)
    return targets
