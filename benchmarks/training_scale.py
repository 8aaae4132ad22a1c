"""Time and memory of the ways to train, one process each: precision, recomputing, accumulation, distribution.

    python benchmarks/training_scale.py [--layers 6 --d-model 256 --context 256 --batch 16] [--keep]

Each way runs in processes of its own, because memory is counted as the most that a process ever held, less
what it held before the first step. On a GPU the memory is that of the device, the utilisation (MFU) is
counted against the rate of a large product in the same precision, and each process needs a card of its own.
"""

import argparse
import itertools
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import torch
from recording import keep_record, made_by

from support.core import device, seed_everything
from support.model import GPT, GPTConfig
from support.training import StreamBatches, TrainConfig, train
from support.view import table

WAYS = {
    "float32": (1, {"precision": "float32"}),
    "bfloat16": (1, {"precision": "bfloat16"}),
    "bfloat16, activations recomputed": (1, {"precision": "bfloat16", "activation_checkpointing": True}),
    "bfloat16, 4 batches of a quarter": (1, {"precision": "bfloat16", "accumulate": 4}),
    "bfloat16, compiled": (1, {"precision": "bfloat16", "compile": True}),
    "bfloat16, 2 processes, ddp": (2, {"precision": "bfloat16", "strategy": "ddp"}),
    "bfloat16, 2 processes, fsdp": (2, {"precision": "bfloat16", "strategy": "fsdp"}),
}
STEPS, WARM_UP = 8, 3


def held() -> int:
    """The most memory that this process has held so far, in bytes."""
    if device().type == "cuda":
        return torch.cuda.max_memory_allocated()
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def one_way(given: argparse.Namespace) -> dict[str, float]:
    """Milliseconds a step, and MiB, of the way that is named."""
    seed_everything(0, threads=given.threads)
    settings = WAYS[given.way][1]
    shape = {"vocab_size": 4096, "context": given.context, "d_model": given.d_model, "n_layers": given.layers}
    model = GPT(GPTConfig(**shape, n_heads=given.d_model // 64)).to(device())
    rows = given.batch // settings.get("accumulate", 1)
    batches = StreamBatches(torch.randint(4096, (100_000,)), rows, given.context)
    ends: list[float] = []
    before = held()
    config = TrainConfig(STEPS, lr=3e-4, progress=False, **settings)
    train(model, batches, config, callbacks=[lambda *_: ends.append(time.perf_counter())])
    took = [b - a for a, b in itertools.pairwise(ends)][WARM_UP - 1 :]
    result = {"ms": 1e3 * statistics.median(took), "MiB": (held() - before) / 2**20}
    if device().type == "cuda":
        work = given.batch * given.context * model.flops_per_token(given.context, training=True)
        result["MFU"] = work / statistics.median(took) / gpu_rate(settings["precision"])
    return result


def gpu_rate(precision: str, size: int = 8192) -> float:
    a = torch.randn(size, size, device=device()).to(getattr(torch, precision))
    best = float("inf")
    for _ in range(10):
        torch.cuda.synchronize()
        start = time.perf_counter()
        a @ a
        torch.cuda.synchronize()
        best = min(best, time.perf_counter() - start)
    return 2 * size**3 / best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name, value in {"layers": 6, "d-model": 256, "context": 256, "batch": 16, "threads": 1}.items():
        parser.add_argument(f"--{name}", type=int, default=value)
    parser.add_argument("--keep", action="store_true", help="write the record")
    parser.add_argument("--way", choices=WAYS, help=argparse.SUPPRESS)
    parser.add_argument("--out", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.way:
        result = one_way(given)
        if os.environ.get("RANK", "0") == "0":
            Path(given.out).write_text(json.dumps(result))
        return
    results = {}
    for way, (n, _) in WAYS.items():
        if device().type == "cuda" and n > torch.cuda.device_count():
            continue  # NCCL wants a card for each process
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            launch = (
                ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(n)] if n > 1 else []
            )
            command = [sys.executable, *launch, __file__, *sys.argv[1:], "--way", way, "--out", out.name]
            subprocess.run(command, check=True)
            results[way] = json.loads(Path(out.name).read_text())
    rows = [
        [way, f"{r['ms']:.0f}", f"{r['MiB']:.0f}", f"{r['MFU']:.0%}" if "MFU" in r else "–"]
        for way, r in results.items()
    ]
    columns = ["way", "ms a step", "MiB in the first process", "MFU"]
    print(table(rows, columns=columns)._repr_markdown_())
    if given.keep:
        shape = {k: v for k, v in vars(given).items() if isinstance(v, int) and k != "keep"}
        keep_record("training_scale", {**made_by("training_scale"), **shape, "ways": results})


if __name__ == "__main__":
    main()
