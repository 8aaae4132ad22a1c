"""The whole model: ids → embeddings → blocks → norm → a score for every word of the vocabulary."""

import math
from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Bool, Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.model.attention_context import make_attention_context
from support.model.block import Block
from support.model.cache import KVCache
from support.model.config import GPTConfig
from support.model.experts import Experts
from support.model.norms import make_norm
from support.model.positions import LearnedPositions, make_positions


class GPT(nn.Module):
    """A decoder-only transformer; ``model(ids)`` gives the logits of the next token at every position.

    With ``cross``, its blocks look at an encoder's stream, too (see `EncoderDecoder`).

    >>> model = GPT(GPTConfig(vocab_size=28, context=16, d_model=32, n_heads=2))
    >>> model(torch.zeros(2, 5, dtype=torch.long)).shape
    torch.Size([2, 5, 28])
    """

    logit_mask: Tensor | None

    def __init__(self, config: GPTConfig, cross: bool = False) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.position = make_positions(config)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config, cross) for _ in range(config.n_layers))
        # After post-norm blocks the stream is normed already.
        self.final_norm = make_norm(config) if config.norm_first else nn.Identity()
        self.head = None if config.tie_weights else nn.Linear(config.d_model, config.vocab_size, bias=False)
        logit_mask = torch.zeros(config.vocab_size).index_fill(
            0, torch.tensor(config.masked_ids).long(), -math.inf
        )
        self.register_buffer("logit_mask", logit_mask if config.masked_ids else None, persistent=False)
        self.initialise()

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
            pad: how many filling tokens stand at the left of each text (a cache has its own).
            last: give the logits of the last position alone, as one position.
            memory: an encoder's stream, for a model with ``cross``.
            memory_mask: True where that stream may be looked at.

        Raises:
            InputError: no token, more tokens than ``context`` or than the cache has room for, or (on a CPU)
                an id outside the vocabulary.
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
        """The stream behind the last block, before the final norm; arguments are those of a call."""
        n, start, keys = ids.shape[1], 0, None
        if cache is not None:
            cache.check(len(ids), n)
            pad, start, keys = cache.pad, cache.start, cache.key_places(n)
        stream = self.embed(ids, start, pad)
        attention_context = make_attention_context(
            self.config, n, start, pad, keys, stream.device, stream.dtype
        )
        for layer, block in enumerate(self.blocks):
            stream = block(stream, attention_context, cache and cache.layers[layer], memory, memory_mask)
        if cache is not None:
            cache.start += n
        return stream

    def embed(
        self, ids: Int[Tensor, "batch position"], start: int = 0, pad: Int[Tensor, " batch"] | None = None
    ) -> Float[Tensor, "batch position d_model"]:
        """The stream's first state: each token's row, plus its position's, counted from ``start``."""
        self._check(ids)
        stream = self.embedding(ids)
        if self.position is not None:
            where = slice(start, start + ids.shape[1])
            if pad is not None:  # each text counts from its own first token
                places = torch.arange(where.start, where.stop, device=ids.device)
                where = (places - pad[:, None]).clamp(min=0)
            stream = stream + self.position(where)
        return self.dropout(stream)

    def unembed(
        self, stream: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position vocab"]:
        """Norm the stream and compare it with every row of the head (tied: of the embedding)."""
        rows = self.embedding.weight if self.head is None else self.head.weight
        cap = self.config.logit_softcap
        if cap is None:
            return F.linear(self.final_norm(stream), rows, self.logit_mask)
        logits = cap * torch.tanh(F.linear(self.final_norm(stream), rows) / cap)
        return logits if self.logit_mask is None else logits + self.logit_mask

    def cache(
        self, batch: int = 1, length: int | None = None, pad: Int[Tensor, " batch"] | None = None
    ) -> KVCache:
        """An empty KV cache that fits this model, on its device and in its precision.

        >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)).double().eval()
        >>> ids, cache = torch.tensor([[1, 2, 3]]), model.cache(length=3)
        >>> step_by_step = torch.cat([model(ids[:, i : i + 1], cache) for i in range(3)], dim=1)
        >>> bool(torch.allclose(step_by_step, model(ids)))
        True
        """
        weight = self.embedding.weight
        return KVCache(self.config, batch, length, pad, weight.device, weight.dtype)

    def extra_loss(self) -> Float[Tensor, ""] | None:
        """What training adds to the loss: the experts' balance in the last pass; None without experts."""
        routings = [m.routing for m in self.modules() if isinstance(m, Experts) and m.routing is not None]
        if not routings or not self.config.balance_weight:
            return None
        return self.config.balance_weight * torch.stack([r.balance for r in routings]).mean()

    @torch.no_grad()
    def initialise(self) -> None:
        """Fresh weights: every layer passes on what it gets at about the size at which it came.

        Matrices get a standard deviation of 1/√fan-in. The two that write to the stream are divided by
        √(2 n_layers), so that the sum of all writes does not grow with depth (Radford et al. 2019).
        """
        for module in self.modules():
            if isinstance(module, nn.Embedding | LearnedPositions):
                nn.init.normal_(module.weight, std=self.config.init_std)
            elif isinstance(module, nn.Linear):
                nn.init.normal_(module.weight, std=module.in_features**-0.5)
                if module.bias is not None:
                    nn.init.zeros_(module.bias)
        for name, module in self.blocks.named_modules():
            if name.endswith((".output", ".down")):
                module.weight /= math.sqrt(2 * self.config.n_layers)
        if self.head is not None:
            nn.init.normal_(self.head.weight, std=self.config.init_std)

    def n_parameters(self, embeddings: bool = True, active: bool = False) -> int:
        """How many trained numbers the model holds; a tied matrix counts once.

        Args:
            embeddings: count the token and position tables too.
            active: of the experts, count only those that one token visits.

        >>> GPT(GPTConfig(vocab_size=10, context=4, d_model=8, n_heads=2, n_layers=1)).n_parameters()
        1000
        """
        total = sum(p.numel() for p in self.parameters())
        if active:
            total -= self._resting(lambda expert: sum(p.numel() for p in expert.parameters()))
        if embeddings:
            return total
        tables = [m for m in (self.embedding, self.position) if m is not None]
        return total - sum(p.numel() for m in tables for p in m.parameters())

    def flops_per_token(self, length: int | None = None, training: bool = False) -> int:
        """Floating-point operations for one token of a sequence of ``length``, in matrix products.

        A product of a vector with an m × n matrix is 2mn operations. Attention's two products with the
        sequence count in full, masked or not (of a window, its width). Of experts, only those count that a
        token visits. The backward pass costs twice the forward one.

        Follows Chowdhery et al. 2022 (PaLM), appendix B.

        Args:
            length: how many positions the pass holds; the whole ``context`` if not given.
            training: count forward and backward.
        """
        cfg = self.config
        length = cfg.context if length is None else length
        seen = length if cfg.window is None else min(length, cfg.window)
        matrices = _weights(self.blocks) - self._resting(_weights)
        head = cfg.d_model * cfg.vocab_size
        mixing = cfg.n_layers * cfg.n_heads * cfg.d_head * 2 * seen
        return 2 * (matrices + head + mixing) * (3 if training else 1)

    def _resting(self, count: Callable[[nn.Module], int]) -> int:
        """A count over the experts that a token does not visit."""
        idle = self.config.n_experts - self.config.experts_per_token
        return idle * sum(count(m.experts[0]) for m in self.modules() if isinstance(m, Experts))

    def _check(self, ids: Tensor) -> None:
        length = ids.shape[1]
        if not 1 <= length <= self.config.context:
            raise InputError(f"The model holds 1 to {self.config.context} tokens and was given {length}.")
        # On a GPU the look at the ids would stall it; the embedding itself stops the run there.
        if ids.device.type == "cpu" and not torch.compiler.is_compiling():
            low, high = (int(i) for i in ids.aminmax())
            if low < 0 or high >= self.config.vocab_size:
                wrong = low if low < 0 else high
                raise InputError(f"Id {wrong} is outside the vocabulary of {self.config.vocab_size} ids.")


def _weights(module: nn.Module) -> int:
    return sum(m.weight.numel() for m in module.modules() if isinstance(m, nn.Linear))
