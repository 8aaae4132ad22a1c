"""Batches for an encoder–decoder: a text to read and a text to write."""

from collections.abc import Sequence

from support.core import InputError
from support.model import Seq2SeqInputs
from support.training.batches import Batch, Epochs, inputs_and_targets, pad_sequences


class Seq2SeqBatches:
    """Batches of pairs: every pair once an epoch, in an order fixed by the seed.

    Args:
        pairs: (source, target) as ids. Of the target, the first token is given and the others are predicted.
        batch_size: pairs a batch.
        pad_id: what fills up the shorter texts.
        seed: of the order.

    Raises:
        InputError: there is no pair, a source is empty, or a target has nothing to predict.

    >>> batches = Seq2SeqBatches([([5, 6, 7], [1, 8, 2]), ([5], [1, 9, 9, 2])], batch_size=2)
    >>> inputs, targets = batches(0)
    >>> tuple(inputs.source.shape), tuple(inputs.ids.shape), int((targets == -100).sum())
    ((2, 3), (2, 3), 1)
    """

    def __init__(
        self,
        pairs: Sequence[tuple[Sequence[int], Sequence[int]]],
        batch_size: int,
        pad_id: int = 0,
        seed: int = 0,
    ) -> None:
        self.epochs = Epochs(len(pairs), batch_size, seed)
        bad = next(
            (i for i, (source, target) in enumerate(pairs) if not len(source) or len(target) < 2), None
        )
        if bad is not None:
            raise InputError(
                f"Pair {bad} has an empty source, or a target of fewer than two tokens; leave it out."
            )
        self.pairs, self.pad_id = pairs, pad_id

    def __call__(self, step: int) -> Batch:
        """The batch of a step, always the same for the same step."""
        sources, targets = zip(*(self.pairs[i] for i in self.epochs(step)), strict=True)
        inputs, answers = inputs_and_targets(targets, self.pad_id)
        return Seq2SeqInputs(pad_sequences(sources, self.pad_id), inputs), answers
