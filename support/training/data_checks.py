"""Tests of batches before a model sees them: targets, loss mask, padding, order, repetition, duplicates."""

from collections.abc import Callable, Sequence

import torch
from jaxtyping import Int
from torch import Tensor

from support.core import InputError
from support.training.batches import IGNORE_INDEX, Batch
from support.training.one_batch import TokenBatch

Found = tuple[str, float, str]  # fault, the number that shows it, a sentence
Batches = Callable[[int], Batch]
INSPECTED = 16  # batches
LONG = 16  # tokens; a held-out text of this length found in training was copied, not drawn again by chance
ORDERED = 128  # batches that the test of their order reads, or as many as hold so many texts:
MOST_TEXTS = 1500
SHUFFLES = 50
RIGHT = 0.99  # of the targets
ALIKE = 6  # standard deviations
BUCKETS = 512  # for the words: a large vocabulary is folded
KINDS = ("length", "words", "first word", "last word")


def tokens_of(batch: Batch) -> TokenBatch:
    """The batch, if its inputs are token ids.

    Raises:
        InputError: its inputs are pairs of texts.

    >>> tokens_of((torch.tensor([[1, 4]]), torch.tensor([[4, 2]])))[0].tolist()
    [[1, 4]]
    """
    inputs, targets = batch
    if not isinstance(inputs, Tensor):
        raise InputError("The diagnosis reads batches of token ids; give it those of a decoder.")
    return inputs, targets


def data_faults(
    batches: Batches,
    pad_id: int,
    held_out: Sequence[Sequence[int]] | None,
    measured: dict[str, float],
) -> list[Found]:
    """The faults of the batches, in the order in which to mend them; numbers are added to ``measured``.

    >>> ids = torch.tensor([[1, 4, 5, 6, 2]])
    >>> data_faults(lambda step: (ids + step, ids + step), 0, None, {})[0][0]
    'targets not shifted'
    """
    seen = [tokens_of(batches(step)) for step in range(INSPECTED)]
    found = _targets(seen, pad_id, measured)
    known = measured["targets that are the next token"] >= RIGHT
    found += _repeated(seen, pad_id) or _order(batches, pad_id, known, measured)
    if held_out is not None:
        found += _duplicates(batches, held_out, pad_id, measured)
    return found


def _targets(seen: list[TokenBatch], pad_id: int, measured: dict[str, float]) -> list[Found]:
    same = right = counted = left_out = real = padding = 0
    for inputs, targets in seen:
        used = targets != IGNORE_INDEX
        body = _body(inputs, pad_id)  # not the padding at the end
        inside = used[:, :-1] & body[:, 1:]  # the true next token is in the inputs
        counted += int(inside.sum())
        right += int((inside & (targets[:, :-1] == inputs[:, 1:])).sum())
        same += int((inside & (targets[:, :-1] == inputs[:, :-1])).sum())
        real += int(body[:, 1:].sum())
        left_out += int((~used[:, :-1] & body[:, 1:]).sum())
        padding += int((used & ~body).sum())
    shares = {
        "targets that are the next token": right / max(1, counted),
        "targets that are the token itself": same / max(1, counted),
        "next tokens without a loss": left_out / max(1, real),
        "targets on padding": padding / max(1, sum(int((t != IGNORE_INDEX).sum()) for _, t in seen)),
    }
    measured |= shares
    next_token, itself, masked, on_padding = shares.values()
    found: list[Found] = []
    if counted and next_token < RIGHT:
        if itself > 0.99:
            found.append(
                ("targets not shifted", itself, "the targets are the inputs themselves; shift by one.")
            )
        else:
            sentence = f"only {next_token:.0%} of the targets are the next token of their own text."
            found.append(("wrong targets", next_token, sentence))
    if on_padding > 0:
        found.append(("padding counted", on_padding, f"{on_padding:.0%} of the targets stand on padding."))
    if masked > 0.01:
        found.append(("loss mask", masked, f"{masked:.0%} of the next tokens have no loss; is that meant?"))
    return found


def _body(inputs: Int[Tensor, "batch position"], pad_id: int) -> Tensor:
    """True up to the last token of each row that is not padding."""
    return (inputs != pad_id).flip(1).cummax(1).values.flip(1)


def _repeated(seen: list[TokenBatch], pad_id: int) -> list[Found]:
    """Do the steps get the same few batches again and again?"""
    different = {tuple(sorted(tuple(row) for row in _texts(inputs, pad_id))) for inputs, _ in seen}
    if len(seen) == 1 or len(different) > len(seen) // 2:
        return []
    share = len(different) / len(seen)
    sentence = f"{len(seen)} steps got {len(different)} different sets of texts; use the step to choose them."
    return [("same batch", share, sentence)]


def _order(batches: Batches, pad_id: int, known: bool, measured: dict[str, float]) -> list[Found]:
    """Are the texts of a batch more alike than texts that are drawn at random?

    Four permutation tests, of the lengths, the words, the first word and the last. What is almost in order
    (the half of each batch, say) shows only over many steps, so it reads more batches than the other tests.
    The last word stands only among the targets; if those are wrong, it is not known.
    """
    rows: dict[tuple, list[list[int]]] = {}  # a batch that comes again counts once
    for step in range(ORDERED):
        inputs, targets = tokens_of(batches(step))
        texts = [
            [*row, last if known else row[-1]]
            for row, last in zip(_texts(inputs, pad_id), _last(inputs, targets, pad_id), strict=True)
            if row
        ]
        rows[tuple(sorted(map(tuple, texts)))] = texts
        if sum(map(len, rows.values())) > MOST_TEXTS:
            break
    features, kinds = _features([text for batch in rows.values() for text in batch])
    owner = torch.tensor([k for k, batch in enumerate(rows.values()) for _ in batch])
    sizes = torch.bincount(owner).clamp(min=1)[:, None]
    generator = torch.Generator().manual_seed(0)

    def between(order: Tensor) -> Tensor:
        sums = torch.zeros(len(rows), features.shape[1], dtype=torch.float64)
        squares = (sums.index_add(0, owner, features[order]).square() / sizes).sum(0)
        return torch.zeros(len(KINDS), dtype=torch.float64).index_add(0, kinds, squares)

    mixed = torch.stack([between(torch.randperm(len(owner), generator=generator)) for _ in range(SHUFFLES)])
    far = (between(torch.arange(len(owner))) - mixed.mean(0)) / mixed.std(0).clamp(min=1e-9)
    z = float(far.max())
    measured["order of the data, standard deviations"] = z
    if z < ALIKE:
        return []
    what = KINDS[int(far.argmax())]
    sentence = (
        f"texts of one batch are alike ({what}): {z:.0f} standard deviations from a random order; shuffle."
    )
    return [("data order", z, sentence)]


def _features(texts: list[list[int]]) -> tuple[Tensor, Tensor]:
    """For each text its length, its shares of words, its first and its last word; which column is which."""
    known = {token: k % BUCKETS for k, token in enumerate(sorted({t for text in texts for t in text}))}
    width = max(known.values()) + 1
    columns = torch.zeros(len(texts), 1 + 3 * width, dtype=torch.float64)
    for row, text in zip(columns, texts, strict=True):
        row[0] = len(text)
        words = torch.tensor([known[t] for t in text])
        row[1 : 1 + width] = torch.bincount(words, minlength=width) / len(text)
        row[1 + width + int(words[min(1, len(text) - 1)])] = 1
        row[1 + 2 * width + int(words[-1])] = 1
    kinds = torch.tensor([0, *(k for k in range(1, len(KINDS)) for _ in range(width))])
    columns -= columns.mean(0)
    shares = slice(0, 1 + width)  # (the rarest word shall not weigh most among first and last words)
    columns[:, shares] /= columns[:, shares].std(0).clamp(min=1e-9)
    return columns, kinds


def _last(inputs: Int[Tensor, "batch position"], targets: Tensor, pad_id: int) -> list[int]:
    """The last token of each text, which only the targets hold."""
    at = (_body(inputs, pad_id).sum(1) - 1).clamp(min=0)
    return targets.gather(1, at[:, None])[:, 0].tolist()


def _duplicates(
    batches: Batches, held_out: Sequence[Sequence[int]], pad_id: int, measured: dict[str, float]
) -> list[Found]:
    """Long held-out texts that stand in the batches of the first epoch, as far as that can be told."""
    wanted = {tuple(ids[:-1]) for ids in held_out if len(ids) > LONG}
    known: set[tuple[int, ...]] = set()
    for step in range(min(getattr(batches, "per_epoch", 100), 200)):
        known |= {tuple(row) for row in _texts(tokens_of(batches(step))[0], pad_id)}
    share = measured["long held-out texts in training"] = len(wanted & known) / max(1, len(wanted))
    if not wanted & known:
        return []
    return [("duplicates", share, f"{share:.0%} of the long held-out texts are training texts, too.")]


def _texts(inputs: Int[Tensor, "batch position"], pad_id: int) -> list[list[int]]:
    lengths = _body(inputs, pad_id).sum(1).tolist()
    return [row[:n] for row, n in zip(inputs.tolist(), lengths, strict=True)]
