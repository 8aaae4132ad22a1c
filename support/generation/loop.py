"""Generating a text token by token; what was read stays in the cache, so each token is read once."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

import torch
from jaxtyping import Int
from torch import Tensor, nn

from support.core import InputError, seeded_generator
from support.core.validation import Count, CountOrZero, Positive, Seed, check
from support.generation.reader import Reader
from support.generation.sampling import (
    NOTHING_TO_CONTINUE,
    check_best,
    check_sampling,
    next_token,
    penalise_repetition,
)
from support.text.ids import whole_numbers

Prompt = Sequence[int] | Int[Tensor, " position"]


def generate(
    model: nn.Module,
    ids: Prompt,
    max_new_tokens: int,
    temperature: float | int = 1.0,
    top_k: int | None = None,
    top_p: float | int | None = None,
    min_p: float | int | None = None,
    repetition_penalty: float | int = 1.0,
    greedy: bool = False,
    seed: int | None = None,
    stop: Collection[int] = (),
    cache: bool = True,
    prefill: int | None = None,
    reproducible: bool | None = None,
    compile: bool = False,
) -> list[int]:
    """Continue a text; returns the prompt and what was generated, in one list.

    The model reads at most its ``context`` latest tokens: once the text is longer, they are read anew for
    every token. A model whose cache rolls (`support.model.KVCache`) reads on without end.

    Dropout is off while a token is computed, and every module is back in its mode between two tokens. So
    several threads may share a model that is in use (``model.eval()``), but not one in training mode: they
    would switch its mode for each other.

    Args:
        model: ids → logits, such as `support.model.GPT`.
        ids: the text so far, one token at least.
        max_new_tokens: write at most so many.
        temperature: see `next_token`; so are ``top_k``, ``top_p`` and ``min_p``.
        repetition_penalty: see `penalise_repetition`; the prompt's tokens are penalised, too.
        greedy: take the best token every time (of equal ones the lowest id).
        seed: the same seed gives the same text; without one, torch's own generator draws.
        stop: ids after which a text ends; the one met is part of the result.
        cache: read each token once, if the model has a cache. Switch it off for a model that is patched
            at certain positions, or trained while it generates.
        prefill: read the prompt in chunks of so many tokens (less memory); at once if not given.
        reproducible: draw on the CPU in float64, so that a seed gives the same text on every device; without
            it, draw where the model is. On a CPU it is the default, elsewhere an option.
        compile: compile the step of one new token (`torch.compile`). It takes up to a minute, once for each
            model, and pays for longer texts; numbers may differ by rounding from those of the plain step. On
            a CPU, for several texts side by side, it lays the weights out once more, which takes as much
            memory again. On a GPU the step is also recorded as a CUDA graph.

    Raises:
        InputError: an argument makes no sense, or the model's logits have no finite best.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> len(generate(model, [1], max_new_tokens=5, seed=0))
    6
    """
    draw = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p, "greedy": greedy}
    draw["repetition_penalty"] = repetition_penalty
    how = {"stop": stop, "cache": cache, "prefill": prefill, "reproducible": reproducible, "compile": compile}
    text = whole_numbers(ids, "A prompt")
    return _written(model, [text], max_new_tokens, [seed], **draw, **how)[0]


def stream(
    model: nn.Module, ids: Prompt, max_new_tokens: int, *, seed: int | None = None, **options: Any
) -> Iterator[int]:
    """What `generate` adds, token by token, each as soon as it is chosen; without the prompt.

    Errors are those of `generate`; they are raised at once, not at the first token.

    Args:
        model: see `generate`.
        ids: the text so far, one token at least.
        max_new_tokens: write at most so many.
        seed: the same seed gives the same tokens.
        options: see `generate`: ``temperature``, ``stop`` and so on.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> list(stream(model, [1], 5, seed=3)) == generate(model, [1], 5, seed=3)[1:]
    True
    """
    steps = _steps(model, [whole_numbers(ids, "A prompt")], max_new_tokens, [seed], **options)
    return (chosen for (chosen,) in steps if chosen is not None)


def generate_many(
    model: nn.Module,
    prompts: Sequence[Prompt],
    max_new_tokens: int,
    *,
    seed: int | None = None,
    **options: Any,
) -> list[list[int]]:
    """Continue many texts side by side, of whatever length: each as `generate` would continue it alone.

    Args:
        model: see `generate`; so are the options, of which ``stop`` ends each text by itself.
        prompts: the texts so far. Shorter ones are padded at the left, which no token attends to.
        max_new_tokens: write at most so many to each.
        seed: text ``i`` is drawn with ``seed + i``, so that equal prompts become different texts.
        options: see `generate`.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)).double()
    >>> generate_many(model, [[1], [1, 2, 3]], 4, seed=5)[1] == generate(model, [1, 2, 3], 4, seed=6)
    True
    """
    if not isinstance(prompts, Iterable):
        raise InputError(f"prompts={prompts!r} must be a list of texts, each a list of ids.")
    texts = [whole_numbers(prompt, "A prompt") for prompt in prompts]
    if not texts:
        return []
    if seed is not None:
        check("seed", seed, Seed)
    seeds = [None if seed is None else seed + i for i in range(len(texts))]
    return _written(model, texts, max_new_tokens, seeds, **options)


def _written(
    model: nn.Module,
    texts: list[list[int]],
    max_new_tokens: int,
    seeds: Sequence[int | None],
    **options: Any,
) -> list[list[int]]:
    """The texts, each with what was added to it; nobody touches the model between two tokens."""
    written = [*map(list, texts)]
    for step in _steps(model, texts, max_new_tokens, seeds, steady=True, **options):
        for text, chosen in zip(written, step, strict=True):
            if chosen is not None:
                text.append(chosen)
    return written


def _steps(
    model: nn.Module,
    texts: list[list[int]],
    max_new_tokens: int,
    seeds: Sequence[int | None],
    *,
    repetition_penalty: float | int = 1.0,
    greedy: bool = False,
    stop: Collection[int] = (),
    cache: bool = True,
    prefill: int | None = None,
    reproducible: bool | None = None,
    compile: bool = False,
    steady: bool = False,
    **sampling: Any,
) -> Iterator[list[int | None]]:
    """One list a step: each text's next id, None for those that have ended. Checks come before any step."""
    if not all(texts):
        raise InputError(NOTHING_TO_CONTINUE)
    check("max_new_tokens", max_new_tokens, CountOrZero)
    check("prefill", prefill, Count | None)
    plain: dict[str, Any] = {"temperature": 1.0, "top_k": None, "top_p": None, "min_p": None}
    sampling = plain | sampling
    check_sampling(**sampling)
    check("repetition_penalty", repetition_penalty, Positive)
    if greedy and sampling != plain:
        names = "temperature, top_k, top_p and min_p"
        raise InputError(f"greedy takes the best token every time; leave {names} out.")
    weight = next(model.parameters(), None)
    device = torch.device("cpu") if weight is None else weight.device
    on_cpu = reproducible or (reproducible is None and device.type == "cpu")
    where = torch.device("cpu") if on_cpu else device
    generators = [None if s is None else seeded_generator(s, where) for s in seeds]
    ends = frozenset(whole_numbers(stop, "stop"))
    reader = Reader(model, device, texts, max_new_tokens, cache, prefill, compile, steady)

    def best(logits: Tensor) -> tuple[Tensor, list[int]]:
        scores, ids = logits.max(dim=-1)
        check_best(scores)
        return ids, ids.tolist()

    def draw(logits: Tensor) -> tuple[Tensor, list[int]]:
        logits = logits.to(where, torch.float64 if where.type == "cpu" else logits.dtype)
        probabilities = next_token(logits, **sampling)
        if seeds[0] is None:
            ids = torch.multinomial(probabilities, 1)[:, 0]
        else:
            rows = zip(probabilities, generators, strict=True)
            ids = torch.cat([torch.multinomial(row, 1, generator=g) for row, g in rows])
        return ids.to(device), ids.tolist()

    def steps() -> Iterator[list[int | None]]:
        going = [True] * len(texts)
        for _ in range(max_new_tokens):
            logits = reader.next_logits()
            if repetition_penalty != 1:
                logits = penalise_repetition(logits, reader.texts, repetition_penalty)
            chosen, numbers = best(logits) if greedy else draw(logits)
            # A text that has ended is still computed: to take it out would cost more than it saves.
            reader.add(chosen, numbers)
            yield [new if goes else None for new, goes in zip(numbers, going, strict=True)]
            going = [goes and new not in ends for new, goes in zip(numbers, going, strict=True)]
            if not any(going):
                return

    return steps()
