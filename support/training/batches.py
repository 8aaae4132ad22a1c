"""What the model sees at each step, as a function of the step, so that a resumed run sees the same."""

from collections.abc import Sequence
from functools import lru_cache

import torch
from jaxtyping import Int
from torch import Tensor

from support.core import InputError

IGNORED = -100  # the target that no loss counts; torch's own convention
Batch = tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]


def pad(
    sequences: Sequence[Sequence[int]], pad_id: int = 0
) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]:
    """Inputs and targets of whole texts: each token is to predict the next; padding predicts nothing.

    Args:
        sequences: ids, each with at least two tokens.
        pad_id: what fills up the shorter texts; attention never looks ahead, so nothing reads it.

    >>> inputs, targets = pad([[1, 5, 6, 2], [1, 7, 2]])
    >>> inputs.tolist(), targets.tolist()
    ([[1, 5, 6], [1, 7, 0]], [[5, 6, 2], [7, 2, -100]])
    """
    longest = max(map(len, sequences)) - 1
    inputs = torch.full((len(sequences), longest), pad_id)
    targets = torch.full((len(sequences), longest), IGNORED)
    for row, ids in enumerate(sequences):
        inputs[row, : len(ids) - 1] = torch.tensor(ids[:-1])
        targets[row, : len(ids) - 1] = torch.tensor(ids[1:])
    return inputs, targets


class SequenceBatches:
    """Batches of whole texts: every text once an epoch, in an order fixed by the seed.

    Texts of like length are not put together. It would spare padding, but the tokens of short texts would
    weigh more than others, and how long a text becomes depends on what is said in it.

    Args:
        sequences: texts as ids, e.g. from ``<BOS>`` to ``<EOS>``.
        batch_size: texts a batch.
        pad_id: what fills up the shorter ones.
        seed: of the order; each epoch has its own.
        context: cut every text after so many predictions, if given.

    Raises:
        InputError: there is no text, or one is too short to predict anything.

    >>> batches = SequenceBatches([[1, 5, 2], [1, 6, 7, 2], [1, 8, 2]], batch_size=2)
    >>> inputs, targets = batches(0)
    >>> inputs.shape == targets.shape and len(inputs) == 2
    True
    """

    def __init__(
        self,
        sequences: Sequence[Sequence[int]],
        batch_size: int,
        pad_id: int = 0,
        seed: int = 0,
        context: int | None = None,
    ) -> None:
        if not len(sequences) or batch_size < 1:
            raise InputError("SequenceBatches needs at least one sequence and a batch_size of at least 1.")
        short = next((i for i, ids in enumerate(sequences) if len(ids) < 2), None)
        if short is not None:
            raise InputError(f"Sequence {short} has fewer than two tokens: nothing to predict; leave it out.")
        end = None if context is None else context + 1
        self.sequences = [list(ids[:end]) for ids in sequences]
        self.batch_size = min(batch_size, len(sequences))
        self.per_epoch = len(sequences) // self.batch_size
        self.pad_id, self.seed = pad_id, seed
        self._order = lru_cache(maxsize=2)(self._shuffled)

    def __call__(self, step: int) -> Batch:
        """The batch of a step, always the same for the same step."""
        epoch, place = divmod(step, self.per_epoch)
        chosen = self._order(epoch)[place * self.batch_size : (place + 1) * self.batch_size]
        return pad([self.sequences[i] for i in chosen], self.pad_id)

    def _shuffled(self, epoch: int) -> list[int]:
        return torch.randperm(len(self.sequences), generator=_generator(self.seed, epoch)).tolist()


class StreamBatches:
    """Batches cut at random from one long text.

    Args:
        ids: the text.
        batch_size: windows a batch.
        context: predictions a window.
        seed: of the places where windows begin.

    Raises:
        InputError: the text is not longer than one window.

    >>> inputs, targets = StreamBatches(range(100), batch_size=3, context=8)(0)
    >>> bool((inputs + 1 == targets).all()), tuple(inputs.shape)
    (True, (3, 8))
    """

    def __init__(
        self, ids: Sequence[int] | Int[Tensor, " length"], batch_size: int, context: int, seed: int = 0
    ) -> None:
        self.ids = torch.as_tensor(ids if isinstance(ids, Tensor) else list(ids))
        if len(self.ids) <= context or batch_size < 1 or context < 1:
            raise InputError(
                f"A text of {len(self.ids)} tokens holds no window of {context} and the token after it; "
                "give a longer text, a smaller context, and a batch_size of at least 1."
            )
        self.batch_size, self.context, self.seed = batch_size, context, seed

    def __call__(self, step: int) -> Batch:
        """The batch of a step, always the same for the same step."""
        starts = torch.randint(
            len(self.ids) - self.context, (self.batch_size, 1), generator=_generator(self.seed, step)
        )
        windows = self.ids[starts + torch.arange(self.context + 1)]
        return windows[:, :-1], windows[:, 1:]


def _generator(seed: int, part: int) -> torch.Generator:
    # Neighbouring seeds must not share epochs: 1,000,003 is a prime beyond any number of epochs.
    return torch.Generator().manual_seed(seed * 1_000_003 + part)
