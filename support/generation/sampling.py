"""From logits to the distribution from which the next token is drawn."""

import math
from collections.abc import Sequence
from numbers import Integral, Real

import torch
from jaxtyping import Float
from torch import Tensor

from support.core import InputError
from support.core.validation import Positive, check

NOTHING_TO_CONTINUE = "There is nothing to continue; begin with one token at least, e.g. <BOS>."


def next_token(
    logits: Float[Tensor, "*batch vocab"],
    temperature: float | int = 1.0,
    top_k: int | None = None,
    top_p: float | int | None = None,
    min_p: float | int | None = None,
) -> Float[Tensor, "*batch vocab"]:
    """The probability of every token: divide by the temperature, keep the best, normalise again.

    The order is that of Hugging Face's `transformers`: temperature, top-k, top-p of what is left, min-p.

    Args:
        logits: −∞ rules a token out.
        temperature: below 1 sharpens the distribution, above 1 flattens it.
        top_k: keep the k best tokens, and those that tie with the k-th (Fan et al. 2018).
        top_p: keep the fewest tokens, best first, that together reach this probability (Holtzman et al.
            2020); at least one is kept, and of equally good ones at the edge the higher id.
        min_p: keep the tokens that have at least this share of the best one's probability (Nguyen et al.
            2024).

    Returns:
        probabilities that add up to 1; float32 at least.

    Raises:
        InputError: an argument makes no sense, or a row of logits has no finite largest score.

    >>> next_token(torch.tensor([2.0, 1.0, 0.0]), top_k=2).round(decimals=3)
    tensor([0.7310, 0.2690, 0.0000])
    """
    check_sampling(temperature, top_k, top_p, min_p)
    best = logits.amax(dim=-1)
    check_best(best)
    scores = logits.float() if logits.dtype in (torch.float16, torch.bfloat16) else logits
    if top_k is not None:
        kth = scores.topk(min(top_k, scores.shape[-1]), dim=-1).values[..., -1:]
        scores = scores.masked_fill(scores < kth, -math.inf)
    scores = (scores - best[..., None]) / temperature  # first subtracted, so that nothing overflows
    if top_p is not None and top_p < 1:
        ascending, order = scores.sort(dim=-1, stable=True)
        unneeded = ascending.softmax(dim=-1).cumsum(dim=-1) <= 1 - top_p
        unneeded[..., -1] = False
        scores = scores.masked_fill(torch.zeros_like(unneeded).scatter(-1, order, unneeded), -math.inf)
    if min_p is not None:  # the best score is 0 here, so exp gives shares of the best probability
        scores = scores.masked_fill(scores.exp() < min_p, -math.inf)
    return scores.softmax(dim=-1)


def penalise_repetition(
    logits: Float[Tensor, "text vocab"], texts: Sequence[Sequence[int]], penalty: float | int
) -> Float[Tensor, "text vocab"]:
    """Logits that make every token of a text so far less likely to come again.

    A positive logit is divided by the penalty, a negative one multiplied, once however often the token stands
    in the text. The probabilities depend on where the logits have their zero, which the softmax does not.

    Args:
        logits: of each text's next token.
        texts: the ids of each text so far.
        penalty: above 1; 1 changes nothing, and less than 1 favours repetition.

    Raises:
        InputError: the penalty is not above 0 and finite, there is not one text for each row, or an id does
            not exist.

    Follows Keskar et al. 2019 (CTRL), section 4.1; for negative logits as in `transformers`.

    >>> penalise_repetition(torch.tensor([[3.0, -1.0, 2.0]]), [[0, 1, 0]], 2)
    tensor([[ 1.5000, -2.0000,  2.0000]])
    """
    check("repetition_penalty", penalty, Positive)
    n_rows, n_tokens = logits.shape
    if len(texts) != n_rows or not all(0 <= token < n_tokens for text in texts for token in text):
        raise InputError(
            f"Give one text for each of {n_rows} rows of logits, with ids from 0 to {n_tokens - 1}."
        )
    penalised = logits.clone()
    for row, text in zip(penalised, texts, strict=True):
        ids = torch.tensor(sorted(set(text)), device=logits.device)
        row[ids] = torch.where(row[ids] > 0, row[ids] / penalty, row[ids] * penalty)
    return penalised


def check_best(scores: Float[Tensor, "*batch"]) -> None:
    """Refuse logits that leave nothing to choose from.

    Args:
        scores: the largest logit of each distribution.

    Raises:
        InputError: one of them is −∞, inf or NaN.

    >>> check_best(torch.tensor([2.0, float("nan")]))
    Traceback (most recent call last):
    support.core.errors.InputError: The logits have no finite largest score (all −∞, or inf or NaN), so no ...
    """
    # On a few numbers Python is faster than tensor operations.
    if not all(map(math.isfinite, scores.flatten().tolist())):
        raise InputError(
            "The logits have no finite largest score (all −∞, or inf or NaN), so no token can be chosen; "
            "look at the model's weights."
        )


def check_sampling(
    temperature: float | int,
    top_k: int | None = None,
    top_p: float | int | None = None,
    min_p: float | int | None = None,
) -> None:
    """Refuse a temperature, top-k, top-p or min-p that makes no sense, in one sentence.

    >>> check_sampling(1.0, 0, None)
    Traceback (most recent call last):
    support.core.errors.InputError: top_k=0 keeps no token; give 1 or more, or None for all.
    """
    if not (isinstance(temperature, Real) and math.isfinite(temperature) and temperature > 0):
        raise InputError(
            f"temperature={temperature!r} must be above 0 and finite; for the best token every time "
            "use greedy=True."
        )
    if top_k is not None and not (isinstance(top_k, Integral) and top_k >= 1):
        raise InputError(f"top_k={top_k!r} keeps no token; give 1 or more, or None for all.")
    for name, share in (("top_p", top_p), ("min_p", min_p)):
        if share is not None and not (isinstance(share, Real) and 0 < share <= 1):
            raise InputError(
                f"{name}={share!r} is no probability; give a number above 0 and up to 1, or None for all."
            )
