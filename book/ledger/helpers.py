"""What several claims need: the package's functions on plain arrays, derivatives by differences, small sums.

The package's functions are named by their subpackage (`model.layer_norm`), never imported one by one: so the
errata page can say what a claim goes through, and a test can put something wrong in its place.
"""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import nn

from support import generation, model, training


def tensor(x: Any) -> torch.Tensor:
    """Numbers as a float64 tensor."""
    return torch.as_tensor(np.asarray(x), dtype=torch.float64)


def numbers(x: torch.Tensor) -> Any:
    """A tensor as an array."""
    return x.detach().numpy()


# --- the package on arrays -------------------------------------------------------------------------------


def next_token(z, temperature=1.0, top_k=None, top_p=None):
    """Softmax of the last axis, after the temperature and the two cuts."""
    return numbers(generation.next_token(tensor(z), temperature=temperature, top_k=top_k, top_p=top_p))


def layer_norm(x, gain=None, bias=None, eps=1e-5):
    """Each row with mean 0 and variance 1."""
    given = [None if v is None else tensor(v) for v in (gain, bias)]
    return numbers(model.layer_norm(tensor(x), *given, eps=eps))


def rms_norm(x, eps=1e-5):
    """Each row with a mean square of 1."""
    return numbers(model.rms_norm(tensor(x), None, eps=eps))


def attend(q, k, v, causal=True):
    """What attention mixes."""
    return numbers(model.attend(tensor(q), tensor(k), tensor(v), causal=causal)[0])


def attention_weights(q, k, causal=True):
    """The share of attention that each query pays to each key."""
    return numbers(model.attend(tensor(q), tensor(k), tensor(k), causal=causal)[1])


def causal_mask(n):
    """True where looking is allowed."""
    return numbers(model.causal_mask(n))


def masked(scores):
    """The scores with −∞ where a query must not look."""
    return np.where(causal_mask(len(scores)), scores, -math.inf)


def attention_layer(x, heads, WO):
    """The package's whole layer: for each head its three matrices, then the output matrix."""
    heads, WO = tensor(heads), tensor(WO)
    config = model.GPTConfig(
        vocab_size=2,
        d_model=heads.shape[2],
        n_heads=len(heads),
        d_head=heads.shape[3],
        attention_bias=False,
    )
    layer = model.SelfAttention(config)
    layer.qkv.weight = nn.Parameter(torch.cat([W for three in heads.transpose(0, 1) for W in three], dim=1).T)
    layer.output.weight = nn.Parameter(WO.T.contiguous())
    return numbers(layer.with_weights(tensor(x)[None])[0][0])


def sinusoids(length, width):
    """The vectors of the first positions."""
    return numbers(model.sinusoids(length, width))


def position(at, width):
    """The vector of one position, or of several."""
    return sinusoids(int(np.max(at)) + 1, width)[at]


def divisors(width):
    """What the position is divided by in each pair, read off the vector of position 1."""
    first = position(1, width)
    return 1 / np.arctan2(first[::2], first[1::2])


def shift_matrix(k, width):
    """The matrix that turns every position's vector into that of the position k further on."""
    M = np.zeros((width, width))
    for i in range(0, width, 2):
        angle = k / 10_000 ** (i / width)
        M[i : i + 2, i : i + 2] = [[np.cos(angle), np.sin(angle)], [-np.sin(angle), np.cos(angle)]]
    return M


def closest_positions(length, width, step=1):
    """The smallest distance between two positions' vectors."""
    rows = sinusoids(length, width)[::step]
    gaps = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    return gaps[~np.eye(len(rows), dtype=bool)].min()


def rotated(x, at):
    """A vector turned by the rotary angles of a position."""
    angle = at * model.rope_frequencies(len(x), 10_000.0).to(torch.float64)
    return numbers(model.apply_rope(tensor(x)[None], angle.cos()[None], angle.sin()[None])[0])


def loss(logits, target):
    """The training loss of a row of logits."""
    return float(training.cross_entropy_sum(tensor(logits)[None, None], torch.tensor([[target]])))


def learning_rate(step, steps, lr, min_lr=0.0, warmup=0):
    """The rate after so many steps (the package counts from the first update, and climbs one step ahead)."""
    config = training.TrainConfig(steps=steps, lr=lr, min_lr=min_lr, warmup=warmup)
    return training.learning_rate(step - 1 if 0 < step <= warmup else step, config)


# --- derivatives by differences, and small sums ----------------------------------------------------------


def sigmoid(z):
    return 1 / (1 + np.exp(-np.asarray(z, dtype=float)))


def relu(z):
    return np.maximum(z, 0.0)


def gradient(f: Callable[[Any], Any], x: Any) -> np.ndarray:
    """The derivatives of a function by central differences."""
    x = np.array(x, dtype=float)
    out = np.zeros_like(x)
    for i in np.ndindex(x.shape):
        up, down = x.copy(), x.copy()
        up[i], down[i] = x[i] + 1e-6, x[i] - 1e-6
        out[i] = (float(f(up)) - float(f(down))) / 2e-6
    return out


def random_rows(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape)


def entropy(p):
    """In nats."""
    p = np.asarray(p)
    return -(p[p > 0] * np.log(p[p > 0])).sum()


def first_adam_step(w, gradient, lr):
    """A weight after the first step of torch's Adam."""
    kept = torch.tensor([float(w)], requires_grad=True)
    kept.grad = torch.tensor([float(gradient)])
    torch.optim.Adam([kept], lr=lr).step()
    return kept.item()


def singular_ratio(A):
    """The second singular value over the first: 0 for a matrix of rank one."""
    s = np.linalg.svd(A, compute_uv=False)
    return s[1] / s[0]
