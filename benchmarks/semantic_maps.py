"""One vocabulary under many maps. Writes support/zoo/records/semantic_maps.json.

    python benchmarks/semantic_maps.py

The nouns of the zoo's semantic model: a concept plane, PCA, and t-SNE with several perplexities and seeds;
about 10 s.
"""

import numpy as np
from recording import begin_record, keep_record

from support import zoo
from support.core import seed_everything
from support.inside import Map, concept_plane, neighbours_kept, pca, trustworthiness, tsne
from support.worlds.semantic import KINDS, NOUNS

PERPLEXITIES = (2, 5, 15)
SEEDS = (0, 1, 2, 3, 4, 5)
NEAR = 5


def rows() -> np.ndarray:
    """The nouns' rows of the embedding."""
    entry = zoo.load("semantic")
    table = entry.model.embedding.weight.detach().double().numpy()
    return table[[entry.vocabulary.id(noun) for noun in NOUNS]]


def measured(X: np.ndarray, drawn: Map) -> dict:
    """A map with its honesty numbers."""
    found = {"points": [[round(float(x), 3) for x in point] for point in drawn.points]}
    found |= {"trust": round(trustworthiness(X, drawn.points, NEAR), 4)}
    found |= {"kept": round(neighbours_kept(X, drawn.points, NEAR), 4)}
    return found | ({} if drawn.share is None else {"share": round(drawn.share, 4)})


def one_map(X: np.ndarray, name: str) -> dict:
    """The map of this name: ``concept plane``, ``PCA``, or ``t-SNE``, a perplexity and a seed."""
    if name == "PCA":
        return measured(X, pca(X))
    if name == "concept plane":
        row = dict(zip(NOUNS, X, strict=True))
        return measured(X, concept_plane(X, row["woman"] - row["man"], row["king"] - row["man"]))
    perplexity, seed = map(int, name.split()[1:])
    return measured(X, tsne(X, perplexity, seed))


def names() -> list[str]:
    """All the maps."""
    return ["concept plane", "PCA", *(f"t-SNE {p} {s}" for p in PERPLEXITIES for s in SEEDS)]


def nearest(X: np.ndarray) -> list[list[int]]:
    """Each noun's nearest in the space, the nearest first, as numbers of nouns."""
    apart = np.linalg.norm(X[:, None] - X[None], axis=-1) + np.diag([np.inf] * len(X))
    return apart.argsort(axis=1)[:, :NEAR].tolist()


def main() -> None:
    seed_everything()
    X = rows()
    kept = begin_record("semantic_maps", {}, under="maps", words=list(NOUNS))
    kept |= {"kinds": [KINDS[noun] for noun in NOUNS], "near": nearest(X)}
    kept["maps"] = {name: one_map(X, name) for name in names()}
    keep_record("semantic_maps", kept, indent=None)


if __name__ == "__main__":
    main()
