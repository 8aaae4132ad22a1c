"""The assistant's recipe: its preferences against an optimum by hand, a short build, the record's row."""

from pathlib import Path

import numpy as np
import pytest
import torch

from support import zoo
from support.worlds.conversations import UNTOLD, Conversations
from support.zoo.__main__ import main
from support.zoo.build import LARGEST
from support.zoo.recipes import assistant as made
from support.zoo.recipes import assistant_build, assistant_facts


@pytest.fixture(scope="module")
def entry():
    return zoo.load("assistant")


@pytest.fixture(scope="module")
def start():
    return made.grown(0)


def test_growing_changes_nothing_that_the_story_model_says(start):
    model, words = start
    base, old = zoo.load(made.BASE), len(zoo.load(made.BASE).vocabulary)
    ids = torch.tensor([base.vocabulary.encode(base.world.sample(1, seed=1)[0])])
    ours, theirs = model.eval()(ids)[..., :old], base.model(ids)
    assert torch.allclose(ours, theirs, atol=1e-4)
    assert words.tokens[:old] == base.vocabulary.tokens and model.config.context == 256


def test_a_reward_tells_the_right_word_from_silence_and_from_all_others(start):
    words = start[1]
    asked = made.questions(60, 5, words)
    right = {made.RIGHT: 0, made.ABSTAINS: 0}
    said = [
        t for turns in Conversations(tools=0.0).sample(60, 5) for t in turns if t.kind in ("told", "untold")
    ]
    for turn, row in zip(said, asked.rewards, strict=False):
        best = words.token(int(row.argmax()))
        assert best == (turn.reply[0] if turn.kind == "told" else UNTOLD[0])
        right[float(row.max())] += 1
        assert (row == made.WRONG).sum() == len(row) - 1 - (turn.kind == "told")
    assert min(right.values()) > 5


def test_the_standing_is_that_of_an_optimum_by_hand(start):
    """π* = π_ref e^{r/β} / Z in NumPy, and J of a policy from its definition."""
    model, words = start
    asked, other = made.questions(12, 6, words), made.grown(1)[0].eval()
    ours, theirs = (made.first_word_table(m, asked).exp().numpy() for m in (other, model.eval()))
    rewards = asked.rewards.double().numpy()
    best = theirs * np.exp(rewards / made.BETA)
    best /= best.sum(1, keepdims=True)

    def objective(p):
        return np.mean(np.sum(p * (rewards - made.BETA * np.log(p / theirs)), axis=1))

    found = made.standing(other, model, asked)
    assert found.objective == pytest.approx(objective(ours), abs=1e-6)
    assert found.regret == pytest.approx(objective(best) - objective(ours), abs=1e-6)
    assert found.total_variation == pytest.approx(np.abs(ours - best).sum(1).mean() / 2, abs=1e-6)


def test_the_preferences_lead_towards_the_optimum(entry, monkeypatch):
    monkeypatch.setattr(made, "ASKED", 48)
    monkeypatch.setitem(made.STEPS, "preferences", 8)
    model, words = made.grown(0)
    asked = made.questions(48, 3000, words)
    before = made.standing(model.eval(), model, asked)
    after = made.standing(made.prefer(model, words, 0), model, asked)
    assert after.regret < before.regret and after.objective > before.objective


def test_what_is_to_stay_is_all_but_the_first_words_of_answers():
    """The reader with a pencil again: after ``<assistant>`` an answer of one word or of `UNTOLD` begins."""
    for said in made.kept_skills(20, 3):
        for i, (token, mine) in enumerate(zip(said.tokens, said.learned, strict=True)):
            if token == "<assistant>":
                reply = said.tokens[i + 1 : said.tokens.index("<end>", i)]
                assert said.learned[i + 1] == (len(reply) > 1 and tuple(reply) != UNTOLD)
                assert all(said.learned[i + 2 : i + 2 + len(reply)])
            elif token in ("<user>", "<BOS>"):
                assert not mine


def test_the_replayed_answers_are_the_models_own(entry):
    said = Conversations(tools=0.0).sample(6, 3)
    own = made.own_replies(entry.model, entry.vocabulary, said)
    for turns, others in zip(said, own, strict=True):
        for turn, other in zip(turns, others, strict=True):
            assert turn.user == other.user and turn.steps == other.steps
            assert turn.kind in ("told", "untold") or turn == other
            assert len(other.reply) == 1 or other.reply == UNTOLD or turn == other


def test_a_short_build_writes_three_files_that_load(tmp_path, monkeypatch):
    for name, value in (("HELD_OUT", 3), ("STORIES", 2), ("SUMS", 2)):
        monkeypatch.setattr(assistant_facts, name, value)
    monkeypatch.setattr(assistant_build, "TEST_QUESTIONS", 6)
    monkeypatch.setattr(made, "ASKED", 8)
    for step in made.STEPS:
        monkeypatch.setitem(made.STEPS, step, 2)
    assert main(["build", "assistant", "--out", str(tmp_path), "--seed", "5"]) == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["card.json", "model.safetensors", "vocabulary.json"]


def test_the_stored_model_is_small_and_the_recipes(entry, start):
    folder = Path(zoo.__file__).parent / "assistant"
    files = {p.name: p for p in folder.iterdir() if not p.name.startswith(".")}
    assert sorted(files) == ["card.json", "model.safetensors", "vocabulary.json"]
    assert files["model.safetensors"].stat().st_size < LARGEST
    assert entry.model.config == start[0].config and not entry.model.training
    assert entry.vocabulary == start[1] and isinstance(entry.world, Conversations)


# ------------------------------------------------------------------ the record


def test_the_record_is_complete_and_its_settings_are_the_recipes(script):
    study, record = script("assistant"), zoo.record("assistant")
    assert [run["seed"] for run in record["runs"]] == list(study.SEEDS)
    assert study.record() == record
    assert zoo.load("assistant").card["seeds"][0].items() >= record["runs"][0]["tools"].items()


def test_every_seed_learned_each_step_and_lost_little():
    for run in zoo.record("assistant")["runs"]:
        first, second, last = (run[step] for step in made.STEPS)
        assert first["told"] > 0.85 and second["regret"] < 0.03 < 0.1 < first["regret"]
        assert last["untold"] > 0.85 > 0.6 > first["untold"] and last["told"] > 0.85
        assert last["requests"] > 0.95 and first["sum, 1 digits"] == 0 and last["sum, 3 digits"] > 0.85
        assert last["sum, 5 digits"] < 0.2  # longer numbers than it was trained on are not copied
        assert last["story loss above the floor"] < 0.03 and last["small talk"] > 0.9


def test_with_more_turns_than_in_training_it_errs(entry):
    shares = zoo.record("assistant")["right after long talks"]
    assert shares["0"] > 0.9 > 0.7 > shares["9"]
    found = assistant_facts.long_talks(entry.model, entry.vocabulary, latest=0)
    assert shares["0"] == pytest.approx(found, abs=0.02)


def test_the_kept_seed_does_what_its_row_says(entry):
    row = zoo.record("assistant")["runs"][0]["tools"]
    found = assistant_facts.replies_right(entry.model, entry.vocabulary)
    found |= assistant_facts.story_losses(entry.model, entry.vocabulary)
    for name, value in found.items():
        assert row[name] == pytest.approx(value, abs=0.03 if name[0] != "p" else 0.001), name
