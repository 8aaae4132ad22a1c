"""Complete guide: chapter 4 (positions)."""

import numpy as np
import torch

from book.ledger.claims import claim
from book.ledger.helpers import divisors, gradient, position, shift_matrix, singular_ratio, sinusoids
from book.ledger.studies import order_gap, parameters
from support import text

M = np.array([1.0, 0.5, 0.1, 0.05, 0.01, 0.001])


@claim(
    place="Ch.4 Pt.2 Attempt 1",
    chapter="10",
    cell="numbered = E11 + torch.arange(11.0)[:, None]",
    stated=[
        [0.01, -0.2, 0.3, 0.15, -0.05, 0.11],
        [1.34, 1.12, 0.55, 1.22, 1.67, 0.82],
        [1.6, 2.6, 2.0, 2.25, 2.9, 1.7],
        [3.55, 2.67, 3.21, 2.88, 3.44, 3.08],
        [4.78, 4.05, 3.34, 4.31, 3.78, 4.49],
        [4.89, 5.88, 5.13, 4.45, 5.37, 4.29],
        [6.9, 5.9, 5.8, 5.2, 6.5, 6.75],
        [7.02, 6.53, 7.61, 7.18, 6.71, 7.33],
        [7.42, 8.24, 8.09, 7.59, 8.73, 7.85],
        [9.41, 8.31, 9.52, 9.07, 8.65, 9.88],
        [10.9, 9.9, 9.8, 9.2, 10.5, 10.75],
    ],
    unit=0.01,
    verdict="holds",
)
def cg_033():
    """Adding the raw position number 0-10 to eleven 6-d embeddings (11x6 table).

    All sixty-six sums match ("friends" reuses the "pizza" embedding).
    """
    E1 = np.array(
        [
            [0.01, -0.2, 0.3, 0.15, -0.05, 0.11],
            [0.34, 0.12, -0.45, 0.22, 0.67, -0.18],
            [-0.4, 0.6, 0.0, 0.25, 0.9, -0.3],
            [0.55, -0.33, 0.21, -0.12, 0.44, 0.08],
            [0.78, 0.05, -0.66, 0.31, -0.22, 0.49],
            [-0.11, 0.88, 0.13, -0.55, 0.37, -0.71],
            [0.9, -0.1, -0.2, -0.8, 0.5, 0.75],
            [0.02, -0.47, 0.61, 0.18, -0.29, 0.33],
            [-0.58, 0.24, 0.09, -0.41, 0.73, -0.15],
            [0.41, -0.69, 0.52, 0.07, -0.35, 0.88],
            [0.9, -0.1, -0.2, -0.8, 0.5, 0.75],
        ]
    )
    return E1 + np.arange(11)[:, None]


@claim(place="Ch.4 Pt.2 Attempt 1", chapter="10", stated=[6.85, 7.02, 2.9, 5.9], unit=0.01, verdict="holds")
def cg_034():
    """Hypothetical sums: 0.85+6 = 6.85, 0.02+7 = 7.02, 0.90+2 = 2.90, -0.10+6 = 5.90.

    All four sums are right.
    """
    return [0.85 + 6, 0.02 + 7, 0.9 + 2, -0.1 + 6]


@claim(place="Ch.4 Pt.2 Attempt 1", chapter="10", stated=[10.9, 10.9, 10.9], unit=0.01, verdict="holds")
def cg_035():
    """10.90 could be 0.90+10, 10.50+0.40 or 5.45+5.45.

    All three sums give 10.90.
    """
    return [0.9 + 10, 10.5 + 0.4, 5.45 + 5.45]


@claim(place="Ch.4 Pt.2 Attempt 1", chapter="10", stated=99, verdict="unverifiable", checked="not possible")
def cg_036():
    """The model would spend 99% of its attention learning the position.

    A figure of speech with no quantity behind it.
    """


@claim(
    place="Ch.4 Pt.2 Attempt 1",
    chapter="10",
    cell="near = torch.tensor(1000.234567, dtype=torch.flo",
    stated=1000.20005,
    unit=1e-05,
    verdict="holds",
)
def cg_037():
    """SGD step: 1000.2 - 0.0001 x (-0.5) = 1000.20005.

    The subtraction is exact.
    """
    return 1000.2 - 0.0001 * -0.5


@claim(
    place="Ch.4 Pt.2 Attempt 1",
    chapter="10",
    cell="near = torch.tensor(1000.234567, dtype=torch.flo",
    stated=True,
    verdict="conceptual",
)
def cg_038():
    """Because the sum is 1000.2, the same learning rate moves the word-meaning part glacially slowly.

    The table stores the embedding (0.2), not the sum, and d(sum)/d(embedding)=1, so the update is the same
    0.00005 whatever position is added; the true harm is a drowned signal, not a smaller step.
    """

    def gradient_at(position):
        """The derivative at a word's number 0.2, of a loss that reads the sum with its position."""
        word = torch.tensor(0.2, requires_grad=True)
        (-0.5 * (word + position)).backward()
        return abs(word.grad.item())

    return gradient_at(1000.0) < gradient_at(0.0)


@claim(place="Ch.4 Pt.2 Attempt 1", chapter="10", stated=7, unit=1, verdict="holds")
def cg_039():
    """32-bit floats carry about 7 significant decimal digits.

    24 bits of significand are 7.2 decimal digits.
    """
    return 24 * np.log10(2)


@claim(place="Ch.4 Pt.2 Attempt 1", chapter="10", stated=1000.2346, unit=0.0001, verdict="holds")
def cg_040():
    """1000.234567 is stored in 32 bits as 1000.2346.

    The nearest float is 1000.23456 (spacing 0.000061).
    """
    return np.float32(1000.234567)


@claim(
    place="Ch.4 Pt.2 Attempt 1",
    chapter="10",
    cell="near = torch.tensor(1000.234567, dtype=torch.flo",
    stated=True,
    verdict="conceptual",
)
def cg_041():
    """Near 1000, changes of 0.001 are lost in 32-bit rounding.

    The spacing of 32-bit floats at 1000 is 0.00006, so a change of 0.001 survives with at most 3% error;
    changes below 0.00003 are what vanish.
    """
    return np.float32(1000.234567) + np.float32(0.001) == np.float32(1000.234567)


@claim(
    place="Ch.4 Pt.2 Attempt 1",
    chapter="10",
    stated=[1000.75, 999.7, 1000.45, 1000.6, 999.8, 1000.35],
    unit=0.01,
    verdict="holds",
)
def cg_042():
    """ "amazing" plus position 1000.

    All six sums match.
    """
    e = np.array([0.75, -0.3, 0.45, 0.6, -0.2, 0.35])
    return e + 1000


@claim(
    place="Ch.4 Pt.2 Attempt 1",
    chapter="10",
    cell="content = torch.randn(6, 6)",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def cg_400():
    """With plain numbers added, the model cannot easily learn relative positions.

    Not easily: the size of the numbers drowns the word. Their difference is the distance, and ALiBi uses
    just that.
    """


@claim(
    place="Ch.4 Pt.2 Attempt 1",
    chapter="10",
    cell="numbered = E11 + torch.arange(11.0)[:, None]",
    stated=False,
    verdict="slip",
    added=True,
)
def cg_425():
    """Each of the eleven words has a vector of its own (are those of "pizza" and "friends" equal?).

    The row of "friends" is the row of "pizza", digit for digit: without the position the two words would be
    one.
    """
    a = np.array([0.9, -0.1, -0.2, -0.8, 0.5, 0.75])
    b = np.array([0.9, -0.1, -0.2, -0.8, 0.5, 0.75])
    return np.allclose(a, b)


@claim(
    place="Ch.4 Pt.2 Attempt 2",
    chapter="10",
    cell="turns = 2 * math.pi * slowness[-1]",
    stated=10,
    verdict="slip",
)
def cg_043():
    """The example sentence on eating pizza with the best of friends is called one of ten words.

    It has 11 words, which is why positions run from 0 to 10 and reach 1.0; dividing by the stated length
    would stop at 10/11.
    """
    s = "I really love eating delicious homemade pizza with my best friends"
    return len(s.split())


@claim(
    place="Ch.4 Pt.2 Attempt 2",
    chapter="10",
    stated=[0.0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0],
    unit=0.1,
    verdict="holds",
)
def cg_044():
    """Positions 0-10 divided by 10 run 0.0 to 1.0.

    The divisions are right.
    """
    return np.arange(11) / 10


@claim(
    place="Ch.4 Pt.2 Attempt 2",
    chapter="10",
    stated=[0.39, 1.38, 0.63, -0.05, 0.87, -0.21],
    unit=0.01,
    verdict="holds",
)
def cg_045():
    """ "homemade" plus 0.5.

    All six sums match.
    """
    e = np.array([-0.11, 0.88, 0.13, -0.55, 0.37, -0.71])
    return e + 0.5


@claim(
    place="Ch.4 Pt.2 Attempt 2",
    chapter="10",
    stated=[1.9, 0.9, 0.8, 0.2, 1.5, 1.75],
    unit=0.01,
    verdict="holds",
)
def cg_046():
    """ "friends" plus 1.0.

    All six sums match.
    """
    e = np.array([0.9, -0.1, -0.2, -0.8, 0.5, 0.75])
    return e + 1.0


@claim(place="Ch.4 Pt.2 Attempt 2", chapter="10", stated=[0.0, 0.2, 0.4, 0.6, 0.8], unit=0.1, verdict="holds")
def cg_047():
    """Five-word sentence: positions 0.0, 0.2, 0.4, 0.6, 0.8.

    These are the position numbers divided by 5.
    """
    return np.arange(5) / 5


@claim(
    place="Ch.4 Pt.2 Attempt 2",
    chapter="10",
    cell="lengths = [5, 10, 20, 100]",
    stated=[0.2, 0.1, 0.05, 0.01],
    unit=0.01,
    verdict="holds",
)
def cg_048():
    """Gap between neighbours: 0.2 (5 words), 0.1 (10), 0.05 (20), 0.01 (100).

    The gap is one over the length.
    """
    return 1 / np.array([5, 10, 20, 100])


@claim(
    place="Ch.4 Pt.2 Attempt 2",
    chapter="10",
    cell="turns = 2 * math.pi * slowness[-1]",
    stated=[0.6, 0.8],
    unit=0.1,
    verdict="slip",
)
def cg_049():
    """In "I love delicious homemade pizza", delicious sits at 0.6, right before pizza at 0.8.

    delicious is word 2 of 5 (0.4) and is not adjacent to pizza; 0.6 belongs to homemade.
    """
    s = "I love delicious homemade pizza"
    vocabulary = text.Vocabulary(s.split())
    return [vocabulary.encode("delicious")[0] / 5, vocabulary.encode("pizza")[0] / 5]


@claim(
    place="Ch.4 Pt.2 Attempt 2",
    chapter="10",
    cell="turns = 2 * math.pi * slowness[-1]",
    stated=[0.45, 0.5],
    unit=[0.01, 0.01],
    verdict="slip",
)
def cg_050():
    """In the 20-word sentence, delicious sits at 0.45 and homemade at 0.5.

    They are words 10 and 11, at 0.50 and 0.55; only the gap of 0.05 is right.
    """
    words = [
        "Yesterday",
        "I",
        "was",
        "really",
        "very",
        "hungry",
        "so",
        "I",
        "love",
        "eating",
        "delicious",
        "homemade",
        "thin",
        "crust",
        "pizza",
        "from",
        "Italy",
        "with",
        "extra",
        "cheese",
    ]
    return [words.index("delicious") / 20, words.index("homemade") / 20]


@claim(place="Ch.4 Pt.2 Attempt 2", chapter="10", stated=20, verdict="holds")
def cg_051():
    """That sentence has 20 words.

    Counting gives twenty words.
    """
    words = [
        "Yesterday",
        "I",
        "was",
        "really",
        "very",
        "hungry",
        "so",
        "I",
        "love",
        "eating",
        "delicious",
        "homemade",
        "thin",
        "crust",
        "pizza",
        "from",
        "Italy",
        "with",
        "extra",
        "cheese",
    ]
    return len(words)


@claim(place="Ch.4 Pt.2 Attempt 2", chapter="10", stated=[25, 50], verdict="holds")
def cg_052():
    """Position 0.5 means word 25 of 50 but word 50 of 100.

    Each is half of the sentence length.
    """
    return [0.5 * 50, 0.5 * 100]


@claim(place="Ch.4 Pt.2 Attempt 2", chapter="10", stated=[0.1, 0.02], unit=0.01, verdict="holds")
def cg_053():
    """ "The beginning" spans 0.0-0.1 of 10 words but 0.0-0.02 of 50 words.

    One word's width in each sentence.
    """
    return [1 / 10, 1 / 50]


@claim(
    place="Ch.4 Pt.2 Attempt 3",
    chapter="10",
    cell="six = torch.tensor([1, 0.5, 0.1, 0.05, 0.01, 0.0",
    stated=[
        [0, 0, 0, 0, 0, 0],
        [1.0, 0.5, 0.1, 0.05, 0.01, 0.001],
        [2.0, 1.0, 0.2, 0.1, 0.02, 0.002],
        [5.0, 2.5, 0.5, 0.25, 0.05, 0.005],
        [10.0, 5.0, 1.0, 0.5, 0.1, 0.01],
        [100.0, 50.0, 10.0, 5.0, 1.0, 0.1],
        [1000.0, 500.0, 100.0, 50.0, 10.0, 1.0],
    ],
    unit=0.001,
    verdict="holds",
)
def cg_054():
    """Six scaled positions for 0, 1, 2, 5, 10, 100 and 1000 (7x6 table).

    All forty-two products match.
    """
    return np.array([0, 1, 2, 5, 10, 100, 1000])[:, None] * M


@claim(
    place="Ch.4 Pt.2 Attempt 3",
    chapter="10",
    stated=[1000.45, 499.75, 100.6, 49.85, 10.3, 1.75],
    unit=0.01,
    verdict="holds",
)
def cg_055():
    """ "document" plus the position-1000 encoding.

    All six sums match.
    """
    e = np.array([0.45, -0.25, 0.6, -0.15, 0.3, 0.75])
    return e + 1000 * M


@claim(place="Ch.4 Pt.2 Attempt 3", chapter="10", stated=[10, 10], verdict="holds")
def cg_056():
    """At position 1000 the slow dimension reaches 10, ten times the embedding scale of about 1.

    The computation is 1000 x 0.01 = 10.
    """
    return [1000 * 0.01, 1000 * 0.01 / 1.0]


@claim(
    place="Ch.4 Pt.2 Attempt 3",
    chapter="10",
    cell='print("independent directions in the table:", in',
    stated=True,
    verdict="conceptual",
    added=True,
)
def cg_389():
    """Six speeds give fine and coarse scales, like the hands of a clock.

    These hands never come round: the six entries are one number, six times (the table has rank one).
    """
    return singular_ratio(np.outer([0, 1, 2, 5, 10, 100, 1000], M)) > 0.001


@claim(place="Ch.4 Pt.3 Waves", chapter="10", stated=[1, 1.2], unit=0.1, verdict="holds")
def cg_057():
    """Second hand at 5 s points at 1 and at 6 s points at 1.2.

    Each clock number stands for five seconds.
    """
    return [5 / 5, 6 / 5]


@claim(place="Ch.4 Pt.3 Waves", chapter="10", stated=43200, verdict="holds")
def cg_058():
    """The combination of three clock hands repeats only every 12 hours.

    There are 43,200 distinct second-level states, one per second of twelve hours.
    """
    return np.lcm(np.lcm(60, 3600), 43200)


@claim(place="Ch.4 Pt.3 Waves", chapter="10", stated=[6.28, 57], unit=[0.01, 1], verdict="holds")
def cg_059():
    """A full circle is about 6.28 radians and one radian about 57 degrees.

    At full precision these are 6.2832 and 57.30.
    """
    return [2 * np.pi, np.degrees(1)]


@claim(
    place="Ch.4 Pt.3 Waves",
    chapter="10",
    cell="x = torch.arange(26) / 2",
    stated=[
        0.0,
        0.48,
        0.84,
        1.0,
        0.91,
        0.6,
        0.14,
        -0.35,
        -0.76,
        -0.98,
        -0.96,
        -0.71,
        -0.28,
        0.22,
        0.66,
        0.94,
        0.99,
        0.76,
        0.41,
        -0.08,
        -0.54,
        -0.88,
        -1.0,
        -0.88,
        -0.54,
        -0.05,
    ],
    unit=0.01,
    verdict="slip",
    added=True,
)
def cg_060():
    """Sine table, 26 values from 0.0 to 12.5 in steps of 0.5.

    sin(8.5) is 0.80 (printed 0.76) and sin(12.5) is −0.07 (printed −0.05); the other entries agree, one of
    them to a hundredth.
    """
    return np.sin(np.arange(26) * 0.5)


@claim(
    place="Ch.4 Pt.3 Waves",
    chapter="10",
    cell="x = torch.arange(26) / 2",
    stated=[
        1.0,
        0.88,
        0.54,
        0.07,
        -0.42,
        -0.8,
        -0.99,
        -0.94,
        -0.65,
        -0.21,
        0.28,
        0.71,
        0.96,
        0.99,
        0.75,
        0.35,
        -0.15,
        -0.61,
        -0.91,
        -0.99,
        -0.84,
        -0.53,
        -0.0,
        0.53,
        0.84,
        0.99,
    ],
    unit=0.01,
    verdict="slip",
)
def cg_061():
    """Cosine table, 26 values from 0.0 to 12.5 in steps of 0.5.

    cos(10.5) is -0.48 and cos(11.5) is 0.48 (printed -0.53 and 0.53); 6.5, 8.5, 9.5 and 12.5 are one
    hundredth off (0.98, -0.60, -1.00, 1.00).
    """
    return np.cos(np.arange(26) * 0.5)


@claim(
    place="Ch.4 Pt.3 Waves",
    chapter="10",
    cell="turns = 2 * math.pi * slowness[-1]",
    stated=5.0,
    unit=0.1,
    verdict="slip",
)
def cg_062():
    """The sine valley is reached at 5.0 in the table.

    The sampled minimum of the first cycle is at 4.5 (-0.978, true minimum at 4.71); at 5.0 the wave is
    already rising.
    """
    return (np.arange(26) * 0.5)[:13][np.argmin(np.sin(np.arange(13) * 0.5))]


@claim(place="Ch.4 Pt.3 Waves", chapter="10", stated=True, verdict="holds")
def cg_063():
    """At 11.0 the cosine has crossed to positive.

    cos(11) = +0.0044, so the comment is right and the printed sign of "-0.00" is not.
    """
    return np.cos(11.0) > 0


@claim(
    place="Ch.4 Pt.3 Waves",
    chapter="10",
    cell="turns = 2 * math.pi * slowness[-1]",
    stated=True,
    verdict="conceptual",
)
def cg_064():
    """Within one cycle no two inputs give exactly the same sine output.

    sin(x) = sin(pi - x), so almost every value occurs twice per cycle; that is exactly why the cosine is
    needed too.
    """
    return abs(np.sin(0.5) - np.sin(np.pi - 0.5)) > 1e-12


@claim(place="Ch.4 Pt.3 Waves", chapter="10", stated=True, verdict="holds")
def cg_065():
    """One full cycle takes about 6.28 units.

    The period is 2 pi.
    """
    return abs(np.sin(0.7 + 2 * np.pi) - np.sin(0.7)) < 1e-12


@claim(place="Ch.4 Pt.3 Waves", chapter="10", stated=True, verdict="holds")
def cg_066():
    """Sine and cosine together locate a point on the cycle without ambiguity.

    All 360 sampled angles have distinct (sin, cos) pairs.
    """
    return (
        len(
            set(
                (np.round(np.sin(t), 9), np.round(np.cos(t), 9))
                for t in [2 * np.pi * i / 360 for i in range(360)]
            )
        )
        == 360
    )


@claim(
    place="Ch.4 Pt.3 Waves",
    chapter="10",
    stated=[0.0, 0.002, 0.004, 0.006, 0.199],
    unit=[0.01, 0.001, 0.001, 0.001, 0.001],
    verdict="holds",
)
def cg_067():
    """Slow wave: sin of 0, 0.002, 0.004, 0.006 and 0.2 is 0.00, 0.002, 0.004, 0.006, 0.199.

    sin(0.2) = 0.1987.
    """
    return np.sin([0, 0.002, 0.004, 0.006, 0.2])


@claim(
    place="Ch.4 Pt.3 Waves", chapter="10", stated=[0.0, 0.84, 0.91, 0.14, -0.76], unit=0.01, verdict="holds"
)
def cg_068():
    """Fast wave: sin of 0,1,2,3,4 is 0.00, 0.84, 0.91, 0.14, -0.76.

    All five values agree at the printed precision.
    """
    return sinusoids(5, 6)[:, 0]


@claim(
    place="Ch.4 Pt.3 Waves",
    chapter="10",
    cell="slowness = 10_000.0 ** (torch.arange(0, 6, 2) /",
    stated=[0.002, 0.004],
    unit=0.001,
    verdict="holds",
)
def cg_069():
    """1/464.159 = 0.002 and 2/464.159 = 0.004.

    At full precision these are 0.00215 and 0.00431.
    """
    return np.array([1, 2]) / divisors(6)[2]


@claim(
    place="Ch.4 Pt.4 Building the formula",
    chapter="10",
    cell="slowness = 10_000.0 ** (torch.arange(0, 6, 2) /",
    stated=[628, 62800],
    unit=[1, 100],
    verdict="holds",
)
def cg_070():
    """With divisor 100 a cycle takes about 628 positions, with 10,000 about 62,800.

    At full precision these are 628.3 and 62,832 positions.
    """
    return [2 * np.pi * 100, 2 * np.pi * 10000]


@claim(
    place="Ch.4 Pt.4 Building the formula",
    chapter="10",
    cell="turns = 2 * math.pi * slowness[-1]",
    stated=True,
    verdict="holds",
)
def cg_072():
    """With the base 10,000, even at position 1000 the slowest wave has barely completed one cycle (is it
    within the first?).

    It is at 0.016 of its cycle. In the six-dimensional model, where the slowest divisor is 464, it is at
    0.34.
    """
    return 1000 / (2 * np.pi * 10_000) < 1


@claim(
    place="Ch.4 Pt.4 Building the formula",
    chapter="10",
    cell="turns = 2 * math.pi * slowness[-1]",
    stated=True,
    verdict="holds",
)
def cg_073():
    """With the base 10,000, the slowest wave still gives unique position information in a document of
    10,000 words.

    One cycle takes 62,800 positions. In the six-dimensional model the slowest wave repeats every 2,916, and
    only all six numbers together are unique.
    """
    return 2 * np.pi * 10_000 >= 10_000


@claim(
    place="Ch.4 Pt.4 Building the formula",
    chapter="10",
    cell="slowness = 10_000.0 ** (torch.arange(0, 6, 2) /",
    stated=0,
    within=1e-09,
    verdict="holds",
    added=True,
)
def cg_074():
    """The divisors are evenly spread on a logarithmic scale (difference of their logarithms, second step
    less first).

    Each divisor is the one before times the same 21.54, so the logarithms are evenly spaced.
    """
    return np.diff(np.diff(np.log(divisors(6))))[0]


@claim(
    place="Ch.4 Pt.4 Building the formula",
    chapter="10",
    cell="turns = 2 * math.pi * slowness[-1]",
    stated=10000,
    unit=1000,
    verdict="conceptual",
)
def cg_075():
    """Pair 2 was meant to have a divisor of about 10,000.

    The formula gives 464, as the next lines compute; exponents reach 1 only as the number of dimensions
    grows.
    """
    return divisors(6)[2]


@claim(
    place="Ch.4 Pt.4 Building the formula",
    chapter="10",
    cell="slowness = 10_000.0 ** (torch.arange(0, 6, 2) /",
    stated=[0.0, 0.333, 0.667],
    unit=0.001,
    verdict="holds",
)
def cg_076():
    """Exponents 0.000, 0.333, 0.667.

    The exponents rise in equal steps of one third.
    """
    return np.log(divisors(6)) / np.log(10000)


@claim(
    place="Ch.4 Pt.4 Building the formula",
    chapter="10",
    cell="turns = 2 * math.pi * slowness[-1]",
    stated=[21, 21],
    unit=1,
    verdict="rounding",
)
def cg_077():
    """Each pair is about 21 times slower than the one before.

    The ratio is 21.54, which rounds to 22.
    """
    return divisors(6)[1:] / divisors(6)[:2]


@claim(
    place="Ch.4 Pt.4 Building the formula",
    chapter="10",
    cell="slowness = 10_000.0 ** (torch.arange(0, 6, 2) /",
    stated=True,
    verdict="follows",
    follows="cg-075",
)
def cg_078():
    """The spacing covers the whole range from 1 to 10,000.

    With three pairs it covers 1 to 464.
    """
    return divisors(6).max() > 5000


@claim(
    place="Ch.4 Pt.4 Building the formula",
    chapter="10",
    cell="P = sinusoids(1001, 6)",
    stated=0.909,
    unit=0.001,
    verdict="holds",
)
def cg_079():
    """sin(2) is about 0.909.

    At full precision this is 0.90930.
    """
    return sinusoids(3, 6)[2, 0]


@claim(
    place="Ch.4 Pt.5 Calculating",
    chapter="10",
    cell="P = sinusoids(1001, 6)",
    stated=[0, 1, 0, 1, 0, 1],
    unit=0.0001,
    verdict="holds",
)
def cg_080():
    """PE(0).

    Sines of zero and cosines of zero.
    """
    return position(0, 6)


@claim(
    place="Ch.4 Pt.5 Calculating",
    chapter="10",
    cell="P = sinusoids(1001, 6)",
    stated=[0.8415, 0.5403, 0.0464, 0.9989, 0.0022, 1.0],
    unit=0.0001,
    verdict="holds",
)
def cg_081():
    """PE(1) to four decimals.

    All six values agree at the printed precision.
    """
    return position(1, 6)


@claim(
    place="Ch.4 Pt.5 Calculating",
    chapter="10",
    cell="P = sinusoids(1001, 6)",
    stated=[0.84, 0.54, 0.05, 1.0, 0.0, 1.0],
    unit=0.01,
    verdict="holds",
)
def cg_082():
    """PE(1) to two decimals.

    All six values agree at the printed precision.
    """
    return position(1, 6)


@claim(
    place="Ch.4 Pt.5 Calculating",
    chapter="10",
    cell="P = sinusoids(1001, 6)",
    stated=[0.9093, -0.4161, 0.0927, 0.9957, 0.0043, 1.0],
    unit=0.0001,
    verdict="holds",
)
def cg_083():
    """PE(2) to four decimals.

    All six values agree at the printed precision.
    """
    return position(2, 6)


@claim(
    place="Ch.4 Pt.5 Calculating",
    chapter="10",
    cell="P = sinusoids(1001, 6)",
    stated=[0.91, -0.42, 0.09, 1.0, 0.0, 1.0],
    unit=0.01,
    verdict="holds",
)
def cg_084():
    """PE(2) to two decimals.

    All six values agree at the printed precision.
    """
    return position(2, 6)


@claim(
    place="Ch.4 Pt.5 Calculating",
    chapter="10",
    cell="far = ((P[:10] - printed_encodings).abs() > 0.00501",
    stated=[
        [0.0, 1.0, 0.0, 1.0, 0.0, 1.0],
        [0.84, 0.54, 0.05, 1.0, 0.0, 1.0],
        [0.91, -0.42, 0.09, 1.0, 0.0, 1.0],
        [0.14, -0.99, 0.14, 0.99, 0.01, 1.0],
        [-0.76, -0.65, 0.19, 0.98, 0.01, 1.0],
        [-0.96, 0.28, 0.23, 0.97, 0.01, 1.0],
        [-0.28, 0.96, 0.28, 0.96, 0.01, 1.0],
        [0.66, 0.75, 0.32, 0.95, 0.02, 1.0],
        [0.99, -0.15, 0.37, 0.93, 0.02, 1.0],
        [0.41, -0.91, 0.42, 0.91, 0.02, 1.0],
    ],
    within=0.00501,
    verdict="slip",
)
def cg_085():
    """Encoding table for positions 0-9 (10x6), printed twice.

    In entry 2 the angle pos/21.544 was printed in place of its sine at places 4, 6, 8 and 9 (0.19, 0.28,
    0.37 and 0.42 for 0.18, 0.27, 0.36 and 0.41); the other 56 entries hold.
    """
    return position(np.arange(10), 6)


@claim(place="Ch.4 Pt.5 Calculating", chapter="10", cell="def count(n):", stated=True, verdict="holds")
def cg_086():
    """No two rows of the table are the same.

    Ten distinct rows even at two decimals.
    """
    return len(set([tuple(r) for r in np.round(sinusoids(10, 6), 2)])) == 10


@claim(
    place="Ch.4 Pt.5 Calculating",
    chapter="10",
    cell="far = ((P[:10] - printed_encodings).abs() > 0.00501",
    stated=[0.23, 0.97, 0.42, 0.91],
    unit=0.01,
    verdict="follows",
    follows="cg-085",
    added=True,
)
def cg_087():
    """Dimensions 2 and 3 hold 0.23 and 0.97 at position 5, and 0.42 and 0.91 at position 9.

    At position 9 the sine is 0.406; 0.42 is the angle itself, as in the table.
    """
    pe_ = position(9, 6)
    pe = position(5, 6)
    return [pe[2], pe[3], pe_[2], pe_[3]]


@claim(
    place="Ch.4 Pt.6 Combining",
    chapter="10",
    cell="matrix(E3 + P[:3], corner=",
    stated=[0.01, 0.8, 0.3, 1.15, -0.05, 1.11],
    unit=0.01,
    verdict="holds",
)
def cg_088():
    """Position-aware vector of "I".

    All six sums match.
    """
    e = np.array([0.01, -0.2, 0.3, 0.15, -0.05, 0.11])
    return e + position(0, 6)


@claim(
    place="Ch.4 Pt.6 Combining",
    chapter="10",
    cell="matrix(E3 + P[:3], corner=",
    stated=[0.44, 1.14, 0.05, 1.25, 0.9, 0.7],
    unit=0.01,
    verdict="holds",
)
def cg_089():
    """Position-aware vector of "love".

    All six sums match.
    """
    e = np.array([-0.4, 0.6, 0.0, 0.25, 0.9, -0.3])
    return e + position(1, 6)


@claim(
    place="Ch.4 Pt.6 Combining",
    chapter="10",
    cell="matrix(E3 + P[:3], corner=",
    stated=[1.81, -0.52, -0.11, 0.2, 0.5, 1.75],
    unit=0.01,
    verdict="holds",
)
def cg_090():
    """Position-aware vector of "pizza".

    All six sums match.
    """
    e = np.array([0.9, -0.1, -0.2, -0.8, 0.5, 0.75])
    return e + position(2, 6)


@claim(
    place="Ch.4 Pt.6 Combining",
    chapter="10",
    cell="matrix(E3 + P[:3], corner=",
    stated=[
        [0.01, 0.8, 0.3, 1.15, -0.05, 1.11],
        [0.44, 1.14, 0.05, 1.25, 0.9, 0.7],
        [1.81, -0.52, -0.11, 0.2, 0.5, 1.75],
    ],
    unit=0.01,
    verdict="holds",
)
def cg_091():
    """Position-aware matrix (3x6) from embeddings plus full-precision encodings.

    Full precision gives the same two decimals.
    """
    words = [
        [0.01, -0.2, 0.3, 0.15, -0.05, 0.11],
        [-0.4, 0.6, 0.0, 0.25, 0.9, -0.3],
        [0.9, -0.1, -0.2, -0.8, 0.5, 0.75],
    ]
    return words + sinusoids(3, 6)


@claim(
    place="Ch.4 Pt.7 Training",
    chapter="10",
    stated=[1.79, -0.57, -0.09, 0.21, 0.48, 1.73],
    unit=0.01,
    verdict="holds",
)
def cg_092():
    """Combined "pizza" after training.

    All six sums match.
    """
    e = np.array([0.88, -0.15, -0.18, -0.79, 0.48, 0.73])
    return e + position(2, 6)


@claim(place="Ch.4 Pt.7 Training", chapter="10", stated=1, unit=1e-06, verdict="holds")
def cg_093():
    """The derivative of (embedding + fixed encoding) with respect to the embedding is 1.

    A constant offset drops out of the derivative.
    """
    return gradient(lambda x: (x + 5).sum(), np.array([0.3]))[0]


@claim(place="Ch.4 Pt.8 Why it works", chapter="10", cell="def count(n):", stated=True, verdict="holds")
def cg_094():
    """All encodings lie between -1 and +1.

    Sines and cosines are bounded.
    """
    return abs(position(np.arange(5000), 6)).max() <= 1


@claim(place="Ch.4 Pt.8 Why it works", chapter="10", stated=True, verdict="conceptual")
def cg_095():
    """The encodings never drown out the word embeddings.

    Every 6-d encoding has length sqrt(3)=1.73, against 0.41, 1.22 and 1.52 for the tutorial's three
    embeddings, so it is the larger part of each sum (four times larger for "I").
    """
    e = np.array([0.01, -0.2, 0.3, 0.15, -0.05, 0.11])
    return np.linalg.norm(position(0, 6)) <= np.linalg.norm(e)


@claim(place="Ch.4 Pt.8 Why it works", chapter="10", cell="def count(n):", stated=True, verdict="holds")
def cg_096():
    """Every position has a unique fingerprint, for any length.

    No repeats among 20,000 positions; the period-2pi pair alone never repeats at integers because pi is
    irrational.
    """
    return len(set(map(tuple, np.round(position(np.arange(20000), 6), 9).tolist()))) == 20000


@claim(place="Ch.4 Pt.8 Why it works", chapter="10", cell="def count(n):", stated=True, verdict="holds")
def cg_097():
    """Adjacent positions are always equally far apart.

    The distance is 0.95998 everywhere, since it depends only on the offset.
    """
    return np.ptp(np.linalg.norm(np.diff(position(np.arange(3000), 6), axis=0), axis=1)) < 1e-09


@claim(place="Ch.4 Pt.8 Why it works", chapter="10", cell="def described(scheme):", stated=0, verdict="holds")
def cg_098():
    """Sinusoidal encodings add no learned parameters.

    They are computed by a formula.
    """
    return parameters(vocab_size=100, d_model=6, n_heads=1, positions="sinusoidal") - parameters(
        vocab_size=100, d_model=6, n_heads=1, positions="none"
    )


@claim(
    place="Ch.4 Pt.8 Why it works",
    chapter="10",
    cell="models = {scheme: trained(three_back, 0, scheme",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_399():
    """Sinusoidal positions work for texts of any length, longer than those in training.

    The formula has a stamp for every place. Whether the model can use it is another matter: three trained
    readers failed at twice their length.
    """


@claim(
    place="Ch.4 Advanced note",
    chapter="10",
    cell="everywhere = (P[:-3] @ shift(3, 6).T - P[3:]).ab",
    stated=True,
    verdict="holds",
)
def cg_099():
    """For every offset k there is one matrix M_k with PE(pos+k) = M_k PE(pos).

    A block-diagonal rotation works for every position; each pair needs its own angle k/divisor.
    """
    return all(
        [
            np.allclose(position(np.arange(200) + k, 6), position(np.arange(200), 6) @ shift_matrix(k, 6).T)
            for k in (1, 3, 17, 100)
        ]
    )


@claim(
    place="Ch.4 Advanced note",
    chapter="10",
    cell="def shift(k, d, base=10_000.0):",
    stated=True,
    verdict="holds",
)
def cg_100():
    """The 2x2 matrix [[cos k, sin k], [-sin k, cos k]] shifts (sin pos, cos pos) by k.

    True as printed for the frequency-1 pair; the other pairs use k divided by their divisor.
    """
    k, p = 3.0, 5.0
    return np.allclose(shift_matrix(k, 2) @ position(int(p), 2), position(int(p + k), 2))


@claim(place="Ch.4 Advanced note", chapter="10", stated=[True, True], verdict="holds")
def cg_101():
    """Angle-sum identities for sine and cosine.

    Both identities hold.
    """
    a, b = 0.7, -1.9
    return [
        bool(np.isclose(np.sin(a + b), np.sin(a) * np.cos(b) + np.cos(a) * np.sin(b))),
        bool(np.isclose(np.cos(a + b), np.cos(a) * np.cos(b) - np.sin(a) * np.sin(b))),
    ]


@claim(
    place="Ch.4 Advanced note",
    chapter="10",
    cell="cubes = torch.tensor([1.0, 5, 25]), torch.tensor",
    stated=True,
    verdict="conceptual",
)
def cg_102():
    """Polynomials and exponentials do not have this shift-by-a-matrix property.

    Both have it: e^(a(p+k)) = e^(ak) e^(ap), and (1, p, p^2) shifts by a fixed triangular matrix; what sets
    sinusoids apart is that they also stay bounded and the matrix is a rotation.
    """
    p, k = 5.0, 3.0
    return not (
        np.isclose(np.exp(0.1 * (p + k)), np.exp(0.1 * k) * np.exp(0.1 * p))
        and np.allclose(
            np.array([[1, 0, 0], [k, 1, 0], [k * k, 2 * k, 1]]) @ np.array([1, p, p * p]),
            [1, p + k, (p + k) ** 2],
        )
    )


@claim(
    place="Ch.4 Order blindness",
    chapter="10",
    cell="first = {name: [share_right(trained(who_first, s",
    stated=0,
    within=1e-09,
    verdict="overstated",
    added=True,
)
def cg_397():
    """Without positions a transformer cannot tell word orders apart (also with the causal mask of the
    guide's own model).

    With a mask each word sees another set of words before it, and two layers are enough to find out who
    came first.
    """
    return order_gap(6, 8, 0, True)


@claim(
    place="Ch.4 Pt.9 Alternatives",
    chapter="10",
    cell="x, W_Q, W_K = torch.randn(2, 8), torch.randn(8,",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def cg_398():
    """RoPE encodes position by rotating embeddings.

    In one line. It is the queries and keys that are rotated, after their matrices.
    """
