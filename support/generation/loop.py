"""Writing a text: one token, then the next, each read again before the one after it."""

from collections.abc import Collection, Iterator, Sequence

import torch
from jaxtyping import Int
from torch import Tensor, nn

from support.core import InputError
from support.generation.choice import check_wish, next_token

Prompt = Sequence[int] | Int[Tensor, " position"]


def generate(
    model: nn.Module,
    ids: Prompt,
    max_new_tokens: int,
    temperature: float | int = 1.0,
    top_k: int | None = None,
    top_p: float | int | None = None,
    greedy: bool = False,
    seed: int | None = None,
    stop: Collection[int] = (),
) -> list[int]:
    """Continue a text; the prompt and what was written, in one list.

    Args:
        model: ids → logits, such as `support.model.GPT`. It sees at most its ``context`` latest tokens.
        ids: the text so far, one token at least.
        max_new_tokens: write at most so many.
        temperature: see `next_token`; so are ``top_k`` and ``top_p``.
        greedy: take the best token every time (of equal ones the lowest id).
        seed: the same seed writes the same text; without one, torch's own generator draws.
        stop: ids after which the writing ends; the one met is part of the result.

    Raises:
        InputError: an argument makes no sense.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> len(generate(model, [1], max_new_tokens=5, seed=0))
    6
    """
    return [
        *map(int, ids),
        *stream(model, ids, max_new_tokens, temperature, top_k, top_p, greedy, seed, stop),
    ]


def stream(
    model: nn.Module,
    ids: Prompt,
    max_new_tokens: int,
    temperature: float | int = 1.0,
    top_k: int | None = None,
    top_p: float | int | None = None,
    greedy: bool = False,
    seed: int | None = None,
    stop: Collection[int] = (),
) -> Iterator[int]:
    """What `generate` writes, token by token, each as soon as it is chosen; without the prompt.

    Arguments and errors are those of `generate`; they are checked at once, not at the first token.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> list(stream(model, [1], 5, seed=3)) == generate(model, [1], 5, seed=3)[1:]
    True
    """
    check_wish(temperature, top_k, top_p)
    ids = [int(i) for i in ids]
    if not ids:
        raise InputError("There is nothing to continue; begin with one token at least, e.g. <BOS>.")
    if max_new_tokens < 0:
        raise InputError(f"max_new_tokens={max_new_tokens} must not be negative.")
    if greedy and (temperature != 1 or top_k is not None or top_p is not None):
        raise InputError("greedy takes the best token every time; leave temperature, top_k and top_p out.")
    generator = None if seed is None else torch.Generator().manual_seed(seed)
    wish = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    return _write(model, ids, max_new_tokens, wish, greedy, generator, frozenset(stop))


def _write(
    model: nn.Module,
    ids: list[int],
    max_new_tokens: int,
    wish: dict,
    greedy: bool,
    generator: torch.Generator | None,
    stop: frozenset[int],
) -> Iterator[int]:
    context = getattr(getattr(model, "config", None), "context", None) or len(ids) + max_new_tokens
    where = next(model.parameters()).device
    for _ in range(max_new_tokens):
        logits = _last_logits(model, torch.tensor([ids[-context:]], device=where))
        if greedy:
            chosen = int(logits.argmax())
        else:
            chosen = int(torch.multinomial(next_token(logits, **wish), 1, generator=generator))
        ids.append(chosen)
        yield chosen
        if chosen in stop:
            return


@torch.no_grad()
def _last_logits(model: nn.Module, ids: Tensor) -> Tensor:
    """The scores for the next token, on the CPU in float64, so that a seed means the same anywhere."""
    was_training = model.training
    model.eval()
    logits = model(ids)[0, -1].cpu().double()
    model.train(was_training)
    return logits
