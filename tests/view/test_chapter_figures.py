"""Figures of single chapters: masks, families, a state, coverage, counts of models, norms, a run to scrub."""

import math
from collections import Counter

import pytest
import torch

from support import zoo
from support.ancestors import MinGRU
from support.model import GPT, Encoder, EncoderDecoder, GPTConfig, Seq2SeqInputs
from support.view.live import find
from support.view.live.counts import MODELS, STORIES, TOTALS, by_part
from support.view.live.coverage import WORDS, coverage
from support.view.live.families import FAMILIES, ONE, SOURCE, families
from support.view.live.masks import KEYS, QUERIES, TEXTS, masks
from support.view.live.masks import WORDS as PLACES
from support.view.live.norms import CURVES, NORMS, WHATS, norms
from support.view.live.recurrence import KINDS, SUBJECT, WRITES, recurrence
from support.view.live.recurrence import WORDS as SENTENCE
from support.view.live.scrub import RUN, scrub
from support.worlds import CallingGame, StoryWorld


@pytest.mark.parametrize("causal", [True, False])
@pytest.mark.parametrize("padding", [True, False])
@pytest.mark.parametrize("packed", [True, False])
def test_masked_weights_are_torchs(causal, padding, packed):
    q, k = (torch.tensor(rows, dtype=torch.float64)[None] for rows in (QUERIES, KEYS))
    text = torch.tensor(TEXTS)
    seen = torch.ones(8, 8, dtype=torch.bool)
    seen = seen.tril() if causal else seen
    seen = seen & (text != 0) if padding else seen
    seen = seen & (text[:, None] == text) if packed else seen
    want = torch.nn.functional.scaled_dot_product_attention(
        q, k, torch.eye(8, dtype=torch.float64)[None], attn_mask=seen[None]
    )[0].nan_to_num()
    for query in range(1, 9):
        found = masks(causal, padding, packed, query)
        assert torch.tensor(found["weights"], dtype=torch.float64).sub(want).abs().max() < 1e-12
        assert found["open"] == int(seen.sum())
        here = found["queries"][query - 1]
        assert here["open"] == int(seen[query - 1].sum()) and here["word"] == PLACES[query - 1]
        assert here["pads"] == pytest.approx(want[query - 1, 6:].sum().item())
        assert ("no key is left open" in found["finding"]) == (here["open"] == 0)


@torch.no_grad()
@pytest.mark.parametrize("family", FAMILIES)
def test_a_word_attends_to_what_its_output_depends_on_in_a_model_of_the_family(family):
    """Another word in the place of one moves the outputs of all that may attend to it, and no others."""
    torch.manual_seed(0)
    n, first = len(ONE), len(SOURCE)
    shape = {"vocab_size": 2 * n + 1, "context": n, "d_model": 16, "n_layers": 1}  # (0 is padding)
    reads, writes = GPTConfig(**shape, causal=False), GPTConfig(**shape)
    pair = EncoderDecoder(reads, writes).double().eval()
    alone = {FAMILIES[0]: Encoder(reads).double().eval(), FAMILIES[1]: GPT(writes).double().eval()}

    def outputs(ids):
        if family in alone:
            return [alone[family](ids)]
        source, target = ids[:, :first], ids[:, first:]
        return [pair.encoder.encode(source), pair(Seq2SeqInputs(source, target))]

    ids, moved = torch.arange(1, n + 1)[None], torch.zeros(n, n, dtype=torch.bool)
    for key in range(n):
        other = ids.clone()
        other[0, key] += n
        gaps = [(a - b).abs().amax(-1)[0] for a, b in zip(outputs(ids), outputs(other), strict=True)]
        moved[:, key] = torch.cat(gaps) > 1e-12
    for query in range(n):
        found = families(family, query + 1)
        assert [row["open"] for row in found["words"]] == moved[query].tolist()
        assert found["count"] == int(moved[query].sum()) and f"“{found['word']}”" in found["finding"]


@torch.no_grad()
@pytest.mark.parametrize("keep", [0.2, 0.5, 0.9, 0.99])
@pytest.mark.parametrize("kind", KINDS[:2])
def test_what_is_left_of_each_word_is_the_state_of_a_minimal_gru(kind, keep):
    """Each word writes into a unit of its own, so that the state holds the shares."""
    n = len(SENTENCE)
    cell = MinGRU(n, n).double()
    kept = torch.full((n,), keep, dtype=torch.float64)
    if kind == KINDS[1]:
        kept[SUBJECT] = 1 - WRITES
    cell.input.weight.copy_(torch.cat([-kept.logit().expand(n, n), torch.eye(n, dtype=torch.float64)]))
    cell.input.bias.zero_()
    states = cell(torch.eye(n, dtype=torch.float64)[None])[0][0]
    for read in range(1, n + 1):
        found = recurrence(read, kind, keep)
        assert [w["share"] for w in found["words"]] == pytest.approx(states[read - 1].tolist(), abs=1e-12)
        assert found["vectors"] == 1 and found["last"] == pytest.approx(1 - kept[read - 1].item())


def test_no_single_gate_keeps_what_a_gate_for_each_word_or_attention_keeps():
    n = len(SENTENCE)
    best = max(recurrence(n, KINDS[0], k / 100)["subject"] for k in range(101))
    assert best < 0.04 < 0.8 < recurrence(n, KINDS[1], 0.99)["subject"]
    found = recurrence(n, KINDS[2], 0.5)
    assert [w["share"] for w in found["words"]] == [1.0] * n and found["vectors"] == n
    assert recurrence(3, KINDS[2], 0.5)["vectors"] == 3


@pytest.mark.parametrize("name", MODELS)
def test_the_parts_of_a_model_are_those_of_its_modules(name):
    with torch.device("meta"):
        model = GPT(GPTConfig(**MODELS[name]))
    assert TOTALS[name] == model.n_parameters() == sum(by_part(name).values())
    found = Counter()
    for key, p in model.named_parameters():
        kinds = {
            "norm": "norms",
            "attention": "attention",
            "router": "router",
            "feed_forward": "feed-forward",
        }
        kind = next((part for word, part in kinds.items() if word in key), "")
        kind = kind or {"embedding": "embedding", "position": "positions"}.get(key.split(".")[0], "head")
        found[kind] += p.numel()
    assert {part: n for part, n in by_part(name).items() if n} == dict(found)


def test_the_books_own_model_is_the_zoos():
    assert TOTALS[STORIES] == zoo.load("stories").model.n_parameters()


def test_the_coverage_is_counted_anew(script):
    study, kept = script("vocabulary_coverage"), zoo.record("vocabulary_coverage")
    new = [story[1:-1] for story in StoryWorld().sample(study.NEW, seed=1)]
    assert kept["story"] == new[study.SHOWN] and kept["stories"] == len(new)
    read = Counter(word for story in study.told(study.READ, 0) for word in story)
    assert [word for word, _ in read.most_common()] == WORDS
    for k in (1, 100, 400, len(WORDS)):
        listed = set(WORDS[:k])
        known = [[word in listed for word in story] for story in new]
        found = coverage(k)
        assert found["known"] == pytest.approx(sum(map(sum, known)) / sum(map(len, known)), abs=1e-12)
        assert found["whole"] == pytest.approx(sum(map(all, known)) / len(known), abs=1e-12)
        assert found["missing"] == known[study.SHOWN].count(False)
        assert found["last"] == WORDS[k - 1]


def test_the_streams_are_measured_anew(script):
    study = script("stream_length")
    for norm, residual, scaled in (
        ("pre-norm", True, False),
        ("no norm", True, False),
        ("post-norm", False, True),
    ):
        runs = [study.measured(norm, residual, scaled, seed) for seed in range(study.SEEDS)]
        median = torch.tensor(runs).median(dim=0).values.tolist()
        key = f"{norm}, {'residual' if residual else 'none'}, {'scaled' if scaled else 'full'}"
        for kept, column in zip(CURVES[key], median, strict=True):
            assert kept == pytest.approx(column, rel=1e-2, abs=1e-3)
    # After post-norm the stream has the length of a normed vector: the root of its width.
    after = CURVES["post-norm, residual, full"][0]
    assert after[1:] == pytest.approx([math.sqrt(study.WIDTH)] * 24, rel=1e-2)


def test_a_norm_is_told_in_words_that_fit_its_size():
    for key in CURVES:
        name, residual, scaled = key.split(", ")
        for what in WHATS:
            told = norms(name, residual == "residual", scaled == "scaled", what, 24)["told"]
            assert "e" not in told.replace("less than", "") and told, told
    assert [row["name"] for row in norms("no norm", True, True, WHATS[0], 3)["rows"]] == list(NORMS)


def test_the_run_is_the_one_of_the_training_log():
    log = {row["step"]: row for row in zoo.record("training_log")["looks"]}
    kept = {row["step"]: row for row in RUN}
    assert log.keys() <= kept.keys() and list(kept) == sorted(kept)
    for step, row in log.items():
        assert kept[step]["loss"] == pytest.approx(row["loss"], abs=0.03)  # float32, other versions
        assert kept[step]["legal"] == pytest.approx(row["legal games"], abs=12)
    exact = CallingGame().distribution(["<BOS>", "Pietro", "chiama", "Paolo"])
    for at, row in enumerate(RUN):
        found = scrub(at, "Pietro chiama Paolo")
        assert found["step"] == row["step"]
        assert all(w["exact"] == pytest.approx(exact.get(w["word"], 0), abs=1e-4) for w in found["words"])
        assert found["p"] == max(w["p"] for w in found["words"])
        words = row["game"].removesuffix(" …").split()
        legal = words[: row["broken"]] if row["broken"] >= 0 else words
        for i, word in enumerate(legal):
            assert word in CallingGame().distribution(["<BOS>", *legal[:i]])
        if row["broken"] >= 0:
            assert words[row["broken"]] not in CallingGame().distribution(["<BOS>", *legal])
    figure = find("scrub")
    assert "not yet better than counting" in figure.sentence(figure.values()), "it opens where the run begins"
    assert "trigram" in figure.sentence(figure.still_values()), "the still picture shows where it ends"


def test_both_models_have_their_memory():
    figure = find("counts")
    values = figure.values(bits=4)
    for name, found in (("model", "memory"), ("other", "other_memory")):
        written = figure.state(values)[found]
        size = TOTALS[values[name]] * 4 / 8e9
        assert float(written.split()[0]) * (1e-3 if "MB" in written else 1) == pytest.approx(size, rel=0.01)
        assert written in figure.sentence(values)
