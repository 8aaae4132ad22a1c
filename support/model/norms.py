"""Normalisation: every vector of the stream is brought to the same size before a sublayer reads it."""

from jaxtyping import Float
from torch import Tensor, nn

from support.model.config import GPTConfig


def layer_norm(
    x: Float[Tensor, "*batch d_model"],
    gain: Float[Tensor, "d_model"] | None = None,
    bias: Float[Tensor, "d_model"] | None = None,
    eps: float = 1e-5,
) -> Float[Tensor, "*batch d_model"]:
    """Subtract each vector's mean, divide by its standard deviation, then stretch and shift.

    The readable version; the model runs torch's kernel, and a test holds the two equal.
    The variance is the mean of the squares (divided by d_model, not d_model − 1).

    Args:
        x: vectors.
        gain: what each number is multiplied by at the end (torch's ``weight``); 1 if not given.
        bias: what is added then; 0 if not given.
        eps: added to the variance, so that a constant vector does not divide by zero.

    Follows Ba, Kiros and Hinton 2016.

    >>> import torch
    >>> layer_norm(torch.tensor([1.0, 3.0]), eps=0.0)
    tensor([-1.,  1.])
    """
    centred = x - x.mean(dim=-1, keepdim=True)
    variance = centred.square().mean(dim=-1, keepdim=True)
    normed = centred / (variance + eps).sqrt()
    if gain is not None:
        normed = normed * gain
    return normed if bias is None else normed + bias


def rms_norm(
    x: Float[Tensor, "*batch d_model"],
    gain: Float[Tensor, "d_model"] | None = None,
    eps: float = 1e-5,
) -> Float[Tensor, "*batch d_model"]:
    """Divide each vector by the root of its mean square, then stretch; nothing is subtracted or added.

    The readable version; the model runs torch's kernel, and a test holds the two equal.

    Args:
        x: vectors.
        gain: what each number is multiplied by at the end; 1 if not given.
        eps: added to the mean square.

    Follows Zhang and Sennrich 2019.

    >>> import torch
    >>> rms_norm(torch.tensor([1.0, 7.0]), eps=0.0)
    tensor([0.2000, 1.4000])
    """
    normed = x / (x.square().mean(dim=-1, keepdim=True) + eps).sqrt()
    return normed if gain is None else normed * gain


def make_norm(config: GPTConfig) -> nn.Module:
    """The norm that the configuration asks for: ``[..., d_model]`` in, the same shape out.

    >>> make_norm(GPTConfig(vocab_size=5, norm="none"))
    Identity()
    """
    kinds = {"layer": nn.LayerNorm, "rms": nn.RMSNorm}
    if config.norm not in kinds:
        return nn.Identity()
    return kinds[config.norm](config.d_model, eps=config.norm_eps)
