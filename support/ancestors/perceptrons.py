"""Multilayer perceptrons, several with different random weights side by side, and a short training."""

import itertools
from collections.abc import Callable, Sequence

import torch
from jaxtyping import Float
from torch import Tensor

from support.core import InputError

Layers = list[tuple[Float[Tensor, "seed inputs outputs"], Float[Tensor, "seed 1 outputs"]]]


class Perceptrons:
    """Fully connected networks with ReLU between their layers, one for each seed, as stacked matrices.

    All of them are run and trained in the same products, which is much faster than one after the other.

    Args:
        sizes: how many inputs, how many units each layer has.
        seeds: how many networks.

    Raises:
        InputError: fewer than two sizes, or no network.

    >>> nets = Perceptrons([64, 32, 1], seeds=5)
    >>> nets(torch.zeros(7, 64, dtype=torch.float64)).shape
    torch.Size([5, 7, 1])
    """

    def __init__(self, sizes: Sequence[int], seeds: int = 5) -> None:
        if len(sizes) < 2 or seeds < 1:
            raise InputError(
                f"sizes={list(sizes)}, seeds={seeds}: give two sizes or more, and a network or more"
            )
        generator, kind = torch.Generator().manual_seed(0), torch.float64
        self.layers: Layers = [
            (
                torch.randn(seeds, n, m, generator=generator, dtype=kind) * n**-0.5,
                torch.zeros(seeds, 1, m, dtype=kind),
            )
            for n, m in itertools.pairwise(sizes)
        ]

    def hidden(
        self, x: Float[Tensor, "example inputs"], keep: Float[Tensor, " hidden"] | None = None
    ) -> Float[Tensor, "seed example hidden"]:
        """The activations of the last hidden layer.

        Args:
            x: one example a row.
            keep: one for each hidden unit that takes part, zero for each that is ablated.
        """
        for W, b in self.layers[:-1]:
            x = (x @ W + b).relu()
            x = x if keep is None else x * keep
        return x

    def __call__(
        self, x: Float[Tensor, "example inputs"], keep: Float[Tensor, " hidden"] | None = None
    ) -> Float[Tensor, "seed example outputs"]:
        """The outputs, without any activation function; `keep` as in `hidden`."""
        W, b = self.layers[-1]
        return self.hidden(x, keep) @ W + b

    def fit(
        self,
        x: Float[Tensor, "example inputs"],
        loss: Callable[[Tensor], Tensor],
        mask: Tensor | float = 1.0,
        weight_decay: float = 1.0,
        steps: int = 150,
        lr: float = 0.03,
    ) -> "Perceptrons":
        """Train all networks with AdamW on all examples at each step.

        Args:
            x: one example a row.
            loss: from the outputs to one number: the sum of the losses of the networks.
            mask: what the last weight matrix is multiplied by: zeros cut connections for good.
            weight_decay: how strongly weights that are not needed shrink.
            steps: how many updates.
            lr: the learning rate.

        Returns:
            itself, trained.
        """
        for W, b in self.layers:
            W.requires_grad_()
            b.requires_grad_()
        W, b = self.layers[-1]
        parameters = [t for layer in self.layers for t in layer]
        optimiser = torch.optim.AdamW(parameters, lr=lr, weight_decay=weight_decay)
        for _ in range(steps):
            optimiser.zero_grad()
            self.layers[-1] = (W * mask, b)
            loss(self(x)).backward()
            optimiser.step()
        self.layers[-1] = (W * mask, b)
        self.layers = [(W.detach(), b.detach()) for W, b in self.layers]
        return self
