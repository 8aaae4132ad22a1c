"""Complete guide: chapters 15 to 17 (training techniques, problems, the whole example)."""

import numpy as np
import torch

from book.ledger.claims import claim
from book.ledger.helpers import layer_norm, random_rows, sinusoids
from book.ledger.studies import averaged_gradients_gap
from support import training


@claim(
    place="Ch.15 Gradient accumulation",
    chapter="20",
    cell="four_trips = torch.tensor([0.5, 0.7, 0.3, 0.6])",
    stated=[2.1, 0.525],
    unit=[0.1, 0.001],
    verdict="holds",
)
def cg_317():
    """(0.5+0.7+0.3+0.6)/4 = 2.1/4 = 0.525.

    The arithmetic is exact.
    """
    return [0.5 + 0.7 + 0.3 + 0.6, (0.5 + 0.7 + 0.3 + 0.6) / 4]


@claim(
    place="Ch.15 Gradient accumulation",
    chapter="20",
    cell="at_once, in_parts = losses(8)",
    stated=32,
    verdict="holds",
)
def cg_318():
    """4 mini-batches of 8 make an effective batch of 32.

    The arithmetic is exact.
    """
    return 4 * 8


@claim(
    place="Ch.15 Gradient accumulation",
    chapter="20",
    cell="at_once, in_parts = losses(8)",
    stated=4,
    verdict="holds",
)
def cg_319():
    """Accumulation needs 4 times more forward/backward passes per update.

    Four passes instead of one, but each on a quarter of the examples, so the arithmetic done is the same.
    """
    return 32 / 8


@claim(
    place="Ch.15 Gradient accumulation",
    chapter="20",
    cell="at_once, in_parts = losses(8)",
    stated=True,
    verdict="holds",
)
def cg_320():
    """Averaging four mini-batch gradients equals the gradient of all 32 examples.

    True for equal mini-batches and a mean loss (no batch statistics).
    """
    return averaged_gradients_gap(32, 4) < 1e-12


@claim(
    place="Ch.15 Gradient accumulation",
    chapter="20",
    cell="mean_of_means = (long.mean() + short.mean()) / 2",
    stated=True,
    verdict="overstated",
    added=True,
)
def cg_450():
    """Dividing the added gradients by the number of parts is mathematically the large batch (parts with 3 and
    1 predicted tokens: the same mean?).

    Only if all parts predict equally many tokens. Texts differ in length; then the sums must be added up and
    divided once, by all tokens.
    """
    parts = [np.array([0.2, 0.4, 0.6]), np.array([1.6])]
    return np.isclose(np.mean([part.mean() for part in parts]), np.concatenate(parts).mean())


@claim(place="Ch.15 Mixed precision", chapter="20", stated=2, verdict="holds")
def cg_321():
    """FP16 numbers take half the memory of FP32.

    16 against 32 bits per number; training usually keeps FP32 master weights as well.
    """
    return 32 / 16


@claim(place="Ch.15 Mixed precision", chapter="20", stated=2, verdict="unverifiable", checked="not possible")
def cg_322():
    """FP16 training is 2 times faster.

    Depends on hardware; no measurement given.
    """


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=[3.4e38, 1.4e-45],
    unit=[1e37, 1e-46],
    verdict="holds",
)
def cg_323():
    """FP32 range: up to 3.4e38, down to 1.4e-45.

    3.403e38 and 1.401e-45; the small end is the smallest subnormal, unlike the figure used for FP16.
    """
    return [np.finfo(np.float32).max, 2.0 ** (-149)]


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=[65504, 6.1e-05],
    unit=[1, 1e-06],
    verdict="holds",
)
def cg_324():
    """FP16 range: up to 65,504, smallest normal 6.1e-5.

    6.104e-5 is the smallest normal number.
    """
    return [np.finfo(np.float16).max, np.finfo(np.float16).tiny]


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=6e-05,
    unit=1e-05,
    verdict="slip",
)
def cg_325():
    """In FP16, numbers below about 0.00006 become zero.

    Subnormals go on, with less precision, down to 6.0e-8; only values below about 3e-8 become zero.
    """
    return 2.0 ** (-24)


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=0.0,
    unit=1e-08,
    verdict="slip",
)
def cg_326():
    """Gradient 0.00001234 becomes 0 in FP16.

    It is stored as the subnormal 0.00001234 (two tenths of a percent off at most).
    """
    return np.float16(1.234e-05)


@claim(place="Ch.15 Mixed precision", chapter="20", stated=True, verdict="holds")
def cg_327():
    """FP32 can represent 0.00000001.

    1e-8 is well inside the normal range.
    """
    return np.float32(1e-08) > 0


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=3276.8,
    unit=0.1,
    verdict="holds",
)
def cg_328():
    """3.2 x 1024 = 3276.8.

    Exact (FP16 would store 3276).
    """
    return 3.2 * 1024


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=0.01264,
    unit=1e-05,
    verdict="holds",
)
def cg_329():
    """0.00001234 x 1024 = 0.01264.

    At full precision this is 0.012636.
    """
    return 1.234e-05 * 1024


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=1.234e-05,
    unit=1e-08,
    verdict="holds",
)
def cg_330():
    """0.01264 / 1024 = 0.00001234.

    At full precision this is 0.000012344.
    """
    return 0.01264 / 1024


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=[0.5, 512.0],
    unit=0.1,
    verdict="holds",
)
def cg_331():
    """Table: 0.5 in FP16 is 0.5, scaled 512.

    Both exact in FP16.
    """
    return [np.float16(0.5), np.float16(0.5 * 1024)]


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=1234.5,
    unit=0.1,
    verdict="slip",
    added=True,
)
def cg_332():
    """1234.567 becomes 1234.5 in FP16.

    Between 1024 and 2048 FP16 knows whole numbers only: it becomes 1235.
    """
    return np.float16(1234.567)


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=1264197,
    unit=1,
    verdict="holds",
)
def cg_333():
    """1234.567 x 1024 = 1,264,197.

    At full precision this is 1,264,196.6.
    """
    return 1234.567 * 1024


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=1234.567,
    unit=0.001,
    verdict="slip",
)
def cg_334():
    """The scaled value 1,264,197 survives FP16 and returns 1234.567.

    It exceeds the FP16 maximum of 65,504 and overflows to infinity.
    """
    return np.float16(1234.567 * 1024) / 1024


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell='plans = {"float32": memory_plan(xl',
    stated=2,
    verdict="overstated",
    added=True,
)
def cg_412():
    """Sixteen-bit numbers halve the memory of training (bytes for each weight with Adam, 32 bits over
    mixed).

    Mixed precision keeps a 32-bit copy of the weights and of Adam's two averages: 16 bytes for each weight
    either way. It is the activations that take half.
    """
    return (4 + 4 + 8) / (2 + 2 + 4 + 8)


@claim(
    place="Ch.15 Mixed precision",
    chapter="20",
    cell="values = [1.234e-5, 3e-8, 2.9e-8",
    stated=[1.4e-45, 6.1e-05],
    relative=0.05,
    verdict="convention",
    added=True,
)
def cg_413():
    """FP32 reaches down to 1.4e-45 and FP16 to 6.1e-5 (the smallest number of each).

    The first is FP32's smallest number of all, the second FP16's smallest normal one; the like of the first
    is 6.0e-8.
    """
    return [np.finfo(np.float32).smallest_subnormal, np.finfo(np.float16).smallest_subnormal]


@claim(
    place="Ch.15 Checkpointing",
    chapter="20",
    cell="layers, unit = 96, 0.512",
    stated=4.9e10,
    unit=1000000000.0,
    verdict="holds",
)
def cg_335():
    """96 layers x 512 MB = 49 GB.

    At full precision this is 49.15 GB.
    """
    return 96 * 512000000.0


@claim(
    place="Ch.15 Checkpointing",
    chapter="20",
    cell="layers, unit = 96, 0.512",
    stated=[4, 2000000000.0],
    unit=[1, 1000000000.0],
    verdict="holds",
)
def cg_336():
    """A checkpoint every 24 layers stores 4 x 512 MB = 2 GB.

    96/24 is 4 checkpoints, which hold 2.05 GB.
    """
    return [96 / 24, 96 / 24 * 512000000.0]


@claim(place="Ch.15 Checkpointing", chapter="20", cell="layers, unit = 96, 0.512", stated=4, verdict="slip")
def cg_337():
    """The diagram saves layers 1, 24, ..., 96, about 4 checkpoints.

    Layers 1, 24, 48, 72 and 96 are five.
    """
    return len([1, 24, 48, 72, 96])


@claim(
    place="Ch.15 Checkpointing",
    chapter="20",
    cell="layers, unit = 96, 0.512",
    stated=96,
    unit=1,
    verdict="slip",
    added=True,
)
def cg_338():
    """A checkpoint every 24 layers takes 96 times less memory (49 GB become 2 GB).

    Four checkpoints instead of 96 activations are 24 times less, as the two printed sizes say too.
    """
    return 96 / 4


@claim(
    place="Ch.15 Checkpointing",
    chapter="20",
    cell="with FlopCounterMode(display=False) as counter",
    stated=2,
    verdict="slip",
)
def cg_339():
    """It costs 2 times more compute.

    One extra forward pass on top of a forward and a backward of twice its cost is 1.33 times, a third more.
    """
    return (1 + 1 + 2) / (1 + 2)


@claim(
    place="Ch.15 Checkpointing",
    chapter="20",
    cell="layers, unit = 96, 0.512",
    stated=2000000000.0,
    relative=0.1,
    verdict="overstated",
    added=True,
)
def cg_414():
    """With a checkpoint every 24 of 96 layers, 2 GB of activations are held (at the peak of the way back,
    512 MB a layer).

    Beside the four checkpoints, one stretch of 24 layers is recomputed and held while it is walked back: 14
    GB, a third of the 49.
    """
    return (4 + 24) * 512000000.0


@claim(
    place="Ch.15 Initialization",
    chapter="14",
    cell="sigma = math.sqrt(2 / (6 + 24))",
    stated=[0.0667, 0.258],
    unit=[0.0001, 0.001],
    verdict="holds",
)
def cg_340():
    """Xavier sigma for 6 to 24 is 0.258.

    At full precision this is 0.2582.
    """
    return [2 / 30, np.sqrt(2 / 30)]


@claim(
    place="Ch.15 Initialization",
    chapter="14",
    cell="sigma = math.sqrt(2 / (6 + 24))",
    stated=True,
    verdict="slip",
)
def cg_341():
    """Chapter 15 writes N(0, sqrt(2/(d_in+d_out))) where Chapter 5 defined the second slot as the
    variance.

    By the Chapter 5 convention the variance slot must hold 2/(d_in+d_out); the example then uses the root
    as sigma, which is right, so only the formula is inconsistent.
    """
    return np.isclose(2 / 30, np.sqrt(2 / 30))


@claim(place="Ch.15 Initialization", chapter="14", stated=True, verdict="holds")
def cg_342():
    """Xavier scaling keeps the variance of activations constant when d_in = d_out.

    Simulated output variance is 1 for a square layer; for unequal sizes it is a compromise between forward
    and backward.
    """
    return abs((random_rows(4000, 64) @ (random_rows(64, 64, seed=1) * np.sqrt(2 / 128))).var() - 1) < 0.1


@claim(
    place="Ch.15 Initialization",
    chapter="14",
    cell="sigma = math.sqrt(2 / (6 + 24))",
    stated=None,
    verdict="holds",
    checked="by reading",
    added=True,
)
def cg_391():
    """Glorot's rule maintains the variance of activations and gradients.

    As nearly as one number can: exactly if both sides are equal. For 6 to 24 it is 0.4 forward and 1.6
    backward.
    """


@claim(
    place="Ch.16 Problems",
    chapter="19",
    cell="fall within one epoch",
    stated=0.045,
    unit=0.001,
    verdict="holds",
)
def cg_343():
    """From 6.234 to 6.189 is an improvement of 0.045.

    The arithmetic is exact.
    """
    return 6.234 - 6.189


@claim(
    place="Ch.16 Problems",
    chapter="19",
    cell='names = ["lr 1e-6", "lr 1e-4", "lr 2e-4"',
    stated=[1e-05, 0.0002],
    unit=[1e-05, 0.0001],
    verdict="holds",
)
def cg_344():
    """0.0001 reduced tenfold is 0.00001, doubled is 0.0002.

    The arithmetic is exact.
    """
    return [0.0001 / 10, 0.0001 * 2]


@claim(
    place="Ch.16 Problems",
    chapter="19",
    stated=[4.567, 8.234, 45.678, 1.234, 3.987, 4.567, 4.623],
    verdict="unverifiable",
    checked="not possible",
)
def cg_345():
    """Symptom losses for exploding, over- and underfitting.

    Illustrative numbers without a run.
    """


@claim(
    place="Ch.16 Problems",
    chapter="19",
    cell="even = torch.tensor([0.5, 0.5, 0.5, 0.500001]",
    stated=True,
    verdict="overstated",
    added=True,
)
def cg_415():
    """Against a loss that runs away, the norm's epsilon should be small (what a nudge of a millionth does
    to an even vector, epsilon 1e-12 against 1e-5: less?).

    A smaller epsilon makes the norm steeper where a vector is nearly even, 300 against a million in slope.
    It must be small enough not to matter elsewhere, and large enough to matter there.
    """
    nudged = np.array([0.5, 0.5, 0.5, 0.500001])
    return np.abs(layer_norm(nudged, eps=1e-12)).max() < np.abs(layer_norm(nudged, eps=1e-05)).max()


@claim(
    place="Ch.16 Problems",
    chapter="19",
    cell="moved = {name: (distance(kind, 1.0), distance(kind, 0.01))",
    stated=True,
    verdict="overstated",
    added=True,
)
def cg_428():
    """Against a loss that does not fall, raising the clipping limit helps (does a gradient a hundred times
    as long move a weight further under the guide's optimiser, Adam, by more than a hundredth?).

    Adam divides by the gradient's own size, so its scale cancels. Under plain gradient descent, a looser
    limit does help where the limit is what holds the run back.
    """

    def moved(factor):
        layer = torch.nn.Linear(1, 1, bias=False).double()
        start = layer.weight.item()
        settings = training.TrainConfig(steps=1, lr=0.003, weight_decay=0.0)
        optimiser = training.make_optimiser(layer, settings)
        for gradient in (0.02, 0.03, 0.01, 0.04, 0.02):
            layer.weight.grad = torch.full_like(layer.weight, factor * gradient)
            optimiser.step()
        return abs(layer.weight.item() - start)

    return moved(1.0) > 1.01 * moved(0.01)


@claim(
    place="Ch.17 Grand tour",
    chapter="10",
    stated=[
        [0.15, 0.69, 0.44, 1.28, -0.19, 1.37],
        [0.32, 1.27, 0.16, 1.41, 1.02, 0.56],
        [1.94, -0.6, -0.24, 0.03, 0.68, 1.91],
    ],
    unit=0.01,
    verdict="holds",
)
def cg_346():
    """Trained embeddings plus encodings (3x6).

    All eighteen sums match.
    """
    words = [
        [0.15, -0.31, 0.44, 0.28, -0.19, 0.37],
        [-0.52, 0.73, 0.11, 0.41, 1.02, -0.44],
        [1.03, -0.18, -0.33, -0.97, 0.68, 0.91],
    ]
    return words + sinusoids(3, 6)


@claim(
    place="Ch.17 Grand tour",
    chapter="15",
    stated=[
        [0.71, -0.28, 0.95, 0.53, -0.19, 0.44],
        [0.48, 0.91, 0.32, 0.77, 0.68, 0.29],
        [1.12, -0.43, -0.11, 0.25, 0.81, 1.04],
    ],
    verdict="unverifiable",
    checked="not possible",
)
def cg_347():
    """Outputs of block 1 for the three words (3x6).

    No trained weights are given; the recomputed values are the row means, which an Add & Norm output with
    beta 0 would make zero.
    """


@claim(
    place="Ch.17 Grand tour",
    chapter="15",
    stated=[
        [0.88, -0.41, 1.13, 0.67, -0.25, 0.59],
        [0.63, 1.08, 0.45, 0.92, 0.81, 0.42],
        [1.29, -0.57, -0.04, 0.38, 0.94, 1.19],
    ],
    verdict="unverifiable",
    checked="not possible",
)
def cg_348():
    """Outputs of block 2 for the three words (3x6).

    No trained weights are given; the recomputed values are the row means, which an Add & Norm output with
    beta 0 would make zero.
    """


@claim(
    place="Ch.17 Grand tour",
    chapter="15",
    stated=[
        [0.99, -0.51, 1.27, 0.78, -0.31, 0.71],
        [0.74, 1.21, 0.56, 1.03, 0.92, 0.53],
        [1.42, -0.68, 0.08, 0.49, 1.04, 1.31],
    ],
    verdict="unverifiable",
    checked="not possible",
)
def cg_349():
    """Outputs of block 3 for the three words (3x6).

    No trained weights are given; the recomputed values are the row means, which an Add & Norm output with
    beta 0 would make zero.
    """


@claim(
    place="Ch.17 Grand tour",
    chapter="14",
    cell="both_rows = torch.cat([layer_norm(pizza), printe",
    stated=[1.15, -0.89, 0.14, 0.37, 0.95, 1.08],
    verdict="unverifiable",
    checked="not possible",
)
def cg_350():
    """Final LayerNorm of the "pizza" vector [1.42, -0.68, 0.08, 0.49, 1.04, 1.31].

    The trained gamma and beta are not given; the recomputed vector is for gamma 1 and beta 0, the only
    values the tutorial states, and differs everywhere (the printed one has mean 0.47, not 0).
    """


@claim(place="Ch.17 Grand tour", chapter="15", stated=0.427, verdict="unverifiable", checked="not possible")
def cg_351():
    """P("delicious") = exp(5.67)/sum = 0.427.

    The sum is not given; the recomputed value is the sum it would need, 679 (the chapter opens by
    announcing "and" as the prediction).
    """


@claim(place="Ch.17 Grand tour", chapter="15", stated=None, verdict="slip", checked="by reading", added=True)
def cg_383():
    """The tour of "I love pizza" announces "and" as its forecast and arrives at "delicious".

    The two ends of the chapter do not agree.
    """
