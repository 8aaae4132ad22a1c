"""Writing a text: one token, then the next; what was read stays in the cache, so each token is read once."""

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.generation.sampling import check_sampling, next_token
from support.model import FastStep, can_step_fast

Prompt = Sequence[int] | Int[Tensor, " position"]
_Choice = Callable[[Float[Tensor, "text vocab"]], list[int]]  # scores of the next tokens → the ids chosen


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
    cache: bool = True,
    prefill: int | None = None,
) -> list[int]:
    """Continue a text; the prompt and what was written, in one list.

    The model sees at most its ``context`` latest tokens: once the text is longer, they are read anew for
    every token. A model whose cache rolls (`support.model.KVCache`) reads on without end.

    Args:
        model: ids → logits, such as `support.model.GPT`.
        ids: the text so far, one token at least.
        max_new_tokens: write at most so many.
        temperature: see `next_token`; so are ``top_k`` and ``top_p``.
        greedy: take the best token every time (of equal ones the lowest id).
        seed: the same seed writes the same text; without one, torch's own generator draws.
        stop: ids after which the writing ends; the one met is part of the result.
        cache: read each token once, if the model has a cache. Switch it off for a model that is patched
            at certain positions, or trained while it writes.
        prefill: read the prompt in chunks of so many tokens (less memory); at once if not given.

    Raises:
        InputError: an argument makes no sense.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> len(generate(model, [1], max_new_tokens=5, seed=0))
    6
    """
    sampling = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "greedy": greedy}
    return [
        *map(int, ids),
        *stream(model, ids, max_new_tokens, **sampling, seed=seed, stop=stop, cache=cache, prefill=prefill),
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
    cache: bool = True,
    prefill: int | None = None,
) -> Iterator[int]:
    """What `generate` writes, token by token, each as soon as it is chosen; without the prompt.

    Arguments and errors are those of `generate`; they are checked at once, not at the first token.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> list(stream(model, [1], 5, seed=3)) == generate(model, [1], 5, seed=3)[1:]
    True
    """
    sampling = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    steps = _write(model, [ids], max_new_tokens, sampling, greedy, [seed], stop, cache, prefill)
    return (chosen for (chosen,) in steps if chosen is not None)


def generate_many(
    model: nn.Module,
    prompts: Sequence[Prompt],
    max_new_tokens: int,
    temperature: float | int = 1.0,
    top_k: int | None = None,
    top_p: float | int | None = None,
    greedy: bool = False,
    seed: int | None = None,
    stop: Collection[int] = (),
    cache: bool = True,
    prefill: int | None = None,
) -> list[list[int]]:
    """Continue many texts side by side, of whatever length: each as `generate` would continue it alone.

    Args:
        model: see `generate`; so are all arguments not named here.
        prompts: the texts so far. Shorter ones are filled up at the left, where nobody looks.
        seed: text ``i`` is written with ``seed + i``, so that equal prompts become different texts.
        stop: ends each text by itself.

    >>> from support.model import GPT, GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)).double()
    >>> generate_many(model, [[1], [1, 2, 3]], 4, seed=5)[1] == generate(model, [1, 2, 3], 4, seed=6)
    True
    """
    sampling = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    seeds = [None if seed is None else seed + i for i in range(len(prompts))]
    texts = [[int(i) for i in prompt] for prompt in prompts]
    if not texts:
        return []
    for step in _write(model, texts, max_new_tokens, sampling, greedy, seeds, stop, cache, prefill):
        for text, chosen in zip(texts, step, strict=True):
            if chosen is not None:
                text.append(chosen)
    return texts


def _write(
    model: nn.Module,
    prompts: Sequence[Prompt],
    max_new_tokens: int,
    sampling: dict[str, Any],
    greedy: bool,
    seeds: Sequence[int | None],
    stop: Collection[int],
    cache: bool,
    prefill: int | None,
) -> Iterator[list[int | None]]:
    """One list a step: each text's next id, None for those that have ended. Checks come before any step."""
    check_sampling(**sampling)
    texts = [[int(i) for i in prompt] for prompt in prompts]
    if not all(texts):
        raise InputError("There is nothing to continue; begin with one token at least, e.g. <BOS>.")
    if max_new_tokens < 0:
        raise InputError(f"max_new_tokens={max_new_tokens} must not be negative.")
    if prefill is not None and prefill < 1:
        raise InputError(f"prefill={prefill} reads nothing; give 1 token or more, or None for all at once.")
    if greedy and sampling != {"temperature": 1, "top_k": None, "top_p": None}:
        raise InputError("greedy takes the best token every time; leave temperature, top_k and top_p out.")
    reader = _Reader(model, texts, max_new_tokens, cache, prefill)
    return _steps(reader, _best if greedy else _draw(sampling, seeds), max_new_tokens, frozenset(stop))


def _steps(
    reader: "_Reader", choose: _Choice, max_new_tokens: int, stop: frozenset[int]
) -> Iterator[list[int | None]]:
    going = [True] * len(reader.texts)
    for _ in range(max_new_tokens):
        chosen = choose(reader.next_logits())
        # A text that has ended is read on, unheard: to take it out would cost more than it spares.
        reader.add(chosen)
        yield [new if goes else None for new, goes in zip(chosen, going, strict=True)]
        going = [goes and new not in stop for new, goes in zip(chosen, going, strict=True)]
        if not any(going):
            return


def _best(logits: Tensor) -> list[int]:
    return logits.argmax(dim=-1).tolist()


def _draw(sampling: dict[str, Any], seeds: Sequence[int | None]) -> _Choice:
    generators = [None if seed is None else torch.Generator().manual_seed(seed) for seed in seeds]

    def choose(logits: Tensor) -> list[int]:
        # On the CPU and in float64, so that a seed means the same anywhere.
        pages = next_token(logits.cpu().double(), **sampling)
        return [int(torch.multinomial(p, 1, generator=g)) for p, g in zip(pages, generators, strict=True)]

    return choose


class _Reader:
    """Texts that grow, and the model's scores for the next token of each."""

    def __init__(
        self, model: nn.Module, texts: list[list[int]], room: int, cache: bool, prefill: int | None
    ) -> None:
        self.model, self.texts, self.prefill = model, texts, prefill
        self.device = next(model.parameters()).device
        longest, config = max(map(len, texts)), getattr(model, "config", None)
        self.context = getattr(config, "context", None) or longest + room
        self.family = hasattr(model, "cache")  # a model of `support.model`: it knows of filling and caches
        self.cache = None
        if cache and self.family and config.causal:
            length = min(self.context, longest + room)
            self.cache = model.cache(len(texts), max(length, 1), self._pad(texts))
        self.fast: FastStep | None = None

    def add(self, chosen: list[int]) -> None:
        for text, new in zip(self.texts, chosen, strict=True):
            text.append(new)

    @torch.inference_mode()
    def next_logits(self) -> Float[Tensor, "text vocab"]:
        with _in_use(self.model):
            if self.cache is not None:
                start, longest = self.cache.start, max(map(len, self.texts))
                if self.cache.limit is None or longest <= self.cache.limit:
                    return self._go_on(start, longest - start)
            return self._anew()

    def _go_on(self, start: int, n: int) -> Tensor:
        """Read what the cache has not read yet: the prompt, in chunks; later the one new token."""
        new = self._table([text[-n:] for text in self.texts])
        if n == 1 and self.fast is None and can_step_fast(self.model, self.cache):
            self.fast = FastStep(self.model, self.cache)
        if n == 1 and self.fast is not None and not self.fast.is_watched:
            return self.fast(new[:, 0])
        for part in new.split(min(self.prefill or n, self.context), dim=1):
            logits = self.model(part, self.cache, last=True)
        return logits[:, -1]

    def _anew(self) -> Tensor:
        """Read the latest tokens from the first to the last."""
        latest = [text[-self.context :] for text in self.texts]
        if self.family:
            return self.model(self._table(latest), pad=self._pad(latest), last=True)[:, -1]
        return torch.stack([self.model(self._table([text]))[0, -1] for text in latest])

    def _table(self, rows: list[list[int]]) -> Int[Tensor, "text position"]:
        """Rows of equal length; shorter ones are filled with zeros at the left, which `pad` hides."""
        width = max(map(len, rows))
        return torch.tensor([[0] * (width - len(row)) + row for row in rows], device=self.device)

    def _pad(self, rows: list[list[int]]) -> Int[Tensor, " text"] | None:
        lengths = [len(row) for row in rows]
        if len(set(lengths)) == 1:
            return None
        return torch.tensor([max(lengths) - n for n in lengths], device=self.device)


@contextmanager
def _in_use(model: nn.Module) -> Iterator[None]:
    """Dropout off for one step; whoever reads the stream may train in between."""
    was_training = model.training
    if was_training:
        model.eval()
    yield
    if was_training:
        model.train()
