"""Finding the nearest vectors: all of them, or only those in the nearest cells."""

import torch
from jaxtyping import Float, Int
from torch import Tensor

from support.core import InputError, seeded_generator


def exact_search(
    documents: Float[Tensor, "document d"], queries: Float[Tensor, "query d"], k: int
) -> Int[Tensor, "query k"]:
    """The ``k`` documents with the largest dot products, best first; every document is looked at.

    Args:
        documents: vectors.
        queries: vectors of the same width.
        k: how many to find for each query.

    >>> exact_search(torch.eye(3), torch.tensor([[0.1, 0.9, 0.5]]), k=2).tolist()
    [[1, 2]]
    """
    return (queries @ documents.T).topk(k, dim=1).indices


class InvertedFile:
    """Approximate search: documents are sorted into cells, and a query looks into the nearest cells only.

    The cells are those of spherical k-means: each has a centre, and a document belongs to the centre with
    which it has the largest dot product.

    Args:
        documents: vectors of length 1.
        cells: how many.
        rounds: of k-means.
        seed: of the first centres.

    Raises:
        InputError: there are fewer documents than cells.

    Follows Jégou, Douze and Schmid 2011 (IVF), without their compression.

    >>> documents = torch.nn.functional.normalize(torch.randn(200, 8), dim=1)
    >>> index = InvertedFile(documents, cells=10)
    >>> found, looked_at = index.search(documents[:5], k=1, probes=10)  # all cells: exact
    >>> found[:, 0].tolist(), float(looked_at.double().mean())
    ([0, 1, 2, 3, 4], 200.0)
    """

    def __init__(
        self, documents: Float[Tensor, "document d"], cells: int, rounds: int = 10, seed: int = 0
    ) -> None:
        if not 1 <= cells <= len(documents):
            raise InputError(f"cells={cells} must lie between 1 and {len(documents)}, the documents.")
        self.documents = documents
        generator = seeded_generator(seed)
        first = torch.randperm(len(documents), generator=generator)[:cells]
        self.centres = documents[first].clone()
        for _ in range(rounds):
            self.cell = (documents @ self.centres.T).argmax(1)
            for i in range(cells):
                if (self.cell == i).any():  # an empty cell keeps its centre
                    self.centres[i] = torch.nn.functional.normalize(documents[self.cell == i].sum(0), dim=0)
        self.cell = (documents @ self.centres.T).argmax(1)

    def search(
        self, queries: Float[Tensor, "query d"], k: int, probes: int
    ) -> tuple[Int[Tensor, "query k"], Int[Tensor, " query"]]:
        """The best ``k`` documents of the ``probes`` nearest cells, and how many documents were looked at.

        Places for which the cells hold too few documents are −1.

        Args:
            queries: vectors of length 1.
            k: how many to find for each query.
            probes: how many cells each query looks into.

        Raises:
            InputError: ``probes`` is not between 1 and the number of cells.
        """
        if not 1 <= probes <= len(self.centres):
            raise InputError(f"probes={probes} must lie between 1 and {len(self.centres)}, the cells.")
        nearest = (queries @ self.centres.T).topk(probes, dim=1).indices
        examined = torch.stack([torch.isin(self.cell, row) for row in nearest])
        scores = (queries @ self.documents.T).masked_fill(~examined, -torch.inf)
        best = scores.topk(k, dim=1)
        return best.indices.masked_fill(best.values == -torch.inf, -1), examined.sum(1)
