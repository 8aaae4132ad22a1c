"""From scratch, part 1: a neuron, a network of thirteen parameters, one step of learning."""

import math

import numpy as np
from torch.nn import functional

from book.ledger.claims import claim
from book.ledger.helpers import entropy, gradient, random_rows, relu, sigmoid, tensor
from book.ledger.studies import student, student_gradient, student_loss

B1 = np.array([-0.5, -0.6, -0.3])
B1_START = np.array([0.1, -0.1, 0.05])
W1 = np.array([[0.82, 0.71, -0.45], [0.65, 0.89, 0.78]])
W1_START = np.array([[0.15, -0.18, 0.3], [-0.22, 0.25, -0.12]])
W2 = np.array([0.85, 0.72, -0.55])
W2_START = np.array([0.2, -0.15, 0.25])


def cross_entropy(p, y):
    """torch's binary cross-entropy of one forecast."""
    return functional.binary_cross_entropy(tensor(p), tensor(float(y))).item()


@claim(place="Introduction", chapter="24", stated=2300000.0, verdict="unverifiable", checked="not possible")
def fs1_001():
    """more than 2.3 million models registered on Hugging Face

    A usage statistic quoted without a source, so nothing in the document lets it be recomputed.
    """


@claim(place="Introduction", chapter="24", stated=317000.0, verdict="unverifiable", checked="not possible")
def fs1_002():
    """317 thousand of them in Text Generation

    A usage statistic quoted without a source, so nothing in the document lets it be recomputed.
    """


@claim(place="Introduction", chapter="24", stated=800000000.0, verdict="unverifiable", checked="not possible")
def fs1_003():
    """800 million weekly active OpenAI users

    A usage statistic quoted without a source, so nothing in the document lets it be recomputed.
    """


@claim(
    place="Introduction",
    chapter="24",
    stated=[300000, 30000000.0],
    verdict="unverifiable",
    checked="not possible",
)
def fs1_004():
    """Anthropic: 300,000 business customers and about 30 million monthly users

    A usage statistic quoted without a source, so nothing in the document lets it be recomputed.
    """


@claim(place="Introduction", chapter="24", stated=650000000.0, verdict="unverifiable", checked="not possible")
def fs1_005():
    """Gemini app above 650 million monthly users

    A usage statistic quoted without a source, so nothing in the document lets it be recomputed.
    """


@claim(
    place="Introduction", chapter="24", stated=2000000000.0, verdict="unverifiable", checked="not possible"
)
def fs1_006():
    """AI Overviews reach 2 billion monthly users

    A usage statistic quoted without a source, so nothing in the document lets it be recomputed.
    """


@claim(place="Machine Learning Models", chapter="24", stated=3, verdict="holds", checked="by reading")
def fs1_007():
    """three kinds of machine-learning algorithm are listed

    The list names supervised, unsupervised and reinforcement learning, which is three.
    """


@claim(
    place="Neural Networks",
    chapter="01",
    cell="z_j = from_hours + from_classes + b_1[j]",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs1_008():
    """the pre-activation is the weighted sum of inputs plus bias, i.e. a dot product plus b

    Summing products term by term gives exactly the dot product plus the bias.
    """
    b = 0.25
    w = np.array([0.3, -0.7, 1.1])
    x = np.array([0.2, 0.4, 0.9])
    return sum(w[i] * x[i] for i in range(3)) + b - (x @ w + b)


@claim(place="Neural Networks", chapter="01", stated=0, within=1e-09, verdict="holds")
def fs1_009():
    """a bias slides the activation curve left or right

    With slope w, adding b equals evaluating the unbiased curve at x + b/w, a horizontal shift.
    """
    w, b = 1.7, -0.6
    x = np.array([-2, -1, 0, 1, 2])
    return np.abs(sigmoid(x[:, None] * w + b) - sigmoid((x[:, None] + b / w) * w)).max()


@claim(
    place="Neural Networks",
    chapter="01",
    cell="straight, bent = x, x",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs1_010():
    """without non-linear activations all hidden layers collapse into one linear map

    Two affine layers multiply out to a single affine layer to machine precision.
    """
    A, B, x = (random_rows(4, 4, seed=k) for k in range(3))
    return np.abs(x @ A @ B - x @ (A @ B)).max()


@claim(
    place="Neural Networks",
    chapter="01",
    cell="def passes(x):",
    stated=0,
    within=0.01,
    verdict="overstated",
    added=True,
)
def fs1_089():
    """an artificial neuron fires above a threshold exactly as a biological one does (a sigmoid neuron
    without any input, output zero)

    A nerve cell sends a pulse or none; ReLU sends an amount, and a sigmoid is never silent: the student
    network says 0.45 to one who does nothing.
    """
    return student([0.0, 0.0], W1, B1, W2, -0.2)


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="A network: the student",
    cell="W_1 = torch.tensor([[0.82, 0.71, -0.45], [0.65,",
    stated=0.5,
    verdict="holds",
)
def fs1_011():
    """5 study hours with a 10-hour maximum normalise to 0.5

    5 divided by 10.
    """
    hours, maximum = 5, 10
    return hours / maximum


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="A network: the student",
    cell="W_1 = torch.tensor([[0.82, 0.71, -0.45], [0.65,",
    stated=0.6,
    verdict="holds",
)
def fs1_012():
    """60 percent attendance enters as 0.6

    60 divided by 100.
    """
    pct = 60
    return pct / 100


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="A network: the student",
    cell="z_j = from_hours + from_classes + b_1[j]",
    stated=0.3,
    unit=0.0001,
    verdict="holds",
)
def fs1_013():
    """hidden pre-activation h1 for x=(0.5, 0.6) is 0.3

    Weighted sum plus bias reproduces the printed value.
    """
    w1, w2, b, x1, x2 = 0.82, 0.65, -0.5, 0.5, 0.6
    return x1 * w1 + x2 * w2 + b


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="A network: the student",
    cell="z_j = from_hours + from_classes + b_1[j]",
    stated=0.289,
    unit=0.0001,
    verdict="holds",
)
def fs1_014():
    """hidden pre-activation h2 for x=(0.5, 0.6) is 0.289

    Weighted sum plus bias reproduces the printed value.
    """
    w1, w2, b, x1, x2 = 0.71, 0.89, -0.6, 0.5, 0.6
    return x1 * w1 + x2 * w2 + b


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="A network: the student",
    cell="z_j = from_hours + from_classes + b_1[j]",
    stated=-0.057,
    unit=0.001,
    verdict="holds",
)
def fs1_015():
    """hidden pre-activation h3 for x=(0.5, 0.6) is -0.057

    Weighted sum plus bias reproduces the printed value.
    """
    w1, w2, b, x1, x2 = -0.45, 0.78, -0.3, 0.5, 0.6
    return x1 * w1 + x2 * w2 + b


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="A network: the student",
    cell="z_j = from_hours + from_classes + b_1[j]",
    stated=[0.3, 0.289, 0],
    unit=0.001,
    verdict="holds",
)
def fs1_016():
    """ReLU keeps 0.3 and 0.289 and zeroes -0.057

    Only the third pre-activation is negative.
    """
    z = np.array([0.3, 0.289, -0.057])
    return relu(z)


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="A network: the student",
    cell="h = (student @ W_1 + b_1).clamp(min=0)",
    stated=0.2631,
    unit=0.0001,
    verdict="holds",
)
def fs1_017():
    """output pre-activation is 0.2631

    0.255 + 0.20808 + 0 - 0.20 = 0.26308.
    """
    h, w, b = np.array([0.3, 0.289, 0]), np.array([0.85, 0.72, -0.55]), -0.2
    return h @ w + b


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="Deeper: the student's last digits, and when length matters",
    cell="z_printed = 0.263  # the source goes on with thr",
    stated=0.7688,
    unit=0.0001,
    verdict="rounding",
)
def fs1_018():
    """e to the minus 0.263 is 0.7688

    The exponential is 0.76874, which prints as 0.7687.
    """
    return np.exp(-0.263)


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="Deeper: the student's last digits, and when length matters",
    cell="z_printed = 0.263  # the source goes on with thr",
    stated=0.5655,
    unit=0.0001,
    verdict="rounding",
)
def fs1_019():
    """1 / 1.7688 is about 0.5655

    The quotient is 0.56535, so the last digit printed should be 4.
    """
    return 1 / 1.7688


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="Deeper: the student's last digits, and when length matters",
    cell="z_printed = 0.263  # the source goes on with thr",
    stated=0.5655,
    unit=0.0001,
    verdict="rounding",
)
def fs1_020():
    """full network output for (0.5, 0.6) is 0.5655

    Running the whole network without intermediate rounding gives 0.56539.
    """
    return student([0.5, 0.6], W1, B1, W2, -0.2)


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="Deeper: the student's last digits, and when length matters",
    cell="z_printed = 0.263  # the source goes on with thr",
    stated=56.5,
    unit=0.1,
    verdict="holds",
)
def fs1_021():
    """the prediction is 56.5 percent

    0.56539 is 56.5 percent to one decimal.
    """
    return 100 * student([0.5, 0.6], W1, B1, W2, -0.2)


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="A network: the student",
    cell='live("student")',
    stated=True,
    verdict="holds",
)
def fs1_022():
    """the student is predicted to pass at the 0.5 threshold

    0.565 is at least 0.5.
    """
    return student([0.5, 0.6], W1, B1, W2, -0.2) >= 0.5


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="A network: the student",
    stated=[0, 1],
    within=1e-09,
    verdict="holds",
)
def fs1_023():
    """sigmoid maps every real score between 0 and 1 (at scores of -30 and 30)

    Even at scores of plus and minus 30 the output stays strictly inside the interval and approaches its
    ends.
    """
    return sigmoid([-30, 30])


@claim(
    place="Neural Network Inference",
    chapter="01",
    cell='print("softmax of one number:", [torch.tensor([z',
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def fs1_084():
    """sigmoid, ReLU, tanh and softmax are activation functions

    So they are called. The first three act on one unit; softmax acts on a whole layer at once, because it
    divides by the sum over all its units.
    """


@claim(
    place="Neural Network Inference",
    chapter="01",
    section="Deeper: what scaling the inputs is for",
    cell="raw, scale = torch.tensor([5.0, 60.0]), torch.te",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def fs1_086():
    """it is important to normalise the inputs, so that all contribute in proportion and none dominates

    The weights could make up for any scale in the end. In training of finite length, and with weight decay,
    scale does decide what counts.
    """


@claim(place="Neural Network Training", chapter="02", stated=100, verdict="holds")
def fs1_024():
    """80/10/10 is a complete split

    The three shares add up to 100 percent.
    """
    a, b, c = 80, 10, 10
    return a + b + c


@claim(place="Neural Network Training", chapter="02", stated=100, verdict="holds")
def fs1_025():
    """90/5/5 is a complete split

    The three shares add up to 100 percent.
    """
    a, b, c = 90, 5, 5
    return a + b + c


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="x = torch.tensor([0.2, 0.3])  # hours, attendanc",
    stated=[0.2, 0.3],
    verdict="holds",
)
def fs1_026():
    """the poor student (2 h, 30 percent) normalises to (0.2, 0.3)

    Divide hours by 10 and the percentage by 100.
    """
    h, p = 2, 30
    return [h / 10, p / 100]


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="second = torch.tensor([0.5, 0.6])  # the next st",
    stated=[0.5, 0.6],
    verdict="holds",
)
def fs1_027():
    """the average student (5 h, 60 percent) normalises to (0.5, 0.6)

    Divide hours by 10 and the percentage by 100.
    """
    h, p = 5, 60
    return [h / 10, p / 100]


@claim(
    place="Neural Network Training",
    chapter="02",
    cell='table([["before ReLU", *z], ["after ReLU", *h]],',
    stated=[0.064, -0.061, 0.074],
    unit=0.001,
    verdict="holds",
)
def fs1_028():
    """initial hidden pre-activations for (0.2, 0.3) are 0.064, -0.061 and 0.074

    The initial weights are only shown in the later update lines, and they reproduce all three values.
    """
    x = np.array([0.2, 0.3])
    return x @ W1_START + B1_START


@claim(
    place="Neural Network Training",
    chapter="02",
    cell='table([["logit", logit], ["probability of passin',
    stated=0.533,
    unit=0.001,
    verdict="holds",
)
def fs1_029():
    """the untrained network outputs 0.533 for the poor student

    The logit is 0.1313 and its sigmoid is 0.53278.
    """
    return student([0.2, 0.3], W1_START, B1_START, W2_START, 0.1)


@claim(
    place="Neural Network Training",
    chapter="02",
    cell='table([["logit", logit], ["probability of passin',
    stated=True,
    verdict="holds",
)
def fs1_030():
    """0.533 counts as a predicted pass

    It exceeds the 0.5 threshold.
    """
    p = 0.533
    return p >= 0.5


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="second_printed = probability(*stepped_parts(",
    stated=-53.3,
    unit=0.1,
    verdict="holds",
)
def fs1_031():
    """the prediction error is minus 53.3 percent

    Target minus prediction is 0 - 0.533.
    """
    y, p = 0, 0.533
    return 100 * (y - p)


@claim(place="Neural Network Training", chapter="02", stated=[0, 0], within=1e-09, verdict="holds")
def fs1_032():
    """for y=1 binary cross-entropy is -log p; for y=0 it is -log(1-p)

    One of the two terms of the formula vanishes in each case.
    """
    p = 0.3
    return [cross_entropy(p, 1) + np.log(p), cross_entropy(p, 0) + np.log(1 - p)]


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="student = torch.tensor(0.533)",
    cell_in="03",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs1_033():
    """binary cross-entropy equals the negative log-likelihood of a Bernoulli outcome

    The Bernoulli likelihood p^y (1-p)^(1-y) has exactly this negative logarithm for both labels.
    """
    p = 0.83
    return max(abs(cross_entropy(p, y) + np.log(p**y * (1 - p) ** (1 - y))) for y in (0, 1))


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="coins = torch.full((1100,), 0.5)",
    cell_in="03",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs1_034():
    """taking logs turns a product of likelihoods into a sum

    log of the product matches the sum of logs.
    """
    p = np.array([0.9, 0.2, 0.75, 0.4])
    return np.log(np.prod(p)) - np.log(p).sum()


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="coins = torch.full((1100,), 0.5)",
    cell_in="03",
    stated=0,
    verdict="holds",
)
def fs1_035():
    """multiplying many probabilities is numerically unstable (product of 1,100 factors of 0.5)

    Eleven hundred factors of 0.5 already underflow to exactly zero in float64.
    """
    n, p = 1100, 0.5
    return np.prod(np.full(n, p))


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="row = torch.tensor([0.999, 0.99, 0.9, 0.85, 0.5,",
    cell_in="18",
    stated=True,
    verdict="holds",
)
def fs1_036():
    """probabilities near zero have large negative logs

    log(1e-6) is about -13.8, far below log(0.5).
    """
    return np.log(1e-6) < -10


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="second_printed = probability(*stepped_parts(",
    stated=0,
    unit=0.1,
    verdict="slip",
    added=True,
)
def fs1_037():
    """for a wrong and confident pass (y = 0, forecast near 1), the logarithm of 1 − p approaches zero

    It is 1 − p that approaches zero; its logarithm falls without bound (−9.2 at p = 0.9999), which is what
    makes the loss huge.
    """
    p = 0.9999
    return np.log(1 - p)


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="row = torch.tensor([0.999, 0.99, 0.9, 0.85, 0.5,",
    cell_in="18",
    stated=True,
    verdict="holds",
)
def fs1_038():
    """confident and correct predictions cost little, confident and wrong ones a lot

    At p = 0.99 the loss is 0.01 when right and 4.6 when wrong.
    """
    p = 0.99
    return -np.log(p) < 0.02 and -np.log(1 - p) > 4


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="row = torch.tensor([0.999, 0.99, 0.9, 0.85, 0.5,",
    cell_in="18",
    stated=True,
    verdict="holds",
)
def fs1_039():
    """a pass predicted at 95 percent is unsurprising, one predicted at 2 percent is surprising

    The surprises -log p are 0.05 and 3.91.
    """
    hi, lo = 0.95, 0.02
    return -np.log(hi) < 0.1 and -np.log(lo) > 3.9


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="best[name] = candidates[(loss_of(candidates) @ q)",
    cell_in="03",
    stated=0,
    within=1e-09,
    verdict="holds",
)
def fs1_040():
    """minimising cross-entropy drives the model towards the true distribution

    Cross-entropy splits into the entropy of the truth plus the KL divergence, and only the latter depends
    on the model.
    """
    q, p = np.array([0.5, 0.3, 0.2]), np.array([0.4, 0.4, 0.2])
    divergence = functional.kl_div(tensor(np.log(p)), tensor(q), reduction="sum").item()
    return -(q * np.log(p)).sum() - entropy(q) - divergence


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="second_printed = probability(*stepped_parts(",
    stated=True,
    verdict="conceptual",
)
def fs1_041():
    """a differentiable function has no flat pieces

    A flat piece is perfectly differentiable, its slope is simply zero, as the finite-difference slope of
    ReLU on its flat side shows.
    """
    x = np.array([-1.0])
    return not np.isfinite(gradient(lambda w: relu(w[0]), x)[0])


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="second_printed = probability(*stepped_parts(",
    stated=1,
    within=0.01,
    verdict="overstated",
)
def fs1_042():
    """if the objective had corners, learning would not be possible at all (share of the distance to the
    minimum that is left after sixty steps down |w - 3.3|)

    Subgradient steps on |w - 3.3|, which has a corner exactly at its minimum, shrink the distance to the
    optimum to essentially zero; the network in the article itself uses ReLU, which has a corner.
    """
    target, start = 3.3, 10.0
    w = start
    for t in range(60):  # steps of falling size down |w − target|
        w -= np.sign(w - target) / math.sqrt(t + 1)
    return abs(w - target) / abs(start - target)


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="between = deepcopy(here)",
    cell_in="18",
    stated=0,
    within=1e-06,
    verdict="conceptual",
)
def fs1_043():
    """training works because the loss is shaped like a bowl (no excess of midpoint loss over the mean
    endpoint loss)

    Swapping two hidden units leaves the network's output unchanged, yet the midpoint of the two parameter
    sets has a higher loss, which a bowl (convex function) forbids.
    """
    x, y, b2 = [0.5, 0.6], 1, -0.2
    order = [2, 1, 0]  # the same network with its hidden units renumbered
    twin = W1[:, order], B1[order], W2[order]
    middle = [(a + b) / 2 for a, b in zip((W1, B1, W2), twin, strict=True)]
    ends = student_loss(x, y, W1, B1, W2, b2) + student_loss(x, y, *twin, b2)
    return max(0.0, student_loss(x, y, *middle, b2) - ends / 2)


@claim(place="Neural Network Training", chapter="02", stated=True, verdict="holds")
def fs1_044():
    """the gradient points in the direction of steepest increase

    Among 5000 random unit directions none has a larger directional derivative than the normalised gradient
    (ratio of best random to gradient norm stays below 1).
    """
    g = student_gradient([0.2, 0.3], 0, W1_START, B1_START, W2_START, 0.1)
    steepness = [g @ u / np.linalg.norm(u) for u in random_rows(5000, 13)]
    return max(steepness) <= np.linalg.norm(g) + 1e-12


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="student = torch.tensor(0.533)",
    cell_in="03",
    stated=0.467,
    unit=0.001,
    verdict="holds",
)
def fs1_045():
    """1 - 0.533 = 0.467

    Plain subtraction.
    """
    p = 0.533
    return 1 - p


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="student = torch.tensor(0.533)",
    cell_in="03",
    stated=0.761,
    unit=0.001,
    verdict="holds",
)
def fs1_046():
    """the loss -log(1 - 0.533) is about 0.761

    The natural logarithm of 0.467 is -0.7614.
    """
    p = 0.533
    return -np.log(1 - p)


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0,
    within=1e-08,
    verdict="holds",
)
def fs1_047():
    """for a sigmoid output with binary cross-entropy the logit gradient is p - y

    A central difference of the loss in the logit matches p - y for both labels.
    """
    z = 0.1313
    return max(abs(gradient(lambda z: cross_entropy(sigmoid(z), y), z) - (sigmoid(z) - y)) for y in (0, 1))  # noqa: B023


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="student = torch.tensor(0.533)",
    cell_in="03",
    stated=0.533,
    unit=0.001,
    verdict="holds",
)
def fs1_048():
    """output error signal is 0.533

    p minus y with y = 0.
    """
    p = 0.533
    return gradient(lambda z: cross_entropy(sigmoid(z), 0), np.log(p / (1 - p)))


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="second_printed = probability(*stepped_parts(",
    stated=-0.533,
    unit=0.001,
    verdict="convention",
    added=True,
)
def fs1_049():
    """the forecast of 53.3 percent for a student who failed is an error of minus 53.3 percent, while the
    error signal a page on is plus 0.533

    Said minus true is +0.533, the sign that the gradient needs; true minus said has the other sign, and
    both are used.
    """
    p = 0.533
    return gradient(lambda z: cross_entropy(sigmoid(z), 0), np.log(p / (1 - p)))


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0.034112,
    unit=1e-06,
    verdict="holds",
)
def fs1_050():
    """gradient of the h1->output weight is 0.034112

    Error signal times the hidden activation (using the rounded 0.533 the text uses).
    """
    d, h = 0.533, 0.064
    return d * h


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0,
    unit=1e-06,
    verdict="holds",
)
def fs1_051():
    """gradient of the h2->output weight is 0

    Error signal times the hidden activation (using the rounded 0.533 the text uses).
    """
    d, h = 0.533, 0.0
    return d * h


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0.039442,
    unit=1e-06,
    verdict="holds",
)
def fs1_052():
    """gradient of the h3->output weight is 0.039442

    Error signal times the hidden activation (using the rounded 0.533 the text uses).
    """
    d, h = 0.533, 0.074
    return d * h


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0.533,
    unit=0.001,
    verdict="holds",
)
def fs1_053():
    """output bias gradient equals the error signal 0.533

    A bias has local derivative one.
    """
    d = 0.533
    return d * 1


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=[1, 0, 1],
    verdict="holds",
)
def fs1_054():
    """ReLU derivatives at 0.064, -0.061, 0.074 are 1, 0, 1

    The derivative is one for positive inputs and zero otherwise.
    """
    z = np.array([0.064, -0.061, 0.074])
    return (relu(z) > 0).astype("float")


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0.1066,
    unit=0.0001,
    verdict="holds",
)
def fs1_055():
    """hidden error signal at h1 is 0.1066

    Output error times the outgoing weight times the ReLU derivative.
    """
    dy, w, r = 0.533, 0.2, 1
    return dy * w * r


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0,
    unit=0.0001,
    verdict="holds",
)
def fs1_056():
    """hidden error signal at h2 is 0

    Output error times the outgoing weight times the ReLU derivative.
    """
    dy, w, r = 0.533, -0.15, 0
    return dy * w * r


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0.13325,
    unit=1e-05,
    verdict="holds",
)
def fs1_057():
    """hidden error signal at h3 is 0.13325

    Output error times the outgoing weight times the ReLU derivative.
    """
    dy, w, r = 0.533, 0.25, 1
    return dy * w * r


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0.02132,
    unit=1e-05,
    verdict="holds",
    added=True,
)
def fs1_058():
    """gradient of the x1->h1 weight is 0.02132

    Error signal times input.
    """
    dh, x = 0.1066, 0.2
    return dh * x


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0.03198,
    unit=1e-05,
    verdict="holds",
)
def fs1_059():
    """gradient of the x2->h1 weight is 0.03198

    Hidden error signal times the input.
    """
    dh, x = 0.1066, 0.3
    return dh * x


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0.02665,
    unit=1e-05,
    verdict="holds",
    added=True,
)
def fs1_060():
    """gradient of the x1->h3 weight is 0.02665

    Error signal times input.
    """
    dh, x = 0.13325, 0.2
    return dh * x


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=0.039975,
    unit=1e-06,
    verdict="holds",
    added=True,
)
def fs1_061():
    """gradient of the x2->h3 weight is 0.039975

    Error signal times input.
    """
    dh, x = 0.13325, 0.3
    return dh * x


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=[0.1066, 0.13325],
    unit=1e-05,
    verdict="holds",
)
def fs1_062():
    """hidden bias gradients for h1 and h3 equal their error signals 0.1066 and 0.13325

    A bias has local derivative one.
    """
    dy = 0.533
    w = np.array([0.2, 0.25])
    return dy * w


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=[0, 0, 0],
    within=1e-09,
    verdict="holds",
)
def fs1_063():
    """every gradient of the dead unit h2 is zero

    Its ReLU derivative is zero, which kills both weight gradients and the bias gradient.
    """
    return student_gradient([0.2, 0.3], 0, W1_START, B1_START, W2_START, 0.1)[7:10]


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=0.182944,
    unit=1e-06,
    verdict="holds",
)
def fs1_064():
    """after one step with learning rate 0.5, w_{h1->y} becomes 0.182944

    Old value minus half the gradient.
    """
    old, eta, g = 0.2, 0.5, 0.034112
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=-0.15,
    unit=0.01,
    verdict="holds",
)
def fs1_065():
    """after one step with learning rate 0.5, w_{h2->y} becomes -0.15

    Old value minus half the gradient.
    """
    old, eta, g = -0.15, 0.5, 0
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=0.230279,
    unit=1e-06,
    verdict="holds",
)
def fs1_066():
    """after one step with learning rate 0.5, w_{h3->y} becomes 0.230279

    Old value minus half the gradient.
    """
    old, eta, g = 0.25, 0.5, 0.039442
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=-0.1665,
    unit=0.0001,
    verdict="holds",
)
def fs1_067():
    """after one step with learning rate 0.5, b_y becomes -0.1665

    Old value minus half the gradient.
    """
    old, eta, g = 0.1, 0.5, 0.533
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=0.13934,
    unit=1e-05,
    verdict="holds",
)
def fs1_068():
    """after one step with learning rate 0.5, w_{x1->h1} becomes 0.13934

    Old value minus half the gradient.
    """
    old, eta, g = 0.15, 0.5, 0.02132
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=-0.23599,
    unit=1e-05,
    verdict="holds",
)
def fs1_069():
    """after one step with learning rate 0.5, w_{x2->h1} becomes -0.23599

    Old value minus half the gradient.
    """
    old, eta, g = -0.22, 0.5, 0.03198
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=0.0467,
    unit=0.0001,
    verdict="holds",
    added=True,
)
def fs1_070():
    """after one step with learning rate 0.5, b_{h1} becomes 0.0467

    The old weight minus half its gradient.
    """
    old, g, eta = 0.1, 0.1066, 0.5
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=-0.18,
    unit=0.01,
    verdict="holds",
    added=True,
)
def fs1_071():
    """after one step with learning rate 0.5, w_{x1->h2} becomes -0.18

    The old weight minus half its gradient.
    """
    old, g, eta = -0.18, 0, 0.5
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=0.25,
    unit=0.01,
    verdict="holds",
    added=True,
)
def fs1_072():
    """after one step with learning rate 0.5, w_{x2->h2} becomes 0.25

    The old weight minus half its gradient.
    """
    old, g, eta = 0.25, 0, 0.5
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=-0.1,
    unit=0.01,
    verdict="holds",
)
def fs1_073():
    """after one step with learning rate 0.5, b_{h2} becomes -0.1

    Old value minus half the gradient.
    """
    old, eta, g = -0.1, 0.5, 0
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=0.286675,
    unit=1e-06,
    verdict="holds",
    added=True,
)
def fs1_074():
    """after one step with learning rate 0.5, w_{x1->h3} becomes 0.286675

    The old weight minus half its gradient.
    """
    old, g, eta = 0.3, 0.02665, 0.5
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=-0.1399875,
    unit=1e-07,
    verdict="holds",
    added=True,
)
def fs1_075():
    """after one step with learning rate 0.5, w_{x2->h3} becomes -0.1399875

    The old weight minus half its gradient.
    """
    old, g, eta = -0.12, 0.039975, 0.5
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=-0.016625,
    unit=1e-06,
    verdict="holds",
)
def fs1_076():
    """after one step with learning rate 0.5, b_{h3} becomes -0.016625

    Old value minus half the gradient.
    """
    old, eta, g = 0.05, 0.5, 0.13325
    return old - eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="stepped = weights - eta * by_formula",
    stated=[0.017056, 0.019721, 0.2665, 0.01066, 0.01599, 0.0533, 0.013325, 0.0199875, 0.066625],
    unit=1e-07,
    verdict="holds",
)
def fs1_077():
    """half of each gradient, as written out in the update lines

    Each printed step is exactly half its gradient.
    """
    eta = 0.5
    g = np.array([0.034112, 0.039442, 0.533, 0.02132, 0.03198, 0.1066, 0.02665, 0.039975, 0.13325])
    return eta * g


@claim(
    place="Neural Network Training",
    chapter="02",
    cell='print(f"formula and autograd: equal to 10⁻¹⁵: {t',
    stated=[0.034112, 0, 0.039442, 0.533, 0.02132, 0.03198, 0.1066, 0, 0, 0, 0.02665, 0.039975, 0.13325],
    unit=1e-06,
    verdict="holds",
)
def fs1_078():
    """the stacked gradient vector (13 numbers) built from the rounded 0.533

    All thirteen entries follow from 0.533 by the two product rules.
    """
    d = 0.533
    h = np.array([0.064, 0, 0.074])
    x = np.array([0.2, 0.3])
    return [
        d * h[0],
        d * h[1],
        d * h[2],
        d,
        d * W2_START[0] * x[0],
        d * W2_START[0] * x[1],
        d * W2_START[0],
        0,
        0,
        0,
        d * W2_START[2] * x[0],
        d * W2_START[2] * x[1],
        d * W2_START[2],
    ]


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=[0.034112, 0, 0.039442, 0.533, 0.02132, 0.03198, 0.1066, 0, 0, 0, 0.02665, 0.039975, 0.13325],
    relative=0.001,
    verdict="holds",
)
def fs1_079():
    """the same gradient vector checked against finite differences of the real network

    Agreement is within 0.1 percent; the gap comes only from rounding p to 0.533 before multiplying, so the
    fifth and sixth digits printed carry no information.
    """
    return student_gradient([0.2, 0.3], 0, W1_START, B1_START, W2_START, 0.1)


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="printed = torch.tensor([0.034112, 0, 0.039442, 0",
    stated=13,
    verdict="holds",
)
def fs1_080():
    """the gradient vector has one entry per parameter: 13

    2x3 + 3 hidden-layer parameters plus 3 + 1 output parameters.
    """
    n_in, n_h, n_out = 2, 3, 1
    return n_in * n_h + n_h + n_h * n_out + n_out


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="second = torch.tensor([0.5, 0.6])  # the next st",
    stated=True,
    verdict="holds",
)
def fs1_081():
    """one update moves the model towards lower loss on that example

    The loss on the poor student falls from 0.761 to 0.614 and the prediction drops to 0.459, i.e. a fail
    (as a by-product h3 also goes dead).
    """
    x, y = [0.2, 0.3], 0
    W1 = np.array([[0.13934, -0.18, 0.286675], [-0.23599, 0.25, -0.1399875]])
    b1 = np.array([0.0467, -0.1, -0.016625])
    w2 = np.array([0.182944, -0.15, 0.230279])
    before = student_loss(x, y, W1_START, B1_START, W2_START, 0.1)
    return student_loss(x, y, W1, b1, w2, -0.1665) < before


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="second = torch.tensor([0.5, 0.6])  # the next st",
    stated=None,
    verdict="unverifiable",
    checked="not possible",
)
def fs1_082():
    """forward pass of the second sample (0.5, 0.6) with the updated weights

    The result is only in a picture; recomputing with the printed updated weights gives the value shown.
    """


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="second_printed = probability(*stepped_parts(",
    stated=0,
    within=1e-06,
    verdict="convention",
)
def fs1_083():
    """mini-batch SGD draws 128 samples and averages them (difference between gradient at the mean sample
    and mean of the gradients)

    What is averaged is the per-sample gradients (or losses), not the samples; for this network the two
    differ.
    """

    def at(x, y):
        return student_gradient(x, y, W1_START, B1_START, W2_START, 0.1)

    one, other = np.array([0.2, 0.3]), np.array([0.9, 0.9])
    return np.abs(at((one + other) / 2, 0.5) - (at(one, 0) + at(other, 1)) / 2).max()


@claim(
    place="Neural Network Training",
    chapter="03",
    cell="q = torch.tensor([0.5, 0.3, 0.2])",
    stated=0,
    within=1e-09,
    verdict="holds",
    added=True,
)
def fs1_085():
    """cross-entropy as the inefficiency of a model's probabilities as a description of what is real
    (two models of one world: difference of their cross-entropies less that of their divergences)

    Cross-entropy is the entropy of the world plus the divergence, and the divergence is the inefficiency
    proper. The first part is the same for all models, so that both order them alike.
    """
    world = np.array([0.5, 0.3, 0.2])
    models = np.array([[0.4, 0.4, 0.2], [0.7, 0.2, 0.1]])
    costs = -(world * np.log(models)).sum(1)
    divergences = (world * np.log(world / models)).sum(1)
    return (costs[0] - costs[1]) - (divergences[0] - divergences[1])


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="x500, y500 = students(500, seed=0)",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def fs1_087():
    """a stratified split is made instead of a random one

    What is drawn at random is drawn within each group.
    """


@claim(
    place="Neural Network Training",
    chapter="02",
    cell="inputs = torch.cat([h, torch.ones(1)])",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def fs1_088():
    """the update of each weight is proportional to its contribution to the error

    Contribution is meant as the derivative, the change of the error for a small change of the weight.
    """
