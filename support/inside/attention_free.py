"""A transformer without its attention: each position is computed from its own token alone."""

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.model import GPT


class AttentionFreeBaseline(nn.Module):
    """The same embedding, feed-forward networks, norms and head, but no attention between positions.

    It shares the model's weights, and can be trained as it is.

    >>> from support.inside import ablate
    >>> from support.model import GPTConfig
    >>> model, ids = GPT(GPTConfig(vocab_size=5)).eval(), torch.tensor([[1, 2, 3]])
    >>> with ablate(model, attention=[0, 1]):
    ...     print(torch.allclose(model(ids), AttentionFreeBaseline(model)(ids)))
    True
    """

    def __init__(self, model: GPT) -> None:
        super().__init__()
        self.model = model

    def forward(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position vocab"]:
        stream = self.model.embed(ids)
        for block in self.model.blocks:
            stream = block.step(stream, block.norm_1, torch.zeros_like)
            stream = block.step(stream, block.norm_2, block.feed_forward)
        return self.model.unembed(stream)
