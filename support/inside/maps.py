"""Flat maps of a space of many dimensions, each with the number that says how far it can be trusted.

A linear map (concept plane, PCA) tells which *share* of the variance it shows. A neighbour map (t-SNE,
UMAP) has no axes and no share; how well it keeps neighbours is measured by `trustworthiness` and
`neighbours_kept`, which apply to every map. Follows *workbench* note 2, §4 and appendix A.
"""

import functools
import warnings
from dataclasses import dataclass
from types import ModuleType
from typing import Literal

import numpy as np
from jaxtyping import Float, Num
from torch import Tensor

from support.core import InputError, optional

Vectors = Num[np.ndarray, "word d"] | Num[Tensor, "word d"]
Vector = Num[np.ndarray, " d"] | Num[Tensor, " d"]


@dataclass(frozen=True)
class Map:
    """Words as points of a plane, with what the map shows of the space.

    Attributes:
        points: one row of coordinates per word.
        share: the part of the (centred) variance that the map shows, 0 to 1; None if it is no projection.
        axes: the directions (orthonormal rows) that became the map's axes; None for a map that has none.
        shares: the share of each axis; for PCA of *all* components, also of those not drawn.
    """

    points: Float[np.ndarray, "word axis"]
    share: float | None = None
    axes: Float[np.ndarray, "axis d"] | None = None
    shares: Float[np.ndarray, " component"] | None = None


def array(vectors: Num[np.ndarray, "..."] | Num[Tensor, "..."]) -> Float[np.ndarray, "..."]:
    """Any array or tensor as float64 NumPy, off the device and off the graph.

    Raises:
        InputError: a number in it is NaN or infinite.

    >>> array(np.array([1, 2])).dtype
    dtype('float64')
    """
    if isinstance(vectors, Tensor):
        vectors = vectors.detach().cpu().double().numpy()
    found = np.asarray(vectors, dtype=np.float64)
    if not np.isfinite(found).all():
        raise InputError("A map needs finite numbers, and these vectors hold NaN or infinity; look at them.")
    return found


def gram_schmidt(*directions: Vector) -> Float[np.ndarray, "axis d"]:
    """Unit vectors at right angles, each along what is new in its direction after those before it.

    Args:
        directions: one or more vectors of equal length.

    Raises:
        InputError: a direction is zero, or lies in the span of those before it.

    >>> gram_schmidt(np.array([0, 2, 0]), np.array([1, 5, 0]))
    array([[0., 1., 0.],
           [1., 0., 0.]])
    """
    axes: list[np.ndarray] = []
    for number, direction in enumerate(map(array, directions), 1):
        length = np.linalg.norm(direction)
        rest = direction.copy()
        # Twice: once leaves a rounding error as large as what was taken away.
        for axis in axes * 2:
            rest -= (rest @ axis) * axis
        new = np.linalg.norm(rest)
        if new <= 1e-10 * length or length == 0:
            problem = f"direction {number} adds nothing to those before it"
            raise InputError(f"{problem}; choose another")
        axes.append(rest / new)
    return np.array(axes)


def concept_plane(vectors: Vectors, *directions: Vector) -> Map:
    """Where words fall on meanings that *you* choose: dot products with the directions made orthonormal.

    Args:
        vectors: one row per word.
        directions: usually two; typically differences of rows, such as ``E[queen] - E[king]``.

    Returns:
        A `Map`; coordinates are measured from the origin, the share is that of the variance about the mean.

    Raises:
        InputError: directions that `gram_schmidt` refuses, or words that all lie on one point.

    >>> words = np.array([[2.0, 1, 0], [2, -1, 0], [1, 1, 1], [1, -1, 1]])
    >>> concept_plane(words, words[0] - words[1], words[0] - words[2]).points.round(2)
    array([[ 1.  , 1.41],
           [-1.  , 1.41],
           [ 1.  , 0.  ],
           [-1.  , 0.  ]])
    """
    axes, X = gram_schmidt(*directions), array(vectors)
    points, whole = X @ axes.T, _spread(X)
    along = [_sum_of_squares(points[:, [i]]) for i in range(len(axes))]
    shares = np.array(along) / whole
    return Map(points, float(shares.sum()), axes, shares)


def pca(vectors: Vectors, components: int = 2) -> Map:
    """The plane of the largest variance; no plane shows a larger share.

    Args:
        vectors: one row per word; they are centred first.
        components: how many axes to keep; `shares` has the share of every component.

    Raises:
        InputError: more components than there can be, or all words on one point.

    The sign of an axis is free; here the largest coordinate of the axis is positive.

    >>> m = pca(np.array([[0.0, 0, 0], [4, 0, 0], [0, 1, 0], [4, 1, 0]]), components=1)
    >>> round(m.share, 4), m.axes.round(2)
    (0.9412, array([[1., 0., 0.]]))
    """
    X = array(vectors)
    most = min(X.shape)
    if not 1 <= components <= most:
        raise InputError(f"{X.shape[0]} words in {X.shape[1]} dimensions have 1 to {most} components")
    _spread(X)  # refuses words that all lie on one point
    fitted = optional("sklearn.decomposition", extra="maps").PCA(svd_solver="full").fit(X)
    axes = fitted.components_[:components]
    axes = axes * np.sign(axes[np.arange(len(axes)), np.abs(axes).argmax(1)])[:, None]
    shares = fitted.explained_variance_ratio_
    return Map((X - fitted.mean_) @ axes.T, float(shares[:components].sum()), axes, shares)


def remove_top(vectors: Vectors, components: int) -> Float[np.ndarray, "word d"]:
    """Centre the words and flatten their first principal components, where frequency often hides.

    Args:
        vectors: one row per word.
        components: how many to take away.

    Raises:
        InputError: as `pca`.

    Follows Mu & Viswanath 2018, "All-but-the-Top".

    >>> remove_top(np.array([[0.0, 0], [4, 1], [0, 1], [4, 0]]), components=1).round(2) + 0.0
    array([[ 0. , -0.5], [ 0. , 0.5], [ 0. , 0.5], [ 0. , -0.5]])
    """
    X = array(vectors)
    axes = pca(X, components).axes
    assert axes is not None  # a projection has axes
    centred = X - X.mean(0)
    return centred - centred @ axes.T @ axes


def unit_sphere(vectors: Vectors) -> Float[np.ndarray, "word d"]:
    """Every row scaled to length 1: only directions are left, and lengths (often frequency) are gone.

    Raises:
        InputError: a row is zero and has no direction.

    >>> unit_sphere(np.array([[3.0, 4.0]]))
    array([[0.6, 0.8]])
    """
    X = array(vectors)
    lengths = np.linalg.norm(X, axis=1, keepdims=True)
    if (lengths == 0).any():
        raise InputError(f"row {int(lengths.argmin())} is zero and has no direction; leave it out")
    return X / lengths


def tsne(
    vectors: Vectors,
    perplexity: float | int = 10,
    seed: int = 0,
    init: Literal["random", "pca"] = "random",
) -> Map:
    """A drawing that tries to keep who is near whom; its axes mean nothing, its gaps often little.

    Args:
        vectors: one row per word.
        perplexity: roughly how many neighbours count as near; below the number of words.
        seed: another seed is another drawing, from a random start.
        init: where the descent starts: at random, so that the seed's freedom shows, or at the PCA map, as is
            scikit-learn's default.

    Raises:
        InputError: the perplexity is not between 1 and the number of words.

    Follows van der Maaten & Hinton 2008, by scikit-learn.

    >>> tsne(np.eye(8), perplexity=2).points.shape
    (8, 2)
    """
    X = array(vectors)
    if not 1 <= perplexity < len(X):
        raise InputError(f"for {len(X)} words choose a perplexity from 1 to below {len(X)}")
    drawing = optional("sklearn.manifold", extra="maps").TSNE(
        perplexity=perplexity, init=init, random_state=seed, n_jobs=1
    )
    # `n_jobs` does not reach the descent, whose threads wait for one another in every step.
    with optional("threadpoolctl", extra="maps").threadpool_limits(limits=1):
        return Map(drawing.fit_transform(X).astype(np.float64))


def umap(
    vectors: Vectors,
    neighbours: int = 10,
    min_dist: float | int = 0.1,
    seed: int = 0,
    init: Literal["random", "spectral", "pca"] = "random",
) -> Map:
    """t-SNE's faster relative; the same cautions hold.

    Args:
        vectors: one row per word.
        neighbours: how many neighbours count as near, from 2 to below the number of words.
        min_dist: how tightly points may sit together on the page.
        seed: another seed is another drawing.
        init: where the descent starts; umap-learn's own default is ``spectral``.

    Raises:
        InputError: `neighbours` is out of range.
        ImportError: umap-learn is not installed (the extra ``maps``).

    Follows McInnes, Healy & Melville 2018, by umap-learn.
    """
    X = array(vectors)
    if not 2 <= neighbours < len(X):
        raise InputError(f"for {len(X)} words choose 2 to {len(X) - 1} neighbours")
    with warnings.catch_warnings():
        # umap-learn warns that tensorflow is missing and that a seed means one thread: both are as we want.
        warnings.simplefilter("ignore")
        method = _umap_learn().UMAP
        # numba, underneath, sets the number of threads of everybody's OpenMP, torch's too: put it back.
        with optional("threadpoolctl", extra="maps").threadpool_limits(limits=1):
            drawing = method(
                n_neighbors=neighbours,
                min_dist=min_dist,
                init=init,
                random_state=seed,
                n_jobs=1,
                # of more words umap-learn looks for them without all distances
                precomputed_knn=_nearest(X, neighbours) if len(X) < 4096 else (None, None, None),
            )
            return Map(drawing.fit_transform(X).astype(np.float64))


@functools.cache
def _umap_learn() -> ModuleType:
    """umap-learn; what it compiles is kept on disk, so that only the first map of all takes ten seconds."""
    found = optional("umap", extra="maps")
    for part in ("umap_", "layouts", "utils"):
        for compiled in vars(optional(f"umap.{part}", extra="maps")).values():
            if hasattr(compiled, "enable_caching"):
                compiled.enable_caching()
    return found


def _nearest(X: np.ndarray, neighbours: int) -> tuple[np.ndarray, np.ndarray]:
    """Each word's nearest, itself first, and their distances: as umap-learn has them once it has compiled."""
    rows = X.astype(np.float32)
    distances = np.sqrt([((row - rows) ** 2).sum(1, dtype=np.float64) for row in rows]).astype(np.float32)
    nearest = distances.argsort(axis=1, kind="stable")[:, :neighbours].astype(np.int32)
    return nearest, np.take_along_axis(distances, nearest, axis=1)


def _sum_of_squares(X: np.ndarray) -> float:
    """Squared distances from the mean row, added up: the variance of all columns, times the rows."""
    return float(((X - X.mean(0)) ** 2).sum())


def _spread(X: np.ndarray) -> float:
    """The sum of squares of words that shall be mapped.

    Raises:
        InputError: it is zero.
    """
    spread = _sum_of_squares(X)
    if spread == 0:
        raise InputError("all words lie on one point; there is no variance to map")
    return spread
