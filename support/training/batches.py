"""What the model sees at each step, as a function of the step, so that a resumed run sees the same."""

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor

from support.core import InputError, seeded_generator
from support.core.validation import Count, CountOrZero, Seed, check
from support.model import Seq2SeqInputs
from support.text.ids import whole_numbers

IGNORE_INDEX = -100
"""The target that no loss counts; torch's own convention."""

# One answer for each position, or one for a whole text.
Batch = tuple[Int[Tensor, "batch position"] | Seq2SeqInputs, Int[Tensor, "batch answered"]]


def inputs_and_targets(
    sequences: Sequence[Sequence[int]], pad_id: int = 0
) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]:
    """Inputs and targets of whole texts: each token is to predict the next; padding predicts nothing.

    Args:
        sequences: ids, each with at least two tokens.
        pad_id: what fills up the shorter texts; attention never looks ahead, so nothing reads it. Its
            targets are `IGNORE_INDEX`, −100.

    >>> inputs, targets = inputs_and_targets([[1, 5, 6, 2], [1, 7, 2]])
    >>> inputs.tolist(), targets.tolist()
    ([[1, 5, 6], [1, 7, 0]], [[5, 6, 2], [7, 2, -100]])
    """
    return pad_sequences([ids[:-1] for ids in sequences], pad_id), pad_sequences(
        [ids[1:] for ids in sequences], IGNORE_INDEX
    )


def pad_sequences(sequences: Sequence[Sequence[int]], pad_id: int = 0) -> Int[Tensor, "batch position"]:
    """Texts as the rows of one tensor, the shorter ones filled up at their right end.

    Args:
        sequences: texts as ids.
        pad_id: what fills them up.

    Raises:
        InputError: there is no text.

    >>> pad_sequences([[1, 5, 2], [1, 2]]).tolist()
    [[1, 5, 2], [1, 2, 0]]
    """
    if not len(sequences):
        raise InputError("There is no text to make a batch of; give one at least.")
    width = max(map(len, sequences))
    # One tensor from one list takes a fifth of the time of a small tensor for each row.
    return torch.tensor([[*ids, *[pad_id] * (width - len(ids))] for ids in sequences], dtype=torch.int64)


def take_batch(batches: Callable[[int], Any], number: int) -> Batch:
    """What a function of batches returns, if it is inputs and targets.

    Raises:
        InputError: it is something else, or there are no more.

    >>> take_batch(torch.zeros, 3)
    Traceback (most recent call last):
    support.core.errors.InputError: A function of batches returns inputs and targets, two tensors of ids ...
    """
    try:
        returned = batches(number)
    except StopIteration:
        raise InputError(
            f"There is no batch {number}; a function of batches gives one for every step, and the same again."
        ) from None
    if not (isinstance(returned, tuple | list) and len(returned) == 2 and isinstance(returned[1], Tensor)):
        raise InputError(
            "A function of batches returns inputs and targets, two tensors of ids (see inputs_and_targets), "
            f"and this one returned a {type(returned).__name__}."
        )
    return returned[0], returned[1]


class Epochs:
    """Which of ``n`` texts each step takes: every one once an epoch, in an order fixed by the seed.

    If ``n`` is no multiple of ``batch_size``, the last batch of each epoch is smaller.

    Args:
        n: how many texts there are.
        batch_size: texts a batch.
        seed: of the order; each epoch has its own.

    Raises:
        InputError: there is no text, or a batch would have none.

    >>> epochs = Epochs(n=4, batch_size=2)
    >>> sorted(epochs(0) + epochs(1))
    [0, 1, 2, 3]
    """

    def __init__(self, n: int, batch_size: int, seed: int = 0) -> None:
        check("n", n, CountOrZero)
        check("batch_size", batch_size, Count)
        if not n:
            raise InputError("Batches need at least one text.")
        self.n, self.batch_size, self.seed = n, min(batch_size, n), seed
        self.per_epoch = -(-n // self.batch_size)  # the last batch of an epoch holds what is left over

    def __call__(self, step: int) -> list[int]:
        """The numbers of the texts of a step, from 0; always the same for the same step."""
        epoch, place = divmod(step, self.per_epoch)
        order = _shuffled(self.n, seed_of_part(self.seed, epoch))
        return order[place * self.batch_size : (place + 1) * self.batch_size]


@lru_cache(maxsize=4)
def _shuffled(n: int, seed: int) -> list[int]:
    return torch.randperm(n, generator=seeded_generator(seed)).tolist()


class SequenceBatches:
    """Batches of whole texts: every text once an epoch, in an order fixed by the seed.

    Texts of similar length are not put into one batch. It would save padding, but the tokens of short texts
    would weigh more than others, and the length of a text depends on what it says.

    Args:
        sequences: texts as ids, e.g. from ``<BOS>`` to ``<EOS>``.
        batch_size: texts a batch.
        pad_id: what fills up the shorter ones.
        seed: of the order; each epoch has its own.
        context: cut every text after so many predictions, if given.

    Raises:
        InputError: there is no text, or one is too short to predict anything, or holds what is no id.

    >>> batches = SequenceBatches([[1, 5, 2], [1, 6, 7, 2], [1, 8, 2]], batch_size=2)
    >>> inputs, targets = batches(0)
    >>> len(inputs), bool((inputs[:, 1:] == targets[:, :-1])[targets[:, :-1] != -100].all())
    (2, True)
    """

    def __init__(
        self,
        sequences: Sequence[Sequence[int]],
        batch_size: int,
        pad_id: int = 0,
        seed: int = 0,
        context: int | None = None,
    ) -> None:
        check("context", context, Count | None)
        self.epochs = Epochs(len(sequences), batch_size, seed)
        short = next((i for i, ids in enumerate(sequences) if len(ids) < 2), None)
        if short is not None:
            raise InputError(f"Sequence {short} has fewer than two tokens: nothing to predict; leave it out.")
        end = None if context is None else context + 1
        self.sequences = [whole_numbers(ids[:end], f"Sequence {i}") for i, ids in enumerate(sequences)]
        self.batch_size, self.per_epoch = self.epochs.batch_size, self.epochs.per_epoch
        self.pad_id, self.seed = pad_id, seed

    def __call__(self, step: int) -> Batch:
        """The batch of a step, always the same for the same step."""
        return inputs_and_targets([self.sequences[i] for i in self.epochs(step)], self.pad_id)


class StreamBatches:
    """Batches cut at random from one long text.

    Args:
        ids: the text.
        batch_size: windows a batch.
        context: predictions a window.
        seed: of the places where windows begin.

    Raises:
        InputError: the text is not longer than one window, or holds what is no id.

    >>> inputs, targets = StreamBatches(range(100), batch_size=3, context=8)(0)
    >>> bool((inputs + 1 == targets).all()), tuple(inputs.shape)
    (True, (3, 8))
    """

    def __init__(
        self, ids: Sequence[int] | Int[Tensor, " length"], batch_size: int, context: int, seed: int = 0
    ) -> None:
        check("batch_size", batch_size, Count)
        check("context", context, Count)
        self.ids = ids if isinstance(ids, Tensor) else torch.tensor(whole_numbers(ids, "The text"))
        if self.ids.ndim != 1 or self.ids.dtype not in (torch.int64, torch.int32):
            kind = str(self.ids.dtype).removeprefix("torch.")
            raise InputError(
                f"The text is {kind} of shape {list(self.ids.shape)}; give ids in one row, int64 or int32."
            )
        if len(self.ids) <= context:
            raise InputError(
                f"A text of {len(self.ids)} tokens holds no window of {context} and the token after it; "
                "give a longer text or a smaller context."
            )
        self.batch_size, self.context, self.seed = batch_size, context, seed

    def __call__(self, step: int) -> Batch:
        """The batch of a step, always the same for the same step."""
        generator = seeded_generator(seed_of_part(self.seed, step))
        starts = torch.randint(len(self.ids) - self.context, (self.batch_size, 1), generator=generator)
        windows = self.ids[starts + torch.arange(self.context + 1)]
        return windows[:, :-1], windows[:, 1:]


def seed_of_part(seed: int, part: int) -> int:
    """The seed of an epoch or a step of a run.

    >>> seed_of_part(1, 5)
    1000008
    """
    # Neighbouring seeds must not share epochs: 1,000,003 is a prime beyond any number of epochs.
    check("seed", seed, Seed)
    return (seed * 1_000_003 + part) % 2**64
