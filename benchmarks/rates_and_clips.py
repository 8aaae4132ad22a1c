"""The healthy run of chapter 19 at eight learning rates, four clips and two optimisers.

    python benchmarks/rates_and_clips.py

Writes records/rates_and_clips.json: 64 runs of one seed, less than a CPU-minute; rows of the record are not
made again. The model, the games and the settings are those of `benchmarks/failures.py`.
"""

import math
from dataclasses import replace
from typing import Any

from failures import BATCH, CONFIG, FLOOR, HELD_OUT, SGD, TEXTS, arm, fresh
from recording import begin_record, keep_record

from support.training import DivergedError, SequenceBatches, TrainConfig, evaluate_loss, train

RATES = (1e-4, 1e-3, 3e-3, 1e-2, 3e-2, 1e-1, 3e-1, 3.0)
CLIPS = (None, 5.0, 1.0, 0.001)
OPTIMISERS = ("adamw", "sgd")
SEED = 0
STEPS = [round(i * (CONFIG.steps - 1) / 29) for i in range(30)]  # that are kept


def run(optimiser: str, rate: float | int, clip: float | int | None) -> dict[str, Any]:
    """The losses on the batches at the steps kept, and the loss on new games above the floor."""
    model = fresh(arm(), SEED)
    config: TrainConfig = replace(CONFIG, lr=rate, min_lr=rate / 10, clip=clip, seed=SEED, eval_every=0)
    if optimiser == "sgd":
        config = replace(config, **SGD)
    losses: list[float] = []
    stopped = None
    try:
        train(
            model,
            SequenceBatches(TEXTS, BATCH, seed=SEED),
            config,
            callbacks=[lambda step, trained, history: losses.append(history.losses[-1])],
        )
    except DivergedError:
        stopped = len(losses)
    held_out = math.nan if stopped is not None else evaluate_loss(model, HELD_OUT) - FLOOR
    return {
        "optimiser": optimiser,
        "rate": rate,
        "clip": clip,
        "losses": [float(f"{losses[s]:.4g}") for s in STEPS if s < len(losses)],
        "stopped": stopped,
        "held_out": round(held_out, 4) if math.isfinite(held_out) else None,
    }


def main() -> None:
    settings = {
        "steps": STEPS,
        "seed": SEED,
        "floor": round(FLOOR, 4),
        "rates": list(RATES),
        "clips": list(CLIPS),
    }
    record = begin_record("rates_and_clips", [], **settings)
    known = {(r["optimiser"], r["rate"], r["clip"]) for r in record["runs"]}
    for optimiser in OPTIMISERS:
        for rate in RATES:
            for clip in CLIPS:
                if (optimiser, rate, clip) in known:
                    continue
                found = run(optimiser, rate, clip)
                print(optimiser, rate, clip, found["stopped"], found["held_out"], flush=True)
                record["runs"].append(found)
                keep_record("rates_and_clips", record, indent=None)


if __name__ == "__main__":
    main()
