"""The zoo: every card is recomputed from the stored weights, and a tiny recipe is built from start to end."""

import functools
import itertools
import json
import pickle
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from support import zoo
from support.core import InputError
from support.model import GPTConfig
from support.text import Vocabulary
from support.training import SequenceBatches, TrainConfig, evaluate_loss, load_checkpoint
from support.worlds import CallingGame, loss_floor
from support.worlds.game import NUMBERS
from support.zoo import build as baking
from support.zoo import entry as shelf
from support.zoo.__main__ import main
from support.zoo.recipes import calling_game

FOLDER = Path(zoo.__file__).parent
NAMES = ("calling-game", "semantic", "stories", "stories-small")
LOSSES = "loss, nats per token"
FLOOR = "floor (the world itself)"


def built(name):
    if not (FOLDER / name / "card.json").is_file():
        pytest.fail(f"{name} is not built; run: python -m support.zoo build {name}")
    return zoo.load(name)


# ------------------------------------------------------------------ the models of the zoo


def test_the_zoo_has_exactly_these():
    assert sorted(zoo.RECIPES) == sorted(NAMES)
    assert all(zoo.recipe(name).name == name for name in NAMES)


@functools.cache
def held_out(world, texts):
    """The held-out texts of a recipe, and their floor: two of the models are of one world."""
    drawn = texts()
    return drawn, loss_floor(world(), drawn)


@pytest.mark.parametrize("name", NAMES)
def test_a_card_is_what_the_weights_and_the_world_say(name):
    model = built(name)
    recipe, losses = zoo.recipe(name), model.card[LOSSES]
    texts, floor = held_out(recipe.world, recipe.held_out)
    assert losses["model"] == pytest.approx(
        evaluate_loss(model.model, [model.vocabulary.encode(t) for t in texts]), abs=1e-4
    )
    assert losses[FLOOR] == pytest.approx(floor, abs=1e-4)
    assert model.card["data"]["held-out tokens"] == sum(map(len, texts))


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_better_than_all_counting_and_not_better_than_the_truth(name):
    card = built(name).card
    losses = card[LOSSES]
    counting = [loss for who, loss in losses.items() if "gram" in who]
    assert len(counting) == 5
    # Each order may look further back than the one before it, and is tuned; it must not get worse.
    assert all(later <= earlier + 0.01 for earlier, later in itertools.pairwise(counting))
    for run in card["seeds"]:
        assert losses[FLOOR] < run["loss"] < min(counting)
        assert run["above the floor"] == pytest.approx(run["loss"] - losses[FLOOR], abs=2e-4)


@pytest.mark.parametrize("name", NAMES)
def test_the_first_seed_is_kept_lucky_or_not(name):
    card, recipe = built(name).card, zoo.recipe(name)
    assert [run["seed"] for run in card["seeds"]] == list(recipe.seeds)
    assert len(recipe.seeds) >= 3
    assert card["kept seed"] == recipe.seeds[0]
    assert card["seeds"][0]["loss"] == card[LOSSES]["model"]


@pytest.mark.parametrize("name", NAMES)
def test_the_stored_model_is_the_recipes(name):
    model, recipe = built(name), zoo.recipe(name)
    assert model.vocabulary.tokens == model.world.vocabulary.tokens
    assert model.model.config == recipe.config(model.vocabulary)
    assert model.card["model"]["parameters"] == model.model.n_parameters()
    assert model.card["training"]["steps"] == recipe.training.steps
    assert not model.model.training
    texts, _ = held_out(recipe.world, recipe.held_out)
    assert max(map(len, texts)) - 1 <= model.model.config.context


@pytest.mark.parametrize("name", NAMES)
def test_a_model_is_three_small_files_and_no_pickle(name):
    built(name)
    files = {p.name: p for p in (FOLDER / name).iterdir() if not p.name.startswith(".")}
    assert sorted(files) == ["card.json", "model.safetensors", "vocabulary.json"]
    assert files["model.safetensors"].stat().st_size < 2_000_000
    json.loads(files["card.json"].read_text(encoding="utf8"))


# ------------------------------------------------------------------ the calling game's facts


@pytest.fixture(scope="module")
def game():
    return built("calling-game")


def test_the_games_card_holds_for_the_stored_weights(game):
    told = game.card["seeds"][0]
    for name, value in calling_game.facts(game.model).items():
        assert told[name] == pytest.approx(value, abs=2e-4), name


def test_tarso_is_sure_on_every_seed_and_the_numbers_are_near_equal(game):
    exact = CallingGame().distribution(["<BOS>", "Pietro", "chiama"])
    assert len({exact[n] for n in NUMBERS}) == 1
    for run in game.card["seeds"]:
        assert run["P(Tarso)"] >= 0.999
        for figure, truth in (
            ("least number", exact["1"]),
            ("greatest number", exact["1"]),
            ("P(Paolo)", exact["Paolo"]),
        ):
            assert run[figure] == pytest.approx(truth, abs=0.02)
        assert run["P(Paolo)"] < run["least number"]  # leaders are called less often


def test_the_other_titles_are_as_sure(game):
    for said, title in (
        ("Paolo chiama Pietro", "Cefa"),
        ("3 chiama Pietro", "capo"),
        ("3 chiama Paolo", "vice"),
    ):
        assert calling_game.next_word(game.model, f"<BOS> {said}")[title] > 0.99
    # Who was called speaks next.
    assert calling_game.next_word(game.model, "<BOS> Pietro chiama 4")["4"] > 0.6
    assert calling_game.next_word(game.model, "<BOS> Pietro chiama banana Pietro")["perde"] > 0.99


def test_padding_is_never_predicted(game):
    assert calling_game.next_word(game.model, "<BOS>")["<PAD>"] == 0.0


# ------------------------------------------------------------------ building


@pytest.fixture(scope="module")
def tiny():
    """The calling game at a size that trains in a second or two."""

    def shape(vocabulary: Vocabulary) -> GPTConfig:
        return GPTConfig(
            vocab_size=len(vocabulary), context=80, d_model=16, n_layers=1, n_heads=2, masked_ids=(0,)
        )

    return replace(
        zoo.recipe("calling-game"),
        name="tiny",
        title="Tiny",
        config=shape,
        texts=lambda seed: CallingGame().sample(300, seed=1000 + seed),
        held_out=lambda: CallingGame().sample(40, seed=999),
        tuning=lambda: CallingGame().sample(40, seed=997),
        training=TrainConfig(steps=30, lr=1e-2, warmup=5),
        batch_size=16,
        facts=lambda model: {"P(Tarso)": calling_game.next_word(model, "<BOS> Pietro chiama Paolo")["Tarso"]},
        seeds=(4, 5, 6),
    )


@pytest.fixture(scope="module")
def made(tiny, tmp_path_factory):
    folder = tmp_path_factory.mktemp("zoo") / "tiny"
    return folder, baking.build(tiny, folder)


def test_building_writes_model_vocabulary_and_card(made, tiny):
    folder, card = made
    assert sorted(p.name for p in folder.iterdir()) == ["card.json", "model.safetensors", "vocabulary.json"]
    assert json.loads((folder / "card.json").read_text(encoding="utf8")) == card
    assert [run["seed"] for run in card["seeds"]] == [4, 5, 6] and card["kept seed"] == 4
    assert len({run["loss"] for run in card["seeds"]}) == 3
    assert card["data"]["training texts"] == 300 and card["training"]["steps"] == 30


def test_the_same_recipe_gives_the_same_weights(made, tiny, tmp_path):
    folder, card = made
    again = baking.build(tiny, tmp_path / "again", seeds=[4])
    assert again["seeds"] == card["seeds"][:1]
    one, other = (load_checkpoint(f / "model.safetensors").model for f in (folder, tmp_path / "again"))
    assert all(torch.equal(a, b) for a, b in zip(one.parameters(), other.parameters(), strict=True))


def test_an_interrupted_build_goes_on_and_ends_the_same(made, tiny, tmp_path, monkeypatch):
    """The power fails in the second seed: the first is not trained again, and all comes out alike."""
    _folder, card = made
    real, served = SequenceBatches.__call__, []

    def until_the_cut(self, step):
        served.append((self.seed, step))
        if (self.seed, step) == (5, 10):
            raise KeyboardInterrupt
        return real(self, step)

    monkeypatch.setattr(SequenceBatches, "__call__", until_the_cut)
    with pytest.raises(KeyboardInterrupt):
        baking.build(tiny, tmp_path)
    assert not (tmp_path / "card.json").exists()  # no half-made model can be loaded
    served.clear()
    monkeypatch.setattr(
        SequenceBatches, "__call__", lambda self, step: (served.append(self.seed), real(self, step))[1]
    )
    assert baking.build(tiny, tmp_path) == card
    # Of the first, one batch is compared with that of the run before; of the others all are trained on.
    assert served.count(4) == 1 and served.count(6) == 31 and 1 < served.count(5) <= 31


def test_baselines_are_judged_on_the_models_own_terms(made, tiny):
    """The unigram's loss by hand: counts with no <PAD> and no <BOS> to predict."""
    _, card = made
    texts, test = tiny.texts(4), tiny.held_out()
    counts = torch.zeros(28, dtype=torch.float64)
    vocabulary = CallingGame().vocabulary
    for text in texts:
        for token in vocabulary.encode(text)[1:]:
            counts[token] += 1
    log = (counts / counts.sum()).log()
    surprisal = [-log[token].item() for text in test for token in vocabulary.encode(text)[1:]]
    # Smoothing may take a little from the plain shares, not more.
    assert card[LOSSES]["unigram"] == pytest.approx(sum(surprisal) / len(surprisal), abs=5e-3)


def test_a_model_too_large_is_refused(tiny, tmp_path, monkeypatch):
    monkeypatch.setattr(baking, "LARGEST", 1000)
    with pytest.raises(InputError, match="smaller than 1,000"):
        baking.build(replace(tiny, training=TrainConfig(steps=2)), tmp_path, seeds=[4])
    assert not (tmp_path / "model.safetensors").exists()


def test_other_seeds_must_not_replace_the_zoos_own(tiny):
    with pytest.raises(InputError, match="--out"):
        baking.build(tiny, seeds=[7])


# ----------------------------------------------- wrong names, missing files, the command line


@pytest.mark.parametrize("call", [zoo.load, zoo.recipe])
def test_an_unknown_name_lists_the_known_ones(call):
    with pytest.raises(InputError, match=r"calling-game, semantic, (shop, )?stories"):
        call("calling_game")


def test_a_model_not_built_yet_says_how(tmp_path, monkeypatch):
    monkeypatch.setattr(shelf, "files", lambda package: tmp_path)
    with pytest.raises(InputError, match=r"python -m support\.zoo build stories"):
        zoo.load("stories")


def test_a_pickle_in_the_place_of_the_weights_is_not_opened(tmp_path, monkeypatch):
    class Trap:
        def __reduce__(self):
            return (pytest.fail, ("a pickle was opened",))

    shutil.copytree(FOLDER / "calling-game", tmp_path / "calling-game")
    (tmp_path / "calling-game" / "model.safetensors").write_bytes(pickle.dumps(Trap()))
    monkeypatch.setattr(shelf, "files", lambda package: tmp_path)
    with pytest.raises(InputError, match="safetensors"):
        zoo.load("calling-game")


def test_the_command_line(capsys):
    assert main(["list"]) == 0
    assert capsys.readouterr().out.split() == sorted([*NAMES, "assistant", "shop"])
    assert main(["card", "calling-game"]) == 0
    assert json.loads(capsys.readouterr().out)["name"] == "calling-game"
    assert main(["build", "nothing"]) == 1
    assert "choose one of calling-game" in capsys.readouterr().err


def test_the_command_line_builds_elsewhere(tiny, tmp_path, monkeypatch):
    import support.zoo.__main__ as command

    monkeypatch.setattr(command, "recipe", lambda name: tiny)
    assert main(["build", "tiny", "--seed", "9", "--out", str(tmp_path / "x")]) == 0
    assert json.loads((tmp_path / "x" / "card.json").read_text(encoding="utf8"))["kept seed"] == 9
