"""Mixed precision, scaled losses, compilation, recomputed activations, and logging without waiting."""

import math
import re
import time
from pathlib import Path

import pytest
import torch
from forked import COMPILER, forked

from support.core import InputError, progress, seed_everything
from support.model import GPT, GPTConfig
from support.training import (
    DivergedError,
    SequenceBatches,
    TrainConfig,
    cross_entropy_sum,
    evaluate_loss,
    evaluate_stream,
    train,
)
from support.training import precision as choice
from support.training.precision import choose_precision, native_bfloat16

SHAPE = GPTConfig(vocab_size=16, context=16, d_model=16, n_heads=2, n_layers=2)
TEXTS = [[1, *[3 + (7 * i + j * j) % 13 for j in range(4 + i % 7)], 2] for i in range(40)]
BATCHES = SequenceBatches(TEXTS, 8)


def fresh(**changes) -> GPT:
    seed_everything(0, threads=1)
    return GPT(GPTConfig.from_dict({**SHAPE.to_dict(), **changes}))


def losses(model=None, **settings):
    model = fresh() if model is None else model
    return train(model, BATCHES, TrainConfig(12, lr=0.01, progress=False, **settings)).losses


def test_auto_takes_bfloat16_where_the_processor_has_it_and_the_model_is_large(monkeypatch):
    small, large = torch.nn.Linear(8, 8), torch.nn.Linear(600, 600)
    for native, expected in ((True, torch.bfloat16), (False, None)):
        monkeypatch.setattr(choice, "native_bfloat16", lambda where, native=native: native)
        assert choose_precision("auto", large) == expected
        assert choose_precision("auto", small) is None
        assert choose_precision("auto", torch.nn.Linear(600, 600).double()) is None
    assert choose_precision("float32", large) is None


def test_native_bfloat16_agrees_with_the_processor_flags():
    info = Path("/proc/cpuinfo")
    found = re.search(r"^flags.*", info.read_text(), re.MULTILINE) if info.is_file() else None
    if found is None:
        pytest.skip("no x86 flags to compare with")
    flags = found[0].split()
    assert native_bfloat16(torch.device("cpu")) == ("avx512_bf16" in flags or "amx_bf16" in flags)


def test_float16_is_refused_for_weights_in_another_precision():
    with pytest.raises(InputError, match=r"call model\.float\(\) first"):
        losses(fresh().double(), precision="float16")


@pytest.mark.parametrize("precision, tolerance", [("bfloat16", 0.05), ("float16", 0.01)])
def test_half_precision_follows_float32(precision, tolerance):
    assert losses(precision=precision) == pytest.approx(losses(precision="float32"), abs=tolerance)


def test_an_overflow_in_float16_skips_the_step_and_is_counted():
    model, seen = fresh(), []

    def overflow(grad):
        seen.append(1)
        return grad * (math.inf if len(seen) in (3, 5) else 1.0)

    model.embedding.weight.register_hook(overflow)
    weights = []
    keep = [lambda step, m, h: weights.append(m.embedding.weight.detach().clone())]
    history = train(model, BATCHES, TrainConfig(8, lr=0.01, precision="float16"), callbacks=keep)
    assert history.skipped == [2, 4]
    unchanged = [i for i in range(1, 8) if torch.equal(weights[i], weights[i - 1])]
    assert unchanged == [2, 4] and all(map(math.isfinite, history.losses))


def test_a_float16_run_that_only_overflows_stops():
    model = fresh()
    model.embedding.weight.register_hook(lambda grad: grad * math.nan)
    with pytest.raises(DivergedError, match="at step 20"):
        train(model, BATCHES, TrainConfig(40, precision="float16"))


def test_float16_resumes_with_its_scale_and_skipped_steps(tmp_path):
    def stop(step, model, history):
        if step == 5:
            raise KeyboardInterrupt

    def run(folder, callbacks=(), resume=False):
        model, seen = fresh(), []
        config = TrainConfig(
            9, lr=0.01, precision="float16", checkpoint_every=3, folder=str(tmp_path / folder)
        )
        if not resume:
            model.embedding.weight.register_hook(
                lambda g: (seen.append(1), g * (math.inf if len(seen) == 2 else 1.0))[1]
            )
        return train(model, BATCHES, config, callbacks=callbacks, resume=resume)

    whole = run("whole")
    with pytest.raises(KeyboardInterrupt):
        run("broken", [stop])
    assert run("broken", resume=True) == whole and whole.skipped == [1]


def test_recomputed_activations_change_nothing_but_memory():
    assert losses(activation_checkpointing=True, precision="float32") == losses(precision="float32")
    model = fresh(dropout=0.2).double()
    kept, recomputed = losses(model), losses(fresh(dropout=0.2).double(), activation_checkpointing=True)
    assert kept == recomputed  # dropout, too, drops the same
    assert "forward" not in vars(model.blocks[0])
    with pytest.raises(InputError, match="this one has none"):
        losses(torch.nn.Sequential(torch.nn.Embedding(16, 16)), activation_checkpointing=True)


@pytest.mark.parametrize("optimiser", ["adamw", "sgd"])
def test_logging_now_and_then_changes_no_number(optimiser):
    calls = []
    callbacks = [lambda step, model, history: calls.append((step, len(history.losses)))]
    config = TrainConfig(12, lr=0.01, log_every=5, optimiser=optimiser)
    history = train(fresh(), BATCHES, config, callbacks=callbacks)
    assert history == train(fresh(), BATCHES, TrainConfig(12, lr=0.01, optimiser=optimiser))
    assert calls == [(4, 5), (9, 10)]


def test_without_reading_the_loss_a_step_that_is_no_number_still_changes_no_weight():
    model, before = fresh(), []

    def poisoned(step):
        if step == 3:
            before.extend(p.detach().clone() for p in model.parameters())
            model.embedding.weight.register_hook(lambda grad: grad * math.nan)
        return BATCHES(step)

    with pytest.raises(DivergedError, match="at step 3;"):
        train(model, poisoned, TrainConfig(12, lr=0.01, log_every=10))
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), before, strict=True))


def test_the_loss_of_narrow_logits_in_parts_is_that_of_the_whole():
    logits = torch.randn(3, 700, 1024).bfloat16().requires_grad_()
    targets = torch.randint(1024, (3, 700)).masked_fill(torch.rand(3, 700) < 0.3, -100)
    exact = logits.detach().double().requires_grad_()
    whole = torch.nn.functional.cross_entropy(exact.flatten(0, 1), targets.flatten(), reduction="sum")
    loss = cross_entropy_sum(logits, targets)
    assert loss.dtype == torch.float32 and float(loss.detach()) == pytest.approx(
        float(whole.detach()), rel=1e-6
    )
    loss.backward()
    whole.backward()
    torch.testing.assert_close(logits.grad.double(), exact.grad, rtol=2**-8, atol=1e-6)


@torch.no_grad()
def test_a_stream_is_evaluated_token_by_token():
    model = fresh().double().eval()
    ids = [i for text in TEXTS for i in text]
    for context, stride in ((16, 16), (16, 5), (7, 1)):
        total = 0.0
        for i in range(1, len(ids)):
            window = max(0, i - context) if stride == 1 else 0
            if stride > 1:  # the first window that ends behind the token, or the last one
                window = next(s for s in range(0, len(ids), stride) if s + context >= i)
            logits = model(torch.tensor([ids[window:i]]))[0, -1]
            total -= float(logits.log_softmax(dim=0)[ids[i]])
        for batch_size in (1, 16):
            got = evaluate_stream(model, ids, context, stride, batch_size)
            assert got == pytest.approx(total / (len(ids) - 1), abs=1e-10)
    assert evaluate_stream(model, ids[:9]) == pytest.approx(evaluate_loss(model, [ids[:9]]), abs=1e-12)
    with pytest.raises(InputError, match="stride of 1 to context"):
        evaluate_stream(model, ids, 16, 17)


COMPILED = """
import torch
from support.core import seed_everything
from support.model import GPT, GPTConfig
from support.training import StreamBatches, TrainConfig, load_checkpoint, train
import sys
for compile in (False, True):
    seed_everything(0, threads=1)
    model = GPT(GPTConfig(vocab_size=16, context=16, d_model=16, n_heads=2, n_layers=1))
    config = TrainConfig(4, compile=compile, folder=f"{sys.argv[1]}/{compile}", progress=False)
    history = train(model, StreamBatches([i * i % 16 for i in range(200)], 4, 8), config)
    saved = load_checkpoint(f"{config.folder}/last.safetensors").model
    assert set(saved.state_dict()) == set(model.state_dict())
    print(*history.losses)
"""


def test_a_compiled_run_has_the_same_losses(tmp_path):
    done = forked(COMPILED, tmp_path, imported=COMPILER)
    assert done.returncode == 0, done.stderr
    plain, compiled = ([float(x) for x in line.split()] for line in done.stdout.splitlines())
    assert compiled == pytest.approx(plain, abs=1e-5) and len(plain) == 4


def test_progress_writes_lines_where_there_is_no_terminal(capsys):
    for _ in progress(range(4), "training", enabled=True, every=0.01, note=lambda: "loss 2.5"):
        time.sleep(0.02)
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 4 and re.fullmatch(r"training: 3 of 4, [\d.]+ a second, loss 2\.5", lines[2])
    assert list(progress(range(3), enabled=False, every=0)) == [0, 1, 2]
    assert capsys.readouterr().err == ""
