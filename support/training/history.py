"""What happened in a training run, as data; `support.view` draws it."""

import math
from dataclasses import dataclass, field

import torch
from torch import Tensor

_WHOLE, _REAL = ("steps", "tokens", "skipped"), ("losses", "lrs", "norms")


@dataclass
class History:
    """One entry per step, in lists of equal length, and the evaluations.

    Attributes:
        steps: the step's number, from 0.
        losses: nats per predicted token of the step's batch, before its update.
        lrs: the learning rate.
        norms: the norm of the gradient before clipping.
        tokens: how many tokens the step predicted.
        evals: number of updates done → what ``evaluate`` gave.
        skipped: the steps without an update, because a gradient in float16 overflowed.

    >>> history = History([0, 1], [2.0, 1.5], [0.1, 0.1], [1.0, 0.9], [8, 8], {2: 1.4, 1: 1.7})
    >>> history.best, History.from_tensors(history.to_tensors()) == history
    ((2, 1.4), True)
    """

    steps: list[int] = field(default_factory=list)
    losses: list[float] = field(default_factory=list)
    lrs: list[float] = field(default_factory=list)
    norms: list[float] = field(default_factory=list)
    tokens: list[int] = field(default_factory=list)
    evals: dict[int, float] = field(default_factory=dict)
    skipped: list[int] = field(default_factory=list)

    @property
    def best(self) -> tuple[int, float] | None:
        """The lowest evaluation and after how many updates it came; ``None`` if none gave a number."""
        numbers = [item for item in self.evals.items() if not math.isnan(item[1])]
        return min(numbers, key=lambda item: item[1], default=None)

    def add(self, loss: float, lr: float, norm: float, tokens: int) -> None:
        """Note one step."""
        self.steps.append(len(self.steps))
        self.losses.append(loss)
        self.lrs.append(lr)
        self.norms.append(norm)
        self.tokens.append(tokens)

    def to_tensors(self) -> dict[str, Tensor]:
        """The lists as tensors, exact, for a checkpoint."""
        whole = {name: torch.tensor(getattr(self, name), dtype=torch.int64) for name in _WHOLE}
        real = {name: torch.tensor(getattr(self, name), dtype=torch.float64) for name in _REAL}
        at, values = list(self.evals), list(self.evals.values())
        return {
            **whole,
            **real,
            "evals.at": torch.tensor(at, dtype=torch.int64),
            "evals.values": torch.tensor(values, dtype=torch.float64),
        }

    @classmethod
    def from_tensors(cls, tensors: dict[str, Tensor]) -> "History":
        """The history that `to_tensors` took apart."""
        lists = {name: tensors[name].tolist() for name in (*_WHOLE, *_REAL)}
        pairs = zip(tensors["evals.at"].tolist(), tensors["evals.values"].tolist(), strict=True)
        return cls(**lists, evals=dict(pairs))
