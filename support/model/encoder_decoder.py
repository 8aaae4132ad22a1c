"""Encoder–decoder: one half reads a text in both directions, the other writes a new one and attends to it."""

from dataclasses import replace
from typing import Any, NamedTuple

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.model.attention import CrossAttention
from support.model.base import evaluating
from support.model.cache import KVCache
from support.model.config import GPTConfig
from support.model.encoder import Encoder
from support.model.gpt import GPT


class Seq2SeqInputs(NamedTuple):
    """What an encoder–decoder is given: a text to read, and what has been written of the other.

    Attributes:
        source: the texts to read; shorter ones end in padding.
        ids: the texts to write, so far: the decoder's input.

    >>> inputs = Seq2SeqInputs(torch.zeros(2, 7, dtype=torch.long), torch.zeros(2, 3, dtype=torch.long))
    >>> inputs.to("cpu").source.shape
    torch.Size([2, 7])
    """

    source: Int[Tensor, "batch source"]
    ids: Int[Tensor, "batch position"]

    def to(self, *args: Any, **kwargs: Any) -> "Seq2SeqInputs":
        """Both on another device, as `torch.Tensor.to`."""
        return Seq2SeqInputs(*(t.to(*args, **kwargs) for t in self))


class EncoderDecoder(nn.Module):
    """``model(Seq2SeqInputs(source, ids))``: next-token logits at each of ``ids``, given the whole source.

    `conditioned_on` binds a source and leaves an ordinary model, ids → logits, with a cache: for `generate`.

    Args:
        config: of both halves (the encoder's becomes ``causal=False``); or of the encoder alone.
        decoder: of the decoder, if it has another shape.
        share: one embedding for both halves (and, if the decoder's head is tied, for the head).
        pad_id: the id of padding; in a source, no position attends to it. In a target it stands at the
            right end, where no token attends to it; or at the left, counted by ``pad``.

    Raises:
        InputError: the two configurations do not fit.

    Follows Vaswani et al. 2017; one embedding for all as in their section 3.4 and in Raffel et al. 2019 (T5).

    >>> model = EncoderDecoder(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> model(Seq2SeqInputs(torch.tensor([[5, 6, 7, 8]]), torch.tensor([[1, 4]]))).shape
    torch.Size([1, 2, 9])
    """

    def __init__(
        self,
        config: GPTConfig,
        decoder: GPTConfig | None = None,
        share: bool = True,
        pad_id: int | None = 0,
    ) -> None:
        super().__init__()
        reads, writes = config, decoder
        if writes is None:
            reads, writes = replace(config, causal=False), replace(config, causal=True)
        _check(reads, writes, share)
        self.encoder, self.decoder = Encoder(reads, pad_id=pad_id), GPT(writes, cross=True)
        if share:
            self.decoder.embedding = self.encoder.embedding

    def forward(self, inputs: Seq2SeqInputs) -> Float[Tensor, "batch position vocab"]:
        """Logits of the token after each of ``inputs.ids``."""
        source, ids = inputs
        if len(source) != len(ids):
            raise InputError(f"{len(source)} sources do not go with {len(ids)} texts; give one for each.")
        return self.decoder(ids, **self.across(source, ids.shape[1]))

    def across(self, source: Int[Tensor, "batch source"], n: int) -> dict[str, Tensor]:
        """What ``n`` positions of the decoder attend to: the source's stream, and where it is no padding."""
        return {"memory": self.encoder.encode(source), "memory_mask": _open(self.encoder.present(source), n)}

    def conditioned_on(self, source: Int[Tensor, "batch source"]) -> "ConditionedDecoder":
        """The model with this source: ids → logits. The source is read now, once, as in use (no dropout).

        >>> from support.generation import generate
        >>> model = EncoderDecoder(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
        >>> len(generate(model.conditioned_on(torch.tensor([[5, 6, 7, 8]])), [1], max_new_tokens=3, seed=0))
        4
        """
        return ConditionedDecoder(self, source)

    @torch.no_grad()
    def cross_weights(self, inputs: Seq2SeqInputs) -> list[Float[Tensor, "batch head position source"]]:
        """The weights of each token of ``ids`` over the source, for each layer of the decoder."""
        found: list[Tensor] = []
        hooks = [
            part.register_forward_hook(lambda part, args, _: found.append(part.with_weights(*args)[1]))
            for part in self.decoder.modules()
            if isinstance(part, CrossAttention)
        ]
        try:
            self(inputs)
        finally:
            for hook in hooks:
                hook.remove()
        return found

    def n_parameters(self) -> int:
        """How many trained numbers both halves hold; what they share counts once."""
        return sum(p.numel() for p in self.parameters())

    def extra_loss(self) -> Float[Tensor, ""] | None:
        """What training adds to the loss: the balance of the experts in either half; None without experts."""
        extra = [e for e in (self.encoder.extra_loss(), self.decoder.extra_loss()) if e is not None]
        return torch.stack(extra).sum() if extra else None


class ConditionedDecoder(nn.Module):
    """An `EncoderDecoder` with its source already read: ids → logits, and a cache, as of a `GPT`.

    It holds what the weights made of the source when it was built: after training, make a new one. One
    source serves a batch of any size. What it holds moves with it (``.to``, ``.double``).

    Args:
        model: what reads and writes; it is not copied.
        source: one text, or one for each text of a batch.

    >>> model = EncoderDecoder(GPTConfig(vocab_size=9, d_model=8, n_heads=2)).double().eval()
    >>> writer = model.conditioned_on(torch.tensor([[5, 6, 7, 8]]))
    >>> ids, cache = torch.tensor([[1, 2, 3]]), writer.cache(length=3)
    >>> step_by_step = torch.cat([writer(ids[:, i : i + 1], cache) for i in range(3)], dim=1)
    >>> bool(torch.allclose(step_by_step, model(Seq2SeqInputs(torch.tensor([[5, 6, 7, 8]]), ids))))
    True
    """

    memory: Tensor
    present: Tensor

    def __init__(self, model: EncoderDecoder, source: Int[Tensor, "batch source"]) -> None:
        super().__init__()
        self.model, self.config = model, model.decoder.config
        with torch.no_grad(), evaluating(model):
            memory, present = model.encoder.encode(source), model.encoder.present(source)
        self.register_buffer("memory", memory, persistent=False)
        self.register_buffer("present", present, persistent=False)

    def forward(
        self,
        ids: Int[Tensor, "batch position"],
        cache: KVCache | None = None,
        pad: Int[Tensor, " batch"] | None = None,
        last: bool = False,
    ) -> Float[Tensor, "batch answered vocab"]:
        """Logits of the token after each position; the arguments are those of `GPT`."""
        memory, present = self.memory, self.present
        if len(memory) == 1:
            memory, present = memory.expand(len(ids), -1, -1), present.expand(len(ids), -1)
        if len(memory) != len(ids):
            raise InputError(f"{len(memory)} sources do not go with {len(ids)} texts; give one for each.")
        mask = _open(present, ids.shape[1])
        return self.model.decoder(ids, cache, pad, last, memory=memory, memory_mask=mask)

    def cache(
        self,
        batch: int = 1,
        length: int | None = None,
        pad: Int[Tensor, " batch"] | None = None,
        static: bool = False,
    ) -> KVCache:
        """An empty KV cache for the decoder; see `GPT.cache`."""
        return self.model.decoder.cache(batch, length, pad, static)


def _open(present: Bool[Tensor, "batch source"], n: int) -> Bool[Tensor, "batch 1 position source"]:
    return present[:, None, None].expand(-1, -1, n, -1)


def _check(reads: GPTConfig, writes: GPTConfig, share: bool) -> None:
    if reads.causal or not writes.causal:
        raise InputError(
            "The encoder attends in both directions and the decoder must not: give the first configuration "
            "causal=False and the second causal=True, or one configuration for both."
        )
    if reads.d_model != writes.d_model:
        raise InputError(
            f"The encoder's stream has d_model={reads.d_model} and the decoder would attend to vectors of "
            f"d_model={writes.d_model}; make them equal."
        )
    if share and reads.vocab_size != writes.vocab_size:
        raise InputError(
            f"Vocabularies of {reads.vocab_size} and {writes.vocab_size} ids cannot share an embedding; make "
            "them one, or give share=False."
        )
