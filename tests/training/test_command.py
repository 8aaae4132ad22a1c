"""The command line: a text or a recipe in, a model with its tokenizer and a sample out."""

from dataclasses import replace

import pytest
from forked import torchrun

from support import zoo
from support.generation import generate
from support.model import GPT, GPTConfig
from support.text import BPETokenizer
from support.training import load_checkpoint, save_checkpoint
from support.training.__main__ import main
from support.worlds import CallingGame

TEXT = "Pietro chiama Paolo, e Paolo risponde: chi mi chiama? " * 200
SMALL = ["--vocab-size", "280", "--layers", "1", "--d-model", "16", "--heads", "2", "--context", "32"]


@pytest.fixture
def text(tmp_path):
    (tmp_path / "my.txt").write_text(TEXT, encoding="utf8")
    return ["--text", str(tmp_path / "my.txt"), "--folder", str(tmp_path / "run"), *SMALL]


def history(folder):
    return load_checkpoint(folder / "run" / "last.safetensors").part("history")["losses"].tolist()


def test_a_text_becomes_a_model_with_its_tokenizer_and_a_sample(text, tmp_path, capsys):
    assert main([*text, "--steps", "60", "--checkpoint-every", "20", "--sample", "8", "--quiet"]) == 0
    told = capsys.readouterr().out
    assert "held out" in told and "the best was" in told and told.strip().splitlines()[-1]
    kept = load_checkpoint(tmp_path / "run" / "best.safetensors")
    assert isinstance(kept.tokenizer, BPETokenizer) and kept.metadata["evaluation"] < 4.0
    ids = generate(kept.model, kept.tokenizer.encode("Pietro"), 3, greedy=True)
    assert kept.tokenizer.decode(ids).startswith("Pietro")


def test_each_evaluation_has_a_line_unless_quiet_is_wanted(text, tmp_path, capsys):
    text += ["--eval-every", "3", "--log-every", "2"]
    assert main([*text, "--steps", "6"]) == 0
    told = [line for line in capsys.readouterr().out.splitlines() if line.startswith("step ")]
    evaluations = load_checkpoint(tmp_path / "run" / "last.safetensors").part("history")["evals.values"]
    assert [line.split(":")[0] for line in told] == ["step 3", "step 6"]
    assert [float(line.split()[-1]) for line in told] == [round(x, 4) for x in evaluations.tolist()]
    assert main([*text, "--steps", "6", "--resume", "--quiet"]) == 0
    assert "step " not in capsys.readouterr().out


def test_it_refuses_in_a_sentence_and_resumes(text, tmp_path, capsys):
    assert main([*text, "--steps", "4", "--quiet"]) == 0
    losses = history(tmp_path)
    assert main([*text, "--steps", "4", "--quiet"]) == 1
    assert "give resume=True" in capsys.readouterr().err
    assert main([*text, "--steps", "4", "--quiet", "--resume"]) == 0
    assert history(tmp_path) == losses
    assert main(["--text", str(tmp_path / "none.txt")]) == 1
    assert "cannot be read" in capsys.readouterr().err


def test_a_text_goes_on_from_a_checkpoint(text, tmp_path, capsys):
    assert main([*text, "--steps", "40", "--quiet"]) == 0
    start = str(tmp_path / "run" / "best.safetensors")
    source, other = text[:2], ["--folder", str(tmp_path / "more"), "--steps", "4", "--quiet"]
    assert main([*source, *other, "--start-from", start, "--lr", "1e-9"]) == 0
    before, after = (load_checkpoint(tmp_path / run / "last.safetensors") for run in ("run", "more"))
    assert after.model.config == before.model.config
    assert after.tokenizer.vocabulary == before.tokenizer.vocabulary
    # At a learning rate of almost nothing, the losses are those at which the first run ended.
    first, last = after.part("history")["losses"][0], before.part("history")["losses"]
    assert abs(first - last[-5:].mean()) < 0.1 * (last[0] - last[-1])
    assert main([*text, *other, "--start-from", start]) == 1
    assert "brings a model of its own; leave --vocab-size out" in capsys.readouterr().err
    assert main(["--recipe", "stories", *other, "--start-from", start]) == 1
    assert "a recipe begins with a model of its own" in capsys.readouterr().err


def test_a_checkpoint_without_a_tokenizer_starts_no_text(text, tmp_path, capsys):
    save_checkpoint(GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)), tmp_path / "bare.safetensors")
    assert main([*text[:4], "--start-from", str(tmp_path / "bare.safetensors")]) == 1
    assert "bare.safetensors has no tokenizer" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (["--batch-size", "0"], "batch_size=0 must be greater"),
        (["--sample", "-1"], "max_new_tokens=-1 must be greater than or equal to 0"),
        (["--steps", "0"], "steps=0 must be greater"),
    ],
)
def test_what_makes_no_sense_is_refused_before_training(text, tmp_path, capsys, wrong, sentence):
    assert main([*text, "--steps", "2", "--quiet", *wrong]) == 1
    assert sentence in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


def test_a_text_of_which_nothing_can_be_held_out_is_refused_before_training(tmp_path, capsys):
    (tmp_path / "short.txt").write_text("Pietro chiama Leo", encoding="utf8")
    text = ["--text", str(tmp_path / "short.txt"), "--folder", str(tmp_path / "run")]
    assert main([*text, *SMALL, "--context", "4", "--steps", "1"]) == 1
    assert "short.txt is too short to hold out two tokens" in capsys.readouterr().err


def test_help_tells_only_defaults_that_there_are(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    told = capsys.readouterr().out
    assert "(default: 4096)" in told and "None" not in told and "False" not in told


def test_a_recipe_trains_with_its_own_vocabulary(tmp_path, capsys, monkeypatch):
    short = replace(
        zoo.recipe("calling-game"),
        texts=lambda seed: CallingGame().sample(50, seed=seed),
        held_out=lambda: CallingGame().sample(10, seed=9),
    )
    monkeypatch.setattr(zoo, "recipe", lambda name: short)
    folder = str(tmp_path / "run")
    arguments = ["--recipe", "calling-game", "--steps", "3", "--folder", folder, "--quiet"]
    assert main([*arguments, "--prompt", "<BOS> Pietro chiama", "--batch-size", "4"]) == 0
    assert "<BOS> Pietro chiama" in capsys.readouterr().out
    assert load_checkpoint(tmp_path / "run" / "last.safetensors").tokenizer.id("Pietro")


def test_under_torchrun_the_same_command_has_the_same_losses(text, tmp_path):
    arguments = [*text, "--steps", "4", "--quiet", "--precision", "float32"]
    assert main(arguments) == 0
    alone = history(tmp_path)
    arguments[arguments.index("--folder") + 1] = str(tmp_path / "two" / "run")
    done = torchrun("-m", "support.training", *arguments, "--strategy", "fsdp")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("held out") == 1
    assert history(tmp_path / "two") == pytest.approx(alone, abs=1e-5)
