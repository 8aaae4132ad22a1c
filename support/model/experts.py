"""A mixture of experts: many feed-forward networks, of which each token is routed to a few."""

from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.model.config import GPTConfig
from support.model.feed_forward import FeedForward, SwiGLU


@dataclass(frozen=True)
class Routing:
    """Where a pass sent its tokens; those of all texts stand in one row.

    Attributes:
        probabilities: the router's softmax over all experts.
        chosen: the experts that each token was sent to, the most probable first.
        weights: of the chosen experts' answers; a token's add up to 1.
    """

    probabilities: Float[Tensor, "token expert"]
    chosen: Int[Tensor, "token choice"]
    weights: Float[Tensor, "token choice"]

    @property
    def load(self) -> Float[Tensor, " expert"]:
        """Each expert's fraction of all visits; together 1."""
        visits = torch.bincount(self.chosen.flatten(), minlength=self.probabilities.shape[-1])
        return visits.to(self.probabilities.dtype) / self.chosen.numel()

    @property
    def balance(self) -> Float[Tensor, ""]:
        """The load-balancing loss: 1 if all experts are used alike, up to the number of experts if one is.

        The load itself has no gradient; the mean probability beside it has.

        Follows Fedus, Zoph and Shazeer 2022 (Switch Transformer), equation 4.
        """
        return self.probabilities.shape[-1] * (self.load * self.probabilities.mean(dim=0)).sum()


class Experts(nn.Module):
    """A router and ``n_experts`` networks; each token's answer is a weighted sum of its experts' answers.

    The weights are the softmax over the chosen experts' scores alone.

    Follows Jiang et al. 2024 (Mixtral); Shazeer et al. 2017 before it.

    >>> layer = Experts(GPTConfig(vocab_size=5, d_model=8, n_heads=2, n_experts=4, experts_per_token=2))
    >>> layer(torch.randn(3, 7, 8)).shape, layer.routing.chosen.shape
    (torch.Size([3, 7, 8]), torch.Size([21, 2]))
    """

    routing: Routing | None

    def __init__(self, config: GPTConfig) -> None:
        super().__init__()
        self.per_token = config.experts_per_token
        self.router = nn.Linear(config.d_model, config.n_experts, bias=False)
        self.experts = nn.ModuleList(make_network(config) for _ in range(config.n_experts))
        self.routing = None  # of the last pass

    def forward(self, x: Float[Tensor, "*batch d_model"]) -> Float[Tensor, "*batch d_model"]:
        """The chosen experts' outputs, weighted by the router; ``routing`` keeps the choice."""
        tokens = x.reshape(-1, x.shape[-1])
        probabilities = self.router(tokens).softmax(dim=-1)
        best, chosen = probabilities.topk(self.per_token, dim=-1)
        weights = best / best.sum(dim=-1, keepdim=True)
        self.routing = Routing(probabilities, chosen, weights)
        answer = torch.zeros_like(tokens)
        for number, expert in enumerate(self.experts):
            token, choice = (chosen == number).nonzero(as_tuple=True)
            if len(token):
                part = expert(tokens[token]) * weights[token, choice, None]
                answer = answer.index_add(0, token, part.to(answer.dtype))  # autocast computes it narrower
        return answer.view_as(x)

    def __getstate__(self) -> dict[str, Any]:
        """A copy or a file takes along the numbers of the last routing, not the graph that made them."""
        routing = self.routing and Routing(*(t.detach() for t in vars(self.routing).values()))
        return {**self.__dict__, "routing": routing}


def make_network(config: GPTConfig) -> nn.Module:
    """One feed-forward network, plain or gated, as the configuration asks."""
    return SwiGLU(config) if config.activation == "swiglu" else FeedForward(config)


def make_feed_forward(config: GPTConfig) -> nn.Module:
    """What stands behind attention in a block: one network, or a mixture of experts."""
    return Experts(config) if config.n_experts > 1 else make_network(config)
