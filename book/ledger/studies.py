"""Longer computations that several claims share: whole models, the student's network, what layers keep."""

import math

import numpy as np
import torch

from book.ledger.helpers import (
    attend,
    gradient,
    loss,
    next_token,
    random_rows,
    relu,
    rotated,
    sigmoid,
    tensor,
)
from support import model, training

# --- models that are made only to be counted -------------------------------------------------------------


def parameters(embeddings=True, active=False, **shape):
    """How many numbers a model of this shape learns, or uses for one token."""
    with torch.device("meta"):
        return model.GPT(model.GPTConfig(**shape)).n_parameters(embeddings, active)


def deep_parameters(n_layers, active=False, **shape):
    """The same for a deep model: all blocks are alike, so that two are made and the rest counted."""
    one, two = (parameters(n_layers=n, active=active, **shape) for n in (1, 2))
    return one + (n_layers - 1) * (two - one)


def gpt2_parameters(n_layers, d_model, vocab_size, context):
    """GPT-2's layout: biases, learned positions, a tied head, a feed-forward network four times as wide."""
    return deep_parameters(n_layers, d_model=d_model, vocab_size=vocab_size, context=context, n_heads=1)


def llama_parameters(n_layers, d_model, d_ff, vocab_size, kv_width=None, active=False, **more):
    """RMSNorm, RoPE, SwiGLU, two tables, no biases; heads of 128."""
    return deep_parameters(
        n_layers,
        active,
        d_model=d_model,
        d_ff=d_ff,
        vocab_size=vocab_size,
        n_heads=d_model // 128,
        n_kv_heads=(kv_width or d_model) // 128,
        activation="swiglu",
        norm="rms",
        positions="rope",
        attention_bias=False,
        ffn_bias=False,
        tie_weights=False,
        **more,
    )


def matrices_per_block(d_model, d_ff=None):
    """The numbers in one block's matrices, without biases, norms and tables."""
    bare = {"norm": "none", "positions": "none", "attention_bias": False, "ffn_bias": False}
    return parameters(False, vocab_size=2, d_model=d_model, d_ff=d_ff, n_heads=1, n_layers=1, **bare)


def attention_parameters(d_model, n_heads=1):
    """The weights of queries, keys, values and output, without biases."""
    config = model.GPTConfig(vocab_size=1, d_model=d_model, n_heads=n_heads, attention_bias=False)
    with torch.device("meta"):
        return sum(p.numel() for p in model.SelfAttention(config).parameters())


def count_norms(n_layers):
    """How many norms a pre-norm model has, each with a gain and a shift."""
    shape = {"vocab_size": 1, "d_model": 2, "n_heads": 1, "n_layers": n_layers}
    return (parameters(**shape) - parameters(**shape, norm="none")) // 4


def cache_bytes(n_layers, n_heads, n_kv_heads, d_head, tokens=1, size=2):
    """What the cache of one text takes."""
    config = model.GPTConfig(
        vocab_size=2,
        d_model=n_heads * d_head,
        n_layers=n_layers,
        n_heads=n_heads,
        n_kv_heads=n_kv_heads,
    )
    return model.cache_bytes(config, 1, tokens, size)


# --- the student of part 1: two inputs, three hidden units, one output -----------------------------------


def student(x, W1, b1, w2, b2):
    """The probability that a student passes."""
    return sigmoid(relu(np.asarray(x) @ W1 + b1) @ w2 + b2)


def student_loss(x, y, W1, b1, w2, b2):
    p = student(x, W1, b1, w2, b2)
    return -y * np.log(p) - (1 - y) * np.log(1 - p)


def student_gradient(x, y, W1, b1, w2, b2):
    """All thirteen derivatives by differences: output weights and bias, then each hidden unit's."""

    def at(v):
        W = np.array([v[4 + 3 * j : 6 + 3 * j] for j in range(3)]).T
        return student_loss(x, y, W, v[[6, 9, 12]], v[:3], v[3])

    return gradient(at, [*w2, b2, *(n for j in range(3) for n in (*W1[:, j], b1[j]))])


# --- what stays the same, and what does not --------------------------------------------------------------


def rotary_spread(width, distance, starts, seed, before=False):
    """How much a score changes when both places move on; `before`: the embedding is turned, not the query."""
    x, y = random_rows(width, seed=seed), random_rows(width, seed=seed + 1)
    WQ, WK = (random_rows(width, width, seed=seed + i) for i in (2, 3))
    scores = []
    for start in starts:
        if before:
            q, k = rotated(x, start) @ WQ, rotated(y, start + distance) @ WK
        else:
            q, k = rotated(x @ WQ, start), rotated(y @ WK, start + distance)
        scores.append(q @ k)
    return np.ptp(scores)


def score_variance(width, pairs, seed, scaled):
    """The variance of dot products of random vectors, as they are or divided by the root of their width."""
    a, b = random_rows(pairs, width, seed=seed), random_rows(pairs, width, seed=seed + 1)
    scores = (a * b).sum(1)
    return (scores / math.sqrt(width) if scaled else scores).var()


def projections(x, seed):
    """Queries, keys and values of rows, by three random matrices."""
    return [x @ random_rows(x.shape[1], x.shape[1], seed=seed + k) for k in (1, 2, 3)]


def order_gap(length, width, seed, causal):
    """How much attention's outputs change when its inputs are shuffled and the outputs put back."""
    x = random_rows(length, width, seed=seed)
    order = np.random.default_rng(seed + 9).permutation(length)
    there = attend(*projections(x, seed), causal=causal)
    back = attend(*projections(x[order], seed), causal=causal)
    return np.abs(there[order] - back).max()


def cached_gap(length, width):
    """The last position computed alone over kept keys and values, against the whole pass."""
    q, k, v = projections(random_rows(length, width), 0)
    return np.abs(attend(q, k, v)[-1] - attend(q[-1:], k, v)[0]).max()


def residual_gap(seed=0):
    """How far a block is from: what came in, plus attention's output, plus the feed-forward network's."""
    torch.manual_seed(seed)
    block = model.Block(model.GPTConfig(vocab_size=2, d_model=8, n_heads=2))
    x = torch.randn(1, 5, 8)
    with torch.no_grad():
        attention = block.attention(block.norm_1(x))
        network = block.feed_forward(block.norm_2(x + attention))
        return float((block(x) - x - attention - network).abs().max())


def averaged_gradients_gap(n, parts):
    """The mean of the gradients of equal parts of a batch, against the gradient of the whole batch's mean."""
    rng = np.random.default_rng(0)
    x, targets = tensor(rng.standard_normal((n, 3))), torch.as_tensor(rng.integers(4, size=n))
    w = tensor(rng.standard_normal((3, 4))).requires_grad_()

    def of(rows):
        mean = training.cross_entropy_sum((x[rows] @ w)[None], targets[rows][None]) / len(rows)
        return torch.autograd.grad(mean, w)[0]

    pieces = np.array_split(np.arange(n), parts)
    return float((sum(map(of, pieces)) / parts - of(np.arange(n))).abs().max())


def batch_gradients(batch, sizes, what, layer=None, divided_again=False):
    """Back-propagation in matrices for a batch (columns): a formula of the appendix against differences.

    With the mean loss: the last layer's deltas, those of the first, or the gradient of the activations as a
    largest gap; a weight's or a bias' gradient as the ratio of the formula to the true one.
    """
    rng = np.random.default_rng(0)
    W = {i: rng.standard_normal((sizes[i], sizes[i - 1])) * 0.7 for i in (1, 2)}
    b = {i: rng.standard_normal((sizes[i], 1)) * 0.3 for i in (1, 2)}
    X = rng.standard_normal((sizes[0], batch))
    Y = np.eye(sizes[2])[:, rng.integers(sizes[2], size=batch)]

    def mean_loss(Z):
        return np.mean([loss(z, int(y.argmax())) for z, y in zip(Z.T, Y.T, strict=True)])

    def from_hidden(A1, W2=W[2], b2=b[2]):
        return mean_loss(W2 @ A1 + b2)

    Z1 = W[1] @ X + b[1]
    A1 = np.tanh(Z1)
    Z2 = W[2] @ A1 + b[2]
    delta = {2: (next_token(Z2.T).T - Y) / batch}
    delta[1] = (W[2].T @ delta[2]) * (1 - A1**2)
    if what == "deltaL":
        return np.abs(delta[2] - gradient(mean_loss, Z2)).max()
    if what == "A":
        return np.abs(W[2].T @ delta[2] - gradient(from_hidden, A1)).max()
    if what == "delta1":
        return np.abs(delta[1] - gradient(lambda z: from_hidden(np.tanh(z)), Z1)).max()
    if what == "W":
        formula = delta[layer] @ {1: X, 2: A1}[layer].T
        change = {1: lambda w: from_hidden(np.tanh(w @ X + b[1])), 2: lambda w: from_hidden(A1, W2=w)}
        true = gradient(change[layer], W[layer])
    else:
        formula = delta[layer].sum(1, keepdims=True)
        change = {1: lambda c: from_hidden(np.tanh(W[1] @ X + c)), 2: lambda c: from_hidden(A1, b2=c)}
        true = gradient(change[layer], b[layer])
    ratio = (formula * true).sum() / (true * true).sum()
    return ratio / batch if divided_again else ratio
