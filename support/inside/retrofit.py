"""Retrofitting: trained vectors are moved towards those of related words, after training."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from support.core import InputError
from support.inside.maps import Vectors, array


def retrofit(
    vectors: Vectors, pairs: Sequence[tuple[int, int]], rounds: int = 10
) -> Float[np.ndarray, "word d"]:
    """Move every word half-way between where it was learned and the mean of its related words; repeat.

    At rest every word, given the others, minimises its squared distance to where it was learned plus the
    mean squared distance to its related words.

    Args:
        vectors: one row per word, as learned.
        pairs: row numbers of two related words, each pair once; both are drawn to each other.
        rounds: how often all words move.

    Raises:
        InputError: a pair names a row that is not there, or a word twice.

    Follows Faruqui et al. 2015, with their weights (1 for the learned place, 1/degree for each related word).

    >>> retrofit(np.array([[0.0], [4.0], [9.0]]), [(0, 1)], rounds=50).round(2).ravel()
    array([1.33, 2.67, 9.  ])
    """
    learned = array(vectors)
    neighbours: list[list[int]] = [[] for _ in learned]
    for a, b in pairs:
        if not (0 <= a < len(learned) and 0 <= b < len(learned)) or a == b:
            raise InputError(f"the pair {(a, b)} does not name two of the {len(learned)} rows")
        neighbours[a].append(b)
        neighbours[b].append(a)
    moved = learned.copy()
    for _ in range(rounds):
        for word, near in enumerate(neighbours):
            if near:
                moved[word] = (learned[word] + moved[near].mean(0)) / 2
    return moved
