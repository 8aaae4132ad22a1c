"""How far the drawings of t-SNE and UMAP depend on their start. Writes support/zoo/records/map_starts.json.

    python benchmarks/map_starts.py

The nouns of the zoo's semantic model, and three villages whose distances and widths are known, for several
perplexities, starts and seeds; about two minutes. On another machine the descents may end elsewhere.
"""

import itertools

import numpy as np
from recording import keep_record, made_by
from scipy.spatial import procrustes
from semantic_maps import NEAR, PERPLEXITIES, SEEDS, rows

from support.core import seed_everything
from support.inside import Map, neighbours_kept, trustworthiness, tsne, umap

STARTS = {"random": "random", "PCA": "pca"}
CROWDS = (2, 5, 10, 30, 60)  # perplexities for ninety houses


def ways() -> dict:
    """For each way to draw the nouns: the map of a seed."""
    found = {
        f"t-SNE, perplexity {p}, random start": lambda X, seed, p=p: tsne(X, p, seed) for p in PERPLEXITIES
    }
    return found | {
        "UMAP, 5 neighbours, random start": lambda X, seed: umap(X, neighbours=5, seed=seed),
        "t-SNE, perplexity 5, from the PCA map": lambda X, seed: tsne(X, 5, seed, init="pca"),
        "UMAP, 5 neighbours, spectral": lambda X, seed: umap(X, neighbours=5, seed=seed, init="spectral"),
    }


def honesty(X: np.ndarray, drawn: list[Map]) -> dict[str, list[float]]:
    """Of each drawing what it keeps, and of each pair of neighbouring seeds how far they disagree."""
    pages = [one.points for one in drawn]
    return {
        "kept": [round(neighbours_kept(X, page, NEAR), 4) for page in pages],
        "trust": [round(trustworthiness(X, page, NEAR), 4) for page in pages],
        "apart": [round(float(procrustes(a, b)[2]), 4) for a, b in itertools.pairwise(pages)],
    }


def villages() -> np.ndarray:
    """Thirty houses each: the second village ten from the first, the third, a narrow one, a hundred."""
    rng = np.random.default_rng(0)
    middle = np.zeros((3, 20))
    middle[:, 0] = 0, 10, 100
    return np.concatenate(
        [m + size * rng.normal(size=(30, 20)) for m, size in zip(middle, (1, 1, 0.2), strict=True)]
    )


def gaps(page: np.ndarray) -> tuple[float, float]:
    """How many times as far the third village is as the second, and how many times as wide the first."""
    parts = page.reshape(3, 30, 2)
    centre = parts.mean(axis=1)
    near, far = (np.linalg.norm(centre[k] - centre[0]) for k in (1, 2))
    radius = np.linalg.norm(parts - centre[:, None], axis=2).mean(axis=1)
    return round(float(far / near), 3), round(float(radius[0] / radius[2]), 3)


def drawn_gaps(perplexity: int, start: str) -> dict[str, list[float]]:
    """The two numbers of `gaps` for each seed."""
    pages = [tsne(villages(), perplexity, seed, init=STARTS[start]).points for seed in SEEDS]
    farther, wider = zip(*map(gaps, pages), strict=True)
    return {"farther": list(farther), "wider": list(wider)}


def main() -> None:
    seed_everything()
    X, record = rows(), made_by("map_starts") | {"seeds": list(SEEDS)}
    record["nouns"] = {name: honesty(X, [draw(X, seed) for seed in SEEDS]) for name, draw in ways().items()}
    record["villages"] = {
        f"perplexity {p}, {start} start": drawn_gaps(p, start) for p in CROWDS for start in STARTS
    }
    keep_record("map_starts", record)
    for group in ("nouns", "villages"):
        for name, found in record[group].items():
            print(name, {what: (min(v), round(float(np.mean(v)), 3), max(v)) for what, v in found.items()})


if __name__ == "__main__":
    main()
