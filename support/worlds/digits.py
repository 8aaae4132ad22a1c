"""Handwritten digits, eight by eight squares, and ways to change a picture without changing what it shows.

The pictures are those that scikit-learn ships: E. Alpaydin and C. Kaynak, UCI Machine Learning Repository,
1998.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Bool, Float, Int
from torch import Tensor
from torch.nn import functional as F

from support.core import InputError, optional, seeded_generator

Pictures = Float[Tensor, "picture 8 8"]
STRAIGHT = ((1, 0), (-1, 0), (0, 1), (0, -1))
DIAGONAL = ((1, 1), (1, -1), (-1, 1), (-1, -1))


@dataclass(frozen=True)
class Digits:
    """Pictures to learn from and others to be judged by, each from 0 (white) to 1 (black), with their labels.

    >>> digits = handwritten_digits()
    >>> len(digits.train), len(digits.test), int((digits.train_labels == 3).sum())
    (1000, 797, 106)
    """

    train: Pictures
    train_labels: Int[Tensor, " picture"]
    test: Float[Tensor, "judged 8 8"]
    test_labels: Int[Tensor, " judged"]


def handwritten_digits(train: int = 1000, seed: int = 0) -> Digits:
    """The 1,797 digits in float64, shuffled and split.

    Args:
        train: how many to learn from; the rest is for judging.
        seed: of the shuffle.

    Raises:
        InputError: no picture would be left for one of the two parts.
        ImportError: scikit-learn is missing (the extra `maps`).
    """
    data = optional("sklearn.datasets", "maps").load_digits()
    if not 0 < train < len(data.target):
        raise InputError(f"train={train}: give a number from 1 to {len(data.target) - 1}")
    order = torch.randperm(len(data.target), generator=seeded_generator(seed))
    pictures, labels = (
        torch.tensor(data.images, dtype=torch.float64)[order] / 16,
        torch.tensor(data.target)[order],
    )
    return Digits(pictures[:train], labels[:train], pictures[train:], labels[train:])


def shifted(pictures: Pictures, down: int, right: int) -> Pictures:
    """Every picture moved by one square at most; what leaves the sheet is lost.

    >>> shifted(torch.eye(8)[None], 1, 1)[0].trace().item()
    7.0
    """
    padded = F.pad(pictures, (1, 1, 1, 1))
    return padded[:, 1 - down : 9 - down, 1 - right : 9 - right]


def each_shift(*steps: tuple[int, int]) -> Callable[[Pictures], Pictures]:
    """All pictures moved by the first step, then all by the second, and so on."""
    return lambda pictures: torch.cat([shifted(pictures, *step) for step in steps])


def without_a_row(pictures: Pictures) -> Float[Tensor, "copies 8 8"]:
    """Four copies of all pictures; in each, one of the middle rows is erased."""
    return torch.cat([pictures * (torch.arange(8)[:, None] != row) for row in (2, 3, 4, 5)])


def speckled(pictures: Pictures, amount: float = 0.3, seed: int = 1) -> Pictures:
    """Normal noise of this standard deviation on every square."""
    generator = seeded_generator(seed)
    return pictures + amount * torch.randn(pictures.shape, generator=generator, dtype=pictures.dtype)


def turned(pictures: Pictures, degrees: float = 15) -> Pictures:
    """Rotated about the middle, with bilinear interpolation."""
    c, s = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    matrix = torch.tensor([[[c, -s, 0], [s, c, 0]]], dtype=pictures.dtype).expand(len(pictures), 2, 3)
    places = F.affine_grid(matrix, [len(pictures), 1, 8, 8], align_corners=False)
    return F.grid_sample(pictures[:, None], places, align_corners=False)[:, 0]


def thicker(pictures: Pictures) -> Pictures:
    """Drawn with a thicker pen: each square is as dark as itself or its neighbours above and to the left."""
    return F.max_pool2d(pictures[:, None], 2, stride=1, padding=1)[:, 0, :8, :8]


# What leaves the digit readable; a change that makes several pictures of one keeps them in blocks.
CHANGES: dict[str, Callable[[Pictures], Pictures]] = {
    "as written": lambda pictures: pictures,
    "moved by one": each_shift(*STRAIGHT),
    "moved diagonally": each_shift(*DIAGONAL),
    "a row missing": without_a_row,
    "speckled": speckled,
    "turned a little": turned,
    "thicker pen": thicker,
}


def as_vectors(pictures: Pictures, length: float = 4.0) -> Float[Tensor, "picture 64"]:
    """Each picture as a row of this Euclidean length, so that its direction alone counts.

    >>> as_vectors(torch.ones(2, 8, 8)).norm(dim=1).tolist()
    [4.0, 4.0]
    """
    rows = pictures.flatten(1)
    return length * rows / rows.norm(dim=1, keepdim=True)


def balanced_accuracy(
    logits: Float[Tensor, "*seed picture"], truth: Bool[Tensor, " picture"]
) -> Float[Tensor, "*seed"]:
    """The mean of the accuracies among the true and among the others, in percent; guessing gives 50.

    A logit above zero says *true*.

    >>> balanced_accuracy(torch.tensor([1.0, -1.0, -1.0]), torch.tensor([True, True, False])).item()
    75.0
    """
    said = (logits > 0).double()
    return 50 * said[..., truth].mean(-1) + 50 * (1 - said[..., ~truth]).mean(-1)
