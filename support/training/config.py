"""One record with every choice that a training run makes."""

import os
from dataclasses import dataclass
from typing import Literal

from support.core.validation import (
    USUAL,
    BaseConfig,
    Count,
    CountOrZero,
    Fraction,
    NonNegative,
    OrUsual,
    Positive,
    Seed,
)

# A resumed run may differ in these: they change what is written down and where it is computed, not what.
FREE_TO_CHANGE = (
    "folder",
    "checkpoint_every",
    "eval_every",
    "log_every",
    "progress",
    "compile",
    "strategy",
    "activation_checkpointing",
)


@dataclass(frozen=True)
class TrainConfig(BaseConfig):
    """How to train: how long, how fast, and what to keep.

    Attributes:
        steps: how many updates of the weights.
        lr: the highest learning rate.
        warmup: so many steps lead up to ``lr``; from there half a cosine leads down to ``min_lr``.
        min_lr: the last learning rate; a tenth of ``lr`` if not given.
        optimiser: ``"adamw"`` (Loshchilov and Hutter 2019) or ``"sgd"``, plain with momentum.
        betas: AdamW's decay rates of the mean gradient and of its mean square; for SGD the first is the
            momentum.
        weight_decay: AdamW's, on the matrices of linear layers only (`decay_groups`).
        layer_decay: each block below the last learns at so many times the rate of the one above it, and the
            tables below the first block likewise; 1 trains all alike.
        clip: the largest norm of the gradient; longer ones are scaled down. ``None`` clips nothing.
        accumulate: batches per update; their tokens are averaged as if they were one batch.
        eval_every: evaluate after every so many steps; 0 means only at the end.
        checkpoint_every: write ``last.safetensors`` after every so many steps; 0 means only at the end.
        log_every: read the loss back from the device, and call the callbacks, after every so many steps. A
            GPU works on without a stop in between.
        folder: where checkpoints go; ``None`` keeps nothing.
        precision: of the matrix products: ``"float32"`` (the weights' own), ``"bfloat16"``, or ``"float16"``
            with a scaled loss. ``"auto"`` takes the fastest: see `support.training.precision`.
        compile: run the model, and in one process its loss, through ``torch.compile``. In float32 on a CPU it
            takes MKL's products, so it may be slower than without (see `support.model.linear_kernels`).
        activation_checkpointing: keep only each block's input for the backward pass and compute the rest
            again: less memory, about a third more time.
        strategy: under ``torchrun``, ``"ddp"`` gives every process the whole model and ``"fsdp"`` a part of
            each weight; see `support.training.distributed`.
        seed: for what is random inside the model (dropout).
        progress: show it; ``None`` means everywhere but in a notebook.

    Raises:
        InputError: a value is impossible; the sentence names it.

    >>> TrainConfig(steps=100, lr=0.01).min_lr
    0.001
    """

    steps: Count
    lr: Positive = 3e-3
    warmup: CountOrZero = 0
    min_lr: OrUsual[NonNegative] = USUAL
    optimiser: Literal["adamw", "sgd"] = "adamw"
    betas: tuple[Fraction, Fraction] = (0.9, 0.98)
    weight_decay: NonNegative = 0.1
    layer_decay: Positive = 1.0
    clip: Positive | None = 1.0
    accumulate: Count = 1
    eval_every: CountOrZero = 0
    checkpoint_every: CountOrZero = 0
    log_every: Count = 1
    folder: str | None = None
    precision: Literal["auto", "float32", "bfloat16", "float16"] = "auto"
    compile: bool = False
    activation_checkpointing: bool = False
    strategy: Literal["none", "ddp", "fsdp"] = "none"
    seed: Seed = 0
    progress: bool | None = None

    def __post_init__(self) -> None:
        if isinstance(self.folder, os.PathLike):
            self._set("folder", os.fspath(self.folder))
        super().__post_init__()
        if self.min_lr is None:
            self._set("min_lr", self.lr / 10)
        self._refuse_unless(self.min_lr <= self.lr, f"min_lr={self.min_lr} exceeds lr={self.lr}; lower it")
        self._refuse_unless(self.warmup <= self.steps, f"warmup={self.warmup} exceeds steps={self.steps}")
