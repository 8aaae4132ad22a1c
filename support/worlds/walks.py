"""Walks by many rules: what comes next is one fact out of rules × symbols, as in a table learned by heart."""

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from support.core import seeded_generator

IGNORE_INDEX = -100


@dataclass(frozen=True)
class RuleWalks:
    """``rules`` rules, each a random rearrangement of the same ``symbols`` symbols.

    A walk is a rule's token, a symbol, and symbol after symbol, each the rule's answer to the one before.
    The symbol says nothing about the rule, nor the rule about the symbol. Ids: first the symbols, then the
    rules.

    >>> walks = RuleWalks(rules=2, symbols=3)
    >>> inputs, targets = walks.batch(1, length=4, seed=0)
    >>> inputs.shape, targets[0, 0].item(), walks.vocab_size
    (torch.Size([1, 5]), -100, 5)
    """

    rules: int = 16
    symbols: int = 64
    seed: int = 0  # of the rules

    @property
    def vocab_size(self) -> int:
        return self.symbols + self.rules

    def answers(self) -> Int[Tensor, "rule symbol"]:
        """The symbol that each rule names after each symbol."""
        random = seeded_generator(self.seed)
        return torch.stack([torch.randperm(self.symbols, generator=random) for _ in range(self.rules)])

    def batch(
        self, size: int, length: int, seed: int
    ) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]:
        """Inputs and targets of walks of ``length`` steps; the target under the rule is −100."""
        random = seeded_generator(seed)
        rule = torch.randint(self.rules, (size,), generator=random)
        at, answers = torch.randint(self.symbols, (size,), generator=random), self.answers()
        walk = [self.symbols + rule, at]
        for _ in range(length):
            at = answers[rule, at]
            walk.append(at)
        ids = torch.stack(walk, dim=1)
        targets = ids[:, 1:].clone()
        targets[:, 0] = IGNORE_INDEX
        return ids[:, :-1], targets
