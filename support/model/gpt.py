"""The whole model: ids → embeddings → blocks → norm → a score for every word of the vocabulary."""

import math

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.core import InputError
from support.model.block import Block
from support.model.config import GPTConfig
from support.model.norms import make_norm
from support.model.positions import LearnedPositions, make_positions


class GPT(nn.Module):
    """A decoder-only transformer; ``model(ids)`` gives the logits of the next token at every position.

    >>> model = GPT(GPTConfig(vocab_size=28, context=16, d_model=32, n_heads=2))
    >>> model(torch.zeros(2, 5, dtype=torch.long)).shape
    torch.Size([2, 5, 28])
    """

    never: Tensor | None

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocab_size, config.d_model)
        self.position = make_positions(config)
        self.dropout = nn.Dropout(config.dropout)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.n_layers))
        # After post-norm blocks the stream is normed already.
        self.final_norm = make_norm(config) if config.norm_first else nn.Identity()
        self.head = None if config.tie_weights else nn.Linear(config.d_model, config.vocab_size, bias=False)
        never = torch.zeros(config.vocab_size).index_fill(
            0, torch.tensor(config.masked_ids).long(), -math.inf
        )
        self.register_buffer("never", never if config.masked_ids else None, persistent=False)
        self.initialise()

    def forward(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position vocab"]:
        """Logits for the token after each position.

        Raises:
            InputError: no token, more tokens than ``context``, or (on a CPU) an id outside the vocabulary.
        """
        stream = self.embed(ids)
        for block in self.blocks:
            stream = block(stream)
        return self.unembed(stream)

    def embed(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position d_model"]:
        """The stream's first state: each token's row, plus its position's."""
        self._check(ids)
        stream = self.embedding(ids)
        if self.position is not None:
            stream = stream + self.position(ids.shape[1])
        return self.dropout(stream)

    def unembed(
        self, stream: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position vocab"]:
        """Norm the stream and compare it with every row of the head (tied: of the embedding)."""
        rows = self.embedding.weight if self.head is None else self.head.weight
        return F.linear(self.final_norm(stream), rows, self.never)

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
        for block in self.blocks:
            for writer in (block.attention.output, block.feed_forward.contract):
                writer.weight /= math.sqrt(2 * self.config.n_layers)
        if self.head is not None:
            nn.init.normal_(self.head.weight, std=self.config.init_std)

    def n_parameters(self, embeddings: bool = True) -> int:
        """How many trained numbers the model holds; a tied matrix counts once.

        Args:
            embeddings: count the token and position tables too.

        >>> GPT(GPTConfig(vocab_size=10, context=4, d_model=8, n_heads=2, n_layers=1)).n_parameters()
        1000
        """
        total = sum(p.numel() for p in self.parameters())
        if embeddings:
            return total
        tables = [m for m in (self.embedding, self.position) if m is not None]
        return total - sum(p.numel() for m in tables for p in m.parameters())

    def flops_per_token(self, length: int | None = None, training: bool = False) -> int:
        """Floating-point operations for one token of a sequence of ``length``, in matrix products.

        A product of a vector with an m × n matrix is 2mn operations. Attention's two products with the
        sequence count in full, masked or not. The backward pass costs twice the forward one.

        Follows Chowdhery et al. 2022 (PaLM), appendix B.

        Args:
            length: how many positions the pass holds; the whole ``context`` if not given.
            training: count forward and backward.
        """
        cfg = self.config
        length = cfg.context if length is None else length
        matrices = sum(m.weight.numel() for m in self.blocks.modules() if isinstance(m, nn.Linear))
        head = cfg.d_model * cfg.vocab_size
        mixing = cfg.n_layers * cfg.n_heads * cfg.d_head * 2 * length
        return 2 * (matrices + head + mixing) * (3 if training else 1)

    def _check(self, ids: Tensor) -> None:
        length = ids.shape[1]
        if not 1 <= length <= self.config.context:
            raise InputError(f"The model holds 1 to {self.config.context} tokens and was given {length}.")
        # On a GPU the look at the ids would stall it; the embedding itself stops the run there.
        if ids.device.type == "cpu" and not torch.compiler.is_compiling():
            low, high = int(ids.min()), int(ids.max())
            if low < 0 or high >= self.config.vocab_size:
                wrong = low if low < 0 else high
                raise InputError(f"Id {wrong} is outside the vocabulary of {self.config.vocab_size} ids.")
