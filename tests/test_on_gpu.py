"""On a GPU: the numbers of the CPU, and the speed-ups that only a GPU has. Skipped where there is none."""

import itertools
import json
import math

import pytest
import torch
from helpers import said_by, shaken

from support.core import seed_everything
from support.generation import generate, generate_many
from support.inside import run_with_cache
from support.model import GPT, GPTConfig, quantize
from support.training import (
    DivergedError,
    SequenceBatches,
    StreamBatches,
    TrainConfig,
    evaluate_loss,
    load_checkpoint,
    save_checkpoint,
    train,
)

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="no CUDA device")
SHAPES = {
    "gpt2": {},
    "llama": {"positions": "rope", "norm": "rms", "activation": "swiglu", "n_kv_heads": 2},
    "alibi": {"positions": "alibi", "window": 5},
    "post-norm": {"norm_first": False, "positions": "sinusoidal"},
    "experts": {"n_experts": 3},
}
PROMPTS = [[1, 2, 3], [4], [5, 6, 7, 8, 9]]
TEXTS = [[1, *[3 + (7 * i + j * j) % 8 for j in range(2 + i % 9)], 2] for i in range(40)]


def fresh(dtype=torch.float64, **shape):
    seed_everything(0)
    config = GPTConfig(vocab_size=11, context=16, d_model=16, n_heads=4, n_layers=2, **shape)
    return shaken(GPT(config)).to(dtype).eval()


@pytest.mark.parametrize("shape", SHAPES)
def test_the_pass_is_that_of_the_cpu(shape):
    model, ids = fresh(**SHAPES[shape]), torch.tensor([[1, 5, 3, 7, 2, 9], [4, 4, 0, 10, 8, 6]])
    wanted = model(ids)
    model.cuda()
    got = model(ids.cuda())
    assert got.is_cuda
    torch.testing.assert_close(got.cpu(), wanted, rtol=1e-10, atol=1e-10)
    for static in (False, True):
        if static and SHAPES[shape].get("window"):
            continue
        cache = model.cache(2, static=static)
        steps = torch.cat([model(part, cache) for part in ids.cuda().split((3, 1, 1, 1), 1)], dim=1)
        torch.testing.assert_close(steps.cpu(), wanted, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_seed_gives_the_text_of_the_cpu(shape):
    model = fresh(**SHAPES[shape])
    wanted = generate_many(model, PROMPTS, 9, seed=3)
    greedy = generate(model, [1, 2], 9, greedy=True)
    model.cuda()
    assert generate_many(model, PROMPTS, 9, seed=3, reproducible=True) == wanted
    assert generate(model, [1, 2], 9, greedy=True) == greedy
    assert generate(model, [1, 2], 9, seed=1) == generate(model, [1, 2], 9, seed=1)


@pytest.mark.parametrize("shape", SHAPES)
def test_training_has_the_losses_of_the_cpu(shape):
    config = TrainConfig(8, lr=0.01, warmup=3, accumulate=2, precision="float32", progress=False)
    histories = []
    for where in ("cpu", "cuda"):
        model = fresh(**SHAPES[shape]).to(where)
        histories.append(train(model, SequenceBatches(TEXTS, 7), config, lambda m: evaluate_loss(m, TEXTS)))
    on_cpu, on_gpu = histories
    assert on_gpu.losses == pytest.approx(on_cpu.losses, abs=1e-10)
    assert on_gpu.norms == pytest.approx(on_cpu.norms, abs=1e-9)
    assert on_gpu.evals == pytest.approx(on_cpu.evals, abs=1e-10)


@pytest.mark.parametrize("precision", ["bfloat16", "float16"])
def test_narrow_products_follow_float32(precision):
    def losses(chosen):
        config = TrainConfig(60, lr=0.01, warmup=5, precision=chosen, progress=False)
        return train(fresh(torch.float32).cuda(), SequenceBatches(TEXTS, 8), config)

    exact, rough = losses("float32"), losses(precision)
    assert exact.losses[-1] < 0.8 * exact.losses[0]
    assert rough.losses[-1] == pytest.approx(exact.losses[-1], abs=0.1)
    assert len(rough.skipped) <= 6  # a tenth of the steps: after an overflow the scale is half as large


def poison(model, at, value, seen=None):
    """Spoil one gradient in the backward pass of a step; ``seen`` gets the weights as they are then."""
    steps = itertools.count()

    def spoil(grad):
        if next(steps) != at:
            return None
        if seen is not None:
            seen.extend(p.detach().clone() for p in model.parameters())
        return grad * value

    model.embedding.weight.register_hook(spoil)


def test_an_overflow_in_float16_skips_the_step_and_is_counted():
    model = fresh(torch.float32).cuda()
    poison(model, 30, math.inf)
    config = TrainConfig(40, lr=0.01, precision="float16", progress=False)
    history = train(model, SequenceBatches(TEXTS, 8), config)
    assert 30 in history.skipped and math.isfinite(history.losses[-1])


def test_a_loss_that_is_no_number_stops_without_a_changed_weight():
    model, before = fresh(torch.float32).cuda(), []
    poison(model, 3, math.nan, before)
    config = TrainConfig(12, lr=0.01, log_every=10, precision="float32", progress=False)
    with pytest.raises(DivergedError, match="at step 3;"):
        train(model, SequenceBatches(TEXTS, 8), config)
    assert all(torch.equal(a, b) for a, b in zip(model.parameters(), before, strict=True))


@pytest.mark.filterwarnings("ignore:Synchronization debug mode is a prototype")
def test_between_two_readings_nothing_waits_for_the_gpu():
    steps = []

    def counted(step):
        steps.append(step)
        return SequenceBatches(TEXTS, 8)(step)

    def forbid(step, _model, _history):
        torch.cuda.set_sync_debug_mode("error")

    config = TrainConfig(22, lr=0.01, log_every=10, precision="bfloat16", progress=False)
    try:  # from the first reading on, the next wait is an error: it is the second reading
        with pytest.raises(RuntimeError, match="synchronizing") as error:
            train(fresh(torch.float32).cuda(), counted, config, callbacks=[forbid])
    finally:
        torch.cuda.set_sync_debug_mode("default")
    assert any(entry.name == "_read" for entry in error.traceback) and max(steps) == 20


def test_checkpoints_go_from_one_device_to_the_other(tmp_path):
    model = fresh(torch.float32).cuda()
    save_checkpoint(model, tmp_path / "here.safetensors")
    loaded = load_checkpoint(tmp_path / "here.safetensors").model
    assert all(
        torch.equal(a.cpu(), b.cpu()) for a, b in zip(model.parameters(), loaded.parameters(), strict=True)
    )


@pytest.mark.parametrize("precision", ["float32", "float16"])
def test_a_resumed_run_goes_on_bit_for_bit(tmp_path, precision):
    def run(folder, steps):
        config = TrainConfig(
            12, lr=0.01, precision=precision, checkpoint_every=1, folder=folder, progress=False
        )

        def batches(step):
            if step >= steps + 2:  # one step is made ahead
                raise KeyboardInterrupt
            return SequenceBatches(TEXTS, 8)(step)

        model = fresh(torch.float32, dropout=0.1).cuda()
        try:
            return train(model, batches, config, resume=True).losses
        except KeyboardInterrupt:
            return []

    whole = run(tmp_path / "whole", 12)
    assert run(tmp_path / "parts", 5) == []
    assert run(tmp_path / "parts", 12) == whole and len(whole) == 12


def test_activations_and_int8_weights():
    model = fresh(torch.float32)
    _, wanted = run_with_cache(model, [1, 2, 3])
    model.cuda()
    _, got = run_with_cache(model, [1, 2, 3])
    assert all(x.is_cuda for x in got.values())
    for name in wanted:
        torch.testing.assert_close(got[name].cpu(), wanted[name], rtol=1e-3, atol=1e-4)
    ids = torch.tensor([[1, 2, 3]], device="cuda")
    wide = GPT(GPTConfig(vocab_size=11, d_model=64, n_heads=4)).cuda().eval()
    torch.testing.assert_close(quantize(wide)(ids), wide(ids), rtol=0.05, atol=0.05)


# In a process of their own: the shape checks of the tests are no part of a graph.
COMPILED = """
import json, time, torch
from support.generation import generate, generate_many, stream
from support.model import GPT, GPTConfig
from support.training import StreamBatches, TrainConfig, train
torch.manual_seed(0)
SHAPES = {shapes}
"""
CAPTURED = """
found = {}
for name, shape in SHAPES.items():
    config = GPTConfig(vocab_size=11, context=600, d_model=16, n_heads=4, n_layers=2, **shape)
    model = GPT(config).double().cuda().eval()
    for weight in model.parameters():
        weight.data *= 4
    for prompts in ([[1, 2, 3]], [[1, 2, 3], [4], [5, 6, 7, 8, 9]]):
        how = {"greedy": True}
        plain = generate_many(model, prompts, 40, **how)
        try:
            found[f"{name} {len(prompts)}"] = generate_many(model, prompts, 40, compile=True, **how) == plain
        except Exception as error:
            found[f"{name} {len(prompts)}"] = f"{type(error).__name__}: {error}"[:300]
print(json.dumps(found))
"""
CHANGES = """
found = {}
config = GPTConfig(vocab_size=11, context=600, d_model=16, n_heads=4, n_layers=2)
model = GPT(config).double().cuda().eval()
for weight in model.parameters():
    weight.data *= 4
linear = model.blocks[0].attention.qkv

def replace():
    network = model.blocks[0].feed_forward
    network.down = torch.nn.Sequential(network.down, torch.nn.Tanh())

def hook():
    linear.register_forward_hook(lambda _module, _args, out: out + 3)

for change in (lambda: None, replace, hook):
    before = generate(model, [1, 2], 60, greedy=True)
    change()
    plain = generate(model, [1, 2], 60, greedy=True)
    compiled = generate(model, [1, 2], 60, greedy=True, compile=True)
    found[change.__name__] = [compiled == plain, plain != before]
print(json.dumps(found))
"""
TRAINED = """
ids = torch.arange(4000) * 7 % 11
losses = []
for compiled in (False, True):
    torch.manual_seed(0)
    model = GPT(GPTConfig(vocab_size=11, context=32, d_model=64, n_heads=4, n_layers=2)).cuda()
    config = TrainConfig(30, lr=0.01, compile=compiled, precision="bfloat16", progress=False)
    losses.append(train(model, StreamBatches(ids, 8, 32), config).losses)
print(json.dumps(losses))
"""


@pytest.fixture(scope="module")
def said():
    parts = {"captured": CAPTURED, "changes": CHANGES, "trained": TRAINED}
    return {
        name: json.loads(" ".join(words))
        for name, words in said_by(COMPILED.replace("{shapes}", repr(SHAPES)), parts, alone=True).items()
    }


def test_a_captured_step_writes_what_the_plain_one_writes(said):
    assert set(said["captured"].values()) == {True}, said["captured"]


def test_a_change_of_the_model_is_captured(said):
    assert said["changes"] == {"<lambda>": [True, False], "replace": [True, True], "hook": [True, True]}


def test_a_compiled_run_has_the_losses_of_the_plain_one(said):
    plain, compiled = said["trained"]
    assert compiled == pytest.approx(plain, abs=0.05) and plain[-1] < 0.5 * plain[0]


def test_batches_are_made_ahead_and_seen_in_order():
    seen, batches = [], StreamBatches(torch.arange(2000) % 11, 4, 16)

    def noted(step):
        seen.append(step)
        return batches(step)

    train(fresh(torch.float32).cuda(), noted, TrainConfig(5, lr=0.01, progress=False))
    assert seen == [0, 1, 2, 3, 4]
