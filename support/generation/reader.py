"""A model that reads texts as they grow: each token once if it has a cache, all of them anew if not."""

from collections.abc import Callable
from contextlib import nullcontext
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor

from support.core import InputError
from support.generation.compiled import fast_step, slots_for
from support.generation.few_rows import few_rows
from support.model import evaluating
from support.model.cache import rolls_on


class Reader:
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
