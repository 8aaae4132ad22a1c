"""Retrieval: which of many pages belongs to a question. By common words, or by vectors trained for it."""

import math
import random
from collections import Counter
from collections.abc import Sequence

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.alignment.optimise import minimise
from support.core import InputError, seed_everything
from support.text import Vocabulary
from support.training import TrainConfig

Words = Sequence[str]
TEMPERATURE = 0.05  # of the contrastive loss; a cosine of 1 becomes a logit of 20


class BM25:
    """Scores of documents by the words they share with a query, rare words counting more.

    Args:
        documents: each a list of words.
        k1: how fast a repeated word stops counting.
        b: how much long documents are marked down, between 0 and 1.

    Raises:
        InputError: there is no document, or all are empty.

    Follows Robertson and Zaragoza 2009, with the inverse document frequency of Lucene,
    ln(1 + (N − n + ½)/(n + ½)), which is never negative.

    >>> bm25 = BM25([["a", "bear", "growled"], ["a", "duck"], ["a", "bear", "and", "a", "duck"]])
    >>> [round(score, 3) for score in bm25.scores(["bear"]).tolist()]
    [0.492, 0.0, 0.384]
    """

    def __init__(self, documents: Sequence[Words], k1: float = 1.5, b: float = 0.75) -> None:
        if not any(documents):
            raise InputError("BM25 needs one document at least that holds a word.")
        self.counts = [Counter(document) for document in documents]
        self.k1, n = k1, len(documents)
        mean = sum(map(len, documents)) / n
        self.norms = [k1 * (1 - b + b * len(document) / mean) for document in documents]
        holding = Counter(word for counts in self.counts for word in counts)
        self.idf = {word: math.log(1 + (n - h + 0.5) / (h + 0.5)) for word, h in holding.items()}

    def scores(self, query: Words) -> Float[Tensor, " document"]:
        """The score of every document for one query; 0 where they share no word."""
        rows = zip(self.counts, self.norms, strict=True)
        return torch.tensor(
            [
                sum(self.idf[w] * c[w] * (self.k1 + 1) / (c[w] + norm) for w in query if c[w])
                for c, norm in rows
            ],
            dtype=torch.float64,
        )


def mean_rows(
    table: Float[Tensor, "vocab d_model"], vocabulary: Vocabulary, texts: Sequence[Words]
) -> Float[Tensor, "text d_model"]:
    """Each text as the mean of its words' rows; words that the vocabulary lacks are left out.

    Args:
        table: a row for each word of the vocabulary, such as a model's embedding.
        vocabulary: its words.
        texts: each a list of words.

    Raises:
        InputError: a text has no known word.

    >>> table = torch.tensor([[1.0, 0.0], [0.0, 1.0]])
    >>> mean_rows(table, Vocabulary(["a", "b"]), [["a", "b"], ["b", "?"]]).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    """
    ids = [[vocabulary.id(word) for word in text if word in vocabulary] for text in texts]
    empty = next((i for i, row in enumerate(ids) if not row), None)
    if empty is not None:
        raise InputError(f"Text {empty} has no word of the vocabulary; leave it out.")
    return torch.stack([table[row].mean(0) for row in ids])


class RetrievalEncoder(nn.Module):
    """A text as one vector of length 1: a weighted mean of a row for each word, with a learned weight.

    Args:
        vocabulary: its words; others are left out.
        d_model: numbers of a vector.

    >>> encoder = RetrievalEncoder(Vocabulary(["a", "b"]), d_model=4)
    >>> [round(float(x), 6) for x in encoder([["a", "b"], ["b"]]).detach().norm(dim=1)]
    [1.0, 1.0]
    """

    def __init__(self, vocabulary: Vocabulary, d_model: int = 32) -> None:
        super().__init__()
        self.vocabulary = vocabulary
        self.rows = nn.Embedding(len(vocabulary), d_model)
        self.weights = nn.Embedding(len(vocabulary), 1)
        nn.init.normal_(self.rows.weight, std=0.1)
        nn.init.zeros_(self.weights.weight)

    def forward(self, texts: Sequence[Words]) -> Float[Tensor, "text d_model"]:
        """The vectors of texts; their dot products are cosines."""
        ids = [[self.vocabulary.id(w) for w in text if w in self.vocabulary] for text in texts]
        longest = max(map(len, ids))
        padded = torch.tensor([row + [0] * (longest - len(row)) for row in ids])
        there = torch.arange(longest) < torch.tensor([[len(row)] for row in ids])
        weights = self.weights(padded)[..., 0].masked_fill(~there, -math.inf).softmax(-1)
        return F.normalize(torch.einsum("tw,twd->td", weights, self.rows(padded)), dim=-1)


def contrastive_loss(
    queries: Float[Tensor, "pair d_model"],
    documents: Float[Tensor, "pair d_model"],
    temperature: float = TEMPERATURE,
) -> Float[Tensor, ""]:
    """InfoNCE: each query is to choose its own document among all documents of the batch.

    Args:
        queries: vectors of length 1.
        documents: the same; row ``i`` belongs to query ``i``, the others are its negatives.
        temperature: divides the cosines.

    Follows van den Oord et al. 2018.

    >>> round(float(contrastive_loss(torch.eye(2), torch.eye(2), temperature=1.0)), 4)
    0.3133
    """
    return F.cross_entropy(queries @ documents.T / temperature, torch.arange(len(queries)))


def train_encoder(
    encoder: RetrievalEncoder,
    pairs: Sequence[tuple[Words, Words]],
    steps: int = 100,
    batch_size: int = 64,
    lr: float = 0.01,
    seed: int = 0,
) -> list[float]:
    """Train an encoder in place on pairs of a query and its document; returns the loss of each step.

    Args:
        encoder: what is trained, by Adam.
        pairs: (query, document).
        steps: updates.
        batch_size: pairs a step, each other's negatives.
        lr: the learning rate.
        seed: of the draws.

    Raises:
        InputError: there are fewer pairs than a batch holds.
        DivergedError: the loss or its gradient is no longer a number; the weights are those before.

    >>> encoder = RetrievalEncoder(Vocabulary(["a", "b", "x", "y"]), d_model=4)
    >>> losses = train_encoder(encoder, [(["a"], ["x"]), (["b"], ["y"])], steps=60, batch_size=2, lr=0.1)
    >>> losses[-1] < losses[0] / 10
    True
    """
    if len(pairs) < batch_size:
        raise InputError(f"{len(pairs)} pairs do not fill a batch of {batch_size}; give more.")
    draw = random.Random(seed)

    def loss(step: int) -> Tensor:
        queries, documents = zip(*draw.sample(pairs, batch_size), strict=True)
        return contrastive_loss(encoder(queries), encoder(documents))

    adam = TrainConfig(steps, lr=lr, min_lr=lr, betas=(0.9, 0.999), weight_decay=0.0, clip=None)
    return minimise(encoder, loss, adam)


def ranks(scores: Float[Tensor, "query document"], right: Int[Tensor, " query"]) -> Int[Tensor, " query"]:
    """The place of each query's right document, from 1; of equal scores the right one comes last.

    Args:
        scores: higher is better.
        right: the right document of each query.

    >>> ranks(torch.tensor([[0.1, 0.9, 0.9], [0.2, 0.1, 0.0]]), torch.tensor([1, 0])).tolist()
    [2, 1]
    """
    own = scores.gather(1, right[:, None])
    return (scores >= own).sum(1)


def recall_at(scores: Float[Tensor, "query document"], right: Int[Tensor, " query"], k: int) -> float:
    """The share of queries whose right document is among the ``k`` best.

    Args:
        scores: higher is better.
        right: the right document of each query.
        k: how many are looked at.

    Raises:
        InputError: ``k`` is not between 1 and the number of documents.

    >>> recall_at(torch.tensor([[0.1, 0.9, 0.9], [0.2, 0.1, 0.0]]), torch.tensor([1, 0]), k=1)
    0.5
    """
    if not 1 <= k <= scores.shape[1]:
        raise InputError(f"k={k} must lie between 1 and {scores.shape[1]}, the number of documents.")
    return (ranks(scores, right) <= k).double().mean().item()


def seeded_encoder(
    vocabulary: Vocabulary, pairs: Sequence[tuple[Words, Words]], seed: int = 0, steps: int = 100
) -> RetrievalEncoder:
    """A fresh encoder, trained by `train_encoder`; the same for the same seed.

    Args:
        vocabulary: its words.
        pairs: (query, document).
        seed: of its weights and of the draws; it sets the seeds of the process, too.
        steps: updates.

    >>> words, pairs = Vocabulary(["a", "b"]), [(["a"], ["b"])] * 64
    >>> one, again = (seeded_encoder(words, pairs, seed=1, steps=1) for _ in range(2))
    >>> torch.equal(one([["a", "b"]]), again([["a", "b"]])), one.training
    (True, False)
    """
    seed_everything(seed)
    encoder = RetrievalEncoder(vocabulary)
    train_encoder(encoder, pairs, steps=steps, seed=seed)
    return encoder.eval()
