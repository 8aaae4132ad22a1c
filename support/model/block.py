"""One block: look around (attention), then think it over (feed-forward), each time adding to the stream."""

from collections.abc import Callable

from jaxtyping import Float
from torch import Tensor, nn

from support.model.attention import SelfAttention
from support.model.config import GPTConfig
from support.model.feed_forward import FeedForward
from support.model.norms import make_norm


class Block(nn.Module):
    """Attention and a feed-forward network, each with its norm and its way round (the residual).

    Pre-norm reads a normed copy and adds to the stream; post-norm adds first and norms the sum.
    """

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.norm_first, self.residual = config.norm_first, config.residual
        self.norm_1 = make_norm(config)
        self.attention = SelfAttention(config)
        self.norm_2 = make_norm(config)
        self.feed_forward = FeedForward(config)
        self.dropout = nn.Dropout(config.dropout)

    def forward(
        self, stream: Float[Tensor, "batch position d_model"]
    ) -> Float[Tensor, "batch position d_model"]:
        stream = self.step(stream, self.norm_1, self.attention)
        return self.step(stream, self.norm_2, self.feed_forward)

    def step(self, stream: Tensor, norm: nn.Module, part: Callable[[Tensor], Tensor]) -> Tensor:
        """Read the stream through one part and write the answer back."""
        write = self.dropout(part(norm(stream) if self.norm_first else stream))
        stream = stream + write if self.residual else write
        return stream if self.norm_first else norm(stream)
