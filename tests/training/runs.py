"""What the tests of distributed training run: by one process in the test, by several under torchrun.

torchrun --nproc-per-node 2 tests/training/runs.py OUTPUT NAME [NAME …]
python tests/training/runs.py 2 OUTPUT NAME [NAME …] -- 4 OUTPUT NAME [NAME …]

Without torchrun, groups of so many processes run one after the other, forked from one that has imported
torch: to import it anew costs each process more than its runs.
"""

import json
import os
import signal
import socket
import sys
from pathlib import Path

import torch

from support.core import seed_everything
from support.model import GPT, GPTConfig
from support.training import SequenceBatches, TrainConfig, evaluate_loss, train

TEXTS = [[1, *[3 + (7 * i + j * j) % 13 for j in range(2 + i % 9)], 2] for i in range(40)]
SHAPE = {"vocab_size": 16, "context": 16, "d_model": 16, "n_heads": 2, "n_layers": 2}
# The texts differ in length, so the processes' shares differ in tokens; 40 texts in batches of 7 leave one of
# 5; with batches of 3, four processes leave one without a text.
RUNS = {
    f"{strategy} {kind}": {"strategy": strategy, **settings}
    for strategy in ("ddp", "fsdp")
    for kind, settings in {
        "float64": {"dtype": torch.float64, "accumulate": 2},
        "float32": {"dtype": torch.float32},
        "three texts": {"dtype": torch.float64, "batch_size": 3, "activation_checkpointing": True},
        "experts": {
            "dtype": torch.float64,
            "batch_size": 20,
            "shape": {"n_experts": 3, "balance_weight": 0.0},
        },
        "bfloat16": {"dtype": torch.float32, "precision": "bfloat16"},
    }.items()
    if (strategy, kind) != ("fsdp", "bfloat16")
}
STEPS = 8


def one_run(
    strategy="none", dtype=torch.float64, batch_size=7, shape=None, callbacks=(), steps=STEPS, **settings
):
    """Losses, norms, evaluations and the final weights of one training run."""
    seed_everything(0, threads=1)
    model = GPT(GPTConfig(**SHAPE, **(shape or {}))).to(dtype)
    settings = {"precision": "float32", "eval_every": 3, "progress": False, **settings}
    config = TrainConfig(steps, lr=0.01, warmup=3, clip=0.5, strategy=strategy, **settings)
    batches = SequenceBatches(TEXTS, batch_size)
    history = train(model, batches, config, lambda m: evaluate_loss(m, TEXTS[:11], 4), callbacks, resume=True)
    weights = torch.cat([p.detach().double().flatten() for p in model.parameters()])
    return {
        "losses": history.losses,
        "norms": history.norms,
        "evals": list(history.evals.values()),
        "weights": weights[::37].tolist(),
    }


def _killed(folder):
    def die(step, model, history):
        if step == 5 and os.environ["RANK"] == "1":
            os.kill(os.getpid(), signal.SIGKILL)

    return one_run("ddp", callbacks=[die], folder=folder, checkpoint_every=2)


def perform(output, *names) -> None:
    """The runs that are named; their results as JSON."""
    results = {}
    for name in names:
        kind, _, folder = name.partition(":")
        if kind == "killed":
            results[name] = _killed(folder)
        elif kind.startswith("resumed"):
            results[name] = one_run(kind.split()[1], folder=folder, checkpoint_every=2)
        else:
            results[name] = one_run(**RUNS[name])
    if os.environ["RANK"] == "0":
        Path(output).write_text(json.dumps(results))


def _forked(rank, size, port, *arguments):
    found = {"RANK": rank, "LOCAL_RANK": rank, "WORLD_SIZE": size, "MASTER_PORT": port}
    os.environ |= {"MASTER_ADDR": "127.0.0.1"} | {name: str(value) for name, value in found.items()}
    perform(*arguments)


def fork(size, *arguments) -> None:
    """`perform` by so many processes, as torchrun connects them."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    torch.multiprocessing.start_processes(
        _forked, (size, port, *arguments), nprocs=int(size), start_method="fork"
    )


if __name__ == "__main__":
    if "RANK" in os.environ:
        perform(*sys.argv[1:])
    else:
        import torch._dynamo  # once, for all of them: the first optimiser of a process wants it
        import torch.distributed.fsdp

        words = sys.argv[1:]
        while words:
            end = words.index("--") if "--" in words else len(words)
            fork(*words[:end])
            words = words[end + 1 :]
