"""The whole model: ids → embeddings → blocks → norm → a logit for every word of the vocabulary."""

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor

from support.model.base import Transformer, check_ids
from support.model.cache import KVCache, check_pad


class GPT(Transformer):
    """A decoder-only transformer; ``model(ids)`` gives the logits of the next token at every position.

    Args:
        config: its shape.
        cross: let its blocks attend to an encoder's stream, too (see `EncoderDecoder`).

    Follows Radford et al. 2019 (GPT-2); how the weights start is said at `Transformer.initialise`.

    >>> from support.model import GPTConfig
    >>> model = GPT(GPTConfig(vocab_size=28, context=16, d_model=32, n_heads=2))
    >>> model(torch.zeros(2, 5, dtype=torch.long)).shape
    torch.Size([2, 5, 28])
    """

    def forward(
        self,
        ids: Int[Tensor, "batch position"],
        cache: KVCache | None = None,
        pad: Int[Tensor, " batch"] | None = None,
        last: bool = False,
        memory: Float[Tensor, "batch source d_model"] | None = None,
        memory_mask: Bool[Tensor, "batch #head #position source"] | None = None,
    ) -> Float[Tensor, "batch answered vocab"]:
        """Logits for the token after each position.

        Args:
            ids: tokens; with a cache, only those that it has not read yet.
            cache: of `cache`; what this pass reads is added to it. Such a pass carries no gradient.
            pad: how many padding tokens stand at the left of each text (a cache has its own).
            last: give the logits of the last position alone, as one position.
            memory: an encoder's stream, for a model with ``cross``.
            memory_mask: True where that stream may be attended to.

        Raises:
            InputError: ids that `embed` refuses, a ``pad`` that does not fit, or more tokens than the cache
                has room for.
        """
        with torch.set_grad_enabled(cache is None and torch.is_grad_enabled()):
            stream = self.read(ids, cache, pad, memory, memory_mask)
            return self.unembed(stream[:, -1:] if last else stream)

    def read(
        self,
        ids: Int[Tensor, "batch position"],
        cache: KVCache | None = None,
        pad: Int[Tensor, " batch"] | None = None,
        memory: Float[Tensor, "batch source d_model"] | None = None,
        memory_mask: Bool[Tensor, "batch #head #position source"] | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """The stream after the last block, before the final norm; arguments are those of a call."""
        check_ids(ids, self.config)
        start, pad, keys = _positions(ids, cache, pad)
        stream = self.embed(ids, start, pad)
        contexts = self.attention_contexts(stream, start, pad, keys)
        for layer, block in enumerate(self.blocks):
            past = None if cache is None else cache.layers[layer]
            stream = block(stream, contexts[layer], past, memory, memory_mask)
        if cache is not None:
            cache.advance(ids.shape[1])
        return stream

    def cache(
        self,
        batch: int = 1,
        length: int | None = None,
        pad: Int[Tensor, " batch"] | None = None,
        static: bool = False,
    ) -> KVCache:
        """An empty KV cache that fits this model, on its device and in its precision.

        The arguments are those of `KVCache`.

        >>> from support.model import GPTConfig
        >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)).double().eval()
        >>> ids, cache = torch.tensor([[1, 2, 3]]), model.cache(length=3)
        >>> step_by_step = torch.cat([model(ids[:, i : i + 1], cache) for i in range(3)], dim=1)
        >>> bool(torch.allclose(step_by_step, model(ids)))
        True
        """
        weight = next(self.parameters())
        return KVCache(self.config, batch, length, pad, weight.device, weight.dtype, static)


def _positions(
    ids: Tensor, cache: KVCache | None, pad: Tensor | None
) -> tuple[int | Tensor, Tensor | None, Tensor | None]:
    """The first token's position, the padding before each text, the position of each key (None: in order)."""
    if cache is not None:
        cache.check(*ids.shape)
        return cache.next_place, cache.pad, cache.key_places(ids.shape[1])
    if pad is not None:
        check_pad(pad, *ids.shape)
    return 0, pad, None
