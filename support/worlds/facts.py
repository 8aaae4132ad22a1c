"""The fact world: answers to questions of very different frequency, right with a known probability."""

import math
from dataclasses import dataclass
from functools import cached_property

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError, seeded_generator


@dataclass(frozen=True)
class FactWorld:
    """Facts: a subject and an attribute, and which of a few answers is the right one.

    The fact of rank k is asked with a probability proportional to k to the power −``exponent``, and the
    answer that is given is the right one with probability 1 − ``noise``; else it is any of the others. So the
    lowest possible loss is known, and the loss of a model can be computed over all facts, without sampling.

    Ids: first the ``subjects``, then the ``attributes``, then the ``answers``.

    After Hutter 2021 (learning curves of facts with Zipf's frequencies) and Michaud et al. 2023.

    >>> world = FactWorld()
    >>> world.n_facts, world.vocab_size, round(world.floor, 4)
    (4096, 136, 0.8896)
    """

    subjects: int = 64
    attributes: int = 64
    answers: int = 8
    exponent: float | int = 1.5
    noise: float = 0.2
    seed: int = 0

    def __post_init__(self) -> None:
        if min(self.subjects, self.attributes) < 1 or self.answers < 2:
            raise InputError("a fact world needs a subject, an attribute and two answers")
        if not 0 < self.noise < 1 or self.exponent < 0:
            raise InputError(f"noise={self.noise} must lie between 0 and 1, exponent={self.exponent} above 0")

    @property
    def n_facts(self) -> int:
        return self.subjects * self.attributes

    @property
    def vocab_size(self) -> int:
        return self.subjects + self.attributes + self.answers

    @property
    def floor(self) -> float:
        """The entropy of an answer, in nats: the expected loss of who knows every fact."""
        p = self.noise
        return -(1 - p) * math.log(1 - p) - p * math.log(p / (self.answers - 1))

    @cached_property
    def probabilities(self) -> Float[Tensor, " fact"]:
        """How often each fact is asked; facts are in the order of their subjects and attributes."""
        by_rank = torch.arange(1, self.n_facts + 1, dtype=torch.float64) ** -self.exponent
        found = torch.empty_like(by_rank)
        found[torch.randperm(self.n_facts, generator=self._random(0))] = by_rank / by_rank.sum()
        return found

    @cached_property
    def right(self) -> Int[Tensor, " fact"]:
        """Which answer is right, from 0."""
        return torch.randint(self.answers, (self.n_facts,), generator=self._random(1))

    @cached_property
    def questions(self) -> Int[Tensor, "fact 2"]:
        """Subject and attribute of every fact, as ids."""
        fact = torch.arange(self.n_facts)
        subject, attribute = fact // self.attributes, self.subjects + fact % self.attributes
        return torch.stack([subject, attribute], dim=1)

    @cached_property
    def answer_probabilities(self) -> Float[Tensor, "fact answer"]:
        """What is answered to each question, exactly."""
        found = torch.full((self.n_facts, self.answers), self.noise / (self.answers - 1), dtype=torch.float64)
        return found.scatter(1, self.right[:, None], 1 - self.noise)

    def batch(self, size: int, seed: int) -> tuple[Int[Tensor, "batch 2"], Int[Tensor, "batch 2"]]:
        """Questions and targets: the answer at the second position, −100 at the first.

        >>> inputs, targets = FactWorld().batch(3, seed=0)
        >>> inputs.shape, targets[:, 0].tolist(), bool((targets[:, 1] >= 128).all())
        (torch.Size([3, 2]), [-100, -100, -100], True)
        """
        random = seeded_generator(seed)
        fact = torch.multinomial(self.probabilities, size, replacement=True, generator=random)
        answer = torch.multinomial(self.answer_probabilities[fact], 1, generator=random)
        return self.questions[fact], torch.cat(
            [torch.full_like(answer, -100), self.subjects + self.attributes + answer], dim=1
        )

    @torch.no_grad()
    def loss(self, model: nn.Module) -> float:
        """The expected loss of a model, in nats per answer: over all facts and answers, each by its
        probability."""
        log_probabilities = model(self.questions)[:, -1].double().log_softmax(-1)[:, -self.answers :]
        expected = (self.answer_probabilities * log_probabilities).sum(1)
        return -float((self.probabilities * expected).sum())

    def unseen(self, samples: int) -> float:
        """The expected share of questions about facts that did not occur among so many samples.

        >>> FactWorld().unseen(0), round(FactWorld().unseen(10_000), 3)
        (1.0, 0.032)
        """
        return float((self.probabilities * (1 - self.probabilities) ** samples).sum())

    def _random(self, more: int) -> torch.Generator:
        return seeded_generator(2 * self.seed + more)
