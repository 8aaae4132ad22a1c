import math
import os
import signal
import subprocess
import sys
import time

import pytest
import torch
import torch.nn.functional as F
from forked import forked

from support.core import InputError, seed_everything
from support.model import GPT, GPTConfig
from support.training import (
    DivergedError,
    SequenceBatches,
    StreamBatches,
    TrainConfig,
    evaluate_loss,
    load_checkpoint,
    train,
)

SHAPE = GPTConfig(vocab_size=16, context=16, d_model=16, n_heads=2, n_layers=2, dropout=0.1)
TEXTS = [[1, *[3 + (7 * i + j * j) % 13 for j in range(4 + i % 7)], 2] for i in range(40)]


def fresh(seed: int = 0, **changes) -> GPT:
    seed_everything(seed, threads=1)
    return GPT(GPTConfig.from_dict({**SHAPE.to_dict(), **changes}))


def test_a_step_is_a_step_by_hand():
    """SGD without momentum, decay or clipping: every weight moves by lr times its gradient."""
    model = fresh(dropout=0.0).double()
    batches = SequenceBatches(TEXTS, 8)
    before = {n: p.detach().clone() for n, p in model.named_parameters()}
    inputs, targets = batches(0)
    F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten()).backward()
    grads = {n: p.grad.clone() for n, p in model.named_parameters()}
    model.zero_grad()
    config = TrainConfig(1, lr=0.1, optimiser="sgd", betas=(0.0, 0.0), weight_decay=0.0, clip=None)
    history = train(model, batches, config)
    length = math.sqrt(sum(float(g.square().sum()) for g in grads.values()))
    assert history.norms == pytest.approx([length])
    for name, p in model.named_parameters():
        assert torch.allclose(p, before[name] - 0.1 * grads[name], atol=1e-12), name


def test_clipping_shortens_the_step_and_keeps_its_direction():
    batches, steps = SequenceBatches(TEXTS, 8), []
    for clip in (None, 0.01):
        model = fresh(dropout=0.0).double()
        before = torch.cat([p.detach().flatten() for p in model.parameters()])
        plain = dict(optimiser="sgd", betas=(0.0, 0.0), weight_decay=0.0, lr=1.0)
        train(model, batches, TrainConfig(1, clip=clip, **plain))
        steps.append(torch.cat([p.detach().flatten() for p in model.parameters()]) - before)
    assert float(steps[1].norm()) == pytest.approx(0.01, rel=1e-3)
    assert float(F.cosine_similarity(*steps, dim=0)) == pytest.approx(1.0, abs=1e-9)


def test_accumulated_batches_are_one_big_batch():
    big, small = SequenceBatches(TEXTS[:36], 12), SequenceBatches(TEXTS[:36], 12)

    def parts(step):  # the same texts, a third at a time: lengths and so token counts differ
        inputs, targets = small(step // 3)
        k = step % 3
        return inputs[4 * k : 4 * k + 4], targets[4 * k : 4 * k + 4]

    runs = {}
    for name, batches, k in (("big", big, 1), ("parts", parts, 3)):
        model = fresh(dropout=0.0).double()
        history = train(model, batches, TrainConfig(5, lr=0.01, accumulate=k))
        runs[name] = history.losses, torch.cat([p.detach().flatten() for p in model.parameters()])
    assert runs["big"][0] == pytest.approx(runs["parts"][0], abs=1e-12)
    assert torch.allclose(runs["big"][1], runs["parts"][1], atol=1e-9)


@torch.no_grad()
def test_evaluate_loss_counts_each_token_once():
    model = fresh(dropout=0.3).double()
    model.train()
    one_by_one = [
        float(F.cross_entropy(model.eval()(torch.tensor([t[:-1]]))[0], torch.tensor(t[1:]), reduction="sum"))
        for t in TEXTS
    ]
    model.train()
    for batch_size in (1, 7, 64):
        assert evaluate_loss(model, TEXTS, batch_size) == pytest.approx(
            sum(one_by_one) / sum(len(t) - 1 for t in TEXTS), abs=1e-10
        )
    assert model.training


def test_it_learns_and_its_best_model_is_kept(tmp_path):
    model = fresh(dropout=0.0)
    text = torch.tensor([3, 4, 5, 6, 7, 8, 9, 10] * 40)
    held_out = [[5, 6, 7, 8, 9, 10, 3, 4]]
    history = train(
        model,
        StreamBatches(text, 8, 12),
        TrainConfig(60, lr=0.02, warmup=5, eval_every=10, folder=str(tmp_path)),
        evaluate=lambda m: evaluate_loss(m, held_out),
    )
    assert list(history.evals) == [10, 20, 30, 40, 50, 60]
    at, value = history.best
    best = load_checkpoint(tmp_path / "best.safetensors")
    assert best.metadata == {"updates": at, "evaluation": value}
    assert evaluate_loss(best.model, held_out) == value == min(history.evals.values()) < 0.5


# Each run is a process of its own, forked from one that has imported torch and run nothing.
RUNS = """
import os, shutil, signal, sys
import torch._dynamo  # which the first optimiser of a process wants: once, for all three
from support.core import seed_everything
from support.model import GPT, GPTConfig
from support.training import SequenceBatches, TrainConfig, evaluate_loss, train

texts = [[1, *[3 + (7 * i + j * j) % 13 for j in range(4 + i % 7)], 2] for i in range(40)]

def run(folder, stop):
    seed_everything(0, threads=1)
    model = GPT(GPTConfig(vocab_size=16, context=16, d_model=16, n_heads=2, n_layers=2, dropout=0.1))
    def kill(step, model, history):
        if step == stop: os.kill(os.getpid(), signal.SIGKILL)
    config = TrainConfig(40, lr=0.01, warmup=5, checkpoint_every=7, eval_every=10, folder=folder)
    held_out = lambda m: evaluate_loss(m, texts[:5])
    history = train(model, SequenceBatches(texts, 6), config, held_out, [kill], resume=True)
    print([x.hex() for x in history.losses], history.evals, history.lrs, flush=True)

os.chdir(sys.argv[1])
for name, stop in ("whole", -1), ("killed", 18), ("resumed", -1):
    if name == "resumed":
        shutil.copytree("killed", "resumed")
    child = os.fork()
    if not child:
        run(name, stop)
        os._exit(0)
    print(name, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
"""


def test_killed_and_resumed_is_bit_for_bit_the_uninterrupted_run(tmp_path):
    done = forked(RUNS, tmp_path)
    assert done.returncode == 0, done.stderr
    whole, *ends, resumed, last = done.stdout.splitlines()
    assert [*ends, last] == ["whole 0", f"killed {-signal.SIGKILL}", "resumed 0"], done.stderr
    kept = load_checkpoint(tmp_path / "killed" / "last.safetensors")
    assert len(kept.part("history")["steps"]) == 14  # the last multiple of seven
    assert resumed == whole
    assert len(resumed.split("'")) // 2 == 40
    names = ("whole", "resumed")
    ends = [load_checkpoint(tmp_path / n / "last.safetensors").model.state_dict() for n in names]
    assert all(torch.equal(ends[0][k], ends[1][k]) for k in ends[0])


def test_a_kill_while_writing_leaves_the_old_checkpoint(tmp_path):
    """Write over and over, kill at a random moment, and read: always a whole file."""
    code = (
        "import sys; from support.model import GPT, GPTConfig; from support.training import save_checkpoint\n"
        "m = GPT(GPTConfig(vocab_size=500, d_model=64))\n"
        "while True: save_checkpoint(m, sys.argv[1]); print('.', flush=True)"
    )
    file = tmp_path / "m.safetensors"
    child = subprocess.Popen([sys.executable, "-c", code, str(file)], stdout=subprocess.PIPE)
    child.stdout.readline()
    for _ in range(20):
        time.sleep(0.01)
        load_checkpoint(file)
    os.kill(child.pid, signal.SIGKILL)
    child.wait()
    child.stdout.close()
    load_checkpoint(file)


def test_another_run_in_the_folder_is_not_overwritten(tmp_path):
    config = TrainConfig(3, folder=str(tmp_path))
    train(fresh(), SequenceBatches(TEXTS, 4), config)
    with pytest.raises(InputError, match="resume=True"):
        train(fresh(), SequenceBatches(TEXTS, 4), config)
    with pytest.raises(InputError, match=r"begun with steps=3, lr=.*To train longer, train the model of its"):
        changed = TrainConfig(5, lr=0.1, folder=str(tmp_path))
        train(fresh(), SequenceBatches(TEXTS, 4), changed, resume=True)
    with pytest.raises(InputError, match="another shape"):
        train(fresh(n_layers=1), SequenceBatches(TEXTS, 4), config, resume=True)


def test_a_loss_that_is_no_number_stops_with_all_that_one_needs(tmp_path):
    config = TrainConfig(20, checkpoint_every=5, folder=str(tmp_path))
    model = fresh()

    def poison(step, model, history):
        if step == 11:
            with torch.no_grad():
                model.embedding.weight[:, 0] = math.nan

    with pytest.raises(DivergedError) as stopped:
        train(model, SequenceBatches(TEXTS, 4), config, callbacks=[poison])
    message = str(stopped.value)
    assert "nan at step 12" in message and "after 10 steps" in message and "last.safetensors" in message
    assert "lr is too high" in message
    assert load_checkpoint(tmp_path / "last.safetensors").model.embedding.weight.isfinite().all()


def test_a_gradient_that_is_no_number_leaves_the_weights():
    model = fresh(dropout=0.0)
    model.embedding.weight.register_hook(lambda g: g * math.inf)
    before = {n: p.detach().clone() for n, p in model.named_parameters()}
    with pytest.raises(DivergedError, match="norm of the gradient became"):
        train(model, SequenceBatches(TEXTS, 4), TrainConfig(3))
    assert all(torch.equal(p, before[n]) for n, p in model.named_parameters())


def test_the_callers_random_numbers_are_left_alone():
    model = fresh()
    torch.manual_seed(5)
    expected = torch.rand(3)
    torch.manual_seed(5)
    train(model, SequenceBatches(TEXTS, 4), TrainConfig(3))
    assert torch.equal(torch.rand(3), expected)


def test_bfloat16_products_learn_as_much_as_float32():
    """The products are in bfloat16 and the weights are not; rounding costs little of what is learned."""
    learned, products = {}, {}
    for precision in ("float32", "bfloat16"):
        model, seen = fresh(dropout=0.0), set()
        model.blocks[0].feed_forward.up.register_forward_hook(
            lambda *given, seen=seen: seen.add(given[2].dtype)
        )
        history = train(model, SequenceBatches(TEXTS, 8), TrainConfig(40, lr=0.01, precision=precision))
        learned[precision], products[precision] = history.losses[0] - history.losses[-1], seen
        assert {p.dtype for p in model.parameters()} == {torch.float32}
    assert products == {"float32": {torch.float32}, "bfloat16": {torch.bfloat16}}
    assert learned["float32"] > 0.5 and learned["bfloat16"] != learned["float32"]
    assert learned["bfloat16"] == pytest.approx(learned["float32"], rel=0.15)
