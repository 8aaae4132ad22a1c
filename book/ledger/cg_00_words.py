"""Complete guide: introduction, symbols, chapters 0 to 3 (vocabulary, tokens, embeddings)."""

import numpy as np

from book.ledger.claims import claim
from book.ledger.helpers import random_rows
from support import inside

A = np.array([[1, 2, 3], [4, 5, 6]])
B = np.array([[7, 8], [9, 10], [11, 12]])


@claim(place="Introduction", chapter="18", stated=100, verdict="unverifiable", checked="not possible")
def cg_001():
    """Processing all words at once makes training 100 times faster on modern hardware.

    No workload, hardware or baseline is given.
    """


@claim(place="Introduction", chapter="21", stated=[42, 18], verdict="unverifiable", checked="not possible")
def cg_002():
    """Illustrative next-word probabilities after "I love pizza": delicious 42%, and 18%.

    No logits are given; the tour in Chapter 17 later prints 42.7% for the same word.
    """


@claim(place="Introduction", chapter="15", stated=1000, verdict="unverifiable", checked="not possible")
def cg_003():
    """ChatGPT is this tutorial "just scaled up 1000x".

    Nothing is named as the quantity that scales; the closing table gives 2,048x for width, 32x for depth
    and far more for parameters.
    """


@claim(place="Math symbols", chapter="01", stated=[7.39, 2], unit=[0.01, 0.01], verdict="holds")
def cg_004():
    """e^2 is about 7.39 and log(7.39) = 2.

    e^2 is 7.3891 and ln 7.39 is 2.0001.
    """
    return [np.exp(2), np.log(7.39)]


@claim(place="Math symbols", chapter="01", stated=3.14, unit=0.01, verdict="holds")
def cg_005():
    """Pi is about 3.14.

    At full precision this is 3.14159.
    """
    return np.pi


@claim(place="Math symbols", chapter="01", stated=2, verdict="holds")
def cg_006():
    """The mean of [1,2,3] is 2.

    Six divided by three is two.
    """
    return np.mean([1, 2, 3])


@claim(place="Math symbols", chapter="01", stated=[3, 2, 25, 3, 2], verdict="holds")
def cg_007():
    """Roots and powers: sqrt 9 = 3, cube root 8 = 2, 5^2 = 25, 9^(1/2) = 3, 8^(1/3) = 2.

    All five are exact.
    """
    return [9**0.5, np.round(8 ** (1 / 3), 12), 5**2, 9**0.5, np.round(8 ** (1 / 3), 12)]


@claim(place="Math symbols", chapter="01", stated=[0, 1], verdict="holds")
def cg_008():
    """sin(0) = 0 and cos(0) = 1.

    The arithmetic is exact.
    """
    return [np.sin(0), np.cos(0)]


@claim(place="Math symbols", chapter="01", stated=[3, 8], verdict="holds")
def cg_009():
    """Element-wise product of [1,2] and [3,4] is [3,8].

    1x3 is 3 and 2x4 is 8.
    """
    return np.array([1, 2]) * np.array([3, 4])


@claim(place="Math symbols", chapter="01", stated=5, verdict="holds")
def cg_010():
    """The length of [3,4] is 5.

    The square root of 9+16 is 5.
    """
    return np.linalg.norm([3, 4])


@claim(place="Math symbols", chapter="01", stated=2, verdict="holds")
def cg_011():
    """argmax([2,5,3]) = 2, counting positions from one.

    The second element is largest; code that counts from zero returns 1.
    """
    return int(np.argmax([2, 5, 3])) + 1


@claim(place="Math symbols", chapter="01", stated=10, verdict="holds")
def cg_012():
    """If f(x) = 2x then f(5) = 10.

    The arithmetic is exact.
    """
    return 2 * 5


@claim(place="Ch.0", chapter="21", stated=True, verdict="holds")
def cg_013():
    """The probability of a sentence is the product of each word's probability given all earlier words.

    The chain rule of probability, checked on a random joint distribution over three words.
    """
    joint = np.exp(random_rows(4, 4, 4))
    joint /= joint.sum()  # P(first, second, third)
    first, pairs = joint.sum((1, 2)), joint.sum(2)
    second, third = pairs / first[:, None], joint / pairs[:, :, None]
    return np.allclose(first[:, None, None] * second[:, :, None] * third, joint)


@claim(place="Ch.1 Vocabulary", chapter="06", stated=614000000.0, unit=1000000.0, verdict="holds")
def cg_014():
    """50,000 tokens times 12,288 dimensions is 614 million numbers.

    At full precision this is 614,400,000.
    """
    return 50000 * 12288


@claim(
    place="Ch.1 Vocabulary",
    chapter="06",
    stated=[50257, 100000],
    verdict="unverifiable",
    checked="not possible",
)
def cg_015():
    """GPT-3 uses 50,257 tokens and Claude about 100,000.

    External figures; the first agrees with the GPT-2/3 tokenizer, the second is not a published
    specification.
    """


@claim(
    place="Ch.1 Vocabulary",
    chapter="06",
    cell='joins = {"unbelievable": ["un", "be", "liev", "a',
    stated="unbelievable",
    verdict="holds",
)
def cg_016():
    """ "Unbelievable" splits into un, be, liev, able.

    The four pieces join back to the word.
    """
    pieces = ["un", "be", "liev", "able"]
    return "".join(pieces)


@claim(
    place="Ch.1 Vocabulary",
    chapter="06",
    cell='searched = [[f"{size:,}", size // 2, math.ceil(m',
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def cg_377():
    """A huge vocabulary is a lookup table that is expensive to store and to search through.

    To store, yes, and at the last step, which compares with every entry. A row is found by its number at
    once.
    """


@claim(
    place="Ch.2 BPE",
    chapter="07",
    cell='examples = [["un", "be", "liev", "able"], ["cryp',
    stated=["cryptocurrency", "cryptocurrency"],
    verdict="holds",
)
def cg_017():
    """ "cryptocurrency" splits into crypto+currency and further into crypt, o, cur, ren, cy.

    Both splits join back to the word.
    """
    once = ["crypto", "currency"]
    again = ["crypt", "o", "cur", "ren", "cy"]
    return ["".join(once), "".join(again)]


@claim(
    place="Ch.2 BPE",
    chapter="07",
    cell="ascii_signs = [chr(c) for c in range(128) if chr",
    stated=100,
    unit=10,
    verdict="holds",
)
def cg_018():
    """Letters, space and punctuation make about 100 base tokens.

    Printable ASCII has 95 characters; the list in the text omits digits (85 without them).
    """
    return 26 * 2 + 10 + 32 + 1


@claim(place="Ch.2 BPE", chapter="07", stated=[101, 102], verdict="holds")
def cg_019():
    """The first two merges bring the vocabulary to 101 and 102 tokens.

    Each merge adds one token.
    """
    return [100 + 1, 100 + 2]


@claim(
    place="Ch.2 BPE",
    chapter="07",
    cell="ascii_signs = [chr(c) for c in range(128) if chr",
    stated=49900,
    verdict="holds",
)
def cg_020():
    """49,900 merges take 100 base characters to 50,000 tokens.

    Right as arithmetic; the three special tokens listed in Chapter 1 would make it 49,897.
    """
    return 50000 - 100


@claim(
    place="Ch.2 BPE",
    chapter="07",
    cell="order = {a + b: (number, a, b) for number, (a, b",
    stated=True,
    verdict="holds",
    checked="by reading",
)
def cg_021():
    """ "ing" arises over more than one merging step from three letters.

    Three symbols need two pair merges.
    """


@claim(
    place="Ch.2 BPE", chapter="07", stated=[150000, 120000], verdict="unverifiable", checked="not possible"
)
def cg_022():
    """Example pair counts: "th" 150,000 times, "er" 120,000 times.

    Illustrative counts, no corpus given.
    """


@claim(place="Ch.2 BPE", chapter="06", stated=None, verdict="holds", checked="by reading", added=True)
def cg_378():
    """With new words daily, a vocabulary of all words would be infinite.

    Never finished, which is meant.
    """


@claim(
    place="Ch.2 BPE",
    chapter="07",
    section="Encode a new word",
    cell='rows = [[word, visible(longest_first(" " + word,',
    stated=None,
    verdict="conceptual",
    checked="by reading",
    added=True,
)
def cg_380():
    """BPE tries the whole word first, then two known parts, then smaller ones.

    BPE works from below: it begins with single signs and replays its merges, and never asks for the longest
    piece. The result may differ from the longest-first cut.
    """


@claim(
    place="Ch.2 BPE",
    chapter="07",
    cell="ascii_signs = [chr(c) for c in range(128) if chr",
    stated=True,
    verdict="overstated",
    added=True,
)
def cg_402():
    """In the worst case a word falls into letters, which are always in the vocabulary (is é among the
    guide's letters and punctuation?).

    Of words in plain English letters it is true; of every text only when the alphabet is the 256 bytes.
    """
    e = "é"
    signs = " abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ.,;:!?-()"
    return e in signs


@claim(
    place="Ch.2 BPE",
    chapter="07",
    cell="spelled = [tale_pieces.vocabulary[bytes([byte])]",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def cg_403():
    """The same text always produces the same tokens, and tokens convert back to the text perfectly.

    So it is. Several rows of ids may spell one text; encoding gives one of them.
    """


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    section="Looking up three words",
    cell="A = torch.tensor([[1.0, 2, 3], [4, 5, 6]])",
    stated=[7, 18, 33, 58],
    verdict="holds",
)
def cg_023():
    """c11 = 7 + 18 + 33 = 58.

    The arithmetic is exact.
    """
    return [1 * 7, 2 * 9, 3 * 11, (A @ B)[0, 0]]


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    section="Looking up three words",
    cell="A = torch.tensor([[1.0, 2, 3], [4, 5, 6]])",
    stated=[8, 20, 36, 64],
    verdict="holds",
)
def cg_024():
    """c12 = 8 + 20 + 36 = 64.

    The arithmetic is exact.
    """
    return [1 * 8, 2 * 10, 3 * 12, (A @ B)[0, 1]]


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    section="Looking up three words",
    cell="A = torch.tensor([[1.0, 2, 3], [4, 5, 6]])",
    stated=[28, 45, 66, 139],
    verdict="holds",
)
def cg_025():
    """c21 = 28 + 45 + 66 = 139.

    The arithmetic is exact.
    """
    return [4 * 7, 5 * 9, 6 * 11, (A @ B)[1, 0]]


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    section="Looking up three words",
    cell="A = torch.tensor([[1.0, 2, 3], [4, 5, 6]])",
    stated=[32, 50, 72, 154],
    verdict="holds",
)
def cg_026():
    """c22 = 32 + 50 + 72 = 154.

    The arithmetic is exact.
    """
    return [4 * 8, 5 * 10, 6 * 12, (A @ B)[1, 1]]


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    section="Looking up three words",
    cell="A = torch.tensor([[1.0, 2, 3], [4, 5, 6]])",
    stated=[[58, 64], [139, 154]],
    verdict="holds",
)
def cg_027():
    """The 2x3 times 3x2 product.

    All four entries match.
    """
    return A @ B


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    section="Looking up three words",
    stated=[True, False],
    verdict="holds",
)
def cg_028():
    """(2x3)(3x2) can be multiplied, (2x3)(2x4) cannot.

    The inner sizes must agree.
    """
    return [3 == 3, 3 == 2]


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    section="Looking up three words",
    cell="X = E6[[123, 567, 999]]",
    stated=[
        [0.01, -0.2, 0.3, 0.15, -0.05, 0.11],
        [-0.4, 0.6, 0.0, 0.25, 0.9, -0.3],
        [0.9, -0.1, -0.2, -0.8, 0.5, 0.75],
    ],
    unit=0.01,
    verdict="holds",
)
def cg_029():
    """Looking up IDs 123, 567, 999 and stacking the rows gives X (3x6).

    The stacked matrix repeats the table rows.
    """
    table = {
        123: [0.01, -0.2, 0.3, 0.15, -0.05, 0.11],  # I
        567: [-0.4, 0.6, 0.0, 0.25, 0.9, -0.3],  # love
        999: [0.9, -0.1, -0.2, -0.8, 0.5, 0.75],  # pizza
    }
    return np.array([table[number] for number in (123, 567, 999)])


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    section="Looking up three words",
    cell="similarity = {(a, b): cosine(E6[number[a]], E6[n",
    stated=[1, 1],
    unit=0.01,
    verdict="holds",
)
def cg_030():
    """ "pasta" is very similar to "pizza", and "adore" to "love" (cosines near 1).

    The cosines are 0.9998 and 0.9990.
    """
    love = np.array([-0.4, 0.6, 0.0, 0.25, 0.9, -0.3])
    pizza = np.array([0.9, -0.1, -0.2, -0.8, 0.5, 0.75])
    pasta = np.array([0.88, -0.12, -0.18, -0.79, 0.48, 0.73])
    adore = np.array([-0.38, 0.63, 0.02, 0.27, 0.88, -0.28])
    return [inside.cosine(pizza, pasta), inside.cosine(love, adore)]


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    section="Looking up three words",
    cell="matrix(list(named.values()), corner=",
    stated=[True, True],
    verdict="holds",
)
def cg_031():
    """ "love" and "hate" have opposite sentiment on dimension 1 and share the sign of dimension 3.

    0.9 against -0.8, and -0.7 with -0.6.
    """
    love, hate = [0.9, -0.3, -0.7], [-0.8, -0.2, -0.6]
    return [love[0] * hate[0] < 0, love[2] < 0 and hate[2] < 0]


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    section="Looking up three words",
    cell='sizes = {"the guide\'s example": (50_000, 6), "GP',
    stated=[50000, 49999, 300000],
    verdict="holds",
)
def cg_032():
    """The embedding table has 50,000 rows numbered up to 49,999 and 6 columns.

    Zero-based rows; 300,000 numbers in all.
    """
    return [50000, 50000 - 1, 50000 * 6]


@claim(
    place="Ch.3 Embeddings",
    chapter="08",
    cell="tokens = entry.vocabulary.tokens",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_381():
    """Opposites end up far apart, or point in opposite directions.

    Words like "love" and "hate" stand in the same places of a sentence, and prediction wants them close: in
    our world no pair of opposites has a negative cosine.
    """
