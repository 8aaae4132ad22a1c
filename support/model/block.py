"""One block: attention between positions, then a feed-forward network, each adding to the residual stream."""

from collections.abc import Callable
from typing import Any

from jaxtyping import Bool, Float
from torch import Tensor, nn

from support.core import InputError
from support.model.attention import CrossAttention, SelfAttention
from support.model.attention_context import AttentionContext
from support.model.cache import LayerCache
from support.model.config import GPTConfig
from support.model.experts import make_feed_forward
from support.model.norms import make_norm


class Block(nn.Module):
    """Attention and a feed-forward network, each with its norm and its residual connection.

    Pre-norm reads a normed copy and adds to the stream; post-norm adds first and norms the sum. With
    ``parallel_blocks`` both read the same stream.

    Args:
        config: of the model.
        cross: attend to an encoder's stream, too, between the two.

    Raises:
        InputError: ``cross`` and ``parallel_blocks`` together.

    >>> import torch
    >>> Block(GPTConfig(vocab_size=5, d_model=8, n_heads=2))(torch.zeros(3, 7, 8)).shape
    torch.Size([3, 7, 8])
    """

    def __init__(self, config: GPTConfig, cross: bool = False) -> None:
        super().__init__()
        if cross and config.parallel_blocks:
            raise InputError("parallel_blocks and cross-attention do not go together; give up one of them.")
        self.norm_first, self.residual = config.norm_first, config.residual
        self.parallel = config.parallel_blocks
        self.norm_1 = make_norm(config)
        self.attention = SelfAttention(config)
        self.norm_cross: Any = make_norm(config) if cross else None
        self.cross_attention = CrossAttention(config) if cross else None
        self.norm_2 = make_norm(config)
        self.feed_forward = make_feed_forward(config)
        self.dropout = nn.Dropout(config.dropout) if config.dropout else None

    def forward(
        self,
        stream: Float[Tensor, "batch position d_model"],
        attention_context: AttentionContext | None = None,
        cache: LayerCache | None = None,
        memory: Float[Tensor, "batch source d_model"] | None = None,
        memory_mask: Bool[Tensor, "batch #head #position source"] | None = None,
    ) -> Float[Tensor, "batch position d_model"]:
        """The stream with what attention and feed-forward network add to it.

        Args:
            stream: the residual stream that enters the block.
            attention_context: mask and rotation; by default those that the configuration asks for.
            cache: keys and values of the positions read before, which this pass adds to.
            memory: an encoder's stream, for a block with cross-attention.
            memory_mask: True where that stream may be attended to.

        Raises:
            InputError: a block with cross-attention has no ``memory``, or one without has some.
        """
        if (self.cross_attention is None) != (memory is None):
            problem = "A block with cross-attention needs memory=; others take none."
            raise InputError(problem)
        seen = attention_context, cache
        attended = self.step(stream, self.norm_1, self.attention, *seen)
        if self.parallel:  # both sublayers read the stream as it comes in
            output = self.feed_forward(self.norm_2(stream))
            if self.dropout is not None:
                output = self.dropout(output)
            return attended + output
        stream, cross = attended, self.cross_attention
        if cross is not None:
            stream = self.step(stream, self.norm_cross, cross, memory, memory_mask)
        return self.step(stream, self.norm_2, self.feed_forward)

    def step(
        self,
        stream: Tensor,
        norm: nn.Module,
        sublayer: Callable[..., Tensor],
        *more: Any,
    ) -> Float[Tensor, "batch position d_model"]:
        """One sublayer with its norm and residual connection; ``more`` are the sublayer's other arguments."""
        output = sublayer(norm(stream) if self.norm_first else stream, *more)
        output = output if self.dropout is None else self.dropout(output)
        stream = stream + output if self.residual else output
        return stream if self.norm_first else norm(stream)
