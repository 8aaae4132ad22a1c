"""The right page by common words, a language model's rows, trained vectors. Writes records/retrieval.json.

    python benchmarks/retrieval.py [--only SEED]

About a CPU-minute for everything. `--only` makes one row and prints it.
"""

import argparse
import random

import torch
from recording import keep_record, made_by

from support import zoo
from support.alignment.harness import Harness
from support.alignment.nearest import InvertedFile, exact_search
from support.alignment.retrieval import BM25, RetrievalEncoder, mean_rows, recall_at, train_encoder
from support.core import seed_everything
from support.inside.hooks import run_with_cache
from support.text import Vocabulary
from support.worlds.pages import all_words, pages
from support.worlds.shop import Problem, about

SEEDS = (0, 1, 2)
PAGES, TRAINED = 300, 1500
KS = (1, 5, 20)
STEPS = (0, 5, 10, 20, 50, 100)
CELLS, PROBES = 40, (1, 2, 4, 8, 16, 40)


def recalls(scores: torch.Tensor) -> list[float]:
    """Recall at 1, 5 and 20; query `i` belongs to document `i`."""
    return [round(recall_at(scores, torch.arange(len(scores)), k), 4) for k in KS]


def mean_streams(texts) -> list[torch.Tensor]:
    """After each layer of the story model, each text as the mean of its words' residual stream."""
    stories, rows = zoo.load("stories"), []
    names = [f"residual.{2 * layer + 2}" for layer in range(stories.model.config.n_layers)]
    for text in texts:
        ids = stories.vocabulary.encode(["<BOS>", *(word for word in text if word in stories.vocabulary)])
        kept = run_with_cache(stories.model, ids, names)[1]
        rows.append(torch.stack([kept[name][0, 1:].mean(0) for name in names]))
    return list(torch.stack(rows, dim=1))


@torch.no_grad()
def by_rows(queries, documents) -> dict[str, list[float]]:
    """The mean row of a language model's embedding, and the mean of its stream after each layer.

    As they are, and "centred": with the mean of all texts taken away.
    """
    stories = zoo.load("stories")
    table = stories.model.embedding.weight.detach()
    ways = {"rows": [mean_rows(table, stories.vocabulary, texts) for texts in (queries, documents)]}
    for layer, pair in enumerate(zip(*map(mean_streams, (queries, documents)), strict=True)):
        ways[f"stream after layer {layer}"] = list(pair)
    found = {}
    for name, (q, d) in ways.items():
        for label, shift in ((name, False), (f"{name}, centred", True)):
            a, b = (x - x.mean(0) if shift else x for x in (q, d))
            found[label] = recalls(
                torch.nn.functional.normalize(a, dim=1) @ torch.nn.functional.normalize(b, dim=1).T
            )
    return found


class Search:
    """A tool that gives back the page that the encoder finds nearest to a request."""

    def __init__(self, encoder: RetrievalEncoder, documents: list[tuple[str, ...]]) -> None:
        self.encoder, self.documents = encoder, documents
        self.vectors = encoder(documents).detach()

    def __call__(self, request: str) -> str:
        best = exact_search(self.vectors, self.encoder([request.split()]).detach(), k=1)
        return " ".join(self.documents[int(best)])


def end_to_end(encoder: RetrievalEncoder, there) -> dict[str, float]:
    """Questions answered with the page that the search brings, split by whether it was the right one."""
    shop, draw = zoo.load("shop"), random.Random(5)
    problems: list[Problem] = [about(page, draw, "person") for page in there]
    harness = Harness(shop.model, shop.vocabulary, {"find": Search(encoder, [p.words for p in there])})
    trajectories = harness.run_many([" ".join(p.question) for p in problems])
    found, right = [], []
    for trajectory, problem, page in zip(trajectories, problems, there, strict=True):
        found.append(bool(trajectory.calls) and trajectory.calls[0].result == " ".join(page.words))
        right.append(trajectory.answer() == problem.answer[0])
    hit, miss = ([r for f, r in zip(found, right, strict=True) if f == want] for want in (True, False))
    return {
        "recall by the model": round(sum(found) / len(found), 4),
        "reader, right page": round(sum(hit) / max(1, len(hit)), 4),
        "reader, wrong page": round(sum(miss) / max(1, len(miss)), 4),
        "accuracy": round(sum(right) / len(right), 4),
    }


def row(seed: int) -> dict:
    """One run: fresh pages, a fresh encoder, recall and the accuracy from end to end as it learns."""
    seed_everything(seed)
    there = pages(PAGES, seed, test=True)
    queries, documents = [p.clues for p in there], [p.words for p in there]
    bm25 = BM25(documents)
    found = {"seed": seed}
    for name, asked in (("BM25", queries), ("BM25, the page's own words", [p.subject for p in there])):
        found[name] = recalls(torch.stack([bm25.scores(query) for query in asked]))
    found |= by_rows(queries, documents)
    pairs = [(p.clues, p.words) for p in pages(TRAINED, 1000 + seed)]
    encoder = RetrievalEncoder(Vocabulary(all_words()))
    found["encoder"], done = [], 0
    for steps in STEPS:
        if steps > done:
            train_encoder(encoder, pairs, steps=steps - done, seed=1000 * seed + steps)
        done = steps
        with torch.no_grad():
            scores = encoder(queries) @ encoder(documents).T
        found["encoder"].append({"steps": steps, "recall": recalls(scores), **end_to_end(encoder, there)})
    return found | {"cells": cells(encoder, there, seed)}


def cells(encoder: RetrievalEncoder, there, seed: int) -> list[dict[str, float]]:
    """Recall at 1 and the share of documents that are looked at, by cells probed, among 2,156 pages."""
    documents = [p.words for p in there + pages(1856, 2000 + seed)]
    with torch.no_grad():
        vectors, asked = encoder(documents), encoder([p.clues for p in there])
    index = InvertedFile(vectors, CELLS, seed=seed)
    rows = []
    for probes in PROBES:
        best, examined = index.search(asked, k=1, probes=probes)
        hit = (best[:, 0] == torch.arange(len(there))).double().mean().item()
        rows.append(
            {
                "probes": probes,
                "recall": round(hit, 4),
                "share": round(examined.double().mean().item() / len(documents), 4),
            }
        )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", type=int, metavar="SEED")
    only = parser.parse_args().only
    seed_everything()
    if only is not None:
        print(row(only))
        return
    runs = [row(seed) for seed in SEEDS]
    keep_record("retrieval", {**made_by("retrieval"), "pages": PAGES, "ks": KS, "runs": runs})


if __name__ == "__main__":
    main()
