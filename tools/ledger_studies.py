"""Longer computations that some entries name: whole networks, invariances, gradients against differences."""

import math

import numpy as np
import torch
from ledger_operations import (
    _numbers,
    _operation,
    array,
    attend,
    feed_forward,
    gradient,
    layer_norm,
    next_token,
    project,
    random_rows,
    sgd,
    sigmoid,
    support,
    surprise,
    tensor,
)

NETWORK = "support.model.FeedForward"


@_operation(through=NETWORK)
def hidden(x, W1, b1):
    """What the network's first layer gives before the bend."""
    W1 = tensor(W1)
    config = support("support.model.GPTConfig")(
        vocab_size=2, d_model=W1.shape[0], n_heads=1, d_ff=W1.shape[1], activation="relu"
    )
    network = support(NETWORK)(config)
    network.expand.weight = torch.nn.Parameter(W1.T.contiguous())
    network.expand.bias = torch.nn.Parameter(tensor(b1).reshape(-1))
    seen = []
    network.expand.register_forward_hook(lambda _module, _inputs, out: seen.append(out))
    x = tensor(x)
    network(x if x.dim() > 1 else x[None])
    return _numbers(seen[0].reshape(*x.shape[:-1], -1))


@_operation(through=NETWORK)
def student(x, W1, b1, w2, b2):
    """The probability that a student passes: two inputs, three bent neurons, one squashed."""
    return sigmoid(feed_forward(x, W1, b1, w2, b2))[..., 0]


@_operation(through=f"{NETWORK} support.training.token_losses")
def student_loss(x, y, W1, b1, w2, b2):
    p = float(student(x, W1, b1, w2, b2))
    return y * surprise([1 - p, p], 1) + (1 - y) * surprise([1 - p, p], 0)


@_operation(through=f"{NETWORK} support.training.token_losses")
def student_gradient(x, y, W1, b1, w2, b2):
    """All thirteen slopes, in the order of the source: output weights and bias, then each hidden neuron's."""

    def at(v):
        W = np.array([v[4 + 3 * j : 6 + 3 * j] for j in range(3)]).T
        return student_loss(x, y, W, v[[6, 9, 12]], v[:3], v[3])

    W1, b1, w2 = array(W1), array(b1), array(w2)
    start = [*w2, float(b2)] + [n for j in range(3) for n in (*W1[:, j], b1[j])]
    return gradient(at, start)


@_operation(through=NETWORK)
def stacked_linear_gap(seed):
    """Two layers without a bend against the one matrix that is their product (the package's layers)."""
    A, B, x = (random_rows(4, 4, seed=seed + k) for k in range(3))
    two = hidden(hidden(x, A, np.zeros(4)), B, np.zeros(4))
    return float(np.abs(two - hidden(x, A @ B, np.zeros(4))).max())


@_operation(through="support.training.make_optimiser")
def corner_descent(target, start, steps):
    """The share of the error that is left after steps of falling size on |w − target|."""
    w = float(start)
    for t in range(int(steps)):
        w = float(sgd(w, np.sign(w - target), 1 / math.sqrt(t + 1) if t < 100 else 1 / (t + 1)))
    return abs(w - target) / abs(start - target)


@_operation(through=f"{NETWORK} support.training.token_losses")
def bulge(x, y, W1, b1, w2, b2, order):
    """How far the loss half way between a network and its renumbered twin exceeds the mean of the two."""
    W1, b1, w2 = array(W1), array(b1), array(w2)
    order = np.asarray(order, dtype=int)
    twin = (W1[:, order], b1[order], w2[order])
    middle = [(a + b) / 2 for a, b in zip((W1, b1, w2), twin, strict=True)]
    ends = student_loss(x, y, W1, b1, w2, b2) + student_loss(x, y, *twin, b2)
    return max(0.0, student_loss(x, y, *middle, b2) - ends / 2)


def _heads(width, seed):
    return [random_rows(width, width, seed=seed + k) for k in (1, 2, 3)]


@_operation(through="support.model.attend support.model.SelfAttention.split")
def order_gap(length, width, seed, causal):
    """How much an attention layer's outputs change when its inputs are shuffled and the outputs put back."""
    x, Ws = random_rows(length, width, seed=seed), _heads(width, seed)
    order = np.random.default_rng(seed + 9).permutation(length)
    there = attend(*(project(x, W) for W in Ws), causal=causal)
    back = attend(*(project(x[order], W) for W in Ws), causal=causal)
    return float(np.abs(there[order] - back).max())


@_operation(through="support.model.attend support.model.SelfAttention.split")
def additivity_gap(length, width, seed):
    """How far attention of a sum is from the sum of attentions, relative to its size."""
    x, y = random_rows(length, width, seed=seed), random_rows(length, width, seed=seed + 7)
    Ws = _heads(width, seed)
    one, two, both = (attend(*(project(z, W) for W in Ws)) for z in (x, y, x + y))
    return float(np.linalg.norm(both - one - two) / np.linalg.norm(both))


@_operation(through="support.model.SelfAttention.with_weights support.model.attend")
def lanes_gap(length, width, heads, seed):
    """The layer with its one big matrix against its heads computed one by one."""
    config = support("support.model.GPTConfig")(
        vocab_size=2, d_model=width, n_heads=heads, attention_bias=False
    )
    torch.manual_seed(seed)
    layer = support("support.model.SelfAttention")(config)
    x = random_rows(length, width, seed=seed)
    whole = _numbers(layer.with_weights(tensor(x)[None])[0][0])
    W = layer.qkv.weight.detach().numpy().T
    d = width // heads
    parts = []
    for h in range(heads):
        q, k, v = (x @ W[:, m * width + h * d : m * width + (h + 1) * d] for m in range(3))
        parts.append(attend(q, k, v))
    apart = np.concatenate(parts, 1) @ layer.output.weight.detach().numpy().T
    return float(np.abs(whole - apart).max())


@_operation(through="support.model.SelfAttention.split")
def split_gap(length, width, heads, seed):
    """One product for all heads' queries against one product for each head."""
    config = support("support.model.GPTConfig")(
        vocab_size=2, d_model=width, n_heads=heads, attention_bias=False
    )
    torch.manual_seed(seed)
    layer = support("support.model.SelfAttention")(config)
    x, d = random_rows(length, width, seed=seed), width // heads
    q = _numbers(layer.split(tensor(x)[None])[0][0])
    W = layer.qkv.weight.detach().numpy().T
    return float(max(np.abs(q[h] - x @ W[:, h * d : (h + 1) * d]).max() for h in range(heads)))


@_operation()
def score_variance(width, pairs, seed, scaled):
    """The variance of dot products of random vectors, as they are or divided by the root of their width."""
    a, b = random_rows(pairs, width, seed=seed), random_rows(pairs, width, seed=seed + 1)
    scores = (a * b).sum(1)
    return float((scores / math.sqrt(width) if scaled else scores).var())


@_operation(through="support.generation.next_token")
def softmax_steepness(z):
    """The size of softmax's table of slopes."""
    p = next_token(z)
    return float(np.linalg.norm(np.diag(p) - np.outer(p, p)))


@_operation(through="support.model.GPT.n_parameters")
def small_model_parameters(vocab_size, d_model, n_heads, n_layers, d_ff, context=None, **more):
    """A model in the manner of the source: no biases in attention, a tied head, fixed positions."""
    with torch.device("meta"):
        config = support("support.model.GPTConfig")(
            vocab_size=int(vocab_size),
            d_model=int(d_model),
            n_heads=int(n_heads),
            n_layers=int(n_layers),
            d_ff=int(d_ff),
            attention_bias=False,
            positions="none" if context is None else "learned",
            context=context or 128,
            **more,
        )
        return support("support.model.GPT")(config).n_parameters()


def _toy(rows):
    """Two blocks in float64 whose table holds these rows; the model that a study differentiates."""
    config = support("support.model.GPTConfig")(
        vocab_size=len(rows), context=5, d_model=rows.shape[1], n_heads=2, d_ff=8, attention_bias=False
    )
    torch.manual_seed(0)
    model = support("support.model.GPT")(config)
    model.embedding.weight = torch.nn.Parameter(tensor(rows))
    return model


def _last_loss(model, ids, target):
    return support("support.training.token_losses")(model(ids)[:, -1:], torch.tensor([[target]]))


@_operation(through="support.model.GPT support.training.token_losses")
def tied_gap(seed):
    """A tied table's slope against the sum of the slopes of an untied model's two tables."""
    rows, ids = random_rows(8, 4, seed=seed) * 0.5, torch.tensor([[0, 1, 2, 3, 0]])
    tied = _toy(rows)
    _last_loss(tied, ids, 5).backward()
    apart = _toy(rows)
    apart.head = torch.nn.Linear(4, 8, bias=False)
    apart.head.weight = torch.nn.Parameter(tensor(rows))
    _last_loss(apart, ids, 5).backward()
    both = apart.embedding.weight.grad + apart.head.weight.grad
    return float((tied.embedding.weight.grad - both).abs().max())


@_operation(through="support.model.GPT support.training.token_losses")
def reach(seed):
    """How long the slope of the last position's loss is at each position's input."""
    model, ids = _toy(random_rows(8, 4, seed=seed) * 0.5), torch.tensor([[0, 1, 2, 3, 0]])
    kept = []

    def keep(_module, _inputs, out):
        out.retain_grad()
        kept.append(out)

    model.embedding.register_forward_hook(keep)
    _last_loss(model, ids, 5).backward()
    return _numbers(kept[0].grad[0].norm(dim=-1))


@_operation()
def rank_one_ratio(A):
    """The second singular value over the first."""
    s = np.linalg.svd(A, compute_uv=False)
    return float(s[1] / s[0])


@_operation(through="support.model.layer_norm")
def layer_norm_slope(x, g):
    """The slopes at a vector, given those at its layer norm."""
    return gradient(lambda v: float(layer_norm(v) @ np.asarray(g)), x)


@_operation(through="support.training.token_losses support.generation.next_token")
def batch_gradients(batch, sizes, what, layer=None, divided_again=False):
    """Back-propagation in matrices for a batch: a formula of the appendix against finite differences.

    With the mean loss: the last layer's deltas, those of the first, or the slopes of the activations as a
    largest gap; a weight's or bias' slopes as the ratio of the formula to the true slopes.
    """
    rng = np.random.default_rng(0)
    W = {i: rng.standard_normal((sizes[i], sizes[i - 1])) * 0.7 for i in (1, 2)}
    b = {i: rng.standard_normal((sizes[i], 1)) * 0.3 for i in (1, 2)}
    X = rng.standard_normal((sizes[0], batch))
    Y = np.eye(sizes[2])[:, rng.integers(sizes[2], size=batch)]

    def losses(Z):
        targets = torch.as_tensor(Y.argmax(0))[None]
        return float(support("support.training.token_losses")(tensor(Z.T)[None], targets)) / batch

    def from_hidden(Z1=None, A1=None, W2=W[2], b2=b[2]):
        return losses(W2 @ (np.tanh(Z1) if A1 is None else A1) + b2)

    Z1 = W[1] @ X + b[1]
    A1 = np.tanh(Z1)
    Z2 = W[2] @ A1 + b[2]
    P = next_token(Z2.T).T
    delta = {2: (P - Y) / batch}
    delta[1] = (W[2].T @ delta[2]) * (1 - A1**2)
    if what == "deltaL":
        return float(np.abs(delta[2] - gradient(losses, Z2)).max())
    if what == "A":
        return float(np.abs(W[2].T @ delta[2] - gradient(lambda a: from_hidden(A1=a), A1)).max())
    if what == "delta1":
        return float(np.abs(delta[1] - gradient(lambda z: from_hidden(Z1=z), Z1)).max())
    below = {1: X, 2: A1}[layer]
    if what == "W":
        formula = delta[layer] @ below.T
        change = [lambda w: from_hidden(Z1=w @ X + b[1]), lambda w: from_hidden(Z1=Z1, W2=w)]
        true = gradient(change[layer - 1], W[layer])
    else:
        formula = delta[layer].sum(1, keepdims=True)
        change = [lambda c: from_hidden(Z1=W[1] @ X + c), lambda c: from_hidden(Z1=Z1, b2=c)]
        true = gradient(change[layer - 1], b[layer])
    ratio = float((formula * true).sum() / (true * true).sum())
    return ratio / batch if divided_again else ratio


@_operation(through="support.model.sinusoids")
def shift_matrix(k, d_model):
    """The matrix that turns every position's vector into that of the position k further on."""
    angles = k / 10_000.0 ** (np.arange(0, d_model, 2) / d_model)
    M = np.zeros((d_model, d_model))
    for i, a in enumerate(angles):
        M[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[np.cos(a), np.sin(a)], [-np.sin(a), np.cos(a)]]
    return M


@_operation(through="support.model.sinusoids")
def closest_positions(context, d_model, step=1):
    """The smallest distance between two positions' vectors."""
    rows = _numbers(support("support.model.sinusoids")(int(context), int(d_model)))[:: int(step)]
    gaps = np.linalg.norm(rows[:, None] - rows[None], axis=-1)
    return float(gaps[~np.eye(len(rows), dtype=bool)].min())


@_operation(through="support.model.SelfAttention.split support.model.attend")
def layer_lengths(lengths, width):
    """How many rows an attention layer with the same matrices gives for inputs of these lengths."""
    Ws = _heads(width, 0)
    return [len(attend(*(project(random_rows(n, width), W) for W in Ws))) for n in lengths]


@_operation(through="support.model.attend support.model.SelfAttention.split")
def cached_gap(length, width):
    """The last position computed alone over kept keys and values, against the whole pass."""
    x = random_rows(length, width)
    q, k, v = (project(x, W) for W in _heads(width, 0))
    return float(np.abs(attend(q, k, v)[-1] - attend(q[-1:], k, v)[0]).max())
