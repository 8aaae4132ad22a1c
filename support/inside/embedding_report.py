"""Three tests of whether word vectors have the structure that was designed into their world."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Num
from torch import Tensor

from support.inside.maps import Vectors, array, pca
from support.inside.probes import probe
from support.inside.similarity import analogy

READABLE = 0.8
"""The R² above which an axis counts as readable, as in *workbench* note 2."""


@dataclass(frozen=True)
class EmbeddingReport:
    """What probes, PCA and analogies find in a space of word vectors (*workbench* note 2, §2).

    Attributes:
        top2: share of the variance in the first two principal components.
        top6: share in the first six.
        r2: one probe's R² per designed axis.
        axes_read: how many of them exceed `READABLE`.
        answers: the word nearest to a − b + c, for each analogy.
        recovered: how many answers are the designed ones.
    """

    top2: float
    top6: float
    r2: tuple[float, ...]
    axes_read: int
    answers: tuple[str, ...]
    recovered: int


def embedding_report(
    vectors: Vectors,
    latents: Num[np.ndarray, "word axis"] | Num[Tensor, "word axis"],
    words: Sequence[str],
    analogies: Sequence[tuple[str, str, str, str]],
) -> EmbeddingReport:
    """Test a space of word vectors by probes, PCA and analogies.

    Args:
        vectors: one row per word.
        latents: the designed coordinates of the same words.
        words: the name of each row.
        analogies: (a, b, c, d), where a − b + c should be d; a, b and c are not allowed as answers.

    >>> from support.worlds.semantic import ANALOGIES, LATENTS, NOUNS
    >>> perfect = embedding_report(LATENTS, LATENTS, NOUNS, ANALOGIES)
    >>> perfect.axes_read, perfect.recovered, round(perfect.top6, 3)
    (6, 5, 1.0)
    """
    X, Z = array(vectors), array(latents)
    found = pca(X).shares
    assert found is not None  # a projection has shares
    shares = found.cumsum()
    r2 = tuple(probe(X, axis).r2 for axis in Z.T)
    answers = tuple(analogy(X, words, a, b, c, k=1)[0][0] for a, b, c, _ in analogies)
    return EmbeddingReport(
        top2=float(shares[1]),
        top6=float(shares[min(5, len(shares) - 1)]),
        r2=r2,
        axes_read=sum(value > READABLE for value in r2),
        answers=answers,
        recovered=sum(got == d for got, (*_, d) in zip(answers, analogies, strict=True)),
    )
