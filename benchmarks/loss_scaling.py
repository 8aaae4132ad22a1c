"""Does float16 learn without a scaled loss? The calling game, three seeds, with several scales.

    python benchmarks/loss_scaling.py

Writes support/zoo/records/loss_scaling.json. About a CPU-minute. A scale of 2 to the power −k leaves each
token's gradient as small as a batch of 2 to the power k times more tokens would.
"""

import torch
from recording import begin_record, keep_record

from support import zoo
from support.core import progress, seed_everything
from support.model import GPT
from support.training import (
    LossScaler,
    SequenceBatches,
    TrainConfig,
    cross_entropy_sum,
    evaluate_loss,
    learning_rate,
    make_optimiser,
)
from support.training.precision import products_in

STEPS, BATCH, SEEDS, CPU = 100, 8, (0, 1, 2), torch.device("cpu")
WAYS = {"float32": None, "dynamic": 2.0**16, "1": 1.0, "2^-12": 2.0**-12}


def one_run(way: str, seed: int, steps: int = STEPS) -> dict:
    """The loss on held-out games, and how many steps overflowed."""
    recipe = zoo.recipe("calling-game")
    vocabulary = recipe.world().vocabulary
    texts = [vocabulary.encode(text) for text in recipe.texts(seed)[: steps * BATCH]]
    held_out = [vocabulary.encode(text) for text in recipe.held_out()[:100]]
    seed_everything(seed, threads=1)
    model = GPT(recipe.config(vocabulary))
    config = TrainConfig(steps, lr=recipe.training.lr, warmup=10)
    optimiser, batches = make_optimiser(model, config), SequenceBatches(texts, BATCH, seed=seed)
    dtype = None if way == "float32" else torch.float16
    scaler = LossScaler(WAYS[way] or 1.0, interval=50 if way == "dynamic" else 10**9)
    skipped = 0
    for step in range(steps):
        inputs, targets = batches(step)
        with products_in(dtype, CPU):
            logits = model(inputs)
        loss = cross_entropy_sum(logits, targets) / (targets != -100).sum()
        (loss * scaler.scale).backward()
        finite = scaler.unscale(model.parameters())
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        for group in optimiser.param_groups:
            group["lr"] = learning_rate(step, config)
        if finite:
            optimiser.step()
        skipped += not finite
        optimiser.zero_grad()
    found = {"way": way, "seed": seed, "held out": round(evaluate_loss(model, held_out), 4)}
    return found | {"skipped": skipped, "last scale": scaler.scale}


def main() -> None:
    seed_everything()
    record = begin_record("loss_scaling", [], steps=STEPS, batch=BATCH)
    known = {(r["way"], r["seed"]) for r in record["runs"]}
    wanted = [(way, seed) for seed in SEEDS for way in WAYS if (way, seed) not in known]
    for way, seed in progress(wanted, "loss scaling"):
        record["runs"].append(one_run(way, seed))
        keep_record("loss_scaling", record)


if __name__ == "__main__":
    main()
