"""Complete guide: chapter 5 (attention)."""

import numpy as np

from book.ledger.claims import claim
from book.ledger.helpers import attend, masked, next_token, random_rows
from book.ledger.studies import attention_parameters

WK = np.array([[0.1, -0.2, 0.3], [0.2, 0.3, -0.1], [0.4, 0.1, 0.2]])
WQ = np.array([[0.2, 0.3, -0.1], [0.1, -0.2, 0.4], [-0.3, 0.1, 0.2]])
X = np.array([[0.01, 0.8, 0.3], [0.44, 1.14, 0.05], [1.81, -0.52, -0.11]])


@claim(
    place="Ch.5 Pt.1 Dating app",
    chapter="11",
    section="I love pizza",
    stated=[95, 70, 45],
    verdict="unverifiable",
    checked="not possible",
)
def cg_103():
    """First compatibility scores: Alex 95%, Blake 70%, Casey 45%.

    No numeric preferences or profiles stand behind them.
    """


@claim(
    place="Ch.5 Pt.1 Dating app",
    chapter="11",
    section="I love pizza",
    stated=[95, 15, 55],
    verdict="unverifiable",
    checked="not possible",
)
def cg_104():
    """Weighted scores with weights 1, 10, 0.5: Alex 95, Blake 15, Casey 55.

    The "high", "low" and "zero" feature scores are never given numbers; the later 0-10 profiles would give
    103 and 23 for Alex and Blake.
    """


@claim(place="Ch.5 Pt.1 Dating app", chapter="11", stated=[80, 2, 18], unit=1, verdict="slip", added=True)
def cg_105():
    """A softmax of the weighted scores 95, 15 and 55 gives shares of 80, 2 and 18%.

    Softmax sees differences of 40 and more and gives the first everything; the printed shares would need
    far smaller scores.
    """
    return 100 * next_token([95.0, 15.0, 55.0])


@claim(
    place="Ch.5 Pt.1 Dating app",
    chapter="11",
    section="I love pizza",
    stated=100,
    verdict="holds",
)
def cg_106():
    """The attention shares 80, 18 and 2 add to 100%.

    The arithmetic is exact.
    """
    return 80 + 18 + 2


@claim(
    place="Ch.5 Pt.1 Dating app",
    chapter="11",
    section="I love pizza",
    stated=[100, 100],
    unit=0.001,
    verdict="holds",
)
def cg_107():
    """Celebrity-fan matrix: rows 99/1 and 0.001/99.999 each sum to 100% and the matrix is not symmetric.

    Both rows sum to 100.
    """
    return [99 + 1, 0.001 + 99.999]


@claim(
    place="Ch.5 Pt.1 Dating app",
    chapter="11",
    section="One head, every number: the cat sat",
    cell="scores = Q @ K.T",
    stated=True,
    verdict="holds",
)
def cg_108():
    """Attention is directional: the weight from i to j need not equal that from j to i.

    The tutorial's own weights give an asymmetric matrix.
    """
    p = next_token(X @ WQ @ (X @ WK).T / np.sqrt(3))
    return not np.allclose(p, p.T)


@claim(place="Ch.5 Pt.1 Library", chapter="11", stated=100, verdict="holds", added=True)
def cg_109():
    """The new "I" is 19, 31 and 50% of the three values, and the shares add to 100%.

    The three shares do add up; that they are the softmax of the scores above them does not hold.
    """
    return 19 + 31 + 50


@claim(
    place="Ch.5 Pt.1 Library",
    chapter="11",
    cell="again = (Q3 @ K3.T / math.sqrt(3))",
    stated=[19, 31, 50],
    unit=1,
    verdict="slip",
    added=True,
)
def cg_155():
    """Softmax of the scores 0.15, 0.42 and 0.89 gives 19, 31 and 50%.

    It gives 23, 30 and 48%.
    """
    return 100 * next_token([0.15, 0.42, 0.89])


@claim(place="Ch.5 Pt.2 Multi-head", chapter="12", stated=3, verdict="holds")
def cg_110():
    """d_k = 6/2 = 3.

    The arithmetic is exact.
    """
    return 6 // 2


@claim(place="Ch.5 Pt.2 Multi-head", chapter="12", stated=91, verdict="holds")
def cg_111():
    """GPT-3: 96 heads, five named and 91 more.

    The computation is 96 - 5 = 91.
    """
    return 96 - 5


@claim(
    place="Ch.5 Pt.2 Multi-head",
    chapter="12",
    cell='print("slice = whole word with three zero rows:"',
    stated=[3, 3],
    verdict="conceptual",
)
def cg_112():
    """Each head works on its own slice of the embedding: head 1 on dimensions 0-2, head 2 on 3-5, with 3x3
    weights.

    In standard multi-head attention each head projects the whole d_model vector with a d_model x d_k matrix
    (6x3 here), so every head sees all six dimensions; slicing the input is a different, weaker layer.
    """
    d, h = 6, 2
    return [6, d // h]


@claim(
    place="Ch.5 Pt.2 Multi-head",
    chapter="12",
    cell='table([["one head of 6", 3 * 6 * 6, 6 * 6, cost_of(',
    stated=[108, 27, 54, 36, 90],
    verdict="holds",
)
def cg_113():
    """Parameter arithmetic: 108 for one 6-d head; 27 per 3-d head, 54 for two, 36 output, 90 total.

    Each product and sum is right for the slices as described.
    """
    return [
        attention_parameters(6) - 36,
        attention_parameters(3) - 9,
        2 * (attention_parameters(3) - 9),
        6 * 6,
        2 * (attention_parameters(3) - 9) + 36,
    ]


@claim(
    place="Ch.5 Pt.2 Multi-head",
    chapter="12",
    cell='table([["one head of 6", 3 * 6 * 6, 6 * 6, cost_of(',
    stated=[108, 90],
    verdict="conceptual",
)
def cg_114():
    """So one 6-d head (108 parameters) and two 3-d heads (90) cost about the same, like for like.

    The 108 leaves out the output projection that the 90 includes, and the 90 uses sliced inputs; with both
    projections counted and full-width heads each design has 144 parameters, exactly equal.
    """
    return [attention_parameters(6), attention_parameters(6, 2)]


@claim(
    place="Ch.5 Pt.2 Multi-head",
    chapter="12",
    cell="rows = [[h, 768 // h, *cost_of(768, h, 100)] for h i",
    stated=True,
    verdict="holds",
)
def cg_115():
    """Splitting into h heads does not multiply the score computation by h.

    h heads of width d/h cost n^2 d multiplications, the same as one head of width d.
    """
    h, n, d = 96, 2048, 12288
    return h * n * n * (d / h) == n * n * d


@claim(
    place="Ch.5 Pt.3 Q, K, V",
    chapter="11",
    section="I love pizza",
    stated=0.577,
    unit=0.001,
    verdict="holds",
)
def cg_116():
    """Xavier standard deviation for a 3x3 matrix is 0.577.

    The computation is sqrt(1/3) = 0.5774.
    """
    return np.sqrt(2 / (3 + 3))


@claim(
    place="Ch.5 Pt.3 Q, K, V",
    chapter="11",
    section="I love pizza",
    cell="open_output, open_weights = attend(Q3, K3, V3, c",
    stated=[-0.008, -0.127, 0.379],
    unit=0.001,
    verdict="holds",
)
def cg_117():
    """Query of "I" (head 1).

    All three components match.
    """
    return X[0] @ WQ


@claim(
    place="Ch.5 Pt.3 Q, K, V",
    chapter="11",
    section="I love pizza",
    cell="open_output, open_weights = attend(Q3, K3, V3, c",
    stated=[0.281, 0.268, -0.017],
    unit=0.001,
    verdict="holds",
)
def cg_118():
    """Key of "I" (head 1).

    All three components match.
    """
    return X[0] @ WK


@claim(
    place="Ch.5 Pt.3 Q, K, V",
    chapter="11",
    section="I love pizza",
    cell="open_output, open_weights = attend(Q3, K3, V3, c",
    stated=[-0.127, 0.211, 0.172],
    unit=0.001,
    verdict="holds",
)
def cg_119():
    """Value of "I" (head 1).

    All three components match (the source labels this line K by mistake).
    """
    W = np.array([[0.3, 0.1, 0.2], [-0.2, 0.3, 0.1], [0.1, -0.1, 0.3]])
    return X[0] @ W


@claim(
    place="Ch.5 Pt.3 Q, K, V",
    chapter="11",
    section="I love pizza",
    cell="open_output, open_weights = attend(Q3, K3, V3, c",
    stated=[0.187, -0.091, 0.422],
    unit=0.001,
    verdict="holds",
)
def cg_120():
    """Query of "love" (head 1).

    All three components match.
    """
    return X[1] @ WQ


@claim(
    place="Ch.5 Pt.3 Q, K, V",
    chapter="11",
    section="I love pizza",
    cell="open_output, open_weights = attend(Q3, K3, V3, c",
    stated=[0.292, 0.259, 0.028],
    unit=0.001,
    verdict="holds",
)
def cg_121():
    """Key of "love" (head 1).

    All three components match.
    """
    return X[1] @ WK


@claim(
    place="Ch.5 Pt.3 Q, K, V",
    chapter="11",
    cell='printed_V3 = numbers("-.127 .211 .172; -.091 .38',
    stated=[-0.091, 0.381, -0.055],
    unit=0.001,
    verdict="slip",
    added=True,
)
def cg_122():
    """Value of "love" (head 1).

    The third entry is 0.088 + 0.114 + 0.015 = 0.217: the text halves the first product and turns the sign
    of the second.
    """
    W = np.array([[0.3, 0.1, 0.2], [-0.2, 0.3, 0.1], [0.1, -0.1, 0.3]])
    return X[1] @ W


@claim(
    place="Ch.5 Pt.3 Q, K, V",
    chapter="11",
    section="I love pizza",
    cell="open_output, open_weights = attend(Q3, K3, V3, c",
    stated=[0.343, 0.636, -0.411],
    unit=0.001,
    verdict="holds",
)
def cg_123():
    """Query of "pizza" (head 1).

    All three components match.
    """
    return X[2] @ WQ


@claim(
    place="Ch.5 Pt.3 Q, K, V",
    chapter="11",
    section="I love pizza",
    cell="open_output, open_weights = attend(Q3, K3, V3, c",
    stated=[0.033, -0.529, 0.573],
    unit=0.001,
    verdict="holds",
)
def cg_124():
    """Key of "pizza" (head 1).

    All three components match.
    """
    return X[2] @ WK


@claim(
    place="Ch.5 Pt.3 Q, K, V",
    chapter="11",
    cell='printed_V3 = numbers("-.127 .211 .172; -.091 .38',
    stated=[0.636, 0.036, 0.2],
    unit=0.001,
    verdict="slip",
    added=True,
)
def cg_125():
    """Value of "pizza" (head 1).

    The third entry is 0.362 − 0.052 − 0.033 = 0.277.
    """
    W = np.array([[0.3, 0.1, 0.2], [-0.2, 0.3, 0.1], [0.1, -0.1, 0.3]])
    return X[2] @ W


@claim(place="Ch.5 Pt.3 Q, K, V", chapter="11", stated=None, verdict="slip", checked="by reading", added=True)
def cg_126():
    """The line that multiplies "I" with the value matrix is labelled as its key.

    Matrix and result are those of the value; only the letter is wrong.
    """


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="What a dot product measures",
    cell="fits = {name: float(numbers(a)[0] @ numbers(b)[0",
    stated=13,
    verdict="holds",
)
def cg_127():
    """[2,3,1]·[4,1,2] = 13.

    The three products 8, 3 and 2 add to 13.
    """
    return 2 * 4 + 3 * 1 + 1 * 2


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="What a dot product measures",
    cell="fits = {name: float(numbers(a)[0] @ numbers(b)[0",
    stated=[14, -14],
    verdict="holds",
)
def cg_128():
    """[1,2,3] with itself is 14, with its opposite -14.

    1+4+9 is 14, and flipping one vector flips the sign.
    """
    return np.array([1, 2, 3]) @ np.array([[1, -1], [2, -2], [3, -3]])


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="What a dot product measures",
    cell="fits = {name: float(numbers(a)[0] @ numbers(b)[0",
    stated=0,
    verdict="holds",
)
def cg_129():
    """[1,0,0]·[0,1,0] = 0.

    The vectors are perpendicular, so every product is zero.
    """
    return 1 * 0 + 0 * 1 + 0 * 0


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="What a dot product measures",
    cell="fits = {name: float(numbers(a)[0] @ numbers(b)[0",
    stated=[90, 90, 40, 220],
    verdict="holds",
)
def cg_130():
    """Alex scores [10,10,5]·[9,9,8] = 220.

    The arithmetic is exact.
    """
    return [10 * 9, 10 * 9, 5 * 8, 10 * 9 + 10 * 9 + 5 * 8]


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="What a dot product measures",
    cell="fits = {name: float(numbers(a)[0] @ numbers(b)[0",
    stated=[90, 10, 40, 140],
    verdict="holds",
    added=True,
)
def cg_131():
    """Blake scores [10,10,5]·[9,1,8] = 140.

    90 + 10 + 40.
    """
    return [10 * 9, 10 * 1, 5 * 8, 10 * 9 + 10 * 1 + 5 * 8]


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="What a dot product measures",
    cell="fits = {name: float(numbers(a)[0] @ numbers(b)[0",
    stated=[10, 90],
    verdict="holds",
)
def cg_132():
    """In Blake's score the marriage term (10) is smaller than the pizza term (90).

    10 x 1 against 10 x 9 (here marriage and pizza carry equal weight, unlike the 10-to-1 weights of the
    first dating example).
    """
    return [10 * 1, 10 * 9]


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="I love pizza",
    stated=[-0.0022, -0.034, -0.0064, -0.0426],
    unit=0.0001,
    verdict="rounding",
)
def cg_133():
    """Score I to I: -0.0022 - 0.0340 - 0.0064 = -0.0426.

    The terms match but the sum at full precision is -0.0427.
    """
    q = np.array([-0.008, -0.127, 0.379])
    k = np.array([0.281, 0.268, -0.017])
    return [q[0] * k[0], q[1] * k[1], q[2] * k[2], q @ k]


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="I love pizza",
    stated=[-0.0023, -0.0329, 0.0106, -0.0246],
    unit=0.0001,
    verdict="holds",
)
def cg_134():
    """Score I to love: -0.0023 - 0.0329 + 0.0106 = -0.0246.

    All four values agree at the printed precision.
    """
    q = np.array([-0.008, -0.127, 0.379])
    k = np.array([0.292, 0.259, 0.028])
    return [q[0] * k[0], q[1] * k[1], q[2] * k[2], q @ k]


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="I love pizza",
    stated=[-0.0003, 0.0672, 0.2172, 0.2841],
    unit=0.0001,
    verdict="holds",
)
def cg_135():
    """Score I to pizza: -0.0003 + 0.0672 + 0.2172 = 0.2841.

    All four values agree at the printed precision.
    """
    q = np.array([-0.008, -0.127, 0.379])
    k = np.array([0.033, -0.529, 0.573])
    return [q[0] * k[0], q[1] * k[1], q[2] * k[2], q @ k]


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="I love pizza",
    stated=1.732,
    unit=0.001,
    verdict="holds",
)
def cg_136():
    """sqrt(3) = 1.732.

    At full precision this is 1.73205.
    """
    return np.sqrt(3)


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="Why divide by a square root?",
    cell="sizes = [1, 4, 16, 64, 256]",
    stated=True,
    verdict="holds",
)
def cg_137():
    """Dot products of unit-variance vectors have variance proportional to d_k.

    Simulated variance over d_k is 1 within sampling error for d_k = 4, 16 and 64.
    """
    return all(
        abs((random_rows(200000 // d, d) * random_rows(200000 // d, d, seed=1)).sum(1).var() / d - 1) < 0.15
        for d in (4, 16, 64)
    )


@claim(
    place="Ch.5 Pt.4 Dot products",
    chapter="11",
    section="I love pizza",
    stated=[-0.0246, -0.0142, 0.164],
    unit=0.0001,
    verdict="holds",
    added=True,
)
def cg_138():
    """Scaled scores of "I": the printed scores divided by 1.732.

    All three agree.
    """
    s = np.array([-0.0426, -0.0246, 0.2841])
    return s / np.sqrt(3)


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    cell="effort = torch.tensor([10.0, 5.0, 2.0])",
    stated=[59, 29, 12, 100],
    unit=1,
    verdict="holds",
)
def cg_139():
    """Cake by plain division: 10/17 = 59%, 5/17 = 29%, 2/17 = 12%, total 100%.

    At full precision these are 58.8, 29.4 and 11.8 percent.
    """
    return [100 * 10 / 17, 100 * 5 / 17, 100 * 2 / 17, 100]


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    cell="again = (Q3 @ K3.T / math.sqrt(3))",
    stated=-15,
    unit=1,
    verdict="slip",
)
def cg_140():
    """With scores -0.02, 0.12, -0.05, Alice would get -15% of the cake by plain division.

    Dividing by the total 0.05 gives -40%, 240% and -100%; the point (negative shares) stands, the figure
    does not.
    """
    a = np.array([-0.02, 0.12, -0.05])
    return 100 * a[0] / a.sum()


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=60,
    verdict="holds",
)
def cg_141():
    """Sum of [10,20,30] is 60.

    The arithmetic is exact.
    """
    return 10 + 20 + 30


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=[22026, 148, 7.4],
    unit=[1, 1, 0.1],
    verdict="holds",
)
def cg_142():
    """e^10 = 22,026; e^5 = 148; e^2 = 7.4.

    At full precision these are 22,026.5, 148.4 and 7.39.
    """
    return np.exp([10.0, 5.0, 2.0])


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=22181.4,
    unit=0.1,
    verdict="holds",
    added=True,
)
def cg_143():
    """Sum of the three powers: 22,026 + 148 + 7.4 = 22,181.4.

    Of the rounded terms; the unrounded ones add up to 22,182.3.
    """
    return 22026 + 148 + 7.4


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    cell="effort = torch.tensor([10.0, 5.0, 2.0])",
    stated=[99.3, 0.67, 0.03],
    unit=[0.1, 0.01, 0.01],
    verdict="holds",
)
def cg_144():
    """Softmax of 10, 5, 2: 99.3%, 0.67%, 0.03%.

    At full precision these are 99.30, 0.669 and 0.0333 percent.
    """
    return 100 * next_token([10.0, 5.0, 2.0])


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    cell="effort = torch.tensor([10.0, 5.0, 2.0])",
    stated=148,
    unit=1,
    verdict="holds",
)
def cg_145():
    """After softmax Alice gets 148 times Bob's share.

    The computation is e^(10-5) = 148.4.
    """
    p = next_token([10.0, 5.0, 2.0])
    return p[0] / p[1]


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    cell="again = (Q3 @ K3.T / math.sqrt(3))",
    stated=[85, 13, 2],
    unit=1,
    verdict="slip",
)
def cg_146():
    """With scores 220, 180, 140, softmax attention is 85%, 13%, 2%.

    It is 100%, 4e-16%, 2e-33%; the printed shares would need the scores divided by about 21.
    """
    return 100 * next_token([220.0, 180.0, 140.0])


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=180,
    verdict="unverifiable",
    checked="not possible",
)
def cg_147():
    """Casey scores 180.

    Casey's profile vector is never given.
    """


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=[1, 2.718, 7.389, 0.368, 4.5e-05],
    unit=[1, 0.001, 0.001, 0.001, 1e-06],
    verdict="holds",
)
def cg_148():
    """e^0=1, e^1=2.718, e^2=7.389, e^-1=0.368, e^-10=0.000045.

    All five values agree at the printed precision.
    """
    return np.exp([0.0, 1.0, 2.0, -1.0, -10.0])


@claim(place="Ch.5 Pt.5 Softmax", chapter="11", stated=True, verdict="overstated")
def cg_149():
    """The exponential amplifies: a small difference of inputs becomes a bigger difference of outputs.

    Where e^x exceeds 1, as in the example. For negative inputs it shrinks gaps (e^−2 − e^−3 = 0.086), and
    after normalising, two shares never differ by more than half the gap of their scores.
    """
    return np.exp(-2) - np.exp(-3) > 1


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=True,
    verdict="holds",
)
def cg_150():
    """Softmax keeps the order of the scores and every share positive.

    The exponential is increasing and positive.
    """
    x = np.array([-0.0246, -0.0142, 0.164])
    return (np.argsort(next_token(x)) == np.argsort(x)).all() and next_token(x).min() > 0


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=[2.718, 3.004, 3.32],
    unit=0.001,
    verdict="holds",
)
def cg_151():
    """Exponentials of 1.0, 1.1, 1.2 are 2.718, 3.004, 3.320.

    All three values agree at the printed precision.
    """
    return np.exp([1.0, 1.1, 1.2])


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    cell="open_output, open_weights = attend(Q3, K3, V3, c",
    stated=[0.9757, 0.9859, 1.1782],
    unit=0.0001,
    verdict="holds",
    added=True,
)
def cg_152():
    """e to the −0.0246, −0.0142 and 0.1640 are 0.9757, 0.9859 and 1.1782.

    All three agree.
    """
    s = np.array([-0.0246, -0.0142, 0.164])
    return np.exp(s)


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    cell="open_output, open_weights = attend(Q3, K3, V3, c",
    stated=3.1398,
    unit=0.0001,
    verdict="holds",
)
def cg_153():
    """Their sum is 3.1398.

    The printed terms add to exactly this.
    """
    return 0.9757 + 0.9859 + 1.1782


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    cell="open_output, open_weights = attend(Q3, K3, V3, c",
    stated=[0.3107, 0.314, 0.3753],
    unit=0.0001,
    verdict="holds",
)
def cg_154():
    """Attention of "I": 0.3107, 0.3140, 0.3753.

    Full precision gives 0.31074, 0.31400, 0.37526 (dividing the printed rounded terms would give 0.3108 and
    0.3752).
    """
    return next_token(X @ WQ @ (X @ WK).T / np.sqrt(3))[0]


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    cell="matrix(torch.stack([open_output[0], attend(Q3, K",
    stated=True,
    verdict="slip",
)
def cg_156():
    """ "I" may attend to "love" and "pizza" in this decoder-only model.

    With the causal mask that Chapter 12 says is always on, the first token attends 100% to itself, so the
    worked head output is not what the described model computes.
    """
    return next_token(masked(X @ WQ @ (X @ WK).T))[0, 1] > 0


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=[[-0.0395, 0.0656, 0.0534], [-0.0286, 0.1196, -0.0173], [0.2387, 0.0135, 0.0751]],
    unit=0.0001,
    verdict="holds",
)
def cg_157():
    """Three weighted value terms for "I".

    All nine products of the printed factors match.
    """
    p = np.array([0.3107, 0.314, 0.3753])
    V = np.array([[-0.127, 0.211, 0.172], [-0.091, 0.381, -0.055], [0.636, 0.036, 0.2]])
    return p[:, None] * V


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=[0.1706, 0.1987, 0.1112],
    unit=0.0001,
    verdict="holds",
)
def cg_158():
    """Head-1 output for "I" from the printed values: [0.1706, 0.1987, 0.1112].

    Right as a sum of the three printed terms.
    """
    t = np.array([[-0.0395, 0.0656, 0.0534], [-0.0286, 0.1196, -0.0173], [0.2387, 0.0135, 0.0751]])
    return t.sum(0)


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    cell='printed_V3 = numbers("-.127 .211 .172; -.091 .38',
    stated=[0.1706, 0.1987, 0.1112],
    unit=0.0001,
    verdict="follows",
    follows="cg-122",
)
def cg_159():
    """Head-1 output for "I" recomputed from X and the weight matrices.

    With the correct V the third component is 0.2255, twice the printed 0.1112 (unmasked, as in the text).
    """
    WV = np.array([[0.3, 0.1, 0.2], [-0.2, 0.3, 0.1], [0.1, -0.1, 0.3]])
    return attend(X @ WQ, X @ WK, X @ WV, causal=False)[0]


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=[0.245, -0.089, 0.156],
    verdict="unverifiable",
    checked="not possible",
)
def cg_160():
    """Head-2 output for "I": [0.245, -0.089, 0.156].

    Head-2 weights are not given.
    """


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    section="I love pizza",
    stated=[0.1706, 0.1987, 0.1112, 0.245, -0.089, 0.156],
    unit=0.0001,
    verdict="holds",
)
def cg_161():
    """Concatenated heads for "I".

    It is a side-by-side copy of the two head outputs.
    """
    a = np.array([0.1706, 0.1987, 0.1112])
    b = np.array([0.245, -0.089, 0.156])
    return np.hstack([[a], [b]])[0]


@claim(
    place="Ch.5 Pt.5 Softmax",
    chapter="11",
    cell='W_O6 = numbers(".1 .2 -.1 .3 .1 -.2; .2 -.1 .3 .',
    stated=[0.25, -0.31, 0.42, 0.18, -0.09, 0.33],
    unit=0.01,
    verdict="slip",
)
def cg_162():
    """Attention output for "I" after the printed 6x6 output projection: [0.25, -0.31, 0.42, 0.18, -0.09,
    0.33].

    The printed concatenation times the printed W^O is [0.079, 0.137, 0.092, 0.053, 0.155, 0.057]; every
    entry differs and two have the wrong sign, although it is called a "simplified result".
    """
    c = np.array([0.1706, 0.1987, 0.1112, 0.245, -0.089, 0.156])
    WO = np.array(
        [
            [0.1, 0.2, -0.1, 0.3, 0.1, -0.2],
            [0.2, -0.1, 0.3, 0.1, 0.2, 0.1],
            [-0.1, 0.3, 0.1, -0.2, 0.3, 0.2],
            [0.3, 0.1, 0.2, -0.1, 0.1, 0.3],
            [0.1, -0.2, 0.3, 0.2, -0.1, 0.1],
            [-0.2, 0.3, 0.1, 0.3, 0.2, -0.1],
        ]
    )
    return c @ WO


@claim(place="Ch.5 Pt.5 Softmax", chapter="03", stated=True, verdict="overstated", added=True)
def cg_387():
    """Softmax answers "a little better" with "a lot" (the best share over the next, for scores 1.2 and
    1.1, at least 1.5).

    It turns differences into ratios: a lead of a tenth is worth e^0.1, or 11% more, wherever it stands. In
    the examples of the guide the leads are 5 and 40.
    """
    p = next_token([1.0, 1.1, 1.2])
    return p[2] / p[1] >= 1.5
