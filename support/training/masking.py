"""Masked language modelling: hide some tokens of a text, and predict them."""

from collections.abc import Collection, Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from support.core import InputError, seeded_generator
from support.training.batches import IGNORE_INDEX, Batch, Epochs, pad_sequences, seed_of_part

SHOWN_AS = (0.8, 0.1)  # of the chosen tokens: fractions that become <MASK>, and a random token; the rest stay


def mask_tokens(
    ids: Int[Tensor, "batch position"],
    mask_id: int,
    vocab_size: int,
    mask_probability: float = 0.15,
    seed: int = 0,
    special_ids: Collection[int] = (0,),
) -> tuple[Int[Tensor, "batch position"], Int[Tensor, "batch position"]]:
    """Inputs with some tokens hidden, and targets: the token itself where one was chosen, −100 elsewhere.

    Of each text, a fraction ``mask_probability`` of the tokens is chosen (at least one). Of the chosen, eight
    in ten are shown as ``mask_id``, one in ten as a random token and one in ten as it is: any token may be
    wrong, so the model must represent all of them.

    Args:
        ids: texts.
        mask_id: the id that says "hidden".
        vocab_size: random tokens are drawn from all ids below, but for ``mask_id`` and ``special_ids``.
        mask_probability: the fraction of the tokens that is chosen.
        seed: the same seed chooses the same.
        special_ids: ids that are neither chosen nor put in: padding, ``<BOS>`` and the like.

    Raises:
        InputError: ``mask_probability`` is not in (0, 1], or no id is left to be drawn.

    Follows Devlin et al. 2018 (BERT), section 3.1.

    >>> ids = torch.tensor([[1, 5, 6, 7, 8, 9, 2, 0, 0]])
    >>> inputs, targets = mask_tokens(ids, 3, vocab_size=10, mask_probability=0.4, special_ids=(0, 1, 2))
    >>> int((targets != -100).sum()), bool((targets[targets != -100] == ids[targets != -100]).all())
    (2, True)
    """
    if not 0 < mask_probability <= 1:
        raise InputError(
            f"mask_probability={mask_probability} must lie in (0, 1]: so much of a text is to be predicted."
        )
    random = seeded_generator(seed)
    where, ids = ids.device, ids.cpu()
    kept_out = {mask_id, *special_ids}
    drawn = torch.tensor([i for i in range(vocab_size) if i not in kept_out])
    if not len(drawn):
        raise InputError(
            f"Of {vocab_size} ids all are special; leave some out of special_ids={sorted(special_ids)}."
        )
    fit = ~torch.isin(ids, torch.tensor(sorted(kept_out)))
    order = torch.rand(ids.shape, generator=random).masked_fill(~fit, 2.0)
    counts = fit.sum(1).mul(mask_probability).round().clamp(min=1).minimum(fit.sum(1))
    chosen = order.argsort(dim=1).argsort(dim=1) < counts[:, None]
    how = torch.rand(ids.shape, generator=random)
    other = drawn[torch.randint(len(drawn), ids.shape, generator=random)]
    inputs = ids.where(~chosen | (how >= sum(SHOWN_AS)), other)
    inputs = inputs.masked_fill(chosen & (how < SHOWN_AS[0]), mask_id)
    return inputs.to(where), ids.masked_fill(~chosen, IGNORE_INDEX).to(where)


class MaskedBatches:
    """Batches of whole texts with tokens hidden, other ones at each step; see `mask_tokens`.

    Args:
        sequences: texts as ids, e.g. from ``<BOS>`` to ``<EOS>``.
        batch_size: texts a batch.
        mask_id: the id that says "hidden".
        vocab_size: random tokens are drawn from all ids below.
        mask_probability: the fraction of the tokens that is hidden or changed.
        pad_id: what fills up the shorter texts; it is never hidden.
        seed: of the order and of the choice of tokens.
        special_ids: further ids that are neither hidden nor put in.

    Raises:
        InputError: there is no text, or as `mask_tokens` when a batch is made.

    >>> batches = MaskedBatches([[1, 5, 6, 2], [1, 7, 2]], 2, mask_id=3, vocab_size=9, special_ids=(0, 1, 2))
    >>> inputs, targets = batches(0)
    >>> tuple(inputs.shape), int((targets != -100).sum())
    ((2, 4), 2)
    """

    def __init__(
        self,
        sequences: Sequence[Sequence[int]],
        batch_size: int,
        mask_id: int,
        vocab_size: int,
        mask_probability: float = 0.15,
        pad_id: int = 0,
        seed: int = 0,
        special_ids: Collection[int] = (0,),
    ) -> None:
        self.texts, self.epochs = sequences, Epochs(len(sequences), batch_size, seed)
        self.mask_id, self.vocab_size, self.mask_probability = mask_id, vocab_size, mask_probability
        self.pad_id, self.seed, self.special_ids = pad_id, seed, special_ids

    def __call__(self, step: int) -> Batch:
        """The batch of a step, always the same for the same step."""
        ids = pad_sequences([self.texts[i] for i in self.epochs(step)], self.pad_id)
        special = {*self.special_ids, self.pad_id}
        seed = seed_of_part(self.seed, step)
        return mask_tokens(ids, self.mask_id, self.vocab_size, self.mask_probability, seed, special)
