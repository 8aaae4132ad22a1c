"""Many directions in few dimensions: a sparse autoencoder looks for them in a model's activations."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor, nn

from support.core import InputError, seeded_generator


@dataclass(frozen=True)
class SparseCode:
    """What a sparse autoencoder makes of some vectors.

    Args:
        features: how active each feature is.
        rebuilt: the vectors, rebuilt from the features.
    """

    features: Float[Tensor, "*batch feature"]
    rebuilt: Float[Tensor, "*batch d_in"]


class SparseAutoencoder(nn.Module):
    """``f = relu((x − b) W_e + c)`` and ``x̂ = f W_d + b``: few of the many features are active at a time.

    Args:
        d_in: width of the vectors.
        n_features: how many features, usually several times ``d_in``.

    Follows Bricken et al. 2023, *Towards Monosemanticity*, and Cunningham et al. 2023.

    >>> autoencoder = SparseAutoencoder(d_in=4, n_features=16)
    >>> code = autoencoder(torch.randn(3, 4)); code.features.shape, code.rebuilt.shape
    (torch.Size([3, 16]), torch.Size([3, 4]))
    """

    def __init__(self, d_in: int, n_features: int) -> None:
        super().__init__()
        self.decoder = nn.Parameter(F.normalize(torch.randn(n_features, d_in), dim=1))
        self.encoder = nn.Parameter(self.decoder.detach().T.clone())
        self.encoder_bias = nn.Parameter(torch.zeros(n_features))
        self.decoder_bias = nn.Parameter(torch.zeros(d_in))

    def encode(self, x: Float[Tensor, "*batch d_in"]) -> Float[Tensor, "*batch feature"]:
        """How active each feature is; never negative."""
        return ((x - self.decoder_bias) @ self.encoder + self.encoder_bias).relu()

    def forward(self, x: Float[Tensor, "*batch d_in"]) -> SparseCode:
        """The features of some vectors, and the vectors rebuilt from them."""
        features = self.encode(x)
        return SparseCode(features, features @ self.decoder + self.decoder_bias)


def sparse_loss(code: SparseCode, x: Float[Tensor, "*batch d_in"], sparsity: float) -> Float[Tensor, ""]:
    """``‖x − x̂‖² + sparsity · Σ f``, in the mean over the vectors.

    The penalty on the sum of the activations is what makes most of them zero. It means something only while
    the decoder's rows have length one: else small activations with long rows would escape it.
    """
    return (code.rebuilt - x).square().sum(-1).mean() + sparsity * code.features.sum(-1).mean()


def train_sparse_autoencoder(
    x: Float[Tensor, "sample d_in"],
    n_features: int,
    sparsity: float = 0.2,
    steps: int = 2000,
    batch_size: int = 1024,
    lr: float = 1e-2,
    seed: int = 0,
) -> SparseAutoencoder:
    """Fit a sparse autoencoder to activations, by Adam; the decoder's rows are kept at length one.

    The vectors are first moved to mean zero and scaled to a mean squared length of one, so that ``sparsity``
    means the same for every model; shift and scale are then folded into the weights.

    Args:
        x: the activations, one row a sample.
        n_features: how many features to look for.
        sparsity: weight of the penalty; more of it, fewer active features and larger errors.
        steps: of training; the learning rate falls to zero along a straight line.
        batch_size: samples a step.
        lr: at the first step.
        seed: of the initial weights and of the order of the samples.

    Returns:
        The autoencoder, for vectors as they are in ``x``. Its decoder's rows have the length of the scale.

    Raises:
        InputError: no feature is asked for, or the vectors are all the same.

    >>> x = torch.eye(3).repeat(50, 1)
    >>> found = train_sparse_autoencoder(x, n_features=3, steps=20)
    >>> found(x).features.shape
    torch.Size([150, 3])
    """
    centre = x.mean(dim=0)
    scale = (x - centre).square().sum(-1).mean().sqrt()
    if n_features < 1 or not scale > 0:
        raise InputError("A sparse autoencoder needs at least one feature, and vectors that differ.")
    generator = seeded_generator(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        found = SparseAutoencoder(x.shape[1], n_features).to(x)
    optimiser = torch.optim.Adam(found.parameters(), lr=lr)
    samples = (x - centre) / scale
    for step in range(steps):
        optimiser.param_groups[0]["lr"] = lr * (1 - step / steps)
        some = samples[torch.randint(len(x), (min(batch_size, len(x)),), generator=generator).to(x.device)]
        loss = sparse_loss(found(some), some, sparsity)
        optimiser.zero_grad()
        loss.backward()
        optimiser.step()
        with torch.no_grad():
            found.decoder.copy_(F.normalize(found.decoder, dim=1))
    with torch.no_grad():
        found.decoder_bias.mul_(scale).add_(centre)
        found.encoder.div_(scale)
        found.decoder.mul_(scale)
    return found.requires_grad_(False).eval()
