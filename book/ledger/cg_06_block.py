"""Complete guide: chapters 6 to 9 (dropout, the feed-forward network, residuals and norms, stacking)."""

import numpy as np

from book.ledger.claims import claim
from book.ledger.helpers import attend, gradient, layer_norm, random_rows, relu
from book.ledger.studies import gpt2_parameters, matrices_per_block

B = np.array([0.1, -0.05, 0.2, 0.15, 0.08, -0.12])
W1 = np.array(
    [
        [0.1, -0.2, 0.3, 0.15, 0.05, -0.1],
        [0.2, 0.3, -0.1, 0.25, -0.15, 0.2],
        [-0.1, 0.1, 0.2, -0.15, 0.3, 0.05],
        [0.3, -0.15, 0.1, 0.2, -0.05, 0.25],
        [0.15, 0.25, -0.2, 0.1, 0.35, -0.15],
        [-0.2, 0.1, 0.3, -0.1, 0.2, 0.15],
    ]
)
X = np.array([0.25, -0.31, 0.42, 0.18, -0.09, 0.33])
Z = np.array([0.66, -0.49, 0.97, 0.47, -0.16, 0.71])


@claim(place="Ch.6 Dropout", chapter="14", stated=10, unit=1, verdict="slip")
def cg_163():
    """Two players out of an 11-player team is "10% of players".

    2 of 11 is 18% (and the later 3 of 11 is 27%).
    """
    return 100 * 2 / 11


@claim(place="Ch.6 Dropout", chapter="14", stated=[1, 1, 1, 1, 1, 1], verdict="holds", added=True)
def cg_164():
    """With the six printed draws and a rate of 0.1, all six are kept.

    The smallest draw is 0.12.
    """
    u = np.array([0.89, 0.23, 0.95, 0.77, 0.12, 0.88])
    return (u > 0.1) * 1


@claim(
    place="Ch.6 Dropout",
    chapter="14",
    cell="kept = (drawn > 0.1).double()",
    stated=[1, 0, 1, 1, 1, 1],
    verdict="holds",
)
def cg_166():
    """With 0.03 as the second draw, the second dimension is dropped.

    0.03 is not above 0.1, so that entry is dropped.
    """
    u = np.array([0.89, 0.03, 0.95, 0.77, 0.12, 0.88])
    return (u > 0.1).astype(int)


@claim(
    place="Ch.6 Dropout",
    chapter="14",
    cell="kept = (drawn > 0.1).double()",
    stated=[0.25, 0, 0.42, 0.18, -0.09, 0.33],
    unit=0.01,
    verdict="holds",
    added=True,
)
def cg_167():
    """The vector times the mask has a zero in second place and is otherwise unchanged.

    Entry by entry.
    """
    m = np.array([1, 0, 1, 1, 1, 1])
    return X * m


@claim(
    place="Ch.6 Dropout",
    chapter="14",
    cell="kept = (drawn > 0.1).double()",
    stated=[0.278, 0, 0.467, 0.2, -0.1, 0.367],
    unit=0.001,
    verdict="holds",
)
def cg_168():
    """Masked vector divided by 0.9.

    All six values agree at the printed precision.
    """
    x = np.array([0.25, 0, 0.42, 0.18, -0.09, 0.33])
    return x / 0.9


@claim(place="Ch.6 Dropout", chapter="14", stated=11, unit=1, verdict="holds")
def cg_169():
    """Survivors grow by 11%.

    The computation is 1/0.9 = 1.111.
    """
    return 100 * (1 / 0.9 - 1)


@claim(place="Ch.6 Dropout", chapter="14", stated=10, unit=1, verdict="holds")
def cg_170():
    """Dropping 10% of neurons makes the sum 10% smaller (on average).

    The expected sum is 90% of the original; a single mask can move it either way (here from 0.78 up to
    1.09).
    """
    return 100 * (1 - 0.9)


@claim(
    place="Ch.6 Dropout",
    chapter="14",
    cell="draws = (torch.rand(100_000, 6) > 0.1) * was / 0",
    stated=True,
    verdict="holds",
)
def cg_171():
    """Scaling by 1/(1-p) keeps the expected value.

    The computation is 0.9 x (x/0.9) = x.
    """
    x = 0.42
    return abs(0.9 * (x / 0.9) + 0.1 * 0 - x) < 1e-12


@claim(
    place="Ch.6 Dropout",
    chapter="14",
    stated=[0.1, 0.3],
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_392():
    """Modern transformers typically use dropout rates between 0.1 and 0.3.

    True of BERT and GPT-2; large models whose recipes are published are now mostly pre-trained with none.
    """


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    cell="v, w = torch.randn(2, 4, 8)",
    stated=True,
    verdict="overstated",
)
def cg_172():
    """Attention is linear in nature, just a weighted averaging.

    It is linear in V only for fixed weights; as a function of the input it is not, because the weights
    themselves come from a softmax of a product.
    """
    x = np.array([[0.01, 0.8, 0.3], [0.44, 1.14, 0.05], [1.81, -0.52, -0.11]])
    return np.allclose(attend(2 * x, 2 * x, 2 * x, causal=False), 2 * attend(x, x, x, causal=False))


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    cell="matrix(torch.cat([x, before @ W_2, x @ (W_1 @ W_",
    stated=0,
    within=1e-09,
    verdict="holds",
    added=True,
)
def cg_173():
    """Several linear layers in a row are one linear layer (largest difference to their product).

    Without a bend the product of the matrices does the same as the layers one by one.
    """
    A, B, x = (random_rows(4, 4, seed=k) for k in range(3))
    return np.abs(x @ A @ B - x @ (A @ B)).max()


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Six hidden units",
    stated=[24, 49152],
    verdict="holds",
)
def cg_174():
    """d_ff = 4 x 6 = 24 and for GPT-3 4 x 12288 = 49152.

    Both products are exact.
    """
    return [4 * 6, 4 * 12288]


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Two thirds of the parameters",
    cell="def block_parameters(d, d_ff=None):",
    stated=0.667,
    unit=0.001,
    verdict="holds",
)
def cg_175():
    """The FFN holds about two thirds of a transformer's parameters.

    8d^2 of 12d^2 per block; 66.4% of all GPT-3 parameters once embeddings are counted.
    """
    d = 12288
    return 1 - 4 * d * d / matrices_per_block(d)


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Two thirds of the parameters",
    cell="def block_parameters(d, d_ff=None):",
    stated=5.8e10,
    unit=1000000000.0,
    verdict="holds",
)
def cg_176():
    """GPT-3 attention holds about 58 billion parameters.

    At full precision this is 57.98 billion.
    """
    return 96 * (matrices_per_block(12288) - 8 * 12288**2)


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Two thirds of the parameters",
    cell="def block_parameters(d, d_ff=None):",
    stated=1.17e11,
    unit=1000000000.0,
    verdict="rounding",
)
def cg_177():
    """GPT-3 FFN layers hold about 117 billion parameters.

    115.96 billion, so about 116; 117 is what is left of 175 after 58, which forgets the embeddings.
    """
    return 96 * (matrices_per_block(12288) - 4 * 12288**2)


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Deeper: the examples of other texts, recomputed",
    cell="printed = [-.0045, -.1675, .294, .0775, .156, -.",
    stated=-0.0045,
    unit=0.0001,
    verdict="holds",
)
def cg_178():
    """Hidden neuron h1 = -0.0045.

    Seven terms sum exactly.
    """
    return (X @ W1 + B)[0]


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Deeper: the examples of other texts, recomputed",
    cell="printed = [-.0045, -.1675, .294, .0775, .156, -.",
    stated=-0.1675,
    unit=0.0001,
    verdict="holds",
    added=True,
)
def cg_179():
    """Hidden neuron h2 = -0.1675.

    Seven terms, added right.
    """
    b = -0.05
    w = np.array([-0.2, 0.3, 0.1, -0.15, 0.25, 0.1])
    return X @ w + b


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    cell="printed = [-.0045, -.1675, .294, .0775, .156, -.",
    stated=0.294,
    unit=0.001,
    verdict="slip",
)
def cg_180():
    """Hidden neuron h3 = 0.294.

    The dot product is 0.325, plus bias 0.2 gives 0.525.
    """
    return (X @ W1 + B)[2]


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    cell="printed = [-.0045, -.1675, .294, .0775, .156, -.",
    stated=0.0775,
    unit=0.0001,
    verdict="slip",
    added=True,
)
def cg_181():
    """Hidden neuron h4 = 0.0775.

    The dot product is −0.109; plus the bias 0.15 it is 0.041.
    """
    b = 0.15
    w = np.array([0.15, 0.25, -0.15, 0.2, 0.1, -0.1])
    return X @ w + b


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    cell="printed = [-.0045, -.1675, .294, .0775, .156, -.",
    stated=0.156,
    unit=0.001,
    verdict="slip",
)
def cg_182():
    """Hidden neuron h5 = 0.156.

    Column 5 of the printed W1 with bias 0.08 gives 0.2905.
    """
    return (X @ W1 + B)[4]


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    cell="printed = [-.0045, -.1675, .294, .0775, .156, -.",
    stated=-0.089,
    unit=0.001,
    verdict="slip",
)
def cg_183():
    """Hidden neuron h6 = -0.089.

    Column 6 of the printed W1 with bias -0.12 gives -0.078.
    """
    return (X @ W1 + B)[5]


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Six hidden units",
    cell="terms = x6[0] * W_1[:, 0]",
    stated=[0.025, -0.062, -0.042, 0.054, -0.0135, -0.066, 0.1],
    unit=0.0001,
    verdict="holds",
)
def cg_184():
    """h1 terms: 0.025, -0.062, -0.042, 0.054, -0.0135, -0.066 and bias 0.1.

    All seven values agree at the printed precision.
    """
    w = np.array([0.1, 0.2, -0.1, 0.3, 0.15, -0.2])
    return np.append(X * w, 0.1)


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Six hidden units",
    stated=[-0.05, -0.093, 0.042, -0.027, -0.0225, 0.033, -0.05],
    unit=0.0001,
    verdict="holds",
)
def cg_185():
    """h2 terms: -0.05, -0.093, 0.042, -0.027, -0.0225, 0.033 and bias -0.05.

    All seven values agree at the printed precision.
    """
    w = np.array([-0.2, 0.3, 0.1, -0.15, 0.25, 0.1])
    return np.append(X * w, -0.05)


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Six hidden units",
    stated=[0.213, -0.134, 0.067, 0.189],
    verdict="unverifiable",
    checked="not possible",
)
def cg_186():
    """Hidden neurons h7-h10: 0.213, -0.134, 0.067, 0.189.

    Columns 7 to 24 of W1 and their biases are elided.
    """


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Deeper: why a gate helps",
    cell="at = torch.tensor([-100, -3, -2, -1, -0.5, 0, 0.",
    stated=[5, 0, 0.5, 0],
    unit=0.1,
    verdict="holds",
)
def cg_187():
    """ReLU examples: 5, -3, 0.5, -100 become 5, 0, 0.5, 0.

    The arithmetic is exact.
    """
    return relu([5, -3, 0.5, -100])


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Six hidden units",
    stated=[0, 0, 0.294, 0.0775, 0.156, 0, 0.213, 0, 0.067, 0.189],
    unit=0.0001,
    verdict="holds",
)
def cg_188():
    """ReLU of the ten printed hidden values.

    Right for the printed values; the signs, hence the zeros, survive correction of h3 to h6.
    """
    h = np.array([-0.0045, -0.1675, 0.294, 0.0775, 0.156, -0.089, 0.213, -0.134, 0.067, 0.189])
    return relu(h)


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    cell="untrained = type(model)(model.config)",
    stated=0.5,
    within=0.1,
    verdict="holds",
    added=True,
)
def cg_189():
    """After ReLU only about half of the neurons are active (share of the ten printed ones).

    Six of the ten that are printed ring; in a trained model it was about one in six.
    """
    h = np.array([-0.0045, -0.1675, 0.294, 0.0775, 0.156, -0.089, 0.213, -0.134, 0.067, 0.189])
    return (relu(h) > 0).mean()


@claim(place="Ch.7 Feed-forward", chapter="13", stated=True, verdict="overstated", added=True)
def cg_190():
    """ReLU prevents vanishing gradients, because its slope is 0 or 1 (no input where nothing comes back).

    Where the slope is 0 nothing comes back at all; and the weights in between can still shrink what does.
    """
    return gradient(lambda z: relu([z])[0], -1.0) != 0


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    section="Six hidden units",
    stated=[0.41, -0.18, 0.55, 0.29, -0.07, 0.38],
    verdict="unverifiable",
    checked="not possible",
)
def cg_191():
    """FFN output [0.41, -0.18, 0.55, 0.29, -0.07, 0.38].

    W2, b2 and most of W1 are not given.
    """


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    cell="matrix(torch.cat([products, b_1, before, before.",
    stated=[0, 0, 0.294, 0.0775, 0.156, 0],
    unit=0.0001,
    verdict="follows",
    follows="cg-180",
    added=True,
)
def cg_386():
    """ReLU of the first six hidden neurons, with the right values.

    From the printed input, matrix and biases it is 0, 0, 0.525, 0.041, 0.2905, 0.
    """
    return relu(X @ W1 + B)


@claim(
    place="Ch.7 Feed-forward",
    chapter="13",
    cell="def swiglu_width(d_model, multiple=256):",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def cg_393():
    """Four times the width is empirically found to work well for the hidden layer.

    GPT-2 and GPT-3 have it. With a gate and a third matrix the common ratios are 8/3 and 3.5.
    """


@claim(
    place="Ch.7 Feed-forward", chapter="13", stated=None, verdict="holds", checked="by reading", added=True
)
def cg_394():
    """ReLU is like a bouncer who lets some in and turns the others away.

    As an image of letting through and blocking. The bar of ReLU is at zero, and a bias moves it.
    """


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="guide = was + output",
    stated=[0.66, -0.49, 0.97, 0.47, -0.16, 0.71],
    unit=0.01,
    verdict="holds",
)
def cg_192():
    """Residual sum of the two printed vectors.

    All six sums match; the text calls the vectors "after attention" and "original input", but they are the
    FFN output and the attention output of Chapters 5 and 7.
    """
    a = np.array([0.41, -0.18, 0.55, 0.29, -0.07, 0.38])
    return a + X


@claim(place="Ch.8 Residual and LayerNorm", chapter="14", stated=True, verdict="slip")
def cg_193():
    """The first vector in that residual example is the attention output.

    [0.41, ...] is the FFN output printed in Chapter 7; the attention output was [0.25, ...], here presented
    as the original input, so the block's first Add & Norm is skipped.
    """
    a = np.array([0.41, -0.18, 0.55, 0.29, -0.07, 0.38])
    return np.allclose(a, [0.25, -0.31, 0.42, 0.18, -0.09, 0.33])


@claim(place="Ch.8 Residual and LayerNorm", chapter="14", stated=[90, 80, 0], verdict="holds")
def cg_194():
    """Pipe analogy: ten leaks of 10 L from 100 L leave 0 L.

    Right for a fixed 10 L loss; a vanishing gradient is multiplicative (0.9^10 = 35%).
    """
    return [100 - 10, 100 - 20, 100 - 10 * 10]


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="depths = torch.tensor([1, 10, 32, 80])",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def cg_195():
    """With a bypass round each pipe, the water still arrives after ten pipes.

    The picture shows that nothing is lost. A residual connection adds, so that what arrives may also be
    more.
    """


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="normed = layer_norm(classes, eps=0.0)",
    stated=[91.7, 41.7],
    unit=0.1,
    verdict="holds",
)
def cg_196():
    """Class averages 91.7 and 41.7.

    At full precision these are 91.67 and 41.67.
    """
    return [np.mean([95, 92, 88]), np.mean([45, 42, 38])]


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="normed = layer_norm(classes, eps=0.0)",
    stated=[3.3, 3.3],
    unit=0.1,
    verdict="holds",
)
def cg_197():
    """Both first students are 3.3 points above average.

    At full precision this is 3.33 each.
    """
    return [95 - np.mean([95, 92, 88]), 45 - np.mean([45, 42, 38])]


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="normed = layer_norm(classes, eps=0.0)",
    stated=[0.8, 0.8],
    unit=0.1,
    verdict="slip",
)
def cg_198():
    """After standardising, student 1 of each class is at +0.8.

    The z-score is +1.16 with the population deviation that LayerNorm uses, +0.95 with the sample one;
    nothing gives 0.8.
    """
    a = np.array([95, 92, 88])
    b = np.array([45, 42, 38])
    return [layer_norm(a, eps=0.0)[0], layer_norm(b, eps=0.0)[0]]


@claim(place="Ch.8 Residual and LayerNorm", chapter="14", stated=[1, 6, 0.4], unit=0.1, verdict="holds")
def cg_199():
    """[2,3,4] times [0.5,2,0.1] element-wise is [1,6,0.4].

    The arithmetic is exact.
    """
    return np.array([2, 3, 4]) * np.array([0.5, 2, 0.1])


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell='table([["mean", mean], ["mean of the squared dis',
    stated=[2.16, 0.36],
    unit=0.01,
    verdict="holds",
)
def cg_200():
    """Mean = 2.16/6 = 0.36.

    The arithmetic is exact.
    """
    return [Z.sum(), Z.mean()]


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="matrix(torch.cat([guide, guide - mean, (guide -",
    stated=[0.09, 0.7225, 0.3721, 0.0121, 0.2704, 0.1225],
    unit=0.0001,
    verdict="holds",
)
def cg_201():
    """Squared deviations.

    All six values agree at the printed precision.
    """
    return (Z - Z.mean()) ** 2


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell='table([["mean", mean], ["mean of the squared dis',
    stated=[1.5896, 0.2649],
    unit=0.0001,
    verdict="holds",
)
def cg_202():
    """Variance = 1.5896/6 = 0.2649.

    At full precision these are 1.5896 and 0.26493.
    """
    return [((Z - Z.mean()) ** 2).sum(), Z.var()]


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell='table([["mean", mean], ["mean of the squared dis',
    stated=[0.26491, 0.5147],
    unit=[1e-05, 0.0001],
    verdict="holds",
)
def cg_203():
    """Standard deviation with epsilon 0.00001 is 0.5147.

    At full precision this is 0.51469.
    """
    return [0.2649 + 1e-05, np.sqrt(0.26491)]


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="matrix(torch.cat([guide, guide - mean, (guide -",
    stated=[0.583, -1.651, 1.185, 0.214, -1.01, 0.68],
    unit=0.001,
    verdict="holds",
)
def cg_204():
    """Six normalised values.

    All six values agree at the printed precision.
    """
    return layer_norm(Z, eps=1e-05)


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="matrix(torch.cat([guide, guide - mean, (guide -",
    stated=[0, 1],
    unit=1e-09,
    verdict="holds",
)
def cg_205():
    """With gamma 1 and beta 0 the result is unchanged, with mean 0 and variance 1.

    Normalising does exactly this by construction.
    """
    normed = layer_norm(Z, eps=0.0)
    return [normed.mean(), normed.var()]


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    stated=[2, 3],
    verdict="unverifiable",
    checked="not possible",
)
def cg_206():
    """LayerNorm often cuts the number of training steps by 2-3 times.

    No experiment is described.
    """


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="idle = torch.zeros(1, 6)",
    stated=0,
    within=0.0001,
    verdict="holds",
    added=True,
)
def cg_390():
    """A part that writes zero lets its block's input pass unchanged (a normed vector through the guide's
    block: largest change).

    With the norm after the sum, each block reads what a norm put out, and norming it again changes nothing.
    Only the first block gets a vector that is not normed.
    """
    return np.abs(layer_norm(layer_norm(Z) + 0) - layer_norm(Z)).max()


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="left = {name: [sorted(original_left(stack(n, see",
    stated=None,
    verdict="overstated",
    checked="by reading",
    added=True,
)
def cg_395():
    """The original input is always present, even after a hundred layers (in the guide's own blocks, with
    the norm after the sum).

    Each norm after a sum divides the older part again: of the first vector a hundred-thousandth was left
    after 24 such blocks, against 0.18 with the norm before.
    """


@claim(
    place="Ch.8 Residual and LayerNorm",
    chapter="14",
    cell="idle = torch.zeros(1, 6)",
    stated=1,
    within=1e-06,
    verdict="holds",
    added=True,
)
def cg_396():
    """The derivative of x + f(x) is one plus the derivative of f (of the first number, for a part that
    does nothing).

    The one belongs to the plus sign. A norm behind it, as in the block of the guide, multiplies the whole
    by its own derivative.
    """
    return gradient(lambda v: (v + 0 * np.tanh(v))[0], Z)[0]


@claim(
    place="Ch.9 Stacking",
    chapter="15",
    cell='table([[name, f"{n:,}", "all" if active[name] == n',
    stated=117000000.0,
    unit=1000000.0,
    verdict="slip",
)
def cg_207():
    """GPT-2 Small with 12 layers has 117M parameters.

    Computed from the width, vocabulary and context given in Chapter 14: GPT-2 small has 124.4 million; 117M
    is the figure from the paper, later corrected by its authors.
    """
    return gpt2_parameters(12, 768, 50257, 1024)


@claim(
    place="Ch.9 Stacking",
    chapter="15",
    cell='table([[name, f"{n:,}", "all" if active[name] == n',
    stated=345000000.0,
    unit=1000000.0,
    verdict="slip",
)
def cg_208():
    """GPT-2 Medium with 24 layers has 345M parameters.

    Computed from the width, vocabulary and context given in Chapter 14: The layout gives 354.8 million;
    345M is the uncorrected figure.
    """
    return gpt2_parameters(24, 1024, 50257, 1024)


@claim(
    place="Ch.9 Stacking",
    chapter="15",
    section="Deeper: counting to the last parameter",
    cell='table([[name, f"{n:,}", "all" if active[name] == n',
    stated=774000000.0,
    unit=1000000.0,
    verdict="holds",
)
def cg_209():
    """GPT-2 Large with 36 layers has 774M parameters.

    Computed from the width, vocabulary and context given in Chapter 14: 774.0 million.
    """
    return gpt2_parameters(36, 1280, 50257, 1024)


@claim(
    place="Ch.9 Stacking",
    chapter="15",
    section="Deeper: counting to the last parameter",
    cell='table([[name, f"{n:,}", "all" if active[name] == n',
    stated=1500000000.0,
    unit=100000000.0,
    verdict="rounding",
)
def cg_210():
    """GPT-2 XL with 48 layers has 1.5B parameters.

    Computed from the width, vocabulary and context given in Chapter 14: 1.558 billion rounds to 1.6; 1.5B
    is the customary label.
    """
    return gpt2_parameters(48, 1600, 50257, 1024)


@claim(
    place="Ch.9 Stacking",
    chapter="15",
    section="Deeper: counting to the last parameter",
    cell='table([[name, f"{n:,}", "all" if active[name] == n',
    stated=1.75e11,
    unit=1000000000.0,
    verdict="holds",
)
def cg_211():
    """GPT-3 with 96 layers has 175B parameters.

    174.6 billion from the stated width, layers, vocabulary and context.
    """
    return gpt2_parameters(96, 12288, 50257, 2048)


@claim(
    place="Ch.9 Stacking",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=[120, 1.7e12],
    verdict="unverifiable",
    checked="not possible",
)
def cg_212():
    """GPT-4: about 120 layers and 1.7T parameters, estimated.

    No official figure exists.
    """


@claim(
    place="Ch.9 Stacking",
    chapter="15",
    section="Deeper: counting to the last parameter",
    cell="matrix(torch.cat([guide, guide - mean, (guide -",
    cell_in="14",
    stated=[0.583, -1.651, 1.185, 0.214, -1.01, 0.68],
    unit=0.001,
    verdict="holds",
)
def cg_213():
    """Vector for "I" after Block 1 equals the LayerNorm result.

    Same six numbers as in Chapter 8.
    """
    return layer_norm(Z, eps=1e-05)


@claim(
    place="Ch.9 Stacking",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=[0.721, -0.893, 0.567, 0.991, -0.445, 0.289],
    verdict="unverifiable",
    checked="not possible",
)
def cg_214():
    """Vector for "I" after Block 2.

    No weights are given; the recomputed pair is its mean and deviation, which for the Post-LayerNorm block
    of this tutorial with initial gamma 1 and beta 0 would have to be 0 and 1.
    """


@claim(
    place="Ch.9 Stacking",
    chapter="15",
    section="Deeper: counting to the last parameter",
    stated=[0.834, -0.671, 0.403, 1.124, -0.289, 0.156],
    verdict="unverifiable",
    checked="not possible",
)
def cg_215():
    """Vector for "I" after Block 3.

    No weights are given; the recomputed pair is its mean and deviation, which for the Post-LayerNorm block
    of this tutorial with initial gamma 1 and beta 0 would have to be 0 and 1.
    """


@claim(
    place="Ch.9 Stacking", chapter="15", stated=None, verdict="overstated", checked="by reading", added=True
)
def cg_382():
    """Ranges of layers correspond to school years, from letters to philosophy, and the printed vectors of
    "I" show it.

    No weights stand behind the printed vectors. Measured models show a softer trend, with no ladder.
    """
