"""Complete guide: chapters 12 to 14 (causal mask, inference and its cache, hyperparameters)."""

from math import inf

import numpy as np

from book.ledger.claims import claim
from book.ledger.helpers import (
    attention_weights,
    causal_mask,
    first_adam_step,
    gradient,
    learning_rate,
    masked,
    next_token,
    random_rows,
)
from book.ledger.studies import cache_bytes, gpt2_parameters


@claim(
    place="Ch.12 Causal masking",
    chapter="11",
    cell="again = (Q3 @ K3.T / math.sqrt(3))",
    stated=[[-0.02, -0.01, 0.16], [0.08, 0.12, 0.23], [0.15, 0.19, 0.31]],
    unit=0.01,
    verdict="slip",
)
def cg_276():
    """The 3x3 score matrix for the sentence (row "I" repeats Chapter 5).

    Row I matches; from the same Q and K rows "love" and "pizza" are [0.01, 0.02, 0.17] and [0.16, 0.15,
    -0.32], so five of six printed entries are off by more than a unit and the last has the wrong sign.
    """
    Q = np.array([[-0.008, -0.127, 0.379], [0.187, -0.091, 0.422], [0.343, 0.636, -0.411]])
    K = np.array([[0.281, 0.268, -0.017], [0.292, 0.259, 0.028], [0.033, -0.529, 0.573]])
    return Q @ K.T / np.sqrt(3)


@claim(
    place="Ch.12 Causal masking",
    chapter="11",
    section="Three ways to write the mask, and one that fails",
    cell="survivors = torch.tensor([[-0.02, -0.01, 0.16],",
    stated=[[-0.02, -inf, -inf], [0.08, 0.12, -inf], [0.15, 0.19, 0.31]],
    unit=0.01,
    verdict="holds",
)
def cg_277():
    """Adding the mask keeps the lower triangle and blocks the rest.

    Correct for the printed scores.
    """
    s = np.array([[-0.02, -0.01, 0.16], [0.08, 0.12, 0.23], [0.15, 0.19, 0.31]])
    return masked(s)


@claim(
    place="Ch.12 Causal masking",
    chapter="11",
    section="Three ways to write the mask, and one that fails",
    cell="survivors = torch.tensor([[-0.02, -0.01, 0.16],",
    stated=[1.083, 1.128],
    unit=0.001,
    verdict="rounding",
)
def cg_278():
    """e^0.08 = 1.083 and e^0.12 = 1.128.

    e^0.12 = 1.1275, which rounds to 1.127.
    """
    return np.exp([0.08, 0.12])


@claim(
    place="Ch.12 Causal masking",
    chapter="11",
    section="Three ways to write the mask, and one that fails",
    cell="survivors = torch.tensor([[-0.02, -0.01, 0.16],",
    stated=2.211,
    unit=0.001,
    verdict="holds",
)
def cg_279():
    """Sum 2.211.

    At full precision this is 2.2108.
    """
    return np.exp(0.08) + np.exp(0.12)


@claim(
    place="Ch.12 Causal masking",
    chapter="11",
    section="Three ways to write the mask, and one that fails",
    cell="survivors = torch.tensor([[-0.02, -0.01, 0.16],",
    stated=[0.49, 0.51, 0],
    unit=0.001,
    verdict="holds",
)
def cg_280():
    """Row "love" becomes 0.490, 0.510, 0.

    At full precision these are 0.4900 and 0.5100.
    """
    return next_token([0.08, 0.12, -np.inf])


@claim(
    place="Ch.12 Causal masking",
    chapter="11",
    cell="again = (Q3 @ K3.T / math.sqrt(3))",
    stated=[0.49, 0.51],
    unit=0.001,
    verdict="follows",
    follows="cg-276",
)
def cg_281():
    """Row "love" after masking, recomputed from Q and K.

    The tutorial's own Q and K give 0.497 and 0.503.
    """
    Q = np.array([[-0.008, -0.127, 0.379], [0.187, -0.091, 0.422], [0.343, 0.636, -0.411]])
    K = np.array([[0.281, 0.268, -0.017], [0.292, 0.259, 0.028], [0.033, -0.529, 0.573]])
    return next_token(Q[1] @ K[:2].T / np.sqrt(3))


@claim(
    place="Ch.12 Causal masking",
    chapter="11",
    section="Three ways to write the mask, and one that fails",
    cell="allowed = causal_mask(3)",
    stated=0,
    verdict="holds",
)
def cg_282():
    """e to minus infinity is 0.

    This is the limit of the exponential.
    """
    return attention_weights([[1.0], [1.0]], [[1.0], [1.0]])[0][1]


@claim(
    place="Ch.12 Causal masking",
    chapter="11",
    section="Three ways to write the mask, and one that fails",
    cell="allowed = causal_mask(3)",
    stated=True,
    verdict="holds",
)
def cg_283():
    """The code line triu(ones * -inf, diagonal=1) builds the causal mask.

    Zeros on and below the diagonal, minus infinity above (triu replaces rather than multiplies).
    """
    return (np.isinf(np.triu(np.full((3, 3), -np.inf), 1)) == ~causal_mask(3)).all()


@claim(
    place="Ch.13 Inference",
    chapter="22",
    stated=[[34.5, 22.1, 18.3, 12.7], [28.9, 19.4, 15.7, 12.3], [31.2, 18.5, 16.8]],
    verdict="unverifiable",
    checked="not possible",
)
def cg_284():
    """Next-word probabilities in three iterations.

    No weights or logits are given; each list stays below 100%.
    """


@claim(place="Ch.13 Inference", chapter="22", stated=5, verdict="holds", added=True)
def cg_285():
    """The final output has the five words more that were to be generated.

    pizza, and, pasta, very, much.
    """
    before = "I love"
    after = "I love pizza and pasta very much"
    return len(after.split()) - len(before.split())


@claim(place="Ch.13 Inference", chapter="22", stated=True, verdict="slip")
def cg_286():
    """Training looks in both directions, inference left to right only.

    The same table keeps the causal mask on in training, where no position has weight on a later one.
    """
    return next_token(masked(random_rows(4, 4)))[0, 1] > 0


@claim(
    place="Ch.13 Inference", chapter="22", stated=[50, 100], verdict="unverifiable", checked="not possible"
)
def cg_287():
    """Without the cache ChatGPT would be 50-100 times slower.

    No model, length or hardware given.
    """


@claim(place="Ch.13 KV cache", chapter="22", stated=[5050, 101], verdict="slip")
def cg_288():
    """With a 2-token prompt and 100 generated tokens: 5,050 token passes without cache, 101 with.

    Starting at 2 tokens the 100 iterations process 2+3+...+101 = 5,150; 5,050 is 1+...+100, whose cached
    count is 100, so the pair mixes two set-ups.
    """
    return [sum(range(2, 102)), 2 + 99]


@claim(place="Ch.13 KV cache", chapter="22", stated=50, unit=10, verdict="holds")
def cg_289():
    """The speed-up is about 50 times.

    51 for this set-up (50.5 for 5,050 against 100).
    """
    return 5150 / 101


@claim(place="Ch.13 KV cache", chapter="22", stated=5050, verdict="holds")
def cg_290():
    """1 + 2 + ... + 100 = 100 x 101 / 2 = 5,050.

    The arithmetic is exact.
    """
    return sum(range(1, 101))


@claim(place="Ch.13 KV cache", chapter="22", stated=500000, unit=1000, verdict="holds")
def cg_291():
    """1000 tokens need 500,000 operations without cache.

    500,500, equal to the thousands shown.
    """
    return sum(range(1, 1001))


@claim(place="Ch.13 KV cache", chapter="22", stated=[100, 101], verdict="slip")
def cg_292():
    """With the cache, 100 tokens cost 100 operations, yet the difference is quoted as 5,050 to 101.

    The same chapter derives 100 and then quotes 101.
    """
    with_cache = sum(1 for _token in range(100))
    return [with_cache, with_cache]


@claim(place="Ch.13 KV cache", chapter="22", stated=500, unit=1, verdict="holds")
def cg_293():
    """500,000 to 1,000 is 500 times faster.

    At full precision this is 500.5.
    """
    return 500500 / 1000


@claim(place="Ch.13 KV cache", chapter="22", stated=1, verdict="conceptual", added=True)
def cg_294():
    """With the cache every token costs one computation, whatever its place, so that generation is linear
    (comparisons of the hundredth token).

    The projections are done once for each token, but its query still meets all hundred keys: with the cache
    the comparisons of a whole text grow as the square, without it as the cube.
    """
    return attention_weights(np.ones((1, 3)), np.ones((100, 3)), causal=False).size


@claim(place="Ch.13 KV cache", chapter="22", stated=True, verdict="holds")
def cg_295():
    """Processing all tokens again each step makes the token passes O(n^2), with the cache O(n).

    Doubling the length multiplies the uncached passes by four and the cached ones by two.
    """
    return abs(sum(range(1, 2001)) / sum(range(1, 1001)) - 4) < 0.01 and 2000 / 1000 == 2


@claim(
    place="Ch.13 KV cache",
    chapter="22",
    cell='table([["workbench: 32 layers, 32 heads of 128,',
    cell_in="12",
    stated=2359296,
    verdict="holds",
)
def cg_296():
    """GPT-3 caches 2 x 96 x 96 x 128 = 2,359,296 numbers per token.

    The arithmetic is exact.
    """
    return cache_bytes(96, 96, 96, 128, 1, 1)


@claim(
    place="Ch.13 KV cache",
    chapter="22",
    cell='table([["workbench: 32 layers, 32 heads of 128,',
    cell_in="12",
    stated=9400000.0,
    unit=100000.0,
    verdict="holds",
)
def cg_297():
    """At 4 bytes that is 9.4 MB per token.

    At full precision this is 9.437 MB.
    """
    return cache_bytes(96, 96, 96, 128, 1, 4)


@claim(
    place="Ch.13 KV cache",
    chapter="22",
    cell='table([["workbench: 32 layers, 32 heads of 128,',
    cell_in="12",
    stated=1.93e10,
    unit=100000000.0,
    verdict="holds",
)
def cg_298():
    """2048 tokens need 19.3 GB of cache.

    At full precision this is 19.33 GB (18 GiB).
    """
    return cache_bytes(96, 96, 96, 128, 2048, 4)


@claim(
    place="Ch.13 KV cache",
    chapter="22",
    stated=[9.4, 94, 940, 9400, 19300, 94000, 940000],
    unit=[0.1, 1, 10, 100, 100, 1000, 10000],
    verdict="holds",
)
def cg_299():
    """Memory wall at 1, 10, 100, 1000, 2048, 10000, 100000 tokens, in MB.

    All seven match at the printed precision.
    """
    return [cache_bytes(96, 96, 96, 128, n, 4) / 1000000.0 for n in (1, 10, 100, 1000, 2048, 10000, 100000)]


@claim(place="Ch.13 KV cache", chapter="22", stated=3.5e11, unit=1000000000.0, verdict="holds")
def cg_300():
    """GPT-3 weights take 350 GB.

    True at 2 bytes per weight; the cache next to it is counted at 4 bytes, at which the weights would be
    700 GB.
    """
    return 175000000000.0 * 2


@claim(place="Ch.13 KV cache", chapter="22", stated=True, verdict="slip", added=True)
def cg_301():
    """GPT-3 with its window of 2,048 tokens fits on a GPU of 80 GB.

    By the same page the weights alone take 350 GB; with the cache it is 369 GB, five such GPUs.
    """
    weights = 2 * gpt2_parameters(96, 12288, 50257, 2048)
    return weights + cache_bytes(96, 96, 96, 128, 2048, 4) <= 80e9


@claim(
    place="Ch.13 KV cache",
    chapter="22",
    stated=[2048, 32000, 200000],
    verdict="unverifiable",
    checked="not possible",
)
def cg_302():
    """Context limits: GPT-3 2048, GPT-4 32K, Claude 200K.

    External product figures that change with versions.
    """


@claim(
    place="Ch.13 KV cache", chapter="22", stated=None, verdict="conceptual", checked="by reading", added=True
)
def cg_410():
    """FlashAttention is one of the answers to the cache that grows with the text.

    It avoids storing the table of scores, and reads keys and values in tiles; the cache itself stays as
    large as it was.
    """


@claim(place="Ch.13 KV cache", chapter="22", stated=19.3, unit=0.1, verdict="convention", added=True)
def cg_411():
    """The cache of 19.3 GB stands beside weights of 350 GB (cache in the numbers of two bytes that the
    weights take).

    The weights are counted with two bytes a number and the cache with four; alike, the cache is 9.7 GB.
    """
    return cache_bytes(96, 96, 96, 128, 2048, 2) / 1000000000.0


@claim(
    place="Ch.14 Hyperparameters",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=[12, 25],
    verdict="holds",
)
def cg_303():
    """GPT-2 widths 768, 1024, 1280, 1600 with 12-25 heads of equal size.

    Every size uses 64 dimensions per head.
    """
    return [768 / 64, 1600 / 64]


@claim(
    place="Ch.14 Hyperparameters",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=128,
    verdict="holds",
    added=True,
)
def cg_304():
    """96 heads at width 12,288 are 128 wide each.

    12,288 / 96.
    """
    return 12288 // 96


@claim(
    place="Ch.14 Hyperparameters",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=49152,
    verdict="holds",
)
def cg_305():
    """GPT-3 d_ff = 49,152 = 4 x d_model.

    The arithmetic is exact.
    """
    return 4 * 12288


@claim(
    place="Ch.14 Hyperparameters",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=4,
    verdict="holds",
)
def cg_306():
    """Longer context means quadratically more memory.

    True of a stored T x T score matrix; the KV cache that Chapter 13 calls the limit grows linearly.
    """
    n = 1024
    return (2 * n) ** 2 / n**2


@claim(
    place="Ch.14 Hyperparameters",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=3200000.0,
    verdict="unverifiable",
    checked="not possible",
)
def cg_307():
    """GPT-3 batches hold 3.2 million tokens.

    External fact; it agrees with the GPT-3 paper.
    """


@claim(
    place="Ch.14 Hyperparameters",
    chapter="18",
    cell="arrow = torch.tensor([3.0, 4.0])",
    stated=True,
    verdict="holds",
)
def cg_308():
    """Clipping at norm 1: a longer gradient is divided by its length.

    The clipped gradient has length exactly 1.
    """
    g = np.array([3, 4])
    return np.isclose(np.linalg.norm(g / np.linalg.norm(g)), 1)


@claim(place="Ch.14 Hyperparameters", chapter="18", stated=True, verdict="holds")
def cg_309():
    """Weight-decay rule W - eta (grad + lambda W) is gradient descent on the loss plus an L2 penalty.

    The gradient of lambda/2 |W|^2 is lambda W; with Adam the two are not the same.
    """
    W = np.array([0.5, -0.2])
    return np.allclose(
        gradient(lambda w: (w**4).sum() + 0.05 * (w**2).sum(), W), 4 * W**3 + 0.1 * W, atol=1e-05
    )


@claim(
    place="Ch.14 Hyperparameters", chapter="18", stated=0.001, within=0.0005, verdict="overstated", added=True
)
def cg_429():
    """Weight decay is L2 regularisation, and moves a weight by the rate times lambda times the weight
    (weight 1, slope 0.5, lambda 0.1, rate 0.01, on Adam's first step).

    With plain steps they are the same. If the penalty goes through Adam, which the guide chooses next, it
    is divided by the gradient's size and hardly decays anything; hence AdamW, which shrinks the weights on
    the side.
    """
    return first_adam_step(1.0, 0.5, 0.01) - first_adam_step(1.0, 0.5 + 0.1 * 1.0, 0.01)


@claim(
    place="Ch.14 Hyperparameters",
    chapter="18",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def cg_430():
    """Typical learning rates lie between 0.0001 and 0.0006.

    Typical for small and middling models. The largest GPT-3 had a peak of 0.00006.
    """


@claim(
    place="Ch.14 Hyperparameters",
    chapter="18",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def cg_431():
    """Adam's parameters: beta 0.9 and 0.999, epsilon 1e-8.

    The defaults of its paper. GPT-3 and Llama were trained with a second beta of 0.95.
    """


@claim(
    place="Ch.14 Hyperparameters",
    chapter="07",
    stated=100000,
    verdict="unverifiable",
    checked="not possible",
    added=True,
)
def cg_446():
    """Claude's vocabulary has about 100,000 entries.

    External, and not published for its newer models.
    """


@claim(
    place="Ch.14 LR schedule",
    chapter="18",
    section="Weight decay, schedule and clipping",
    cell="example = TrainConfig(steps=100_000, lr=0.0006,",
    stated=[0, 0.00015, 0.0003, 0.0006],
    unit=1e-05,
    verdict="holds",
)
def cg_310():
    """Warm-up: 0, 0.00015, 0.00030, 0.00060 at steps 0, 1000, 2000, 4000.

    The warm-up is linear in the step.
    """
    return [learning_rate(t, 100000, 0.0006, 6e-05, 4000) for t in (0, 1000, 2000, 4000)]


@claim(
    place="Ch.14 LR schedule",
    chapter="18",
    section="Weight decay, schedule and clipping",
    cell="example = TrainConfig(steps=100_000, lr=0.0006,",
    stated=0.00055,
    unit=1e-05,
    verdict="rounding",
)
def cg_311():
    """Learning rate at step 20000 is 0.00055 (warm-up to 4000, cosine from 0.0006 to 0.00006 at 100,000).

    The schedule as described gives 0.000564.
    """
    T, peak, floor, warmup = 100000, 0.0006, 6e-05, 4000
    return learning_rate(20000, T, peak, floor, warmup)


@claim(
    place="Ch.14 LR schedule",
    chapter="18",
    cell="example = TrainConfig(steps=100_000, lr=0.0006,",
    stated=0.0003,
    unit=1e-05,
    verdict="slip",
)
def cg_312():
    """Learning rate at step 50000 is 0.00030 (warm-up to 4000, cosine from 0.0006 to 0.00006 at 100,000).

    The schedule as described gives 0.000348; 0.00030 is what the bare formula without warm-up and floor
    gives.
    """
    T, peak, floor, warmup = 100000, 0.0006, 6e-05, 4000
    return learning_rate(50000, T, peak, floor, warmup)


@claim(
    place="Ch.14 LR schedule",
    chapter="18",
    section="Weight decay, schedule and clipping",
    cell="example = TrainConfig(steps=100_000, lr=0.0006,",
    stated=8e-05,
    unit=1e-05,
    verdict="rounding",
)
def cg_313():
    """Learning rate at step 90000 is 0.00008 (warm-up to 4000, cosine from 0.0006 to 0.00006 at 100,000).

    The schedule as described gives 0.000074.
    """
    T, peak, floor, warmup = 100000, 0.0006, 6e-05, 4000
    return learning_rate(90000, T, peak, floor, warmup)


@claim(
    place="Ch.14 LR schedule",
    chapter="18",
    section="Weight decay, schedule and clipping",
    cell="example = TrainConfig(steps=100_000, lr=0.0006,",
    stated=6e-05,
    unit=1e-05,
    verdict="holds",
)
def cg_314():
    """Learning rate at step 100000 is 0.00006 (warm-up to 4000, cosine from 0.0006 to 0.00006 at 100,000).

    The schedule as described gives 0.000060, the floor.
    """
    T, peak, floor, warmup = 100000, 0.0006, 6e-05, 4000
    return learning_rate(100000, T, peak, floor, warmup)


@claim(
    place="Ch.14 LR schedule",
    chapter="18",
    cell="example = TrainConfig(steps=100_000, lr=0.0006,",
    stated=[0.00055, 0.0003, 8e-05, 6e-05],
    unit=1e-05,
    verdict="slip",
)
def cg_315():
    """The same four values from the printed formula eta_max/2 (1 + cos(pi t/T)).

    It gives 0.00054, 0.00030, 0.000015 and 0; neither this nor any floored or shifted reading reproduces
    the whole table.
    """
    return [learning_rate(t, 100000, 0.0006) for t in (20000, 50000, 90000, 100000)]


@claim(
    place="Ch.14 LR schedule",
    chapter="18",
    cell="example = TrainConfig(steps=100_000, lr=0.0006,",
    stated=6e-05,
    unit=1e-05,
    verdict="slip",
)
def cg_316():
    """The printed cosine formula decays to 0.00006 at the last step.

    It decays to 0; a floor term is missing.
    """
    return learning_rate(100000, 100000, 0.0006)
