"""The roofline of this machine, and the utilisation of a small training run for several batch sizes.

    python benchmarks/roofline.py

Writes support/zoo/records/roofline.json. Less than a CPU-minute. One thread, float32; each time is the best
of several.
"""

import itertools
import time

import torch
from recording import keep_record, made_by

from support.core import seed_everything
from support.model import GPT, GPTConfig
from support.training import StreamBatches, TrainConfig, machine_rates, matmul_intensity, mfu, train

WIDTH, ROWS, REPEAT = 1024, tuple(2**k for k in range(11)), 6
BATCHES, LENGTH = (1, 2, 4, 8, 16, 32), 64


def product_rate(rows: int) -> float:
    """Operations a second of a product of so many rows with a square matrix, which no cache holds: the
    matrices take turns."""
    matrices = [torch.randn(WIDTH, WIDTH) for _ in range(8)]
    x, best = torch.randn(rows, WIDTH), float("inf")
    for _ in range(REPEAT):
        start = time.perf_counter()
        for matrix in matrices:
            x @ matrix
        best = min(best, (time.perf_counter() - start) / len(matrices))
    return 2 * rows * WIDTH**2 / best


def throughput(batch: int, steps: int = 10) -> float:
    """Tokens a second of training."""
    seed_everything(0, threads=1)
    model = GPT(GPTConfig(vocab_size=256, context=LENGTH, d_model=128, n_layers=4, n_heads=4))
    batches = StreamBatches(torch.randint(256, (20_000,)), batch, LENGTH)
    ends: list[float] = []
    config = TrainConfig(steps, precision="float32", progress=False)
    train(model, batches, config, callbacks=[lambda *_: ends.append(time.perf_counter())])
    return batch * LENGTH / min(b - a for a, b in itertools.pairwise(ends))


def main() -> None:
    seed_everything(0, threads=1)
    peak, bandwidth = machine_rates(repeat=8)
    record = {**made_by("roofline"), "width": WIDTH, "length": LENGTH, "peak": peak, "bandwidth": bandwidth}
    products = [
        {"rows": m, "intensity": round(matmul_intensity(m, WIDTH, WIDTH), 3), "rate": product_rate(m)}
        for m in ROWS
    ]
    # The ceilings are the highest rates that any of the measurements reached; a product reads its matrix.
    peak = max(peak, *(p["rate"] for p in products))
    bandwidth = max(bandwidth, *(p["rate"] / p["intensity"] for p in products))
    record |= {"peak": peak, "bandwidth": bandwidth, "products": products}
    model = GPT(GPTConfig(vocab_size=256, context=LENGTH, d_model=128, n_layers=4, n_heads=4))
    measured = {batch: throughput(batch) for batch in BATCHES}
    record["training"] = [
        {"batch": b, "tokens a second": round(rate), "MFU": round(mfu(model, rate, peak, LENGTH), 3)}
        for b, rate in measured.items()
    ]
    keep_record("roofline", record)


if __name__ == "__main__":
    main()
