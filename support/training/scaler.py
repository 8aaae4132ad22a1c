"""The scale of the loss in float16: raised now and then, halved when a gradient overflows."""

from collections.abc import Iterable
from dataclasses import dataclass

import torch
from torch import Tensor

from support.core import InputError


@dataclass
class LossScaler:
    """What `torch.amp.GradScaler` does, to be read: the loss is multiplied by ``scale`` before the backward
    pass, the gradients are divided by it before the update. A step with an overflow is left out.

    Attributes:
        scale: the factor now.
        growth: by what the scale is multiplied after ``interval`` good steps.
        backoff: by what it is multiplied after an overflow.
        interval: good steps in a row before the scale grows.
        good: how many there were since the last change.

    Follows Micikevicius et al. 2018.

    >>> scaler, weight = LossScaler(scale=8.0, interval=2), torch.zeros(1)
    >>> for gradient in (4.0, float("inf"), 4.0, 4.0):
    ...     weight.grad = torch.tensor([gradient])
    ...     print(scaler.unscale([weight]), weight.grad.item(), scaler.scale)
    True 0.5 8.0
    False inf 4.0
    True 1.0 4.0
    True 1.0 8.0
    """

    scale: float | int = 2.0**16
    growth: float | int = 2.0
    backoff: float | int = 0.5
    interval: int = 2000
    good: int = 0

    def __post_init__(self) -> None:
        if not (self.scale > 0 and self.growth > 1 > self.backoff > 0 and self.interval >= 1):
            raise InputError(
                "a loss scaler needs scale > 0, growth > 1, backoff between 0 and 1, interval ≥ 1"
            )

    def unscale(self, parameters: Iterable[Tensor]) -> bool:
        """Divide the gradients by the scale, then adapt it.

        Returns:
            True if the step may be taken, as every gradient is finite.
        """
        gradients = [p.grad for p in parameters if p.grad is not None]
        for gradient in gradients:
            gradient /= self.scale
        finite = all(bool(gradient.isfinite().all()) for gradient in gradients)
        self.good = self.good + 1 if finite else 0
        if not finite:
            self.scale *= self.backoff
        elif self.good == self.interval:
            self.scale, self.good = self.scale * self.growth, 0
        return finite


def underflow(gradients: Iterable[Tensor], scale: float | int = 1.0) -> tuple[float, float]:
    """Of the entries that are not zero: the shares that float16 turns into zero, and into infinity.

    Args:
        gradients: in float32 or float64.
        scale: multiply by this before.

    >>> underflow([torch.tensor([1e-8, 1e-3, 0.0, 70000.0, 1e-9])])
    (0.5, 0.25)
    """
    entries = torch.cat([gradient.flatten() for gradient in gradients]).double() * scale
    entries = entries[entries != 0]
    half = entries.half()
    return float((half == 0).double().mean()), float(half.isinf().double().mean())
