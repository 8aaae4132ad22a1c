"""Maps of words in a notebook: records that can be made again, and neighbours that are right."""

import numpy as np
import pytest

from support import zoo
from support.inside import analogy, concept_plane, pca
from support.view.live import find, widget
from support.view.live.analogy import ROWS, analogies
from support.view.live.film import at_step
from support.view.live.maps import FREE, MAPS, NEAR, near_on_map, under
from support.view.maps import plot_map, plot_path
from support.worlds.semantic import ANALOGIES, NOUNS
from support.zoo.recipes import semantic


@pytest.fixture(scope="module")
def maps():
    return zoo.record("semantic_maps")


@pytest.fixture(scope="module")
def film():
    return zoo.record("embedding_film")


# --- one vocabulary, many maps ---
def test_the_shadows_of_the_record_are_made_again(script, maps):
    study = script("semantic_maps")
    X = study.rows()
    assert list(maps["maps"]) == study.names() and maps["near"] == study.nearest(X)
    for name in ("concept plane", "PCA"):
        again = study.one_map(X, name)
        assert np.allclose(again["points"], maps["maps"][name]["points"], atol=2e-3)
        assert [again[k] for k in ("share", "trust", "kept")] == pytest.approx(
            [maps["maps"][name][k] for k in ("share", "trust", "kept")], abs=0.01
        )
    assert pca(X).share > concept_plane(X, *X[:2]).share


def test_a_drawing_made_again_is_as_honest(script, maps):
    study = script("semantic_maps")
    again, kept = study.one_map(study.rows(), "t-SNE 5 0"), maps["maps"]["t-SNE 5 0"]
    # On another machine the descent may end elsewhere; it keeps about as many neighbours.
    assert again["trust"] == pytest.approx(kept["trust"], abs=0.05)
    assert again["kept"] == pytest.approx(kept["kept"], abs=0.15)


@pytest.mark.parametrize("which", MAPS)
def test_neighbours_on_the_map_are_those_of_scikit_learn(maps, which):
    from sklearn.neighbors import NearestNeighbors

    for word in maps["words"][::7]:
        found = under(which, 3, word)
        points = np.array(found["points"])
        search = NearestNeighbors(n_neighbors=NEAR + 1).fit(points)
        i = maps["words"].index(word)
        want = [maps["words"][k] for k in search.kneighbors(points[[i]], return_distance=False)[0][1:]]
        assert [item["there"] for item in found["near"]] == want
        assert found["shared"] == len(
            {i["there"] for i in found["near"]} & {i["truly"] for i in found["near"]}
        )


def test_seeds_and_perplexities_are_other_drawings(maps):
    drawn = [under(which, s, "")["points"] for which in FREE for s in range(6)]
    assert len({str(points) for points in drawn}) == 18
    assert under("PCA", 0, "")["points"] == under("PCA", 5, "")["points"]
    assert near_on_map([[0, 0], [1, 0], [1, 0], [0.5, 0]], 0) == [3, 1, 2]


# --- what depends on the start ---
def test_a_start_drawn_again_is_as_honest(script):
    study, record = script("map_starts"), zoo.record("map_starts")
    X = study.rows()
    assert list(record["nouns"]) == list(study.ways()) and record["seeds"] == list(study.SEEDS)
    name = "t-SNE, perplexity 5, from the PCA map"
    again, kept = study.honesty(X, [study.ways()[name](X, 0)]), record["nouns"][name]
    # On another machine the descent may end elsewhere; it keeps about as many neighbours.
    assert again["trust"][0] == pytest.approx(kept["trust"][0], abs=0.05)
    assert again["kept"][0] == pytest.approx(kept["kept"][0], abs=0.15)
    assert max(kept["apart"]) < 0.05 < min(record["nouns"]["t-SNE, perplexity 5, random start"]["apart"])


def test_a_gap_shows_only_with_a_perplexity_as_large_as_a_group(script):
    """Ten times as far, five times as wide; the flat maps that keep this are the linear ones."""
    study, found = script("map_starts"), zoo.record("map_starts")["villages"]
    assert study.gaps(pca(study.villages()).points) == pytest.approx((10, 5), rel=0.1)
    for perplexity in study.CROWDS:
        for start in study.STARTS:
            farther = found[f"perplexity {perplexity}, {start} start"]["farther"]
            assert (max(farther) < 2) == (perplexity < 30) and (min(farther) > 2) == (perplexity >= 30)
    again = study.gaps(study.tsne(study.villages(), 10, 0).points)
    assert again[0] < 2 and again[1] < 1.5


# --- an embedding in training ---
def test_the_film_ends_at_the_model_of_the_zoo(script, film):
    entry = zoo.load("calling-game")
    rows = entry.model.embedding.weight.detach().double().numpy()[1:]
    study = script("embedding_film")
    [last] = study.frames([4000], [film["frames"][-1]["loss"]], rows[None])
    kept = film["frames"][-1]
    assert film["words"] == entry.vocabulary.tokens[1:]
    assert np.allclose(last["points"], kept["points"], atol=2e-3) and last["near"] == kept["near"]
    assert kept["share"] == pytest.approx(pca(rows).share, abs=1e-3)
    assert [picture["step"] for picture in film["frames"]] == list(study.STEPS) == film["steps"]


def test_the_film_begins_at_random_rows_and_the_loss_falls_to_the_floor(script, film):
    import torch

    from support.core import seed_everything
    from support.model import GPT
    from support.zoo.recipe import recipe

    plan = recipe("calling-game")
    seed_everything(0)
    start = GPT(plan.config(plan.world().vocabulary)).embedding.weight.detach().double().numpy()[1:]
    unit = torch.nn.functional.normalize(torch.tensor(start), dim=1).numpy()
    cosines = np.take_along_axis(unit @ unit.T, np.array(film["frames"][0]["near"]), axis=1)
    assert np.allclose(cosines, film["frames"][0]["cosine"], atol=2e-3)
    losses = [picture["loss"] for picture in film["frames"]]
    assert losses[0] == pytest.approx(np.log(27), abs=0.1)
    assert film["floor"] < losses[-1] < film["floor"] + 0.01


def test_the_way_of_a_word_grows_with_the_frames():
    assert [len(at_step(k, "Paolo")["path"]) for k in (0, 7, 20)] == [1, 8, 21]
    assert at_step(20, "Paolo")["shared"] == NEAR


def test_the_widgets_answer():
    for name, control, value in (("maps", 2, "lion"), ("film", 0, 3), ("film", 1, "Tarso")):
        figure = find(name)
        box = widget(figure, figure.values())
        before = box.children[-2].value
        box.children[control].value = value
        assert box.children[-2].value != before
    box = widget(find("maps"), find("maps").values())
    box.children[2].value = "<img>"
    assert "<img" not in box.children[-1].value


def test_a_word_not_found_leaves_no_table():
    text = find("maps").text(find("maps").values(find="zebra"))
    assert text.count("\n") == 1 and "No word here begins with “zebra”" in text


def test_maps_and_paths_have_one_scale_in_both_directions():
    points = np.array([[0.0, 0], [4, 0], [4, 1]])
    for fig in (plot_map(points, list("abc")), plot_path(points, list("abc"))):
        assert fig.axes[0].get_aspect() == 1.0


# --- analogies among the nouns ---
def tables():
    """The three tables of the figure, with all their digits."""
    full = np.array(zoo.record("semantic")["arms"]["full 0.02"][0]["rows"])
    learned = semantic.rows(zoo.load("semantic").model).double().numpy()
    return dict(zip(ROWS, (learned, full, np.random.default_rng(0).normal(size=(40, 32))), strict=True))


@pytest.mark.parametrize(
    "asked", [("king", "man", "woman"), ("hut", "pebble", "lion"), ("boy", "boy", "hen")]
)
def test_analogies_are_the_packages(asked):
    for name, vectors in tables().items():
        found = analogies(*asked, name)
        for key, cosine, leave in (("every", "cosine", False), ("other", "other_cosine", True)):
            want = analogy(vectors, NOUNS, *asked, k=NEAR, exclude_asked=leave)
            assert [item[key] for item in found["near"]] == [word for word, _ in want]
            assert [item[cosine] for item in found["near"]] == pytest.approx([c for _, c in want], abs=3e-4)


def test_analogies_with_and_without_the_convention_are_those_of_the_chapter():
    """Right answers by convention, right ones of all words, and answers that are words of the question."""
    counts = []
    for name in ROWS:
        first = [(analogies(a, b, c, name), d, (a, b, c)) for a, b, c, d in ANALOGIES]
        kept = [found["near"][0]["other"] == d for found, d, _ in first]
        every = [found["near"][0]["every"] for found, *_ in first]
        right = [word == d for word, (_, d, _) in zip(every, first, strict=True)]
        itself = [word in asked for word, (*_, asked) in zip(every, first, strict=True)]
        counts.append((sum(kept), sum(right), sum(itself)))
        assert all(found["designed"] == d for found, d, _ in first)
    assert counts == [(5, 5, 0), (3, 1, 4), (0, 0, 4)]


def test_the_arrows_of_an_analogy_lie_in_the_plane_with_their_true_lengths():
    a, b, c = (NOUNS.index(word) for word in ("lion", "king", "queen"))
    for name in ROWS:
        found, X = analogies("lion", "king", "queen", name), np.array(ROWS[name])
        points, target = np.array(found["points"]), np.array(found["target"])
        apart = np.linalg.norm(points[[a, a, b]] - points[[b, c, c]], axis=1)
        assert apart == pytest.approx(np.linalg.norm(X[[a, a, b]] - X[[b, c, c]], axis=1))
        assert target == pytest.approx(points[a] - points[b] + points[c])
        same_word = analogies("lion", "lion", "queen", name)
        flat = np.array(same_word["points"])
        assert np.abs(flat) == pytest.approx(np.abs(pca(tables()[name]).points), abs=1e-3)
        assert same_word["target"] == pytest.approx(flat[c].tolist())
