"""One record with every choice that a training run makes."""

from dataclasses import asdict, dataclass, fields
from typing import Any

from support.core import InputError

_CHOICES = {
    "optimiser": ("adamw", "sgd"),
    "precision": ("auto", "float32", "bfloat16", "float16"),
    "strategy": ("none", "ddp", "fsdp"),
}
# A resumed run may differ in these: they change what is written down and where it is computed, not what.
FREE_TO_CHANGE = ("folder", "checkpoint_every", "eval_every", "log_every", "progress", "compile", "strategy")
FREE_TO_CHANGE += ("activation_checkpointing",)


@dataclass(frozen=True)
class TrainConfig:
    """How to train: how long, how fast, and what to keep.

    Attributes:
        steps: how many updates of the weights.
        lr: the highest learning rate; `warmup` steps lead up to it, half a cosine down to `min_lr`.
        min_lr: the last learning rate; a tenth of ``lr`` if not given.
        betas: AdamW's decay rates of the mean gradient and of its mean square; for SGD the first is the
            momentum.
        weight_decay: pull towards zero, on the matrices of linear layers only (`decay_groups`).
        clip: the largest norm of the gradient; longer ones are scaled down. ``None`` clips nothing.
        accumulate: batches per update; their tokens are averaged as if they were one batch.
        eval_every: evaluate after every so many steps; 0 means only at the end.
        checkpoint_every: write ``last.safetensors`` after every so many steps; 0 means only at the end.
        log_every: read the loss back from the device, and call the callbacks, after every so many steps. A
            GPU works on without a stop in between.
        folder: where checkpoints go; ``None`` keeps nothing.
        precision: of the matrix products: ``"float32"`` (the weights' own), ``"bfloat16"``, or ``"float16"``
            with a scaled loss. ``"auto"`` takes the fastest: see `support.training.precision`.
        compile: run the model through ``torch.compile``.
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

    steps: int
    lr: float | int = 3e-3
    warmup: int = 0
    min_lr: float | int | None = None
    optimiser: str = "adamw"
    betas: tuple[float, float] = (0.9, 0.98)
    weight_decay: float | int = 0.1
    clip: float | int | None = 1.0
    accumulate: int = 1
    eval_every: int = 0
    checkpoint_every: int = 0
    log_every: int = 1
    folder: str | None = None
    precision: str = "auto"
    compile: bool = False
    activation_checkpointing: bool = False
    strategy: str = "none"
    seed: int = 0
    progress: bool | None = None

    def __post_init__(self) -> None:
        if self.min_lr is None:
            object.__setattr__(self, "min_lr", self.lr / 10)
        object.__setattr__(self, "betas", tuple(self.betas))
        if self.folder is not None:
            object.__setattr__(self, "folder", str(self.folder))
        for name in ("steps", "accumulate", "log_every"):
            _refuse_unless(getattr(self, name) >= 1, f"{name}={getattr(self, name)} must be at least 1")
        for name in ("warmup", "eval_every", "checkpoint_every", "weight_decay", "min_lr"):
            _refuse_unless(getattr(self, name) >= 0, f"{name}={getattr(self, name)} must not be negative")
        _refuse_unless(self.lr > 0, f"lr={self.lr} must be positive")
        _refuse_unless(self.min_lr <= self.lr, f"min_lr={self.min_lr} exceeds lr={self.lr}; lower it")
        _refuse_unless(self.warmup <= self.steps, f"warmup={self.warmup} exceeds steps={self.steps}")
        _refuse_unless(self.clip is None or self.clip > 0, f"clip={self.clip} must be positive, or None")
        _refuse_unless(
            len(self.betas) == 2 and all(0 <= b < 1 for b in self.betas),
            f"betas={self.betas} must be two numbers in [0, 1)",
        )
        for name, known in _CHOICES.items():
            value = getattr(self, name)
            _refuse_unless(value in known, f"{name}={value!r} is unknown; choose one of {', '.join(known)}")

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values, for JSON.

        >>> TrainConfig.from_dict(TrainConfig(steps=3).to_dict()) == TrainConfig(steps=3)
        True
        """
        return {**asdict(self), "betas": list(self.betas)}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> "TrainConfig":
        """The record that `to_dict` wrote.

        Raises:
            InputError: a field is unknown; it is named.
        """
        unknown = sorted(set(values) - {f.name for f in fields(cls)})
        _refuse_unless(not unknown, f"unknown fields {unknown}; is the file from a newer version?")
        return cls(**values | ({"betas": tuple(values["betas"])} if "betas" in values else {}))


def _refuse_unless(fine: bool, sentence: str) -> None:
    if not fine:
        raise InputError(f"TrainConfig: {sentence}.")
