"""Two tasks for a memory: recall one symbol after a long pause; write a list backwards."""

from dataclasses import dataclass

import torch
from jaxtyping import Int
from torch import Tensor

from support.core import InputError, seeded_generator


@dataclass(frozen=True)
class Recall:
    """A symbol among noise, and a question at the end: which symbol was it?

    Ids: first the ``symbols``, then the kinds of ``noise``, then the question. Only the question has a
    target, the symbol. Who guesses is right once in ``symbols``.

    After Hochreiter and Schmidhuber 1997, experiment 2.

    >>> ids, targets = Recall().batch(2, pause=3, seed=0)
    >>> ids.shape, bool((targets[:, -1] == ids[:, 0]).all()), targets[0, :-1].tolist()
    (torch.Size([2, 5]), True, [-100, -100, -100, -100])
    """

    symbols: int = 8
    noise: int = 4

    @property
    def vocab_size(self) -> int:
        return self.symbols + self.noise + 1

    def batch(
        self, size: int, pause: int, seed: int, place: int = 0
    ) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]:
        """Inputs and targets (−100 everywhere but at the question).

        Args:
            size: how many texts.
            pause: how many noise tokens each holds.
            seed: of the batch.
            place: where the symbol stands among them, from 0, the first, to ``pause``.

        Raises:
            InputError: there is no such place.
        """
        if not 0 <= place <= pause:
            raise InputError(f"the symbol stands at a place from 0 to {pause}; {place} is none of them")
        random = seeded_generator(seed)
        ids = self.symbols + torch.randint(self.noise, (size, pause + 2), generator=random)
        ids[:, place] = torch.randint(self.symbols, (size,), generator=random)
        ids[:, -1] = self.vocab_size - 1
        targets = torch.full_like(ids, -100)
        targets[:, -1] = ids[:, place]
        return ids, targets


@dataclass(frozen=True)
class Backwards:
    """A list of symbols to read, and the same list to write, the last symbol first.

    Ids: 0 is padding, 1 begins what is written, then the ``symbols``. Every symbol is equally likely at
    every place, so that a list of n holds exactly n ln(symbols) nats.

    >>> source, written, targets = Backwards().batch(1, length=3, seed=0)
    >>> source[0].tolist()[::-1] == targets[0].tolist(), written[0, 0].item()
    (True, 1)
    """

    symbols: int = 16

    @property
    def vocab_size(self) -> int:
        return self.symbols + 2

    def batch(
        self, size: int, length: int, seed: int
    ) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"], Int[Tensor, "batch position"]]:
        """What is read, what has been written before each place, and the symbol to be written there."""
        random = seeded_generator(seed)
        source = 2 + torch.randint(self.symbols, (size, length), generator=random)
        targets = source.flip(1)
        return source, torch.cat([torch.ones_like(targets[:, :1]), targets[:, :-1]], 1), targets
