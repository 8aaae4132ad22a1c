"""The records behind the chapters on counting and on memory: complete, cheap parts made anew, claims kept."""

import pytest

from support import zoo
from support.worlds.last_word import window_entropies


def by(runs, *keys):
    return {tuple(row[k] for k in keys): row for row in runs}


@pytest.fixture(scope="module")
def windows():
    return zoo.record("windows")


def test_windows_is_made_anew_in_part(windows, script):
    study = script("windows")
    assert set(windows["runs"]) == {str(n) for n in study.SIZES}
    assert study.losses(30, longest=1) == windows["runs"]["30"][:2]
    assert windows["possible"][:3] == [round(x, 4) for x in window_entropies(study.GAME, 2)]


def test_no_count_is_better_than_what_is_possible_and_more_text_helps(windows):
    for losses in windows["runs"].values():
        assert all(loss > best - 0.003 for loss, best in zip(losses, windows["possible"], strict=True))
    sizes = sorted(windows["runs"], key=int)
    for n in range(1, 7):
        by_size = [windows["runs"][size][n] for size in sizes]
        assert by_size == sorted(by_size, reverse=True)


def test_unseen_contexts_are_known_better_by_the_network(script):
    study, record = script("unseen_contexts"), zoo.record("unseen_contexts")
    assert set(by(record["runs"], "sentences", "seed")) == {
        (n, s) for n in study.SENTENCES for s in study.SEEDS
    }
    assert study.record() == record
    for row in record["runs"]:
        assert row["d8"]["unseen"] < row["kneser-ney"]["seen"] < row["kneser-ney"]["unseen"]
        assert row["d8"]["same_class"] > 0.9


def test_the_share_of_unseen_contexts_is_counted_anew(script):
    study, record = script("unseen_contexts"), zoo.record("unseen_contexts")
    row = record["runs"][0]
    seen = set(study.contexts(study.texts(row["sentences"], row["seed"])))
    asked = study.contexts(study.texts(400, study.TEST))
    assert round(sum(pair not in seen for pair in asked) / len(asked), 4) == row["unseen_share"]


def test_the_bottleneck_shows_and_attention_widens_it(script):
    study, record = script("bottleneck"), zoo.record("bottleneck")
    runs = by(record["runs"], "kind", "seed")
    assert set(runs) == {(kind, seed) for kind in study.KINDS for seed in study.SEEDS}
    assert study.record() == record
    for seed in study.SEEDS:
        one, attention = (
            {r["length"]: r for r in runs[kind, seed]["lengths"]} for kind in ("one vector", "attention")
        )
        assert one[16]["accuracy"] < 0.65 and attention[16]["accuracy"] > 0.9
        # Between 10 and 16 symbols hardly a bit more passes through one vector.
        assert one[16]["bits"] - one[10]["bits"] < 4 < attention[16]["bits"] - attention[10]["bits"]


def test_one_language_for_all_ancestors(script):
    study, record = script("ancestors"), zoo.record("ancestors")
    runs = by(record["runs"], "kind", "seed")
    assert set(runs) == {(kind, seed) for kind in study.KINDS for seed in study.SEEDS}
    for (kind, _), row in runs.items():
        assert study.KINDS[kind]().n_parameters() == row["parameters"]
        assert 0 < row["above_floor"] < 0.15


def test_the_forget_bias_decides_how_long_an_lstm_remembers(script):
    study, record = script("through_time"), zoo.record("through_time")
    runs = by(record["runs"], "kind", "pause", "seed")
    assert set(runs) == {(k, p, s) for k in study.KINDS for p in study.PAUSES for s in study.SEEDS}
    assert study.record() == record
    for seed in study.SEEDS:
        score = {(kind, pause): runs[kind, pause, seed]["accuracy"] for kind, pause, s in runs if s == seed}
        assert score["lstm", 30] < 0.2 and score["lstm+3", 30] > 0.99 and score["lstm+5", 100] > 0.8
        assert score["attention", 100] > 0.99 and score["rnn", 30] < 0.2


def test_the_gradients_of_a_fresh_network_are_measured_anew(script):
    study, record = script("through_time"), zoo.record("through_time")
    row = by(record["runs"], "kind", "pause", "seed")["lstm+3", 10, 1]
    study.seed_everything(row["seed"])
    found = study.by_age(study.model_of("lstm+3"), 10)
    assert {str(age) for age in found} == set(row["fresh"])
    for age, norm in found.items():
        assert norm == pytest.approx(row["fresh"][str(age)], rel=0.02)


def test_the_times_cover_every_layer_and_length(script):
    study, record = script("sequence_time"), zoo.record("sequence_time")
    assert list(record["runs"]) == list(study.KINDS) and record["lengths"] == list(study.LENGTHS)
    for kind in study.KINDS:
        x = study.torch.randn(2, 64, study.WIDTH)
        assert study.layer(kind, 64)(x).shape == x.shape
    # What the page says holds whatever the load was: the scan is the quickest of them for long texts.
    last = {kind: times[-1] for kind, times in record["runs"].items()}
    assert last["minGRU, scan"] * 2 < min(last["GRU, our loop"], last["attention block"])
