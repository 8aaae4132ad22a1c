"""Generating a text token by token; what was read stays in the cache, so each token is read once."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError, seeded_generator
from support.core.validation import Count, CountOrZero, Seed, check
from support.generation.compiled import fast_step, slots_for
from support.generation.few_rows import few_rows
from support.generation.sampling import NOTHING_TO_CONTINUE, check_best, check_sampling, next_token
from support.model import evaluating
from support.model.cache import rolls_on
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
    if greedy and sampling != plain:
        names = "temperature, top_k, top_p and min_p"
        raise InputError(f"greedy takes the best token every time; leave {names} out.")
    weight = next(model.parameters(), None)
    device = torch.device("cpu") if weight is None else weight.device
    on_cpu = reproducible or (reproducible is None and device.type == "cpu")
    where = torch.device("cpu") if on_cpu else device
    generators = [None if s is None else seeded_generator(s, where) for s in seeds]
    ends = frozenset(whole_numbers(stop, "stop"))
    reader = _Reader(model, device, texts, max_new_tokens, cache, prefill, compile, steady)

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
            chosen, numbers = best(logits) if greedy else draw(logits)
            # A text that has ended is still computed: to take it out would cost more than it saves.
            reader.add(chosen, numbers)
            yield [new if goes else None for new, goes in zip(numbers, going, strict=True)]
            going = [goes and new not in ends for new, goes in zip(numbers, going, strict=True)]
            if not any(going):
                return

    return steps()


class _Reader:
    """Texts that grow, and the model's logits for the next token of each."""

    def __init__(
        self,
        model: Any,
        device: torch.device,
        texts: list[list[int]],
        room: int,
        cache: bool,
        prefill: int | None,
        compile: bool,
        steady: bool,
    ) -> None:
        self.model, self.compile, self.steady = model, compile, steady
        self.texts, self.prefill, self.device = texts, prefill, device
        self.longest = max(map(len, texts))
        config: Any = getattr(model, "config", None)
        self.context = getattr(config, "context", None) or self.longest + room
        self.family = hasattr(model, "cache")  # a model of `support.model`: it knows of padding and caches
        if not self.family and not getattr(config, "causal", True):
            raise InputError("An encoder predicts the token at each position, not the next; give a GPT.")
        self.cache = None
        length = min(self.context, self.longest + room)
        if cache and self.family and config.causal and (self.longest <= length or rolls_on(config, length)):
            with torch.inference_mode():  # views of such tensors cost less
                static = False
                if compile:
                    length, static = slots_for(config, length, self.device)
                self.cache = model.cache(len(texts), length, self._pad(texts), static)
        if compile and self.cache is None:
            raise InputError(
                "compile=True compiles a step with a cache, and there is none here; leave it out."
            )
        self.few_rows = few_rows(model)
        self.step: Callable[[Tensor], Tensor] | None = None
        self.unread = self._table(texts)

    def add(self, chosen: Int[Tensor, " text"], numbers: list[int]) -> None:
        for text, new in zip(self.texts, numbers, strict=True):
            text.append(new)
        self.longest += 1
        self.unread = chosen[:, None]

    @torch.inference_mode()
    def next_logits(self) -> Float[Tensor, "text vocab"]:
        cached = self.cache is not None and (self.cache.limit is None or self.longest <= self.cache.limit)
        # Off for this step only: whoever reads the stream may train in between.
        with evaluating(self.model) if self.model.training else nullcontext():
            return self._go_on() if cached else self._anew()

    def _go_on(self) -> Tensor:
        """Read what the cache has not read yet: the prompt, in chunks; later the one new token."""
        n = self.unread.shape[1]
        # (A compiled step takes 0 and 1 for numbers, not for symbols; from 2 on, one serves all lengths.)
        if n == 1 and self.compile and self.longest > 2 and self.cache is not None:
            self.step = self.step or fast_step(self.model, self.unread, self.cache, self.steady)
            return self.step(self.unread)[:, -1]
        if n == 1:
            with self.few_rows:
                return self.model(self.unread, self.cache, last=True)[:, -1]
        for part in self.unread.split(min(self.prefill or n, self.context), 1):
            logits = self.model(part, self.cache, last=True)
        return logits[:, -1]

    def _anew(self) -> Tensor:
        """Read the latest tokens from the first to the last."""
        latest = [text[-self.context :] for text in self.texts]
        if self.family:
            return self.model(self._table(latest), pad=self._pad(latest), last=True)[:, -1]
        return torch.stack([self.model(self._table([text]))[0, -1] for text in latest])

    def _table(self, rows: list[list[int]]) -> Int[Tensor, "text position"]:
        """Rows of equal length; shorter ones are padded with zeros at the left, which `pad` hides."""
        width = max(map(len, rows))
        return torch.tensor([[0] * (width - len(row)) + row for row in rows], device=self.device)

    def _pad(self, rows: list[list[int]]) -> Int[Tensor, " text"] | None:
        lengths = [len(row) for row in rows]
        if len(set(lengths)) == 1:
            return None
        return torch.tensor([max(lengths) - n for n in lengths], device=self.device)
