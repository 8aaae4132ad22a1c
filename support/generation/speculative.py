"""Speculative decoding: a small model drafts several tokens, the large one checks them in a single pass."""

from collections.abc import Callable, Collection, Sequence
from contextlib import nullcontext
from dataclasses import dataclass

import torch
from jaxtyping import Float
from torch import Tensor, nn

from support.core import InputError, seeded_generator
from support.core.validation import Count, CountOrZero, check
from support.generation.sampling import NOTHING_TO_CONTINUE, check_best, check_sampling
from support.model import GPT, evaluating
from support.text.ids import whole_numbers

Draft = GPT | Callable[[list[int]], Float[Tensor, " vocab"]]  # a model, or the probabilities after a text


@dataclass(frozen=True)
class Speculation:
    """A text, and what it cost to generate it.

    Attributes:
        ids: the prompt and what was generated.
        passes: of the large model.
        drafted: tokens that the draft proposed.
        judged: how many of these the large model came to judge: in each pass up to the first that it rejects.
        accepted: how many were kept.
    """

    ids: list[int]
    passes: int
    drafted: int
    judged: int
    accepted: int

    @property
    def acceptance(self) -> float:
        """The acceptance rate: the share of the judged tokens that were kept."""
        return self.accepted / max(self.judged, 1)


def expected_tokens(acceptance: float, k: int) -> float:
    """Tokens for each pass of the large model, if each drafted token is accepted independently.

    The pass brings 1 + α + … + αᵏ = (1 − αᵏ⁺¹) / (1 − α) tokens: the guesses up to the first rejection, and
    one that the large model draws itself.

    Args:
        acceptance: α, the probability that a judged token is accepted.
        k: tokens that are drafted before each pass.

    Follows Leviathan, Kalman and Matias 2023, equation 1.

    >>> expected_tokens(0.5, 4), expected_tokens(1.0, 4)
    (1.9375, 5.0)
    """
    return float(sum(acceptance**i for i in range(k + 1)))


def residual_distribution(p: Float[Tensor, " vocab"], q: Float[Tensor, " vocab"]) -> Float[Tensor, " vocab"]:
    """What to draw from when a drafted token is rejected: ``max(p − q, 0)``, made to sum to one.

    A token drafted from q is kept with probability ``min(1, p / q)``. Together with this distribution for the
    rest, the token that results is distributed exactly as p, whatever q is.

    Args:
        p: the large model's distribution.
        q: the draft's.

    >>> residual_distribution(torch.tensor([0.5, 0.3, 0.2]), torch.tensor([0.2, 0.2, 0.6]))
    tensor([0.7500, 0.2500, 0.0000])
    """
    left = (p - q).clamp(min=0)
    return left / left.sum() if left.sum() > 0 else p  # equal distributions: nothing is ever rejected


@torch.no_grad()
def speculative_generate(
    model: GPT,
    draft: Draft,
    ids: Sequence[int],
    max_new_tokens: int,
    k: int = 4,
    temperature: float | int = 1.0,
    greedy: bool = False,
    seed: int = 0,
    stop: Collection[int] = (),
) -> Speculation:
    """Continue a text with as many tokens a pass of the large model as a draft gets right, plus one.

    The text is distributed exactly as one sampled from the large model alone; with ``greedy`` it is the same
    text. Only the number of passes depends on the draft. Both models keep what they have read in a KV cache
    and forget the tokens that are rejected.

    Args:
        model: the large model.
        draft: a smaller model with the same vocabulary; or a function from a text to probabilities.
        ids: the text so far, one token at least.
        max_new_tokens: generate at most so many.
        k: tokens that are drafted before each pass.
        temperature: divides the logits of both models.
        greedy: take the most probable token every time.
        seed: of the random numbers; they are drawn on the CPU.
        stop: ids after which the text ends; the one met is part of the result.

    Raises:
        InputError: no token is drafted, the temperature is not positive, the text is empty or too long for a
            context, the two vocabularies differ, or the logits have no finite best.

    Follows Leviathan, Kalman and Matias 2023, *Fast Inference from Transformers via Speculative Decoding*;
    Chen et al. 2023.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, context=32))
    >>> found = speculative_generate(model, model, [1], max_new_tokens=10, k=4)
    >>> len(found.ids), found.passes, found.acceptance  # a perfect draft: five tokens a pass
    (11, 2, 1.0)
    """
    text, ends = whole_numbers(ids, "A prompt"), frozenset(whole_numbers(stop, "stop"))
    _check(model, draft, text, max_new_tokens, k, temperature)
    generator = seeded_generator(seed)

    def as_drawn(logits: Tensor) -> Tensor:
        logits = logits.double().cpu()
        check_best(logits.amax(-1))
        if greedy:
            return nn.functional.one_hot(logits.argmax(-1), logits.shape[-1]).double()
        return (logits / temperature).softmax(-1)

    end, passes, proposed, judged, kept = len(text) + max_new_tokens, 0, 0, 0, 0
    large, small = _Reader(model, end), _Reader(draft, end) if isinstance(draft, GPT) else None

    def drafted(text: list[int]) -> Tensor:
        return as_drawn(draft(text).double().log() if small is None else small.logits(text, len(text) - 1)[0])

    def draw(distribution: Tensor) -> int:
        return int(torch.multinomial(distribution, 1, generator=generator))

    with evaluating(model), nullcontext() if small is None else evaluating(small.model):
        while len(text) < end:
            start, guesses = len(text), []
            for _ in range(min(k, end - start - 1)):
                guesses.append(drafted(text))
                text.append(draw(guesses[-1]))
            wanted = as_drawn(large.logits(text, start - 1))  # [guesses + 1, vocab]
            passes, proposed = passes + 1, proposed + len(guesses)
            tail, text = text[start:], text[:start]
            for token, q, p in zip(tail, guesses, wanted, strict=False):
                judged += 1
                if torch.rand((), generator=generator, dtype=torch.float64) * q[token] >= p[token]:
                    text.append(draw(residual_distribution(p, q)))
                    break
                text.append(token)
                kept += 1
            else:
                text.append(draw(wanted[-1]))
            ended = [i for i in range(start, len(text)) if text[i] in ends]
            if ended:
                return Speculation(text[: ended[0] + 1], passes, proposed, judged, kept)
    return Speculation(text, passes, proposed, judged, kept)


class _Reader:
    """A model that reads a text again and again, as it grows and shrinks at its end."""

    def __init__(self, model: GPT, room: int) -> None:
        self.model, self.known = model, list[int]()
        cache = model.cache(length=min(room, model.config.context)) if model.config.causal else None
        goes_back = cache is not None and cache.limit == cache.slots  # not if it has a window
        self.cache = cache if goes_back else None

    def logits(self, text: list[int], start: int) -> Float[Tensor, "position vocab"]:
        """The logits at the positions of a text from ``start`` on."""
        ids = torch.tensor([text], device=self.model.embedding.weight.device)
        if self.cache is None:
            return self.model(ids)[0, start:]
        differing = (i for i, (a, b) in enumerate(zip(self.known, text, strict=False)) if a != b)
        read = min(next(differing, min(len(self.known), len(text))), start)
        self.cache.forget(read)
        self.known = list(text)
        return self.model(ids[:, read:], self.cache)[0, start - read :]


def _check(model: GPT, draft: Draft, text: list[int], new: int, k: int, temperature: float | int) -> None:
    check("k", k, Count)
    check("max_new_tokens", new, CountOrZero)
    check_sampling(temperature)
    if not text:
        raise InputError(NOTHING_TO_CONTINUE)
    if not isinstance(model, GPT) or (isinstance(draft, nn.Module) and not isinstance(draft, GPT)):
        raise InputError("The model and the draft must each be a GPT (not a compiled or wrapped one).")
    for name, reader in (("model", model), ("draft", draft)):
        if isinstance(reader, GPT) and len(text) + new > reader.config.context:
            raise InputError(
                f"{len(text)} tokens and {new} new ones exceed context={reader.config.context} of the "
                f"{name}; ask for fewer."
            )
    if isinstance(draft, GPT) and draft.config.vocab_size != model.config.vocab_size:
        raise InputError(
            f"The draft has {draft.config.vocab_size} words and the model {model.config.vocab_size}; "
            "they must share a vocabulary."
        )
