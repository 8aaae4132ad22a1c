"""The arrow game: a list of arrows, and questions that are answered by following them step by step."""

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from support.core import seeded_generator


@dataclass(frozen=True)
class ArrowGame:
    """``children`` children, each pointing at one other or herself, no two at the same (a permutation).

    A sequence lists all arrows in random order, one token each, and then asks questions, one token each:
    *start at this child and follow k arrows; where are you?* The answer is a child. Ids: first the
    children, then the arrows ``from × to``, then the questions ``steps × start``.

    Following pointers as a measure of depth: Sanford, Hsu and Telgarsky 2024, *Transformers, parallel
    computation, and logarithmic depth*.

    >>> game = ArrowGame(children=3, max_steps=2)
    >>> inputs, targets, steps = game.batch(1, questions=2, seed=0)
    >>> inputs.shape, targets[0, :3].tolist(), game.vocab_size
    (torch.Size([1, 5]), [-100, -100, -100], 18)
    """

    children: int = 12
    max_steps: int = 4

    @property
    def vocab_size(self) -> int:
        return self.children * (1 + self.children + self.max_steps)

    def batch(
        self, size: int, questions: int, seed: int, hardest: int | None = None
    ) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"], Int[Tensor, "batch question"]]:
        """Inputs, targets (−100 under the arrows, an answer under each question), and the questions' steps.

        ``hardest`` caps the steps that are asked for in this batch; ``max_steps`` if not given.
        """
        random = seeded_generator(seed)
        n = self.children
        points_at = torch.rand(size, n, generator=random).argsort(dim=1)
        order = torch.rand(size, n, generator=random).argsort(dim=1)
        arrows = n + n * order + points_at.gather(1, order)
        start = torch.randint(n, (size, questions), generator=random)
        steps = torch.randint(1, (hardest or self.max_steps) + 1, (size, questions), generator=random)
        asked = n + n * n + n * (steps - 1) + start
        here, answers = start, torch.zeros_like(start)
        for k in range(1, self.max_steps + 1):
            here = points_at.gather(1, here)
            answers = torch.where(steps == k, here, answers)
        return torch.cat([arrows, asked], 1), torch.cat([torch.full_like(arrows, -100), answers], 1), steps
