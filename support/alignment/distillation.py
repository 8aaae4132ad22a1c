"""Distillation: beside its own task, a model is trained to predict what another model predicts."""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.model import evaluating
from support.training.batches import Batch


class Distilled(nn.Module):
    """A student for `support.training.train`: each pass adds ``weight · KL(teacher‖student)`` to the loss.

    The divergence is measured on texts of its own, for instance on texts that the teacher wrote. With the
    model before fine-tuning as the teacher, it holds the student to what it could do before.

    Follows Hinton, Vinyals and Dean 2015; against forgetting, Li and Hoiem 2016 (Learning without
    Forgetting).

    Args:
        student: the model that is trained.
        teacher: a model with the same vocabulary; it is not changed, and read without dropout.
        batches: step → texts on which the two are compared.
        weight: of the divergence, in nats per token.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9))
    >>> both = Distilled(model, model, lambda step: (torch.tensor([[1, 2]]), torch.tensor([[2, 3]])), 1.0)
    >>> both(torch.tensor([[1, 4]])).shape, round(abs(both.extra_loss().item()), 6)
    (torch.Size([1, 2, 9]), 0.0)
    """

    def __init__(
        self, student: nn.Module, teacher: nn.Module, batches: Callable[[int], Batch], weight: float
    ) -> None:
        super().__init__()
        self.student = student
        self._teacher = [teacher]  # in a list, so that its weights are not this module's
        self.batches, self.weight, self.step = batches, weight, 0
        self._divergence: Tensor | None = None

    def forward(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position vocab"]:
        """The student's logits; in training both models read the next batch, too, for `extra_loss`."""
        logits = self.student(ids)
        if self.training:
            inputs, targets = self.batches(self.step)
            self.step += 1
            inputs, targets = inputs.to(ids.device), targets.to(ids.device)
            with torch.no_grad(), evaluating(self._teacher[0]):
                wanted = self._teacher[0](inputs)
            self._divergence = divergence(wanted, self.student(inputs), targets >= 0)
        return logits

    def extra_loss(self) -> Float[Tensor, ""] | None:
        """What `support.training.train` adds to the loss."""
        return None if self._divergence is None else self.weight * self._divergence


def divergence(
    wanted: Float[Tensor, "batch position vocab"],
    given: Float[Tensor, "batch position vocab"],
    counted: Tensor,
) -> Float[Tensor, ""]:
    """KL(softmax(wanted)‖softmax(given)) in nats, averaged over the counted positions.

    >>> logits = torch.tensor([[[0.0, 0.0]]])
    >>> round(divergence(torch.tensor([[[0.0, -99.0]]]), logits, torch.tensor([[True]])).item(), 4)
    0.6931
    """
    p, q = wanted.log_softmax(-1), given.log_softmax(-1)
    finite = p.isfinite()
    parts = F.kl_div(q.masked_fill(~finite, 0), p.masked_fill(~finite, 0), log_target=True, reduction="none")
    return parts.masked_fill(~finite, 0).sum(-1)[counted].mean()
