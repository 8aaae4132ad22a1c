"""Cosine similarity, nearest neighbours, and arithmetic with words."""

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from support.core import InputError
from support.inside.maps import Vector, Vectors, array, unit_sphere


def cosine(a: Vector, b: Vector) -> float:
    """The cosine of the angle between two vectors: 1 same direction, 0 right angle, −1 opposite.

    Raises:
        InputError: a vector is zero and has no direction.

    >>> a = np.array([3.0, 4.0])
    >>> [round(cosine(a, b), 3) for b in (2 * a, np.array([4.0, -3.0]), -a)]
    [1.0, 0.0, -1.0]
    """
    a, b = array(a), array(b)
    lengths = np.linalg.norm(a) * np.linalg.norm(b)
    if lengths == 0:
        raise InputError("a zero vector has no direction, so no cosine; check how it was made")
    return float(np.clip(a @ b / lengths, -1.0, 1.0))


def cosines(vectors: Vectors) -> Float[np.ndarray, "word word"]:
    """The cosine of every pair of rows.

    >>> cosines(np.array([[1.0, 0], [0, 2], [-3, 0]])) + 0.0
    array([[ 1.,  0., -1.], [ 0.,  1.,  0.], [-1.,  0.,  1.]])
    """
    units = unit_sphere(vectors)
    return units @ units.T


def neighbours(
    vectors: Vectors, words: Sequence[str], of: str | Vector, k: int = 5, exclude: Sequence[str] = ()
) -> list[tuple[str, float]]:
    """The ``k`` words whose rows make the smallest angle with a word (itself left out) or a vector.

    Args:
        vectors: one row per word.
        words: the name of each row.
        of: one of the words, or any vector.
        k: how many to return.
        exclude: words not to return.

    Returns:
        (word, cosine), nearest first; ties in the order of `words`.

    Raises:
        InputError: an unknown word, or not one name per row.

    >>> rows = np.array([[1.0, 0], [0.9, 0.1], [0, 1]])
    >>> neighbours(rows, ["cat", "kitten", "law"], "cat", k=1)[0][0]
    'kitten'
    """
    where = _index(vectors, words)
    if isinstance(of, str):
        exclude, vector = [*exclude, of], array(vectors)[_find(where, of)]
    else:
        vector = array(of)
    direction = unit_sphere(vector[None, :])[0]
    cosines = unit_sphere(vectors) @ direction
    left_out = {_find(where, word) for word in exclude}
    order = [i for i in np.argsort(-cosines, kind="stable") if i not in left_out]
    return [(words[i], float(cosines[i])) for i in order[:k]]


def analogy(
    vectors: Vectors, words: Sequence[str], a: str, b: str, c: str, k: int = 5, exclude_asked: bool = True
) -> list[tuple[str, float]]:
    """Words nearest (by angle) to ``a − b + c``: *king − man + woman*.

    Args:
        vectors: one row per word, used as they are (not scaled to unit length first).
        words: the name of each row.
        a: the word to start from.
        b: the word to take away.
        c: the word to add.
        k: how many to return.
        exclude_asked: leave a, b and c out of the answers, as is usual (how much it matters: Linzen 2016).

    Returns:
        (word, cosine), nearest first.

    Raises:
        InputError: an unknown word.

    Follows Mikolov et al. 2013.

    >>> rows = np.array([[2.0, 1, 0], [2, -1, 0], [1, 1, 1], [1, -1, 1]])
    >>> analogy(rows, ["king", "queen", "man", "woman"], "king", "man", "woman")[0][0]
    'queen'
    """
    where, X = _index(vectors, words), array(vectors)
    target = X[_find(where, a)] - X[_find(where, b)] + X[_find(where, c)]
    return neighbours(X, words, target, k, exclude=(a, b, c) if exclude_asked else ())


def _index(vectors: Vectors, words: Sequence[str]) -> dict[str, int]:
    where = {word: i for i, word in enumerate(words)}
    if len(where) != len(vectors):
        raise InputError(f"{len(vectors)} rows need as many different names; there are {len(where)}")
    return where


def _find(where: dict[str, int], word: str) -> int:
    if word not in where:
        raise InputError(f"{word!r} is not among the words given")
    return where[word]
