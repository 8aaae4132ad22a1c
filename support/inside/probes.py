"""Can a property be read off the vectors by a straight line, for a word that the line has not seen?

The last clause carries the weight. With as many dimensions as words a line fits *anything*: for 40 random
vectors in 32 dimensions the R² on the very words it was fitted to is about .8. So every word is predicted by
a line that was fitted, ridge penalty and all, on the other words only.
"""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Num
from torch import Tensor

from support.core import InputError, optional
from support.inside.maps import Vectors, array

# From hardly any penalty to one that flattens everything; the vectors are scaled to unit variance first.
PENALTIES = np.logspace(-3, 3, 13)


@dataclass(frozen=True)
class Probe:
    """What a linear probe found.

    Attributes:
        r2: 1 − (squared error) / (squared error of the other words' mean); below 0 if worse than the mean.
        predictions: the property of each word, predicted from the others.
    """

    r2: float
    predictions: Float[np.ndarray, " word"]


def probe(
    vectors: Vectors,
    property: Num[np.ndarray, " word"] | Num[Tensor, " word"],
    penalties: Float[np.ndarray, " penalty"] = PENALTIES,
) -> Probe:
    """Read a property off vectors by ridge regression, leaving out one word at a time.

    For each word: choose the penalty by leave-one-out *within the others*, fit on them, predict the word.
    The vectors share one global scale, so that penalties mean the same for small and large embeddings, and
    directions keep their relative lengths.

    Args:
        vectors: one row per word.
        property: one number per word.
        penalties: the ridge penalties to choose from; by default 13 of them, from 10⁻³ to 10³.

    Raises:
        InputError: fewer than three words, not one value for each, or the same for all of them.

    >>> X = np.random.default_rng(0).normal(size=(20, 3))
    >>> round(probe(X, X @ np.array([1.0, -2.0, 0.5])).r2, 3)
    1.0
    """
    X, y = array(vectors), array(property)
    if len(X) != len(y):
        raise InputError(f"{len(X)} vectors and {len(y)} values of a property; give one value for each")
    if len(X) < 3 or np.ptp(y) == 0:
        raise InputError("a probe needs at least three words, and a property on which they differ")
    scale = np.sqrt(((X - X.mean(0)) ** 2).mean())
    X = X / (scale or 1.0)
    predicted, mean = np.empty(len(y)), np.empty(len(y))
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        predicted[i] = _ridge_by_leave_one_out(X[others], y[others], np.asarray(penalties), X[i])
        mean[i] = y[others].mean()
    return Probe(float(1 - ((y - predicted) ** 2).sum() / ((y - mean) ** 2).sum()), predicted)


def _ridge_by_leave_one_out(
    X: Float[np.ndarray, "word d"],
    y: Num[np.ndarray, " word"],
    penalties: Float[np.ndarray, " penalty"],
    new: Float[np.ndarray, " d"],
) -> float:
    """What ridge regression says of new vectors, with the penalty that is best by leave-one-out.

    One singular value decomposition serves all penalties, and the error for a word left out follows from
    that of the fit with it, divided by one minus its leverage (Allen 1974's PRESS).
    """
    centre, mean = X.mean(0), y.mean()
    U, s, V = np.linalg.svd(X - centre, full_matrices=False)
    shrinkage = s[:, None] ** 2 / (s[:, None] ** 2 + penalties)
    along = U.T @ (y - mean)
    leverage = 1 / len(y) + U**2 @ shrinkage
    left_out = ((y - mean)[:, None] - U @ (shrinkage * along[:, None])) / (1 - leverage)
    best = penalties[(left_out**2).mean(0).argmin()]
    return float(mean + (new - centre) @ (V.T @ (s / (s**2 + best) * along)))


def fit_on_all(vectors: Vectors, property: Num[np.ndarray, " word"] | Num[Tensor, " word"]) -> float:
    """R² of a linear fit on the very words it was fitted to: the number *not* to report, for comparison.

    Args:
        vectors: one row per word.
        property: one number per word.

    >>> round(fit_on_all(np.random.default_rng(0).normal(size=(40, 39)), np.arange(40) % 3), 3)
    1.0
    """
    X, y = array(vectors), array(property)
    return float(optional("sklearn.linear_model", extra="maps").LinearRegression().fit(X, y).score(X, y))
