"""Retrieval: BM25 and the searches against other libraries, the loss written out, the record."""

import math

import pytest
import torch
import torch.nn.functional as F

from support import zoo
from support.alignment.nearest import InvertedFile, exact_search
from support.alignment.retrieval import (
    BM25,
    RetrievalEncoder,
    contrastive_loss,
    mean_rows,
    ranks,
    recall_at,
    train_encoder,
)
from support.core import InputError
from support.text import Vocabulary
from support.worlds.pages import all_words, pages

PAGES = pages(100, seed=3)
DOCUMENTS = [page.words for page in PAGES]


def test_bm25_is_the_librarys_with_another_idf():
    """rank_bm25 weights rare words by ln((N − n + ½)/(n + ½)); with our idf put in, scores must agree."""
    library = pytest.importorskip("rank_bm25").BM25Okapi([list(d) for d in DOCUMENTS], k1=1.5, b=0.75)
    ours = BM25(DOCUMENTS)
    library.idf = dict(ours.idf)
    for query in (["bear", "book"], ["the", "hill", "nothing"], ["a", "a", "duck"]):
        assert ours.scores(query).tolist() == pytest.approx(library.get_scores(query).tolist(), abs=1e-12)


def test_bm25_on_paper():
    found = BM25([["a", "a", "b"], ["b"]], k1=1.0, b=0.5).scores(["a"])
    norm = 1.0 * (0.5 + 0.5 * 3 / 2)
    assert found.tolist() == pytest.approx([math.log(1 + 1.5 / 1.5) * 2 * 2 / (2 + norm), 0.0])


def test_the_loss_is_the_sum_written_out():
    q, d = (F.normalize(torch.randn(4, 6, dtype=torch.float64), dim=1) for _ in range(2))
    by_hand = 0.0
    for i in range(4):
        scores = [float(q[i] @ d[j]) / 0.1 for j in range(4)]
        by_hand -= (scores[i] - math.log(sum(map(math.exp, scores)))) / 4
    assert float(contrastive_loss(q, d, temperature=0.1)) == pytest.approx(by_hand, abs=1e-12)


def test_the_encoder_ignores_padding_and_unknown_words():
    encoder = RetrievalEncoder(Vocabulary(["a", "b", "c"]), d_model=5)
    alone, beside = encoder([["a", "b"]]), encoder([["a", "b", "?"], ["a", "b", "c", "a"]])
    assert torch.allclose(alone[0], beside[0], atol=1e-6)
    assert encoder([["a", "b"]]).norm().item() == pytest.approx(1.0, abs=1e-6)


def test_ranks_count_ties_against_the_right_one():
    scores = torch.tensor([[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]])
    assert ranks(scores, torch.tensor([0, 2])).tolist() == [3, 1]
    assert recall_at(scores, torch.tensor([0, 2]), 1) == 0.5
    assert recall_at(scores, torch.tensor([0, 2]), 3) == 1.0
    with pytest.raises(InputError, match="k=4"):
        recall_at(scores, torch.tensor([0, 2]), 4)


def test_searches_agree_with_faiss():
    faiss = pytest.importorskip("faiss")
    documents, queries = (F.normalize(torch.randn(n, 16), dim=1) for n in (300, 20))
    flat = faiss.IndexFlatIP(16)
    flat.add(documents.numpy())
    assert exact_search(documents, queries, 5).tolist() == flat.search(queries.numpy(), 5)[1].tolist()
    ours = InvertedFile(documents, cells=12)
    theirs = faiss.IndexIVFFlat(faiss.IndexFlatIP(16), 16, 12, faiss.METRIC_INNER_PRODUCT)
    # the same cells: their search must find what ours finds
    theirs.quantizer.add(ours.centres.numpy())
    theirs.is_trained = True
    theirs.add(documents.numpy())
    for probes in (1, 3, 12):
        theirs.nprobe = probes
        found, _ = ours.search(queries, 5, probes)
        assert found.tolist() == theirs.search(queries.numpy(), 5)[1].tolist()


def test_more_cells_look_at_more_and_all_of_them_are_exact():
    documents, queries = (F.normalize(torch.randn(n, 8), dim=1) for n in (200, 10))
    index = InvertedFile(documents, cells=8)
    examined = [int(index.search(queries, 1, p)[1].sum()) for p in (1, 2, 4, 8)]
    assert examined == sorted(examined) and examined[-1] == 2000
    assert index.search(queries, 3, 8)[0].tolist() == exact_search(documents, queries, 3).tolist()
    with pytest.raises(InputError, match="probes=9"):
        index.search(queries, 1, 9)
    with pytest.raises(InputError, match="cells=201"):
        InvertedFile(documents, cells=201)


def test_a_trained_encoder_finds_pages_whose_subjects_never_stood_together():
    encoder = RetrievalEncoder(Vocabulary(all_words()))
    pairs = [(p.clues, p.words) for p in pages(800, seed=1)]
    train_encoder(encoder, pairs, steps=40)
    there = pages(200, seed=2, test=True)
    with torch.no_grad():
        scores = encoder([p.clues for p in there]) @ encoder([p.words for p in there]).T
    assert recall_at(scores, torch.arange(200), 1) > 0.9


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="one document"):
        BM25([[], []])
    with pytest.raises(InputError, match="Text 1"):
        mean_rows(torch.eye(2), Vocabulary(["a", "b"]), [["a"], ["?"]])
    with pytest.raises(InputError, match="do not fill"):
        train_encoder(RetrievalEncoder(Vocabulary(["a"])), [(["a"], ["a"])], batch_size=2)


def test_the_record_says_what_the_page_says(script):
    study, record = script("retrieval"), zoo.record("retrieval")
    assert [run["seed"] for run in record["runs"]] == list(study.SEEDS)
    for run in record["runs"]:
        first, last = run["encoder"][0], run["encoder"][-1]
        assert run["BM25"] == [0.0, 0.0, 0.0] and run["BM25, the page's own words"][0] > 0.9
        assert first["recall"][0] < 0.02 and last["recall"][0] > 0.98
        assert run["rows, centred"][0] < 0.3
        for row in run["encoder"]:
            recall, right, wrong = (
                row["recall by the model"],
                row["reader, right page"],
                row["reader, wrong page"],
            )
            assert row["accuracy"] == pytest.approx(recall * right + (1 - recall) * wrong, abs=2e-4)


def test_a_row_of_the_record_is_made_anew(script):
    study, record = script("retrieval"), zoo.record("retrieval")
    there = pages(study.PAGES, 0, test=True)
    found = study.by_rows([p.clues for p in there], [p.words for p in there])
    assert found["rows"] == pytest.approx(record["runs"][0]["rows"], abs=0.01)
    for name in ("rows, centred", "stream after layer 0", "stream after layer 3, centred"):
        assert found[name] == pytest.approx(record["runs"][0][name], abs=0.02)


def test_the_streams_are_the_zoo_models_after_each_layer(script):
    """Computed once more with the model's own modules, without the hooks."""
    words, stories = ["the", "cat", "meowed"], zoo.load("stories")
    model, ids = stories.model, stories.vocabulary.encode(["<BOS>", "the", "cat", "meowed"])
    kept = script("retrieval").mean_streams([words])
    assert len(kept) == model.config.n_layers
    seen = []
    hooks = [b.register_forward_hook(lambda _m, _i, out: seen.append(out)) for b in model.blocks]
    with torch.no_grad():
        model(torch.tensor([ids]))
    for hook in hooks:
        hook.remove()
    for found, out in zip(kept, seen, strict=True):
        stream = out[0] if isinstance(out, tuple) else out
        assert torch.allclose(found[0], stream[0, 1:].mean(0), atol=1e-5)
