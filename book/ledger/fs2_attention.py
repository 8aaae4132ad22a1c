"""From scratch, part 2: self-attention, many heads, grouped queries."""

from math import inf

import numpy as np

from book.ledger.claims import claim
from book.ledger.example import WE, WK, WQ, X
from book.ledger.helpers import (
    attend,
    attention_weights,
    causal_mask,
    layer_norm,
    next_token,
    numbers,
    random_rows,
    tensor,
)
from book.ledger.studies import attention_parameters, cache_bytes, parameters, score_variance
from support import model


@claim(place="III. Self-attention", chapter="11", stated=1, verdict="convention", checked="by reading")
def fs2_047():
    """q = W_Q x with W_Q of shape d_model x d_k (1 = product defined)

    A column vector of length d_model needs a d_k x d_model matrix on its left; the stated shape belongs to
    the row form x W_Q, which the article uses later.
    """


@claim(
    place="III. Self-attention",
    chapter="11",
    section="The vectors as they are",
    cell="raw_scores = X @ X.T",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_048():
    """raw dot products between token vectors are symmetric

    x_i . x_j equals x_j . x_i.
    """
    return np.abs(WE @ WE.T - (WE @ WE.T).T).max()


@claim(
    place="III. Self-attention",
    chapter="11",
    cell="matrix(raw_weights, corner=",
    stated=0,
    within=1e-06,
    verdict="overstated",
)
def fs2_049():
    """without projections token A attends to B exactly as much as B attends to A

    The scores are symmetric but the row-wise softmax is not: using the article's X^(0) as its own queries
    and keys, the weights differ.
    """
    A = attention_weights(X, X, causal=False)
    return np.abs(A - A.T).max()


@claim(
    place="III. Self-attention",
    chapter="11",
    section="The vectors as they are",
    cell="raw_scores = X @ X.T",
    stated=True,
    verdict="holds",
)
def fs2_050():
    """with separate W_Q and W_K the scores are not symmetric in general

    In the article's own head, score(0,1) is -0.039 and score(1,0) is 0.035.
    """
    scores = layer_norm(X) @ WQ @ (layer_norm(X) @ WK).T
    return np.abs(scores - scores.T).max() > 0.001


@claim(place="III. Self-attention", chapter="11", stated=6, verdict="slip", checked="by reading")
def fs2_051():
    """in the tired-animal sentence 'position 6 attends to position 1' links 'it' to 'animal'

    If the positions refer to the quoted sentence they do not fit: counting words from zero, 'animal' is 1
    but 'it' is 7 (position 6 is 'because'); counting from one they are 2 and 8.
    """


@claim(
    place="III. Self-attention",
    chapter="11",
    section="What a dot product measures",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_052():
    """Q K^T collects all pairwise query-key dot products

    Entry (i, j) of the product equals q_i . k_j.
    """
    return np.abs(
        X @ WQ @ (X @ WK).T - np.array([[X[i] @ WQ @ (X[j] @ WK) for j in range(5)] for i in range(5)])
    ).max()


@claim(
    place="III. Self-attention",
    chapter="11",
    section="Why divide by a square root?",
    cell="sizes = [1, 4, 16, 64, 256]",
    stated=64,
    relative=0.03,
    verdict="holds",
)
def fs2_053():
    """the dot product of two random d_k-vectors has variance proportional to d_k (d_k = 64)

    Simulation with unit-variance entries gives about 64.
    """
    seed = 0
    return score_variance(64, 50000, seed, False)


@claim(
    place="III. Self-attention",
    chapter="11",
    section="Why divide by a square root?",
    cell="sizes = [1, 4, 16, 64, 256]",
    stated=1,
    within=0.02,
    verdict="holds",
    added=True,
)
def fs2_054():
    """divided by the root of d_k, the score's variance is about 1 (d_k = 64)

    The variance of 50,000 random scores is within two hundredths of 1.
    """
    return score_variance(64, 50000, 2, True)


@claim(
    place="III. Self-attention",
    chapter="11",
    section="Why divide by a square root?",
    cell="raw = {d: sharpness(d, 1) for d in sizes}",
    stated=True,
    verdict="holds",
)
def fs2_055():
    """large scores saturate softmax and shrink its gradient

    Multiplying the same scores by 8 cuts the size of the softmax Jacobian by more than ten.
    """

    def steepness(z):
        p = next_token(z)
        return np.linalg.norm(np.diag(p) - np.outer(p, p))

    z = np.array([1.2, -0.3, 0.5, -0.9])
    return steepness(8 * z) < 0.1 * steepness(z)


@claim(
    place="III. Self-attention",
    chapter="11",
    section="One head, every number: the cat sat",
    cell="weights = masked.exp() / masked.exp().sum(dim=1,",
    stated=[1, 1, 1, 1, 1],
    within=1e-12,
    verdict="holds",
)
def fs2_056():
    """each row of the attention matrix is positive and sums to 1

    Row sums of the article's head 1.
    """
    return attention_weights(layer_norm(X) @ WQ, layer_norm(X) @ WK).sum(1)


@claim(
    place="III. Self-attention",
    chapter="11",
    section="In code",
    cell="furthest = max(float((y - output).abs().max())",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_057():
    """the matrix form softmax(QK^T/sqrt(d_k)) V equals the per-position weighted sum of values

    Both ways of writing it agree exactly.
    """
    WV = np.array([[0.3, 0.2], [0, 0.4], [0.5, 0.1], [0.2, 0.3]])
    A, V = attention_weights(X @ WQ, X @ WK), X @ WV
    sums = [sum(A[i, j] * V[j] for j in range(5)) for i in range(5)]
    return np.abs(attend(X @ WQ, X @ WK, V) - sums).max()


@claim(
    place="III. Self-attention",
    chapter="11",
    section="Three ways to write the mask, and one that fails",
    cell="allowed = causal_mask(3)",
    stated=[[0, -inf, -inf], [0, 0, -inf], [0, 0, 0]],
    verdict="holds",
)
def fs2_058():
    """the 3 x 3 causal mask has minus infinity strictly above the diagonal

    Position i may look at j up to and including i.
    """
    return np.where(causal_mask(3), 0, -np.inf)


@claim(
    place="III. Self-attention",
    chapter="11",
    cell="allowed = causal_mask(3)",
    stated=0,
    within=1e-09,
    verdict="conceptual",
)
def fs2_059():
    """a lower-triangular matrix of ones and zeros added to the scores works equally well (weight left on
    the future)

    Adding 1 and 0 only shifts scores; the first position still gives 42 percent of its weight to future
    tokens, so only the additive minus-infinity form masks (ones and zeros must be used as a selector
    instead).
    """
    return next_token(np.zeros((3, 3)) + np.tril(np.ones((3, 3))))[0, 1:].sum()


@claim(
    place="III. Self-attention",
    chapter="11",
    section="Three ways to write the mask, and one that fails",
    cell="allowed = causal_mask(3)",
    stated=0,
    verdict="holds",
)
def fs2_060():
    """adding minus infinity gives weight exactly zero to future tokens

    The exponential of minus infinity is zero.
    """
    return np.triu(
        next_token(
            np.array([[0.3, 0.1, 0.4], [0.2, 0.9, -0.5], [0, 0.1, 0.2]])
            + np.where(causal_mask(3), 0, -np.inf)
        ),
        1,
    ).sum()


@claim(
    place="III. Self-attention",
    chapter="11",
    section="What a dot product measures",
    stated=[1, 2, 3],
    verdict="holds",
)
def fs2_061():
    """tokens 1, 2 and 3 see 1, 2 and 3 tokens respectively

    Count of unmasked entries per row.
    """
    return np.isfinite(np.where(causal_mask(3), 0, -np.inf)).sum(1)


@claim(
    place="III. Self-attention",
    chapter="11",
    section="The vectors as they are",
    cell="raw_scores = X @ X.T",
    stated=True,
    verdict="holds",
    added=True,
)
def fs2_293():
    """for raw vectors as queries and keys, the scores of two tokens are the same in both directions

    A dot product does not care for the order; the softmax of each row does.
    """
    return np.allclose(X @ X.T, (X @ X.T).T)


@claim(
    place="III. Multi-head attention",
    chapter="12",
    cell="rows = [[h, 768 // h, *cost_of(768, h, 100)] for h i",
    stated=64,
    verdict="holds",
)
def fs2_062():
    """768 dimensions over 12 heads gives 64 per head

    768 / 12.
    """
    d, H = 768, 12
    return d // H


@claim(
    place="III. Multi-head attention",
    chapter="12",
    cell='print("slice = whole word with three zero rows:"',
    stated=2,
    verdict="overstated",
)
def fs2_063():
    """each head does not see the full representation, only a slice as wide as d_k (input coordinates read
    by head 1 of the worked example)

    A head is a rank-d_k projection of the whole vector, not a slice of coordinates: in the worked example
    all 4 rows of W_Q^(1,1) are non-zero, and nothing in the architecture forces the heads' learned
    subspaces to differ.
    """
    return (abs(WQ).sum(1) > 0).sum()


@claim(
    place="III. Multi-head attention",
    chapter="12",
    cell="rows = [[h, 768 // h, *cost_of(768, h, 100)] for h i",
    stated=0,
    verdict="holds",
)
def fs2_064():
    """H heads of width d_k cost the same projections as one head of width d_model

    H * 3 * d * (d/H) equals 3 d^2, and the score products also match (H n^2 d_k = n^2 d).
    """
    d, H, n = 768, 12, 100
    many, one = (parameters(vocab_size=2, d_model=d, n_heads=heads, n_layers=1) for heads in (H, 1))
    return many - one + (H * n * n * (d // H) - n * n * d)


@claim(place="III. Multi-head attention", chapter="12", stated=1769472, verdict="holds")
def fs2_065():
    """a single full-width head needs 3 d_model^2 projection parameters

    Three square matrices at d = 768.
    """
    d = 768
    return attention_parameters(d) - d * d


@claim(place="III. Multi-head attention", chapter="12", stated=1, above=True, verdict="holds")
def fs2_066():
    """with W_O multi-head is slightly more expensive than a single head without it (parameter ratio above
    1)

    It is 4 d^2 against 3 d^2, a third more, which is not so slight.
    """
    d = 768
    return attention_parameters(d) / (attention_parameters(d) - d * d)


@claim(place="III. Multi-head attention", chapter="12", stated=True, verdict="holds")
def fs2_067():
    """one softmax per position: raising one weight must lower the others

    Raising one score lowers every other softmax weight.
    """
    return all((next_token([2.0, 0.1, 0.3]) - next_token([1.0, 0.1, 0.3]))[1:] < 0)


@claim(place="III. Multi-head attention", chapter="12", stated=0.9, unit=0.1, verdict="holds")
def fs2_068():
    """the original paper found one head 0.9 BLEU worse than the multi-head setting

    Matches the paper's ablation table (24.9 for one head against 25.8 for the best setting); the inputs are
    from the paper, not from this article.
    """
    best, single = 25.8, 24.9
    return best - single


@claim(place="III. Multi-head attention", chapter="12", stated=25.8, verdict="holds", checked="by reading")
def fs2_069():
    """too many thin heads also hurt quality in that ablation (BLEU of 32 heads below the best)

    The paper's table lists 25.4 for 32 heads against 25.8 at best (external input).
    """


@claim(place="III. Multi-head attention", chapter="12", stated=512, verdict="holds")
def fs2_070():
    """H = 8 heads of width 64 fill the original model width

    8 x 64 = 512, the paper's base d_model.
    """
    H = 8
    return H * (512 // H)


@claim(place="III. Multi-head attention", chapter="12", stated=589824, verdict="holds", added=True)
def fs2_071():
    """the output matrix adds d_model squared numbers (768)

    768 times 768.
    """
    return attention_parameters(768) - 3 * 768**2


@claim(
    place="III. Multi-head attention",
    chapter="12",
    cell="q, k, v = (split_heads(x @ w, 2) for w in big)",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_072():
    """stacking per-head matrices side by side and multiplying once equals separate multiplications

    The big product sliced into chunks is identical to the small products.
    """
    layer = model.SelfAttention(model.GPTConfig(vocab_size=2, d_model=12, n_heads=3, attention_bias=False))
    x, W = random_rows(5, 12), layer.qkv.weight.detach().numpy().T
    q = numbers(layer.split(tensor(x)[None])[0][0])
    return max(np.abs(q[h] - x @ W[:, 4 * h : 4 * h + 4]).max() for h in range(3))


@claim(
    place="III. Multi-head attention",
    chapter="12",
    cell="q, k, v = (split_heads(x @ w, 2) for w in big)",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs2_073():
    """the whole multi-head attention gives identical numbers in the one-big-matrix implementation

    Running all heads from sliced big projections matches the per-head version.
    """
    layer = model.SelfAttention(model.GPTConfig(vocab_size=2, d_model=12, n_heads=3, attention_bias=False))
    x, W = random_rows(5, 12), layer.qkv.weight.detach().numpy().T
    parts = []
    for h in range(3):
        q, k, v = (x @ W[:, 12 * part + 4 * h : 12 * part + 4 * h + 4] for part in range(3))
        parts.append(attend(q, k, v))
    apart = np.hstack(parts) @ layer.output.weight.detach().numpy().T
    return np.abs(numbers(layer.with_weights(tensor(x)[None])[0][0]) - apart).max()


@claim(
    place="III. Multi-head attention",
    chapter="12",
    cell="y = x @ big[0]",
    stated=1,
    verdict="holds",
    checked="by reading",
)
def fs2_074():
    """the reshape into heads copies no data

    Splitting the last axis is a view on the same memory (a later head-major contiguous copy would cost
    something).
    """


@claim(place="III. Grouped query attention", chapter="22", stated=8, verdict="holds")
def fs2_142():
    """64 query heads over 8 KV heads form 8 groups of 8

    64 / 8.
    """
    q, kv = 64, 8
    return q / kv


@claim(
    place="III. Grouped query attention", chapter="22", stated=[[1, 8], [9, 16], [57, 64]], verdict="holds"
)
def fs2_143():
    """groups 1, 2 and 8 hold query heads 1-8, 9-16 and 57-64

    Group g covers 8(g-1)+1 to 8g.
    """
    return [[8 * (g - 1) + 1, 8 * g] for g in (1, 2, 8)]


@claim(
    place="III. Grouped query attention",
    chapter="22",
    cell="def cache_bytes(kv_heads, tokens, layers=80, d_h",
    cell_in="12",
    stated=8,
    verdict="holds",
)
def fs2_144():
    """8 instead of 64 KV heads cuts KV-cache memory 8-fold

    Cache size is proportional to the number of KV heads.
    """
    return cache_bytes(80, 64, 64, 128) / cache_bytes(80, 64, 8, 128)


@claim(
    place="III. Grouped query attention",
    chapter="22",
    cell='table([["workbench: 32 layers, 32 heads of 128,',
    cell_in="12",
    stated=1e10,
    above=True,
    verdict="holds",
)
def fs2_145():
    """with 64 KV heads a 70B model's cache for a long document takes tens of gigabytes (32,768 tokens,
    16-bit)

    80 blocks x 64 heads x 128 dims x 2 (K and V) x 2 bytes is 2.6 MB per token, i.e. 85.9 GB at 32,768
    tokens and 21.5 GB at 8,192.
    """
    return cache_bytes(80, 64, 64, 128, 32768)


@claim(
    place="III. Grouped query attention",
    chapter="22",
    cell="def cache_bytes(kv_heads, tokens, layers=80, d_h",
    cell_in="12",
    stated=[0.015625, 0.125, 1],
    verdict="holds",
)
def fs2_146():
    """KV heads may range from 1 (MQA) to H (MHA): cache sizes relative to MHA for 1, 8, 64

    Proportional to the number of KV heads.
    """
    return [cache_bytes(1, 64, k, 128) / cache_bytes(1, 64, 64, 128) for k in (1, 8, 64)]
