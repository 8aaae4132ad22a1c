"""How well a map keeps the neighbours of a space; the numbers apply to every map, with axes or without."""

import numpy as np
from jaxtyping import Num

from support.core import InputError, optional
from support.inside.maps import Vectors, array


def trustworthiness(vectors: Vectors, points: Num[np.ndarray, "word axis"], neighbours: int = 5) -> float:
    """How far neighbours on the map are neighbours in the space: 1 if all are, about 0.5 for a random map.

    Swap the two arguments for *continuity*: are words that are near in the space also near on the map?

    Args:
        vectors: one row per word.
        points: where the map puts the words; `Map.points`.
        neighbours: how many of each word's nearest are compared.

    Raises:
        InputError: `neighbours` is not below half the number of words.

    Follows Venna & Kaski 2001, by scikit-learn.

    >>> X = np.random.default_rng(0).normal(size=(30, 2))
    >>> trustworthiness(X, X)
    1.0
    """
    X = array(vectors)
    if not 1 <= neighbours < len(X) / 2:
        raise InputError(f"for {len(X)} words choose 1 to {(len(X) - 1) // 2} neighbours")
    return float(
        optional("sklearn.manifold", extra="maps").trustworthiness(X, array(points), n_neighbors=neighbours)
    )


def neighbours_kept(vectors: Vectors, points: Num[np.ndarray, "word axis"], neighbours: int = 5) -> float:
    """The share of each word's nearest neighbours in the space that are still its nearest on the map.

    A random map keeps about ``neighbours / (words - 1)``.

    Args:
        vectors: one row per word.
        points: where the map puts the words; `Map.points`.
        neighbours: how many of each word's nearest are compared.

    Raises:
        InputError: `neighbours` is not below the number of words.

    >>> line = np.arange(6.0)[:, None]
    >>> neighbours_kept(line, -3 * line, neighbours=2)
    1.0
    """
    X, Y = array(vectors), array(points)
    if not 1 <= neighbours < len(X):
        raise InputError(f"for {len(X)} words choose 1 to {len(X) - 1} neighbours")

    def nearest(rows: np.ndarray) -> np.ndarray:
        # Without an argument scikit-learn leaves each point out of its own neighbours.
        return (
            optional("sklearn.neighbors", extra="maps")
            .NearestNeighbors(n_neighbors=neighbours)
            .fit(rows)
            .kneighbors(return_distance=False)
        )

    kept = [len(set(a) & set(b)) for a, b in zip(nearest(X), nearest(Y), strict=True)]
    return float(np.mean(kept) / neighbours)
