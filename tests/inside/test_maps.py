"""The maps against linear algebra done another way, and against spaces whose answer is known."""

import numpy as np
import pytest
import torch
from scipy.spatial.distance import cdist

from support.core import InputError
from support.inside.map_quality import neighbours_kept, trustworthiness
from support.inside.maps import (
    concept_plane,
    gram_schmidt,
    pca,
    remove_top,
    tsne,
    umap,
    unit_sphere,
)
from support.inside.similarity import analogy, cosine, cosines, neighbours

# The hand example of workbench note 2, appendix A.
WORDS = ["king", "queen", "man", "woman"]
HAND = np.array([[2.0, 1, 0], [2, -1, 0], [1, 1, 1], [1, -1, 1]])


@pytest.fixture
def cloud():
    # Unequal spreads, and a mean far from the origin.
    return np.random.default_rng(3).normal(size=(30, 8)) * np.arange(1, 9) + 5


def test_gram_schmidt_is_qr_up_to_sign(cloud):
    axes = gram_schmidt(*cloud[:4])
    q = np.linalg.qr(cloud[:4].T).Q.T
    np.testing.assert_allclose(np.abs(axes @ q.T), np.eye(4), atol=1e-12)
    assert all(axis @ direction > 0 for axis, direction in zip(axes, cloud, strict=False))


def test_gram_schmidt_stays_orthogonal_for_nearly_equal_directions():
    base = np.random.default_rng(0).normal(size=50)
    axes = gram_schmidt(base, base + 1e-7 * np.random.default_rng(1).normal(size=50))
    assert abs(axes[0] @ axes[1]) < 1e-14


@pytest.mark.parametrize("second", [np.zeros(3), np.array([2.0, 2, 0])])
def test_gram_schmidt_refuses_a_direction_that_adds_nothing(second):
    with pytest.raises(InputError, match="direction 2 adds nothing"):
        gram_schmidt(np.array([1.0, 1, 0]), second)


def test_the_hand_example_of_the_source():
    plane = concept_plane(HAND, HAND[0] - HAND[1], HAND[0] - HAND[2])
    np.testing.assert_allclose(plane.axes, [[0, 1, 0], [2**-0.5, 0, -(2**-0.5)]], atol=1e-15)
    np.testing.assert_allclose(plane.points, [[1, 2**0.5], [-1, 2**0.5], [1, 0], [-1, 0]], atol=1e-15)
    assert plane.share == pytest.approx(1.0)  # these four words lie in a plane


def test_pca_is_the_eigendecomposition_of_the_covariance(cloud):
    found = pca(cloud, components=3)
    values, vectors = np.linalg.eigh(np.cov(cloud.T))
    np.testing.assert_allclose(found.shares, values[::-1] / values.sum(), atol=1e-12)
    np.testing.assert_allclose(np.abs(found.axes @ vectors[:, ::-1][:, :3]), np.eye(3), atol=1e-10)
    np.testing.assert_allclose(found.points.var(0, ddof=1), values[::-1][:3])
    assert found.share == pytest.approx(found.shares[:3].sum())


def test_no_concept_plane_shows_more_than_pca(cloud):
    rng = np.random.default_rng(0)
    best = pca(cloud).share
    shares = [concept_plane(cloud, *rng.normal(size=(2, 8))).share for _ in range(50)]
    assert max(shares) < best
    assert concept_plane(cloud, *pca(cloud).axes).share == pytest.approx(best)


def test_tensors_off_the_graph_are_welcome(cloud):
    rows = torch.nn.Parameter(torch.tensor(cloud))
    np.testing.assert_array_equal(pca(rows).points, pca(cloud).points)


def test_remove_top_takes_exactly_those_components(cloud):
    rest = remove_top(cloud, 2)
    shares = pca(cloud).shares
    np.testing.assert_allclose(pca(rest).shares[:6], shares[2:] / shares[2:].sum(), atol=1e-12)
    np.testing.assert_allclose(rest @ pca(cloud).axes.T, 0, atol=1e-12)


def test_unit_sphere_keeps_directions_and_refuses_zero(cloud):
    units = unit_sphere(cloud)
    np.testing.assert_allclose(np.linalg.norm(units, axis=1), 1)
    np.testing.assert_allclose(units * np.linalg.norm(cloud, axis=1)[:, None], cloud)
    with pytest.raises(InputError, match="row 1 is zero"):
        unit_sphere(np.array([[1.0, 0], [0, 0]]))


@pytest.fixture(scope="module")
def groups():
    """Four tight groups, far apart, in ten dimensions."""
    rng = np.random.default_rng(0)
    return np.repeat(10 * np.eye(10)[:4], 10, axis=0) + 0.1 * rng.normal(size=(40, 10))


@pytest.mark.parametrize("draw", [lambda X: tsne(X, perplexity=8), lambda X: umap(X, neighbours=8)])
def test_drawings_keep_groups_together_and_promise_no_axes(groups, draw):
    threads = torch.get_num_threads()
    drawing = draw(groups)
    assert torch.get_num_threads() == threads  # numba, under UMAP, sets it when it starts
    label = np.repeat(np.arange(4), 10)
    distances = cdist(drawing.points, drawing.points) + np.diag([np.inf] * 40)
    assert (label[distances.argmin(1)] == label).all()
    assert drawing.share is None and drawing.axes is None
    assert trustworthiness(groups, drawing.points) > 0.9


@pytest.mark.parametrize("draw", [tsne, umap])
def test_a_seed_gives_one_drawing(groups, draw):
    np.testing.assert_array_equal(draw(groups, seed=1).points, draw(groups, seed=1).points)
    assert not np.allclose(draw(groups, seed=1).points, draw(groups, seed=2).points)


def test_from_the_pca_map_a_seed_changes_nothing(groups):
    one, two = (tsne(groups, perplexity=5, seed=seed, init="pca").points for seed in (0, 1))
    assert np.allclose(one, two)
    assert not np.allclose(one, tsne(groups, perplexity=5, seed=0).points)


@pytest.mark.parametrize("call", [lambda X: tsne(X, perplexity=40), lambda X: umap(X, neighbours=40)])
def test_too_many_neighbours_are_refused(groups, call):
    with pytest.raises(InputError, match="for 40 words"):
        call(groups)


def test_honesty_numbers_by_their_definition(cloud):
    points = np.random.default_rng(1).normal(size=(30, 2))

    def nearest(rows, k):
        d = cdist(rows, rows)
        np.fill_diagonal(d, np.inf)
        return d.argsort(1)[:, :k]

    k, n = 4, len(cloud)
    kept = np.mean([len(set(a) & set(b)) for a, b in zip(nearest(cloud, k), nearest(points, k), strict=True)])
    assert neighbours_kept(cloud, points, k) == pytest.approx(kept / k)
    ranks = np.empty((n, n), dtype=int)
    np.put_along_axis(ranks, nearest(cloud, n), np.arange(1, n + 1), axis=1)
    penalty = sum(max(0, ranks[i, j] - k) for i in range(n) for j in nearest(points, k)[i])
    expected = 1 - 2 / (n * k * (2 * n - 3 * k - 1)) * penalty
    assert trustworthiness(cloud, points, k) == pytest.approx(expected)


def test_cosine_and_neighbours_by_hand():
    assert cosine(np.array([1.0, 0]), np.array([1.0, 1])) == pytest.approx(2**-0.5)
    np.testing.assert_allclose(cosines(HAND), [[cosine(a, b) for b in HAND] for a in HAND], atol=1e-15)
    found = neighbours(HAND, WORDS, "king", k=3)
    # dot products 3, 3, 1 over lengths √5, √3, √3 (times √5 for the king)
    expected = {"queen": 3 / 5, "man": 3 / 15**0.5, "woman": 1 / 15**0.5}
    assert [word for word, _ in found] == sorted(expected, key=expected.get, reverse=True)
    assert dict(found) == pytest.approx(expected)


def test_analogy_and_the_exclusion_that_matters():
    assert analogy(HAND, WORDS, "king", "man", "woman")[0] == ("queen", pytest.approx(1.0))
    # Squash the difference between the sexes: the answer is then the word asked about, unless it is excluded.
    flat = HAND * np.array([1, 0.05, 1])
    rows = flat + np.array([[0, 0, 0], [0, 0, 0.5], [0, 0, 0], [0, 0, 0]])
    assert analogy(rows, WORDS, "king", "man", "woman", exclude_asked=False)[0][0] == "king"
    assert analogy(rows, WORDS, "king", "man", "woman")[0][0] == "queen"


def test_unknown_words_and_bad_names_are_refused():
    with pytest.raises(InputError, match="'prince' is not among"):
        neighbours(HAND, WORDS, "prince")
    with pytest.raises(InputError, match="4 rows need as many"):
        neighbours(HAND, WORDS[:3], "king")
    with pytest.raises(InputError, match="zero vector"):
        cosine(np.zeros(2), np.ones(2))


@pytest.mark.parametrize("make", [pca, tsne, umap, unit_sphere])
@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_what_is_no_number_is_refused_in_a_sentence(make, wrong):
    vectors = np.eye(20)
    vectors[3, 4] = wrong
    with pytest.raises(InputError, match="hold NaN or infinity"):
        make(vectors)


def test_words_on_one_point_have_no_map():
    same = np.ones((3, 2))
    for draw in (pca, lambda words: concept_plane(words, np.eye(2)[0], np.eye(2)[1])):
        with pytest.raises(InputError, match="on one point"):
            draw(same)
