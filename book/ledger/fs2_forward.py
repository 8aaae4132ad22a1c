"""From scratch, part 2: the worked example from the ids to the loss."""

from math import inf

import numpy as np

from book.ledger.claims import claim
from book.ledger.example import FINAL, HEADS, HIDDEN, WE, WK, WO, WQ, WV, X
from book.ledger.helpers import (
    attend,
    attention_layer,
    attention_weights,
    causal_mask,
    layer_norm,
    loss,
    next_token,
    relu,
)
from book.ledger.studies import matrices_per_block, parameters
from support import text


@claim(
    place="IV. Setup",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=2,
    verdict="holds",
    added=True,
)
def fs2_160():
    """two heads at width 4 have width 2 each

    4 / 2.
    """
    return 4 // 2


@claim(
    place="IV. Setup",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=8,
    verdict="holds",
)
def fs2_161():
    """d_ff = 8 is twice d_model

    2 x 4.
    """
    return 2 * 4


@claim(place="IV. Setup", chapter="16", stated=[[0, 1, 2, 3, 0], [5]], verdict="holds", added=True)
def fs2_162():
    """ "the cat sat on the" has the ids 0, 1, 2, 3, 0, and "mat" is 5

    Counted in the printed list.
    """
    s = "the cat sat on the"
    v = "the cat sat on dog mat ran and"
    vocabulary = text.Vocabulary(v.split())
    return [vocabulary.encode(s), vocabulary.encode("mat")]


@claim(
    place="IV. Step 1",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=[8, 4],
    verdict="holds",
)
def fs2_164():
    """W_E has shape 8 x 4

    Counted from the printed matrix.
    """
    return WE.shape


@claim(
    place="IV. Step 1",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="E8 = torch.tensor([[0.1, 0.2, 0, 0.1], [0.3, 0.1",
    cell_in="08",
    stated=[
        [0.1, 0.2, 0, 0.1],
        [0.3, 0.1, 0.2, 0],
        [0, 0.3, 0.1, 0.2],
        [0.2, 0, 0.3, 0.1],
        [0.1, 0.2, 0, 0.1],
    ],
    unit=0.1,
    verdict="holds",
)
def fs2_165():
    """looking up IDs 0,1,2,3,0 gives the printed E

    Rows selected from W_E.
    """
    return WE[[0, 1, 2, 3, 0]]


@claim(
    place="IV. Step 1",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(x0, corner=",
    stated=[
        [0.1, 0.2, 0.0, 0.1],
        [0.4, 0.15, 0.2, 0.0],
        [0.15, 0.4, 0.1, 0.2],
        [0.4, 0.15, 0.3, 0.1],
        [0.35, 0.4, 0.0, 0.1],
    ],
    unit=0.01,
    verdict="holds",
)
def fs2_166():
    """E + W_P gives the printed X^(0)

    Entry-wise sum.
    """
    WP = np.array([[0, 0, 0, 0], [0.1, 0.05, 0, 0], [0.15, 0.1, 0, 0], [0.2, 0.15, 0, 0], [0.25, 0.2, 0, 0]])
    return WE[[0, 1, 2, 3, 0]] + WP


@claim(
    place="IV. Step 1",
    chapter="16",
    cell="blind = attention(E[ids], block_0)[0]",
    stated=0,
    within=1e-06,
    verdict="conceptual",
)
def fs2_167():
    """without positions the two 'the' positions of this causal model are indistinguishable and the
    sequence order-invariant (difference of attention outputs at positions 0 and 4)

    Their embeddings are equal, but position 0 attends only to itself and position 4 to all five, so the
    causal model's outputs differ even without W_P.
    """
    normed = layer_norm(WE[[0, 1, 2, 3, 0]])
    mixed = attend(normed @ WQ, normed @ WK, normed @ WV)
    return np.abs(mixed[4] - mixed[0]).max()


@claim(
    place="IV. Step 2",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="row = x_0[0]",
    cell_in="14",
    stated=0.1,
    unit=0.01,
    verdict="holds",
)
def fs2_168():
    """row 0 mean is 0.10

    Sum 0.4 over 4.
    """
    return np.mean(X[0])


@claim(
    place="IV. Step 2",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="row = x_0[0]",
    cell_in="14",
    stated=0.005,
    unit=0.001,
    verdict="holds",
)
def fs2_169():
    """row 0 variance is 0.005

    Mean squared deviation.
    """
    return np.var(X[0])


@claim(
    place="IV. Step 2",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="row = x_0[0]",
    cell_in="14",
    stated=0.0708,
    unit=0.0001,
    verdict="holds",
    added=True,
)
def fs2_170():
    """row 0: the root of 0.005 + 0.00001 is 0.0708

    0.07078.
    """
    eps = 1e-05
    return np.sqrt(0.005 + eps)


@claim(
    place="IV. Step 2",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=1.413,
    unit=0.001,
    verdict="rounding",
)
def fs2_171():
    """dividing 0.10 by the printed 0.0708 gives 1.413

    The printed divisor gives 1.412; the unrounded one gives 1.413.
    """
    return 0.1 / 0.0708


@claim(
    place="IV. Step 2",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(layer_norm(x_0), corner=",
    cell_in="14",
    stated=[0, 1.413, -1.413, 0],
    unit=0.001,
    verdict="holds",
)
def fs2_172():
    """row 0 normalises to [0, 1.413, -1.413, 0]

    LayerNorm of the row at full precision.
    """
    return layer_norm(X[0])


@claim(
    place="IV. Step 2",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(n1, corner=",
    stated=[
        [0, 1.413, -1.413, 0],
        [1.485, -0.262, 0.087, -1.31],
        [-0.549, 1.646, -0.988, -0.11],
        [1.362, -0.734, 0.524, -1.153],
        [0.822, 1.121, -1.27, -0.673],
    ],
    unit=0.001,
    verdict="rounding",
)
def fs2_173():
    """all five normalised rows

    Everything matches except -0.988, which is -0.9875 before rounding and prints as -0.987.
    """
    return layer_norm(X)


@claim(
    place="IV. Step 2",
    chapter="14",
    cell="weights = {name: norm_weights(name) for name in",
    stated=None,
    verdict="unverifiable",
    checked="not possible",
    added=True,
)
def fs2_301():
    """in trained models gamma and beta are typically close to their initial values

    Given without a source. The gains of our three small models lie between 0.31 and 2.63.
    """


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=[4, 2],
    verdict="holds",
)
def fs2_174():
    """head matrices have shape d_model x d_k = 4 x 2

    Counted from the printed matrices.
    """
    return WQ.shape


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(torch.cat([q, k, v], dim=1), corner=",
    stated=[[-0.141, 0.141], [0.734, -0.192], [-0.307, 0.285], [0.713, -0.23], [0.269, 0.015]],
    unit=0.001,
    verdict="rounding",
)
def fs2_175():
    """Q for head 1

    LayerNorm then W_Q, full precision; the -0.230 entry is -0.23054, which prints as -0.231.
    """
    return layer_norm(X) @ WQ


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(torch.cat([q, k, v], dim=1), corner=",
    stated=-0.141,
    unit=0.001,
    verdict="rounding",
)
def fs2_176():
    """first query component written as 0.141 - 0.283 = -0.141

    From the rounded terms shown the difference is -0.142; at full precision it is -0.1413.
    """
    return 0.141 - 0.283


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(torch.cat([q, k, v], dim=1), corner=",
    stated=[0.141, 0.283],
    unit=0.001,
    verdict="holds",
)
def fs2_177():
    """first query component: the two products are 0.141 and 0.283

    1.413 x 0.1 and 1.413 x 0.2.
    """
    return [1.413 * 0.1, 1.413 * 0.2]


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(torch.cat([q, k, v], dim=1), corner=",
    stated=[0.565, 0.424, 0.141],
    unit=0.001,
    verdict="holds",
)
def fs2_178():
    """second query component: 0.565 - 0.424 = 0.141

    Products 1.413 x 0.4 and 1.413 x 0.3 and their difference.
    """
    return [1.413 * 0.4, 1.413 * 0.3, 0.565 - 0.424]


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(torch.cat([q, k, v], dim=1), corner=",
    stated=[[0.141, 0.283], [0.157, -0.236], [-0.022, 0.516], [0.105, -0.325], [0.224, 0.112]],
    unit=0.001,
    verdict="holds",
)
def fs2_179():
    """K for head 1

    LayerNorm then W_K.
    """
    return layer_norm(X) @ WK


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(torch.cat([q, k, v], dim=1), corner=",
    stated=[[-0.706, 0.424], [0.227, -0.192], [-0.68, 0.417], [0.44, -0.314], [-0.523, 0.284]],
    unit=0.001,
    verdict="holds",
)
def fs2_180():
    """V for head 1

    LayerNorm then W_V.
    """
    return layer_norm(X) @ WV


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=1.414,
    unit=0.001,
    verdict="holds",
)
def fs2_181():
    """the square root of 2 is about 1.414

    1.41421.
    """
    return np.sqrt(2)


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(weights, corner=",
    stated=[0.038, 0.004, 0.042],
    unit=0.001,
    verdict="holds",
)
def fs2_182():
    """q_4 . k_0 = 0.038 + 0.004 = 0.042

    Both products and their sum from the printed vectors.
    """
    return [0.269 * 0.141, 0.015 * 0.283, 0.269 * 0.141 + 0.015 * 0.283]


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(weights, corner=",
    stated=0.03,
    unit=0.001,
    verdict="holds",
)
def fs2_183():
    """score(4,0) = 0.042 / 1.414 = 0.030

    0.0297.
    """
    return 0.042 / 1.414


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(weights, corner=",
    stated=[
        [0.014, -0.039, 0.054, -0.043, -0.011],
        [0.035, 0.114, -0.082, 0.099, 0.101],
        [0.026, -0.082, 0.109, -0.088, -0.026],
        [0.025, 0.118, -0.095, 0.106, 0.095],
        [0.03, 0.027, 0.001, 0.017, 0.044],
    ],
    unit=0.001,
    verdict="rounding",
)
def fs2_184():
    """the 5 x 5 score matrix of head 1

    All entries match to three decimals except (1,2), which is -0.0815 and prints as -0.081.
    """
    return layer_norm(X) @ WQ @ (layer_norm(X) @ WK).T / np.sqrt(2)


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=[
        [0.014, -inf, -inf, -inf, -inf],
        [0.035, 0.114, -inf, -inf, -inf],
        [0.026, -0.082, 0.109, -inf, -inf],
        [0.025, 0.118, -0.095, 0.106, -inf],
        [0.03, 0.027, 0.001, 0.017, 0.044],
    ],
    unit=0.001,
    verdict="holds",
)
def fs2_185():
    """the masked score matrix

    Same scores with minus infinity (null) above the diagonal.
    """
    S = np.array(
        [
            [0.014, -0.039, 0.054, -0.043, -0.011],
            [0.035, 0.114, -0.082, 0.099, 0.101],
            [0.026, -0.082, 0.109, -0.088, -0.026],
            [0.025, 0.118, -0.095, 0.106, 0.095],
            [0.03, 0.027, 0.001, 0.017, 0.044],
        ]
    )
    return S + np.where(causal_mask(5), 0, -np.inf)


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=[1.036, 1.121, 2.157],
    unit=0.001,
    verdict="rounding",
)
def fs2_186():
    """e^0.035 = 1.036, e^0.114 = 1.121, sum 2.157

    The exponentials are right; their unrounded sum is 2.1564, while adding the rounded values gives the
    printed 2.157.
    """
    return [np.exp(0.035), np.exp(0.114), np.exp(0.035) + np.exp(0.114)]


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(weights, corner=",
    stated=[0.48, 0.52],
    unit=0.001,
    verdict="holds",
)
def fs2_187():
    """softmax(0.035, 0.114) = [0.480, 0.520]

    Direct evaluation.
    """
    return next_token([0.035, 0.114])


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(weights, corner=",
    stated=[
        [1, 0, 0, 0, 0],
        [0.48, 0.52, 0, 0, 0],
        [0.335, 0.301, 0.364, 0, 0],
        [0.246, 0.27, 0.218, 0.266, 0],
        [0.201, 0.201, 0.196, 0.199, 0.204],
    ],
    unit=0.001,
    verdict="holds",
    added=True,
)
def fs2_188():
    """the attention matrix of head 1

    The full chain from the printed embeddings and matrices.
    """
    return attention_weights(layer_norm(X) @ WQ, layer_norm(X) @ WK)


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(weights, corner=",
    stated=[48, 52],
    unit=1,
    verdict="holds",
)
def fs2_189():
    """position 1 attends 48 percent to position 0 and 52 percent to itself

    Row 1 in percent.
    """
    return 100 * next_token([0.035, 0.114])


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(weights, corner=",
    stated=[20, 20, 20, 20, 20],
    relative=0.05,
    verdict="holds",
)
def fs2_190():
    """the last 'the' attends about 20 percent to each position

    Its row lies between 19.6 and 20.4 percent.
    """
    return 100 * attention_weights(layer_norm(X) @ WQ, layer_norm(X) @ WK)[4]


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="joined = torch.cat([out_0, out_1], dim=1)",
    stated=[-0.249, 0.124],
    unit=0.001,
    verdict="holds",
)
def fs2_191():
    """the weighted sum for position 4 is [-0.249, 0.124]

    Summing the five printed weighted values.
    """
    a = np.array([0.201, 0.201, 0.196, 0.199, 0.204])
    V = np.array([[-0.706, 0.424], [0.227, -0.192], [-0.68, 0.417], [0.44, -0.314], [-0.523, 0.284]])
    return a @ V


@claim(
    place="IV. Step 3",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="joined = torch.cat([out_0, out_1], dim=1)",
    stated=[[-0.706, 0.424], [-0.221, 0.104], [-0.416, 0.236], [-0.143, 0.06], [-0.249, 0.124]],
    unit=0.001,
    verdict="rounding",
)
def fs2_192():
    """head 1 output for all positions

    Full chain; position 3's second component is 0.0595, which the text prints as 0.060.
    """
    return attend(layer_norm(X) @ WQ, layer_norm(X) @ WK, layer_norm(X) @ WV)


@claim(
    place="IV. Step 4",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(weights_1, corner=",
    stated=[
        [1, 0, 0, 0, 0],
        [0.413, 0.587, 0, 0, 0],
        [0.376, 0.222, 0.402, 0, 0],
        [0.189, 0.314, 0.176, 0.32, 0],
        [0.232, 0.163, 0.242, 0.162, 0.201],
    ],
    unit=0.001,
    verdict="holds",
)
def fs2_193():
    """the attention matrix of head 2

    Full chain with head 2's matrices.
    """
    WQ = np.array([[0.2, 0.3], [0.4, 0.1], [0, 0.5], [0.3, 0]])
    WK = np.array([[0.1, 0.4], [0.3, 0], [0.2, 0.2], [0.5, 0.1]])
    return attention_weights(layer_norm(X) @ WQ, layer_norm(X) @ WK)


@claim(
    place="IV. Step 4",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="joined = torch.cat([out_0, out_1], dim=1)",
    stated=[[-0.141, 0.283], [-0.161, 0.291], [-0.057, 0.181], [-0.107, 0.211], [-0.108, 0.237]],
    unit=0.001,
    verdict="rounding",
)
def fs2_194():
    """head 2 output

    Full chain; position 3's first component is -0.1065, printed as -0.107.
    """
    WQ = np.array([[0.2, 0.3], [0.4, 0.1], [0, 0.5], [0.3, 0]])
    WK = np.array([[0.1, 0.4], [0.3, 0], [0.2, 0.2], [0.5, 0.1]])
    WV = np.array([[0, 0.5], [0.3, 0.2], [0.4, 0], [0.1, 0.3]])
    return attend(layer_norm(X) @ WQ, layer_norm(X) @ WK, layer_norm(X) @ WV)


@claim(
    place="IV. Step 5",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="joined = torch.cat([out_0, out_1], dim=1)",
    stated=[
        [-0.706, 0.424, -0.141, 0.283],
        [-0.221, 0.104, -0.161, 0.291],
        [-0.416, 0.236, -0.057, 0.181],
        [-0.143, 0.06, -0.107, 0.211],
        [-0.249, 0.124, -0.108, 0.237],
    ],
    unit=0.001,
    verdict="holds",
)
def fs2_195():
    """concatenation puts head 1 in columns 0-1 and head 2 in columns 2-3, shape 5 x 4

    Placing the two printed outputs side by side.
    """
    O1 = np.array([[-0.706, 0.424], [-0.221, 0.104], [-0.416, 0.236], [-0.143, 0.06], [-0.249, 0.124]])
    O2 = np.array([[-0.141, 0.283], [-0.161, 0.291], [-0.057, 0.181], [-0.107, 0.211], [-0.108, 0.237]])
    return np.hstack([O1, O2])


@claim(
    place="IV. Step 5",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=[4, 4],
    verdict="holds",
)
def fs2_196():
    """W_O is 4 x 4

    Counted from the printed matrix.
    """
    return WO.shape


@claim(
    place="IV. Step 5",
    chapter="16",
    cell='beside("output of attention", output',
    stated=[-0.283, 0.028, -0.085, 0.24],
    unit=0.001,
    verdict="rounding",
    added=True,
)
def fs2_197():
    """row 0 of the concatenated heads times W_O is [-0.283, 0.028, -0.085, 0.240]

    From the printed row the third number is −0.0845 and the first −0.2823; the unrounded chain gives the
    printed ones.
    """
    row = np.array([-0.706, 0.424, -0.141, 0.283])
    return row @ WO


@claim(
    place="IV. Step 5",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell='beside("output of attention", output',
    stated=[
        [-0.283, 0.028, -0.085, 0.24],
        [-0.092, -0.023, -0.024, 0.113],
        [-0.16, 0.018, -0.04, 0.143],
        [-0.058, -0.018, -0.013, 0.077],
        [-0.098, -0.009, -0.023, 0.11],
    ],
    unit=0.001,
    verdict="rounding",
)
def fs2_198():
    """attention output after W_O, from the printed concatenation

    The printed table times W_O reproduces the printed result within one unit.
    """
    C = np.array(
        [
            [-0.706, 0.424, -0.141, 0.283],
            [-0.221, 0.104, -0.161, 0.291],
            [-0.416, 0.236, -0.057, 0.181],
            [-0.143, 0.06, -0.107, 0.211],
            [-0.249, 0.124, -0.108, 0.237],
        ]
    )
    return C @ WO


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell='beside("output of attention", output',
    stated=[
        [-0.183, 0.228, -0.085, 0.34],
        [0.308, 0.127, 0.176, 0.113],
        [-0.01, 0.418, 0.06, 0.343],
        [0.342, 0.132, 0.288, 0.177],
        [0.252, 0.391, -0.023, 0.21],
    ],
    unit=0.001,
    verdict="rounding",
)
def fs2_199():
    """X_mid = X^(0) + attention output, from the full-precision chain

    All within one unit; (3,3) is 0.1765 and prints as 0.176.
    """
    return X + attention_layer(layer_norm(X), HEADS, WO)


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell='beside("output of attention", output',
    stated=[
        [-0.183, 0.228, -0.085, 0.34],
        [0.308, 0.127, 0.176, 0.113],
        [-0.01, 0.418, 0.06, 0.343],
        [0.342, 0.132, 0.288, 0.177],
        [0.252, 0.391, -0.023, 0.21],
    ],
    unit=0.001,
    verdict="rounding",
)
def fs2_200():
    """X_mid as the sum of the two printed tables

    Adding the printed attention output to X^(0) matches everywhere except entry (3,2), 0.287 against 0.288.
    """
    A = np.array(
        [
            [-0.283, 0.028, -0.085, 0.24],
            [-0.092, -0.023, -0.024, 0.113],
            [-0.16, 0.018, -0.04, 0.143],
            [-0.058, -0.018, -0.013, 0.077],
            [-0.098, -0.009, -0.023, 0.11],
        ]
    )
    return X + A


@claim(
    place="IV. Step 6",
    chapter="16",
    cell="gathered = torch.cat([attend(*(normed @ numbers(",
    cell_in="13",
    stated=[0.299, 1.231, -1.547, 0.017],
    unit=0.001,
    verdict="slip",
)
def fs2_201():
    """position 4 after the second LayerNorm, from the full-precision chain

    Without rounding X_mid first, the vector is [0.302, 1.230, -1.547, 0.015]; the printed one is off by
    three units in its first entry.
    """
    return layer_norm(X + attention_layer(layer_norm(X), HEADS, WO))[4]


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=[0.299, 1.231, -1.547, 0.017],
    unit=0.001,
    verdict="holds",
)
def fs2_202():
    """position 4 after the second LayerNorm, from the printed (rounded) X_mid row

    Normalising the three-decimal row reproduces the printed vector exactly, which explains the slip above.
    """
    x = np.array([0.252, 0.391, -0.023, 0.21])
    return layer_norm(x)


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=76,
    verdict="holds",
)
def fs2_203():
    """W1 is 4 x 8, b1 has 8, W2 is 8 x 4, b2 has 4 entries: 76 FFN parameters per block

    32 + 8 + 32 + 4 (the total is implied, not printed).
    """
    d, f = 4, 8
    return (
        parameters(
            embeddings=False,
            vocab_size=2,
            d_model=d,
            d_ff=f,
            n_heads=1,
            n_layers=1,
            norm="none",
            positions="none",
        )
        - parameters(
            embeddings=False,
            vocab_size=2,
            d_model=d,
            d_ff=f,
            n_heads=1,
            n_layers=1,
            norm="none",
            positions="none",
            ffn_bias=False,
        )
        + matrices_per_block(d, f)
        - 4 * d * d
    )


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=2,
    verdict="holds",
)
def fs2_204():
    """hidden neurons against inputs in the worked network: two for one

    8 / 4.
    """
    return 8 / 4


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(torch.stack([before[4], before[4].relu()]",
    stated=[0.004, 0.525, -0.302, 0.22, 0.467, -0.435, 0.193, -0.06],
    verdict="unverifiable",
    checked="not possible",
)
def fs2_205():
    """pre-activations of position 4 in block 1

    W_1^(1) and b_1^(1) are never printed.
    """


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(torch.stack([before[4], before[4].relu()]",
    stated=[0.004, 0.525, 0, 0.22, 0.467, 0, 0.193, 0],
    unit=0.001,
    verdict="holds",
    added=True,
)
def fs2_206():
    """ReLU of the eight printed pre-activations of position 4

    The negative three become zero.
    """
    return relu(HIDDEN)


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(torch.stack([before[4], before[4].relu()]",
    stated=[2, 5, 7],
    verdict="holds",
)
def fs2_207():
    """neurons 2, 5 and 7 are dead

    Indices of the negative entries, counting from zero.
    """
    return np.where(relu(HIDDEN) == 0)[0]


@claim(
    place="IV. Step 6",
    chapter="16",
    cell="matrix(torch.stack([before[4], before[4].relu()]",
    stated=0,
    within=1e-12,
    verdict="holds",
    added=True,
)
def fs2_208():
    """silent neurons contribute nothing to the output (difference when their rows of W2 are replaced)

    Zero times whatever stands in the row.
    """
    A = np.array([[0.1, 0.2, 0, 0.1], [0.3, 0.1, 0.2, 0], [0, 0.3, 0.1, 0.2], [0.2, 0, 0.3, 0.1]] * 2)
    silent = (HIDDEN <= 0)[:, None]
    return np.abs(relu(HIDDEN) @ A - relu(HIDDEN) @ np.where(silent, 7.0, A)).max()


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="matrix(torch.stack([before[4], before[4].relu()]",
    stated=5,
    verdict="holds",
)
def fs2_209():
    """5 of 8 neurons fire

    Count of positive entries.
    """
    return (relu(HIDDEN) > 0).sum()


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    stated=-0.057,
    unit=0.001,
    verdict="holds",
)
def fs2_210():
    """Part 1's h3 had pre-activation -0.057, zeroed by ReLU

    Matches Part 1's inference example.
    """
    return 0.5 * -0.45 + 0.6 * 0.78 - 0.3


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="x1 = mid0 + ffn_output",
    stated=[0.205, 0.349, 0.183, 0.311],
    verdict="unverifiable",
    checked="not possible",
)
def fs2_211():
    """FFN output of position 4 in block 1

    W_2^(1) and b_2^(1) are never printed; the row does agree with the full FFN output table.
    """


@claim(place="IV. Step 6", chapter="16", stated=8, verdict="convention", checked="by reading")
def fs2_212():
    """a hidden neuron contributes its activation times its column of W2 (W2 is 8 x 4 here; number of
    columns)

    In the form h W2 with an 8 x 4 matrix a neuron owns a row; there are only 4 columns for 8 neurons.
    """


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="x1 = mid0 + ffn_output",
    stated=[
        [0.128, 0.349, 0.092, 0.429],
        [0.329, 0.323, 0.444, 0.22],
        [0.152, 0.371, 0.092, 0.446],
        [0.338, 0.38, 0.403, 0.25],
        [0.205, 0.349, 0.183, 0.311],
    ],
    verdict="unverifiable",
    checked="not possible",
)
def fs2_213():
    """FFN output for all five positions

    The FFN weights of block 1 are not given.
    """


@claim(
    place="IV. Step 6",
    chapter="16",
    section="Deeper: block zero, forward, matrix by matrix",
    cell="x1 = mid0 + ffn_output",
    stated=[
        [-0.054, 0.577, 0.007, 0.77],
        [0.637, 0.45, 0.62, 0.333],
        [0.142, 0.789, 0.152, 0.789],
        [0.681, 0.512, 0.691, 0.426],
        [0.457, 0.739, 0.161, 0.52],
    ],
    unit=0.001,
    verdict="rounding",
)
def fs2_214():
    """X^(1) = X_mid + FFN output from the printed tables

    Within one unit everywhere; seven of twenty entries differ in the last digit.
    """
    A = np.array(
        [
            [-0.183, 0.228, -0.085, 0.34],
            [0.308, 0.127, 0.176, 0.113],
            [-0.01, 0.418, 0.06, 0.343],
            [0.342, 0.132, 0.288, 0.177],
            [0.252, 0.391, -0.023, 0.21],
        ]
    )
    B = np.array(
        [
            [0.128, 0.349, 0.092, 0.429],
            [0.329, 0.323, 0.444, 0.22],
            [0.152, 0.371, 0.092, 0.446],
            [0.338, 0.38, 0.403, 0.25],
            [0.205, 0.349, 0.183, 0.311],
        ]
    )
    return A + B


@claim(
    place="IV. Step 7",
    chapter="16",
    section="Forward",
    cell="output, attention_1 = attention(x1, block_1)",
    stated=[
        [0.151, 1.016, 0.189, 1.117],
        [1.075, 0.529, 1.187, 0.487],
        [0.385, 1.27, 0.342, 1.172],
        [1.138, 0.588, 1.268, 0.582],
        [0.649, 1.161, 0.351, 0.888],
    ],
    verdict="unverifiable",
    checked="not possible",
)
def fs2_215():
    """output X^(2) of block 2

    No block 2 weights are printed beyond one W_V.
    """


@claim(
    place="IV. Step 8",
    chapter="16",
    section="Forward",
    cell="h = final[4]",
    stated=[
        [-1.039, 0.884, -0.954, 1.109],
        [0.812, -0.924, 1.169, -1.058],
        [-0.947, 1.11, -1.045, 0.882],
        [0.781, -0.979, 1.197, -0.999],
        [-0.378, 1.335, -1.377, 0.42],
    ],
    unit=0.001,
    verdict="rounding",
)
def fs2_216():
    """final LayerNorm of the printed X^(2)

    Within one unit; for instance the last row comes out as -0.379 and 0.421 from the rounded inputs.
    """
    X = np.array(
        [
            [0.151, 1.016, 0.189, 1.117],
            [1.075, 0.529, 1.187, 0.487],
            [0.385, 1.27, 0.342, 1.172],
            [1.138, 0.588, 1.268, 0.582],
            [0.649, 1.161, 0.351, 0.888],
        ]
    )
    return layer_norm(X)


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    cell='beside("logits", logits, ".271 -.255 .347 -.447',
    stated=0.271,
    unit=0.001,
    verdict="holds",
)
def fs2_217():
    """logit(the) = h . W_E[the] = 0.271

    Dot product of the printed h with the row.
    """
    w = np.array([0.1, 0.2, 0, 0.1])
    return FINAL @ w


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    stated=[-0.038, 0.267, 0, 0.042],
    unit=0.001,
    verdict="holds",
)
def fs2_218():
    """the four products for logit(the)

    Rounded products.
    """
    w = np.array([0.1, 0.2, 0, 0.1])
    return FINAL * w


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    cell='beside("logits", logits, ".271 -.255 .347 -.447',
    stated=-0.255,
    unit=0.001,
    verdict="holds",
)
def fs2_219():
    """logit(cat) = h . W_E[cat] = -0.255

    Dot product of the printed h with the row.
    """
    w = np.array([0.3, 0.1, 0.2, 0])
    return FINAL @ w


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    stated=[-0.113, 0.134, -0.275, 0],
    unit=0.001,
    verdict="holds",
)
def fs2_220():
    """the four products for logit(cat)

    Rounded products; a borderline half (0.1335 or 0.267) may round either way.
    """
    w = np.array([0.3, 0.1, 0.2, 0])
    return FINAL * w


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    cell='beside("logits", logits, ".271 -.255 .347 -.447',
    stated=0.347,
    unit=0.001,
    verdict="holds",
)
def fs2_221():
    """logit(mat) = h . W_E[mat] = 0.347

    Dot product of the printed h with the row.
    """
    w = np.array([0.1, 0.4, 0.2, 0.3])
    return FINAL @ w


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    stated=[-0.038, 0.534, -0.275, 0.126],
    unit=0.001,
    verdict="holds",
)
def fs2_222():
    """the four products for logit(mat)

    Rounded products; a borderline half (0.1335 or 0.267) may round either way.
    """
    w = np.array([0.1, 0.4, 0.2, 0.3])
    return FINAL * w


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    stated=-0.255,
    unit=0.001,
    verdict="rounding",
)
def fs2_223():
    """the written sum for logit(cat), -0.113 + 0.134 - 0.275, equals -0.255

    The rounded terms add to -0.254; the unrounded logit is -0.2553.
    """
    return -0.113 + 0.134 - 0.275


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    cell='beside("logits", logits, ".271 -.255 .347 -.447',
    stated=[0.271, -0.255, 0.347, -0.447, 0.02, 0.347, -0.333, 0],
    unit=0.001,
    verdict="holds",
)
def fs2_224():
    """all eight logits (as used in the exponentials)

    h times the transposed embedding matrix.
    """
    return FINAL @ WE.T


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    stated=[1.311, 0.775, 1.415, 0.639, 1.02, 1.415, 0.717, 1.0],
    unit=0.001,
    verdict="rounding",
)
def fs2_225():
    """the eight exponentials

    Seven match; e^-0.447 is 0.6395 and prints as 0.640, not 0.639.
    """
    z = np.array([0.271, -0.255, 0.347, -0.447, 0.02, 0.347, -0.333, 0])
    return np.exp(z)


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    stated=8.292,
    unit=0.001,
    verdict="holds",
)
def fs2_226():
    """the exponentials sum to 8.292

    Sum of the printed exponentials.
    """
    e = np.array([1.311, 0.775, 1.415, 0.639, 1.02, 1.415, 0.717, 1.0])
    return e.sum()


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    stated=8.292,
    unit=0.001,
    verdict="holds",
)
def fs2_227():
    """sum of exponentials at full precision

    8.29188 from unrounded logits.
    """
    return np.exp(FINAL @ WE.T).sum()


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    cell='beside("logits", logits, ".271 -.255 .347 -.447',
    stated=0.171,
    unit=0.001,
    verdict="holds",
)
def fs2_228():
    """the model gives 'mat' probability 0.171

    1.415 / 8.292 = 0.1706.
    """
    return next_token(FINAL @ WE.T)[5]


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    stated=0.125,
    unit=0.001,
    verdict="holds",
)
def fs2_229():
    """uniform probability over 8 tokens is 0.125

    1 / 8.
    """
    return next_token(np.zeros(8))[0]


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    cell='beside("logits", logits, ".271 -.255 .347 -.447',
    stated=[0.171, 0.171],
    unit=0.001,
    verdict="holds",
    added=True,
)
def fs2_230():
    """the model has no reason to prefer "mat" to "sat": the two are tied at 0.171

    0.1706 and 0.1706: their scores differ by less than the printed digits.
    """
    return next_token(FINAL @ WE.T)[np.array([5, 2])]


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    cell='beside("logits", logits, ".271 -.255 .347 -.447',
    stated=True,
    verdict="holds",
)
def fs2_231():
    """'on' and 'ran' are pushed below uniform

    Their probabilities are 0.077 and 0.086 ('cat' at 0.093 is also below 0.125).
    """
    p = next_token(FINAL @ WE.T)
    return p[3] < 0.125 and p[6] < 0.125


@claim(
    place="IV. Step 8",
    chapter="16",
    section="The second block, and the way back",
    cell='beside("logits", logits, ".271 -.255 .347 -.447',
    stated=None,
    verdict="unverifiable",
    checked="not possible",
)
def fs2_232():
    """the eight probabilities

    Printed only in an image; the recomputed values are given for reference.
    """


@claim(
    place="IV. Step 9",
    chapter="16",
    cell='table([["last rate by the formula", "0.00006"',
    cell_in="18",
    stated=1.768,
    unit=0.001,
    verdict="slip",
)
def fs2_233():
    """-log(0.171) = 1.768 as printed

    The logarithm of the rounded 0.171 gives 1.766; 1.768 comes from the unrounded probability 0.1706.
    """
    return -np.log(0.171)


@claim(
    place="IV. Step 9",
    chapter="16",
    section="The second block, and the way back",
    cell='beside("logits", logits, ".271 -.255 .347 -.447',
    stated=1.768,
    unit=0.001,
    verdict="holds",
)
def fs2_234():
    """the loss from the unrounded probability is 1.768

    -ln 0.17059 = 1.7685.
    """
    return loss(FINAL @ WE.T, 5)


@claim(
    place="IV. Step 9",
    chapter="16",
    section="The second block, and the way back",
    stated=17.1,
    unit=0.1,
    verdict="holds",
)
def fs2_235():
    """0.171 is 17.1 percent

    100 times the probability.
    """
    return 100 * next_token(FINAL @ WE.T)[5]


@claim(
    place="IV. Step 9",
    chapter="16",
    section="The second block, and the way back",
    cell="table([[name, n, math.log(n)] for name, n in fir",
    cell_in="18",
    stated=2.08,
    unit=0.01,
    verdict="holds",
)
def fs2_236():
    """a uniform guess over 8 tokens costs log 8, about 2.08

    2.0794.
    """
    return np.log(8)


@claim(
    place="IV. Step 9",
    chapter="16",
    section="The second block, and the way back",
    stated=True,
    verdict="holds",
)
def fs2_237():
    """the loss is slightly better than random guessing

    1.768 is below ln 8 = 2.079.
    """
    return loss(FINAL @ WE.T, 5) < np.log(8)
