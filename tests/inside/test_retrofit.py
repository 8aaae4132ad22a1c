"""Retrofitting against the linear system whose solution it approaches."""

import numpy as np
import pytest

from support.core import InputError
from support.inside import retrofit


def test_many_rounds_solve_the_linear_system():
    rng = np.random.default_rng(0)
    learned = rng.normal(size=(7, 3))
    kin = [(0, 1), (1, 2), (2, 0), (3, 4)]
    A = np.zeros((7, 7))
    for a, b in kin:
        A[a, b] = A[b, a] = 1
    degree = A.sum(1)
    mean = A / np.maximum(degree, 1)[:, None]
    # 2 x = learned + mean of kin, for words that have kin; the others stay.
    solution = np.linalg.solve(np.diag(1.0 + (degree > 0)) - mean, learned)
    np.testing.assert_allclose(retrofit(learned, kin, rounds=200), solution, atol=1e-12)
    np.testing.assert_array_equal(retrofit(learned, kin)[5:], learned[5:])


def test_the_given_vectors_are_left_alone():
    learned = np.arange(6.0).reshape(3, 2)
    retrofit(learned, [(0, 2)])
    np.testing.assert_array_equal(learned, np.arange(6.0).reshape(3, 2))


@pytest.mark.parametrize("pair", [(0, 3), (-1, 0), (1, 1)])
def test_wrong_pairs_are_refused(pair):
    with pytest.raises(InputError, match="pair"):
        retrofit(np.eye(3), [pair])
