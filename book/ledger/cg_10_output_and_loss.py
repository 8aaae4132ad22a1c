"""Complete guide: chapters 10 and 11 (output head, sampling, the loss and its gradient)."""

import math

import numpy as np

from book.ledger.claims import claim
from book.ledger.helpers import first_adam_step, gradient, loss, next_token


@claim(
    place="Ch.10 Output head",
    chapter="15",
    section="Deeper: counting to the last parameter",
    cell='sizes = {"the guide\'s example": (50_000, 6), "GP',
    cell_in="08",
    stated=300000,
    verdict="holds",
)
def cg_216():
    """Weight tying saves 300,000 numbers here.

    50,000 x 6 is 300,000.
    """
    return 50000 * 6


@claim(
    place="Ch.10 Output head",
    chapter="15",
    cell='["complete guide: its toy", "about 5,000", f"{gu',
    stated=614000000.0,
    unit=1000000.0,
    verdict="slip",
)
def cg_217():
    """Weight tying saves 614 million numbers in GPT-3.

    With GPT-3's own vocabulary of 50,257 it is 617.6 million; 614 million uses the tutorial's 50,000.
    """
    return 50257 * 12288


@claim(place="Ch.10 Output head", chapter="15", stated=None, verdict="slip", checked="by reading")
def cg_218():
    """BERT does not tie its input and output embeddings.

    The published BERT code reuses the embedding table for its masked-word output.
    """


@claim(
    place="Ch.10 Output head",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=True,
    verdict="holds",
)
def cg_219():
    """Tying makes the dot product with the final state score each word by its embedding.

    The columns of the transposed table are its rows.
    """
    h = np.array([0.71, -0.23, 0.84, 0.45, -0.12, 0.56])
    Et = np.array(
        [
            [0.01, -0.2, 0.3, 0.15, -0.05, 0.11],
            [-0.4, 0.6, 0.0, 0.25, 0.9, -0.3],
            [0.9, -0.1, -0.2, -0.8, 0.5, 0.75],
        ]
    )
    return np.allclose(h @ Et.T, [h @ r for r in Et])


@claim(
    place="Ch.10 Output head",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=[-2.3, 1.8, 0.5],
    verdict="unverifiable",
    checked="not possible",
)
def cg_220():
    """Logits for I, love and pizza: -2.3, 1.8, 0.5.

    W_vocab is not given; under the weight tying just described they would be 0.44, -0.59 and 0.49, so only
    pizza fits.
    """


@claim(
    place="Ch.10 Output head",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=[0.1, 6.05, 1.649, 24.533, 8.166, 109.947],
    unit=0.001,
    verdict="holds",
)
def cg_221():
    """Exponentials of six logits.

    All six values agree at the printed precision.
    """
    logits = np.array([-2.3, 1.8, 0.5, 3.2, 2.1, 4.7])
    return np.exp(logits)


@claim(
    place="Ch.10 Output head",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=500,
    verdict="unverifiable",
    checked="not possible",
)
def cg_222():
    """The sum over all 50,000 exponentials is about 500.

    Only six logits are given (they sum to 150).
    """


@claim(
    place="Ch.10 Output head",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=[0.0002, 0.0121, 0.0033, 0.0491, 0.0163, 0.2199],
    unit=0.0001,
    verdict="holds",
)
def cg_223():
    """Six probabilities from the sum of 500.

    All six quotients match.
    """
    return np.array([0.1, 6.05, 1.649, 24.533, 8.166, 109.947]) / 500


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    section="Four decoding strategies",
    cell="warm = {T: (logits / T).softmax(dim=0) for T in",
    stated=[9.4, 6.4, 4.2],
    unit=0.1,
    verdict="holds",
)
def cg_224():
    """T=0.5: scaled logits 9.4, 6.4, 4.2.

    Dividing by 0.5 doubles each logit.
    """
    return np.array([4.7, 3.2, 2.1]) / 0.5


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    cell='table([["e to the 6.4", 665, powers[1]], ["sum o',
    stated=[12088, 665, 67],
    unit=1,
    verdict="slip",
    added=True,
)
def cg_225():
    """e^9.4 = 12,088, e^6.4 = 665 and e^4.2 = 67.

    The middle one is 601.8; the other two agree.
    """
    return np.exp([9.4, 6.4, 4.2])


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    cell='table([["e to the 6.4", 665, powers[1]], ["sum o',
    stated=12820,
    unit=1,
    verdict="follows",
    follows="cg-225",
)
def cg_226():
    """Sum of those exponentials is 12,820.

    The true sum is 12,757 (12,820 is right for the printed terms).
    """
    return np.exp([9.4, 6.4, 4.2]).sum()


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    cell='table([["e to the 6.4", 665, powers[1]], ["sum o',
    stated=[94.3, 5.2, 0.5],
    unit=0.1,
    verdict="follows",
    follows="cg-225",
)
def cg_227():
    """T=0.5 probabilities: 94.3%, 5.2%, 0.5%.

    True values over these three tokens are 94.8%, 4.7%, 0.5%.
    """
    return 100 * next_token([4.7, 3.2, 2.1], 0.5)


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    section="Four decoding strategies",
    cell="warm = {T: (logits / T).softmax(dim=0) for T in",
    stated=[3.13, 2.13, 1.4],
    unit=[0.01, 0.01, 0.1],
    verdict="holds",
)
def cg_228():
    """T=1.5: scaled logits 3.13, 2.13, 1.4.

    All three values agree at the printed precision.
    """
    return np.array([4.7, 3.2, 2.1]) / 1.5


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    section="Four decoding strategies",
    stated=[22.9, 8.4, 4.1, 35.4],
    unit=0.1,
    verdict="holds",
)
def cg_229():
    """e^3.13 = 22.9, e^2.13 = 8.4, e^1.4 = 4.1, sum 35.4.

    All match for the printed scaled logits.
    """
    return np.append(np.exp([3.13, 2.13, 1.4]), 22.9 + 8.4 + 4.1)


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    cell='table([["e to the 6.4", 665, powers[1]], ["sum o',
    stated=[64.7, 23.7, 11.6],
    unit=0.1,
    verdict="slip",
)
def cg_230():
    """T=1.5 probabilities: 64.7%, 23.7%, 11.6%.

    The true values are 64.7%, 23.8%, 11.4%, since 4.1 stands in for 4.055.
    """
    return 100 * next_token([4.7, 3.2, 2.1], 1.5)


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    section="Four decoding strategies",
    cell="warm = {T: (logits / T).softmax(dim=0) for T in",
    stated=True,
    verdict="holds",
)
def cg_231():
    """At T=1.5 "the" and "cat" gain and "is" loses against T=1.

    Over the same three tokens T=1 gives 77.1%, 17.2%, 5.7% (not the 21.99% of the full vocabulary that the
    text compares with).
    """
    logits = np.array([4.7, 3.2, 2.1])
    return (next_token(logits, 1.5) > next_token(logits)).tolist() == [False, True, True]


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    section="Four decoding strategies",
    cell="five = torch.tensor([21.99, 4.91, 3.21, 2.87, 2.",
    stated=35.13,
    unit=0.01,
    verdict="holds",
)
def cg_232():
    """Top-5 probabilities sum to 35.13%.

    The arithmetic is exact.
    """
    p = np.array([21.99, 4.91, 3.21, 2.87, 2.15, 1.9, 1.5])
    return (p * (next_token(np.log(p), top_k=5) > 0)).sum()


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    section="Four decoding strategies",
    cell="five = torch.tensor([21.99, 4.91, 3.21, 2.87, 2.",
    stated=[62.6, 14.0, 9.1, 8.2, 6.1],
    unit=0.1,
    verdict="holds",
)
def cg_233():
    """Renormalised top-5: 62.6, 14.0, 9.1, 8.2, 6.1 percent.

    All five values agree at the printed precision.
    """
    p = np.array([21.99, 4.91, 3.21, 2.87, 2.15])
    return 100 * next_token(np.log(p))


@claim(place="Ch.10 Sampling", chapter="21", stated=49994, verdict="slip")
def cg_234():
    """After the seven listed tokens, 49,994 remain.

    50,000 - 7 is 49,993.
    """
    return 50000 - 7


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    section="Four decoding strategies",
    cell="five = torch.tensor([21.99, 4.91, 3.21, 2.87, 2.",
    stated=[21.99, 26.9, 30.11, 32.98],
    unit=0.01,
    verdict="holds",
)
def cg_235():
    """Running totals 21.99, 26.90, 30.11, 32.98 percent.

    All four values agree at the printed precision.
    """
    p = np.array([21.99, 4.91, 3.21, 2.87])
    return np.cumsum(p)


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    section="Four decoding strategies",
    stated=90.46,
    unit=0.01,
    verdict="holds",
)
def cg_236():
    """Adding 1.01 to 89.45 gives 90.46 and passes 90%.

    The sum is exact.
    """
    return 89.45 + 1.01


@claim(place="Ch.10 Sampling", chapter="21", stated="amazing", verdict="slip", checked="by reading")
def cg_237():
    """In the sorted list the token that crosses 90% is "amazing" (1.01%), right after "beautiful" (1.23%,
    total 89.45%).

    The same distribution gives "love" 1.21%, which sorts between them and already lifts the total to
    90.66%.
    """


@claim(place="Ch.10 Sampling", chapter="21", section="Four decoding strategies", stated=True, verdict="holds")
def cg_238():
    """Forty-seven tokens can make up that 90% nucleus.

    With the listed tokens and "cat" at 1.63%, between 44 and 49 tokens fit, so 47 is possible.
    """
    return (
        7 + 1 + math.ceil((89.45 - 1.23 - 38.47 - 1.63) / 1.45) + 2
        <= 47
        <= 7 + 1 + math.floor((89.45 - 1.23 - 38.47 - 1.63) / 1.23) + 2
    )


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    cell='print("Of four kinds, chocolate and vanilla ahead,", nucleus_size([0.',
    stated=10,
    verdict="slip",
)
def cg_239():
    """With ten equally likely flavours you need all 10 to reach 90%.

    Nine flavours reach 90%; requiring a strict excess would make it ten but then chocolate plus vanilla at
    exactly 90% would not stop either.
    """
    return (next_token(np.zeros(10), top_p=0.9 - 1e-09) > 0).sum()


@claim(
    place="Ch.10 Sampling",
    chapter="21",
    section="Four decoding strategies",
    cell='print("Of four kinds, chocolate and vanilla ahead,", nucleus_size([0.',
    stated=90,
    verdict="holds",
)
def cg_240():
    """Chocolate 50% and vanilla 40% already reach 90%.

    The arithmetic is exact.
    """
    return 50 + 40


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="The loss of one prediction",
    cell="row = torch.tensor([0.999, 0.99, 0.9, 0.85, 0.5,",
    stated=[0.105, 0.01, 0.001],
    unit=0.001,
    verdict="holds",
)
def cg_241():
    """-log of 0.9, 0.99, 0.999 is 0.105, 0.010, 0.001.

    With natural logarithms all three match.
    """
    return -np.log([0.9, 0.99, 0.999])


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="The loss of one prediction",
    cell="row = torch.tensor([0.999, 0.99, 0.9, 0.85, 0.5,",
    stated=[2.303, 4.605, 6.908],
    unit=0.001,
    verdict="holds",
)
def cg_242():
    """-log of 0.1, 0.01, 0.001 is 2.303, 4.605, 6.908.

    All three values agree at the printed precision.
    """
    return -np.log([0.1, 0.01, 0.001])


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="The loss of one prediction",
    cell="row = torch.tensor([0.999, 0.99, 0.9, 0.85, 0.5,",
    stated=[0.001, 0.01, 0.1, 0.7, 2.3, 4.6, 6.9],
    unit=[0.001, 0.01, 0.1, 0.1, 0.1, 0.1, 0.1],
    verdict="holds",
)
def cg_243():
    """Loss row for 0.999, 0.99, 0.9, 0.5, 0.1, 0.01, 0.001.

    All seven values agree at the printed precision.
    """
    return -np.log([0.999, 0.99, 0.9, 0.5, 0.1, 0.01, 0.001])


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="The loss of one prediction",
    cell="row = torch.tensor([0.999, 0.99, 0.9, 0.85, 0.5,",
    stated=[-0.105, -4.605],
    unit=0.001,
    verdict="holds",
)
def cg_244():
    """log(0.9) = -0.105 and log(0.01) = -4.605.

    Both values agree at the printed precision.
    """
    return np.log([0.9, 0.01])


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="The loss of one prediction",
    cell="row = torch.tensor([0.999, 0.99, 0.9, 0.85, 0.5,",
    stated=4.423,
    unit=0.001,
    verdict="holds",
)
def cg_245():
    """-log(0.012) = 4.423.

    At full precision this is 4.4228.
    """
    return -np.log(0.012)


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="The loss of one prediction",
    cell="row = torch.tensor([0.999, 0.99, 0.9, 0.85, 0.5,",
    stated=0.163,
    unit=0.001,
    verdict="holds",
)
def cg_246():
    """-log(0.85) = 0.163.

    At full precision this is 0.1625.
    """
    return -np.log(0.85)


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="The loss of one prediction",
    stated=[4.5, 1.8, 0.1],
    verdict="unverifiable",
    checked="not possible",
)
def cg_247():
    """Illustrative losses: 4.5 for "the", 1.8 for "pasta", 0.1 for "pizza".

    No probabilities are given for the correct word.
    """


@claim(
    place="Ch.11 Loss",
    chapter="18",
    cell="came = 2  # fish; the others are mice and cars",
    stated=True,
    verdict="conceptual",
)
def cg_248():
    """Guessing a related word ("pasta", or "mice" for "fish") earns a smaller penalty than an unrelated
    one.

    Cross-entropy looks only at the probability of the correct word; moving the rest from a nonsense word to
    a sensible one changes nothing.
    """
    a = np.array([0.85, 0.05, 0.1])
    b = np.array([0.05, 0.85, 0.1])
    return -np.log(a[2]) < -np.log(b[2])


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="The loss of one prediction",
    stated=[8.5, 5.2, 2.1, 0.8, 0.3],
    verdict="unverifiable",
    checked="not possible",
)
def cg_249():
    """Training-curve losses 8.5, 5.2, 2.1, 0.8, 0.3 from start to 1,000,000 steps.

    Illustrative; a uniform guess over 50,000 tokens would start at ln 50,000 = 10.82.
    """


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="The loss of one prediction",
    stated=[6.9, 2.3, 0.2, 0],
    verdict="unverifiable",
    checked="not possible",
)
def cg_250():
    """Road-trip losses 6.9, 2.3, 0.2 and zero on arrival.

    Analogy numbers; 6.9 and 2.3 happen to be the losses at probabilities 0.001 and 0.1.
    """


@claim(place="Ch.11 Loss", chapter="18", section="The loss of one prediction", stated=True, verdict="holds")
def cg_252():
    """A 90% belief in a wrong word makes the loss at least that of P(correct)=0.1.

    The correct word has at most 0.1 left, so the loss is at least 2.303 ("enormous" only if it gets far
    less).
    """
    return -np.log(1 - 0.9) >= 2.302


@claim(place="Ch.11 Loss", chapter="18", section="The loss of one prediction", stated=True, verdict="holds")
def cg_253():
    """For the softmax layer the cross-entropy surface is a bowl without local minima.

    The Hessian in the logits is positive semidefinite, so it is convex.
    """
    z0 = np.log([0.2, 0.5, 0.3])
    derivatives = [lambda z, i=i: gradient(lambda y: loss(y, 0), z)[i] for i in range(3)]
    hessian = np.array([gradient(d, z0) for d in derivatives])
    return np.linalg.eigvalsh(hessian).min() > -0.001


@claim(
    place="Ch.11 Loss",
    chapter="18",
    cell="fresh_loss, exact = math.log(50_000), -before[ma",
    stated=None,
    verdict="holds",
    checked="by reading",
)
def cg_254():
    """For the final softmax layer the loss is bowl-shaped, with a single global minimum and no local ones.

    It is convex (cg-253). In the predictions the minimum is single; one constant added to all logits
    changes nothing, so in the logits it is a line.
    """


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="What the sources say",
    cell="fresh_loss, exact = math.log(50_000), -before[ma",
    stated=3.127,
    verdict="unverifiable",
    checked="not possible",
)
def cg_255():
    """Batch loss of 32 examples is about 3.127.

    Only five of the 32 losses are given (their mean is 2.740).
    """


@claim(
    place="Ch.11 Loss",
    chapter="18",
    section="The loss of one prediction",
    stated=[6.234, 6.102, 4.891, 5.123, 4.456, 4.234, 3.678, 2.103],
    verdict="unverifiable",
    checked="not possible",
)
def cg_256():
    """Epoch and step losses 6.234, 6.102, 4.891, 5.123, 4.456, 4.234, 3.678, 2.103.

    Illustrative timeline; an untrained model over 50,000 tokens would start near 10.82, not 6.234.
    """


@claim(
    place="Ch.11 Loss",
    chapter="18",
    cell="fresh_loss, exact = math.log(50_000), -before[ma",
    stated=8.5,
    unit=0.1,
    verdict="slip",
    added=True,
)
def cg_385():
    """The training curve starts at a loss of 8.5, with a vocabulary of 50,000.

    A model that knows nothing costs log 50,000 = 10.8; a first loss of 8.5 (or 6.234, a few pages on)
    cannot be that of random weights.
    """
    return np.log(50_000)


@claim(place="Ch.11 Loss", chapter="18", stated=None, verdict="holds", checked="by reading", added=True)
def cg_388():
    """A high loss on "pizza" shows that the model was very uncertain about "pizza".

    It gave the word 1.2%. Whether it was uncertain on the whole is told by the entropy of all its
    probabilities, not by this one.
    """


@claim(
    place="Ch.11 Loss",
    chapter="03",
    cell="q = torch.tensor([0.5, 0.3, 0.2])",
    stated=0,
    within=1e-12,
    verdict="holds",
    added=True,
)
def cg_404():
    """The logarithm makes a "distance" of the probability of the right token (what a probability of one
    costs).

    A certain and right forecast costs nothing, and the cost grows without bound as the probability falls.
    The average over several possible words stays above zero, at their entropy.
    """
    return -np.log(1.0)


@claim(
    place="Ch.11 Loss",
    chapter="03",
    cell="best[name] = candidates[(loss_of(candidates) @ q)",
    stated=True,
    verdict="holds",
    added=True,
)
def cg_405():
    """A minimal loss requires all the probability that can be had to lie on the correct answer
    (does the loss of one example fall with every step up?).

    For one example. Where several words can follow, the lowest average loss gives each its true
    probability.
    """
    return all(np.diff(-np.log(np.linspace(0.01, 1, 100))) < 0)


@claim(
    place="Ch.11 Backpropagation",
    chapter="18",
    section="From the loss to a gradient",
    stated=100,
    verdict="holds",
)
def cg_257():
    """Blame shares 5, 25, 60, 5, 5 percent add to 100.

    The arithmetic is exact.
    """
    return 5 + 25 + 60 + 5 + 5


@claim(
    place="Ch.11 Backpropagation",
    chapter="18",
    section="From the loss to a gradient",
    cell='print(f"{2 * (1 / 5) * (1 / 2):.1f} boxes an hou',
    cell_in="02",
    stated=[0.4, 0.2],
    unit=0.1,
    verdict="holds",
)
def cg_258():
    """Factory chain: 2 more parts, 0.4 widgets, 0.2 boxes per hour.

    The computation is 2 x 1/5 x 1/2 = 0.2.
    """
    return [2 / 5, 2 / 5 / 2]


@claim(
    place="Ch.11 Backpropagation",
    chapter="18",
    section="From the loss to a gradient",
    stated=True,
    verdict="holds",
)
def cg_259():
    """Chain rule dy/dx = dy/dg x dg/dx.

    Checked numerically on sin(x^2).
    """
    return np.isclose(
        gradient(lambda x: np.sin(x**2).sum(), np.array([0.8]))[0], np.cos(0.64) * 1.6, atol=1e-06
    )


@claim(
    place="Ch.11 Backpropagation",
    chapter="18",
    section="From the loss to a gradient",
    cell="p_pizza, stream = 0.012, 0.71",
    stated=-83.33,
    unit=0.01,
    verdict="holds",
)
def cg_260():
    """-1/0.012 = -83.33.

    At full precision this is -83.333.
    """
    return gradient(lambda q: -np.log(q), 0.012)


@claim(
    place="Ch.11 Backpropagation",
    chapter="18",
    section="From the loss to a gradient",
    cell="P = torch.tensor([2.0, 1.0, 0.0]).softmax(0)",
    cell_in="02",
    stated=True,
    verdict="holds",
)
def cg_261():
    """Softmax derivative: P(1-P) on the diagonal, -P_i P_j off it.

    Checked by finite differences.
    """
    z = np.array([0.2, -0.5, 1.1])
    p = next_token(z)
    by_differences = [gradient(lambda y, i=i: next_token(y)[i], z) for i in range(3)]
    return np.allclose(by_differences, np.diag(p) - np.outer(p, p), atol=1e-6)


@claim(
    place="Ch.11 Backpropagation",
    chapter="18",
    section="From the loss to a gradient",
    cell="p_pizza, stream = 0.012, 0.71",
    stated=0.01186,
    unit=1e-05,
    verdict="holds",
)
def cg_262():
    """0.012 x 0.988 = 0.01186.

    At full precision this is 0.011856.
    """
    return gradient(lambda z: next_token(z)[0], [np.log(0.012 / 0.988), 0])[0]


@claim(
    place="Ch.11 Backpropagation",
    chapter="18",
    section="From the loss to a gradient",
    cell="p_pizza, stream = 0.012, 0.71",
    stated=-0.702,
    unit=0.001,
    verdict="holds",
    added=True,
)
def cg_263():
    """-83.33 x 0.01186 x 0.71 = -0.702.

    −0.7017.
    """
    return -83.33 * 0.01186 * 0.71


@claim(
    place="Ch.11 Backpropagation",
    chapter="18",
    cell="fresh_loss, exact = math.log(50_000), -before[ma",
    stated=-1,
    verdict="slip",
)
def cg_264():
    """A gradient of -0.702 means: decrease this weight.

    Descent moves against the gradient, so a negative gradient means increase, as the same chapter says a
    page later.
    """
    return np.sign(0.0 - 0.0001 * -0.702)


@claim(
    place="Ch.11 Backpropagation",
    chapter="18",
    cell="fresh_loss, exact = math.log(50_000), -before[ma",
    stated=0.988,
    unit=0.001,
    verdict="slip",
)
def cg_265():
    """In the gradient flow the signal after softmax is 0.988.

    It is P - 1 = -0.988; the sign is lost.
    """
    return gradient(lambda z: loss(z, 0), [np.log(0.012 / 0.988), 0])[0]


@claim(place="Ch.11 Backpropagation", chapter="18", stated=True, verdict="slip", checked="by reading")
def cg_266():
    """Input component 0.71 belongs to the vector that predicts the word after "love".

    0.71 is from the final vector at the "pizza" position (Chapter 10); the word after "love" is predicted
    at the "love" position.
    """


@claim(
    place="Ch.11 Backpropagation",
    chapter="18",
    section="From the loss to a gradient",
    stated=0.0001,
    verdict="unverifiable",
    checked="not possible",
)
def cg_267():
    """Without residuals the gradient might shrink to 0.0001 by block 1.

    No depth or per-layer factor is given.
    """


@claim(
    place="Ch.11 Optimizer",
    chapter="18",
    section="From the loss to a gradient",
    cell="eta = 0.0001",
    stated=0.50007,
    unit=1e-05,
    verdict="holds",
)
def cg_268():
    """SGD: 0.5 - 0.0001 x (-0.702) = 0.50007.

    At full precision this is 0.5000702.
    """
    return 0.5 - 0.0001 * -0.702


@claim(
    place="Ch.11 Optimizer",
    chapter="18",
    section="Adam: momentum, and a scale for each parameter",
    stated=[0.7, 70.0],
    unit=0.1,
    verdict="holds",
)
def cg_269():
    """10,000 such updates change the weight by about 0.7, 1,000,000 by 70.0.

    Right for the printed step 0.00007 if the gradient never changed (70.2 unrounded); in training it would
    shrink and flip sign.
    """
    return [10000 * 7e-05, 1000000 * 7e-05]


@claim(
    place="Ch.11 Optimizer",
    chapter="18",
    section="Adam: momentum, and a scale for each parameter",
    cell="m, v, m_hat, v_hat, move = next(adam([-0.702], e",
    stated=[-0.0702, 0.000493],
    unit=[0.0001, 1e-06],
    verdict="holds",
    added=True,
)
def cg_270():
    """First moments of Adam: m = -0.0702 and v = 0.000493.

    0.1 times the gradient, and 0.001 times its square.
    """
    g, mean, square = -0.702, 0.0, 0.0
    return [0.9 * mean + (1 - 0.9) * g, 0.999 * square + (1 - 0.999) * g**2]


@claim(
    place="Ch.11 Optimizer",
    chapter="18",
    section="Adam: momentum, and a scale for each parameter",
    cell="m, v, m_hat, v_hat, move = next(adam([-0.702], e",
    stated=[-0.702, 0.493],
    unit=0.001,
    verdict="holds",
)
def cg_271():
    """Bias-corrected: m-hat -0.702, v-hat 0.493.

    At full precision these are -0.702 and 0.4928.
    """
    mean, square = (1 - 0.9) * -0.702, (1 - 0.999) * (-0.702) ** 2
    return [mean / (1 - 0.9**1), square / (1 - 0.999**1)]


@claim(
    place="Ch.11 Optimizer",
    chapter="18",
    section="Adam: momentum, and a scale for each parameter",
    cell="m, v, m_hat, v_hat, move = next(adam([-0.702], e",
    stated=0.5001,
    unit=0.0001,
    verdict="holds",
)
def cg_272():
    """First Adam update: 0.5 becomes 0.5001.

    After bias correction the first step is the learning rate times the sign of the gradient.
    """
    return first_adam_step(0.5, -0.702, 0.0001)


@claim(place="Ch.11 Optimizer", chapter="18", stated=None, verdict="holds", checked="by reading", added=True)
def cg_384():
    """After 10,000 updates a weight might change by 0.7.

    It might, if the gradient stays what it was; as the right word becomes likelier, it fades.
    """


@claim(
    place="Ch.11 Training scale", chapter="18", stated=3e11, verdict="unverifiable", checked="not possible"
)
def cg_273():
    """GPT-3 was trained on 300 billion tokens.

    External fact; it agrees with the GPT-3 paper.
    """


@claim(
    place="Ch.11 Training scale",
    chapter="20",
    cell="v100_hours = C / 28e12 / 3600",
    stated=[4000000.0, 12000000.0],
    verdict="unverifiable",
    checked="not possible",
)
def cg_274():
    """GPT-3 training took months on thousands of GPUs and cost $4-12 million.

    External estimate with no inputs.
    """


@claim(
    place="Ch.11 Training data",
    chapter="18",
    stated=[32, 0.0001, 10],
    verdict="unverifiable",
    checked="not possible",
)
def cg_275():
    """Batch size 32, learning rate 0.0001, 10 epochs.

    Settings chosen for the example, not derived.
    """


@claim(
    place="Ch.11 Training data", chapter="18", stated=None, verdict="holds", checked="by reading", added=True
)
def cg_409():
    """In an example of training, the data set is read ten times.

    Usual for small data. GPT-3, which the guide quotes, read most of its 300 billion tokens about once.
    """
