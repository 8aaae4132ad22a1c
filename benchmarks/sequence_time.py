"""How long one training pass over a text takes, by the length of the text. Writes records/sequence_time.json.

    python benchmarks/sequence_time.py

Half a minute on one core. Forward and backward, the best of twenty, for layers of 64 numbers and four texts.
On a CPU the clock counts one thread's own time, so that other work on the machine matters little.
"""

import math
import time
from collections.abc import Callable

import torch
from recording import begin_record, keep_record

from support.ancestors import GRU, MinGRU, as_torch
from support.core import device, seed_everything
from support.model import GPTConfig
from support.model.block import Block

LENGTHS, WIDTH, TEXTS, REPEATS = (64, 128, 256, 512, 1024), 64, 4, 20
KINDS = ("GRU, our loop", "GRU, torch's loop", "minGRU, scan", "attention block")


def layer(kind: str, length: int) -> Callable[[torch.Tensor], torch.Tensor]:
    """From inputs [text, position, width] to outputs of the same shape."""
    if kind == "attention block":
        return Block(GPTConfig(WIDTH, context=length, d_model=WIDTH, n_layers=1, n_heads=4)).to(device())
    cell = (MinGRU if kind == "minGRU, scan" else GRU)(WIDTH, WIDTH).to(device())
    part = as_torch(cell) if kind == "GRU, torch's loop" else cell
    return lambda x: part(x)[0]


def milliseconds(kind: str, length: int) -> float:
    run, x = layer(kind, length), torch.randn(TEXTS, length, WIDTH, device=device(), requires_grad=True)
    best, clock = math.inf, time.perf_counter if x.is_cuda else time.process_time
    for _ in range(REPEATS):
        start = clock()
        run(x).sum().backward()
        if x.is_cuda:
            torch.cuda.synchronize()
        best = min(best, clock() - start)
    return round(1000 * best, 2)


def main() -> None:
    seed_everything()
    content = begin_record("sequence_time", {}, lengths=list(LENGTHS), width=WIDTH, texts=TEXTS)
    for kind in KINDS:
        content["runs"][kind] = [milliseconds(kind, length) for length in LENGTHS]
        print(kind, content["runs"][kind], flush=True)
    keep_record("sequence_time", content)


if __name__ == "__main__":
    main()
