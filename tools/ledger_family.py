"""Operations of the ledger over the transformer's younger relatives: turned pairs, gates, shared keys."""

import numpy as np
import torch
from ledger_operations import _numbers, _operation, array, n_parameters, random_rows, support, tensor
from torch import nn


@_operation(through="support.model.rotate support.model.rope_frequencies")
def rotated(x, place, base=10_000.0):
    """Rotary positions: each pair of numbers turned by its own angle."""
    x = tensor(x)
    angle = place * support("support.model.rope_frequencies")(len(x), float(base)).to(x.dtype)
    return _numbers(support("support.model.rotate")(x[None], angle.cos()[None], angle.sin()[None])[0])


@_operation(through="support.model.rope_frequencies")
def frequencies(d_head, base=10_000.0):
    """How far each pair is turned from one place to the next."""
    return _numbers(support("support.model.rope_frequencies")(int(d_head), float(base)))


@_operation(through="support.model.rotate support.model.rope_frequencies")
def rotary_spread(width, distance, starts, seed, before=False):
    """How much a score changes when both places move on; `before`: the embedding is turned, not the query."""
    x, y = random_rows(width, seed=seed), random_rows(width, seed=seed + 1)
    WQ, WK = (random_rows(width, width, seed=seed + i) for i in (2, 3))
    scores = []
    for start in np.asarray(starts, dtype=int):
        if before:
            q, k = rotated(x, start) @ WQ, rotated(y, start + distance) @ WK
        else:
            q, k = rotated(x @ WQ, start), rotated(y @ WK, start + distance)
        scores.append(q @ k)
    return float(np.ptp(scores))


@_operation(through="support.model.rms_norm")
def rms_norm(x, gain=None, eps=1e-5):
    return _numbers(
        support("support.model.rms_norm")(tensor(x), None if gain is None else tensor(gain), eps=float(eps))
    )


@_operation(through="support.model.SwiGLU")
def silu(z):
    """The gate's bend alone: a gated network of one neuron that lets the number one through."""
    z = array(z).astype(float)
    config = support("support.model.GPTConfig")(
        vocab_size=2, d_model=2, n_heads=1, d_ff=1, activation="swiglu", ffn_bias=False
    )
    network = support("support.model.SwiGLU")(config).double()
    for layer, rows in (
        (network.gate, [[1.0, 0]]),
        (network.expand, [[0, 1.0]]),
        (network.contract, [[1.0], [0]]),
    ):
        layer.weight = nn.Parameter(tensor(rows))
    given = torch.stack([tensor(z.ravel()), torch.ones(z.size)], dim=1)
    out = _numbers(network(given)[:, 0]).reshape(z.shape)
    return out.item() if z.ndim == 0 else out


def _llama(layers, width, hidden, vocabulary, kv_width=None, experts=1, per_token=1, active=False):
    """The numbers in a model of Llama's kind; two of its blocks are made, the rest are like them."""
    shape = {
        "d_model": int(width),
        "d_ff": int(hidden),
        "n_heads": int(width) // 128,
        "n_kv_heads": int(kv_width or width) // 128,
        "vocab_size": int(vocabulary),
        "n_experts": int(experts),
        "experts_per_token": int(per_token),
        "activation": "swiglu",
        "norm": "rms",
        "positions": "rope",
        "attention_bias": False,
        "ffn_bias": False,
        "tie_weights": False,
    }
    one, two = (n_parameters(n_layers=n, active=active, **shape) for n in (1, 2))
    return one + (int(layers) - 1) * (two - one)


@_operation(through="support.model.GPT.n_parameters")
def llama_parameters(layers, width, hidden, vocabulary, kv_width=None):
    """RMSNorm, turned pairs, a gated network, two tables, no biases; heads of 128."""
    return _llama(layers, width, hidden, vocabulary, kv_width)


@_operation(through="support.model.GPT.n_parameters")
def mixture_parameters(layers, width, hidden, vocabulary, kv_width, experts, active=False):
    """The same with so many networks in each block, of which a token visits two, and a router."""
    return _llama(layers, width, hidden, vocabulary, kv_width, experts, 2, active)


@_operation(through="support.model.cache_bytes")
def cache_bytes(n_layers, n_heads, n_kv_heads, d_head, tokens=1, size=2, window=None):
    """What the package's cache takes, with shared keys and values, and with a window."""
    config = support("support.model.GPTConfig")(
        vocab_size=2,
        d_model=int(n_heads) * int(d_head),
        n_layers=int(n_layers),
        n_heads=int(n_heads),
        n_kv_heads=int(n_kv_heads),
        window=None if window is None else int(window),
    )
    return support("support.model.cache_bytes")(config, 1, int(tokens), int(size))
