"""A transformer without its attention: every word goes its way alone."""

from jaxtyping import Float, Int
from torch import Tensor, nn

from support.model import GPT


class AttentionFreeBaseline(nn.Module):
    """The same embedding, networks, norms and head, but no attention: positions never meet.

    It shares the model's weights, and can be trained as it is.

    >>> import torch
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
            stream = stream + block.feed_forward(block.norm_2(stream))
        return self.model.unembed(stream)
