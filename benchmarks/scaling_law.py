"""A scaling law on a world whose floor is known: small transformers learn facts of very different frequency.

    python benchmarks/scaling_law.py [--only WIDTH SAMPLES SEED RATE]

Writes support/zoo/records/scaling_law.json. About 4 CPU-minutes for everything; runs that the record holds
already are not trained again. Of the longest runs of the grid the loss along the way is kept as well: what
one sees if a long run is read early, before its learning rate has fallen. `--only` trains one run and
prints it.
"""

import argparse

import torch
from recording import begin_record, keep_record

from support.core import progress, seed_everything
from support.model import GPT, GPTConfig
from support.training import TrainConfig, train
from support.worlds.facts import FactWorld

WORLD = FactWorld()
BATCH, RATES, WARM_UP = 128, (3e-3, 1e-2), 20
WIDTHS, SAMPLES, SEEDS = (4, 6, 8, 12, 16, 24), tuple(2**k for k in range(13, 18)), (0, 1, 2)
LARGER = (32, 2**18)  # beyond what is fitted, to test the extrapolation


def one_run(width: int, samples: int, seed: int, rate: float) -> dict:
    """Parameters, samples and the exact expected loss after reading each sample once."""
    seed_everything(seed)
    questions = tuple(range(WORLD.vocab_size - WORLD.answers))
    model = GPT(
        GPTConfig(
            vocab_size=WORLD.vocab_size,
            context=2,
            d_model=width,
            n_layers=1,
            n_heads=1,
            init_std=0.2,
            masked_ids=questions,  # it is known that an answer comes
        )
    )
    along: dict[str, float] = {}

    def observe(step: int, model: torch.nn.Module, history: object) -> None:
        if (step + 1) * BATCH in SAMPLES[:-1]:
            along[str((step + 1) * BATCH)] = round(WORLD.loss(model), 5)

    config = TrainConfig(
        samples // BATCH, lr=rate, min_lr=rate / 50, warmup=WARM_UP, weight_decay=0.0, progress=False
    )
    watch = [observe] if samples == SAMPLES[-1] else []
    train(model, lambda step: WORLD.batch(BATCH, 10**6 * seed + step), config, callbacks=watch)
    found = {"width": width, "samples": samples, "seed": seed, "lr": rate, "parameters": model.n_parameters()}
    found["without embeddings"] = model.n_parameters(embeddings=False)
    found["loss"] = round(WORLD.loss(model), 5)
    return found | ({"along": along} if along else {})


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record(
        "scaling_law",
        [],
        batch=BATCH,
        rates=list(RATES),
        floor=round(WORLD.floor, 6),
        exponent=WORLD.exponent,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=4, metavar=("WIDTH", "SAMPLES", "SEED", "RATE"))
    only = parser.parse_args().only
    seed_everything()
    if only:
        print(one_run(*map(int, only[:3]), float(only[3])))
        return
    known = {(r["width"], r["samples"], r["seed"], r["lr"]) for r in record()["runs"]}
    grid = [*((w, n) for w in WIDTHS for n in SAMPLES), LARGER]
    wanted = [(w, n, s, lr) for lr in RATES for s in SEEDS for w, n in grid]
    for run in progress([w for w in wanted if w not in known], "scaling law"):
        grown = record()
        grown["runs"].append(one_run(*run))
        keep_record("scaling_law", grown)


if __name__ == "__main__":
    main()
