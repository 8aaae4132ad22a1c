"""The label game: in each text, letters carry other numbers, and only the text itself says which."""

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from support.core import seeded_generator


@dataclass(frozen=True)
class LabelGame:
    """``letter number letter number …``: within a text a letter always has the same number.

    Which number a letter has is drawn anew for every text, so nothing of it can be learned by heart: whoever
    knows it has read it a moment ago. With ``worlds``, there are only so many ways to label, and the texts
    draw from those. Ids: first the letters, then the numbers.

    The in-context task of Chan et al. 2022 and Raventós et al. 2023, at its smallest.

    >>> game = LabelGame(letters=3, numbers=3, pairs=4)
    >>> inputs, targets, seen = game.batch(1, seed=0)
    >>> inputs.shape, targets.shape, seen.shape
    (torch.Size([1, 7]), torch.Size([1, 7]), torch.Size([1, 4]))
    """

    letters: int = 5
    numbers: int = 8
    pairs: int = 16
    worlds: int | None = None

    @property
    def vocab_size(self) -> int:
        return self.letters + self.numbers

    def labels(self, size: int, seed: int) -> Int[Tensor, "batch letter"]:
        """The number of each letter, for ``size`` texts."""
        random = seeded_generator(seed)
        if self.worlds is None:
            return torch.randint(self.numbers, (size, self.letters), generator=random)
        book = torch.randint(self.numbers, (self.worlds, self.letters), generator=_of_all_worlds())
        return book[torch.randint(self.worlds, (size,), generator=random)]

    def batch(
        self, size: int, seed: int
    ) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"], Int[Tensor, "batch pair"]]:
        """Inputs, targets (each letter's number, else −100), and how often each letter was seen before."""
        random = seeded_generator(seed + 10**9)
        letters = torch.randint(self.letters, (size, self.pairs), generator=random)
        numbers = self.labels(size, seed).gather(1, letters)
        text = torch.stack([letters, self.letters + numbers], dim=2).flatten(1)
        targets = text[:, 1:].clone()
        targets[:, 1::2] = -100  # which letter comes next is pure chance
        same = letters[:, :, None] == letters[:, None]
        return text[:, :-1], targets, same.tril(-1).sum(2)


def _of_all_worlds() -> torch.Generator:
    return torch.Generator().manual_seed(7)  # the same ways to label, whoever draws from them
