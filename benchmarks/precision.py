"""Does bfloat16 learn what float32 learns? Writes support/zoo/records/precision.json.

    python benchmarks/precision.py [--steps 200]

The three recipes of the zoo, three seeds each, the first 200 steps in float32 and in bfloat16: the same first
weights, the same texts in the same order. Of each run: the loss averaged over every 50 steps, and the loss on
500 fresh texts in float32. The differences between the precisions are compared with those between seeds.
"""

import argparse
import statistics
from dataclasses import replace

from recording import begin_record, keep_record

from support import zoo
from support.core import seed_everything
from support.model import GPT
from support.training import SequenceBatches, evaluate_loss, train

SEEDS, EVERY = (0, 1, 2), 50
PRECISIONS = ("float32", "bfloat16")


def one_run(name: str, precision: str, seed: int, steps: int) -> dict[str, object]:
    """The losses of one run."""
    recipe = zoo.recipe(name)
    vocabulary = recipe.world().vocabulary
    texts = [vocabulary.encode(text) for text in recipe.texts(seed)]
    fresh = [vocabulary.encode(text) for text in recipe.held_out()[:500]]
    seed_everything(seed)
    model = GPT(recipe.config(vocabulary))
    config = replace(recipe.training, steps=steps, precision=precision, seed=seed, progress=False)
    losses = train(model, SequenceBatches(texts, recipe.batch_size, seed=seed), config).losses
    means = [statistics.mean(losses[i : i + EVERY]) for i in range(0, steps, EVERY)]
    return {"losses": [round(x, 4) for x in means], "held out": round(evaluate_loss(model, fresh), 4)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=200)
    steps = parser.parse_args().steps
    record = begin_record("precision", {}, steps=steps, **{"steps a mean": EVERY})
    for name in sorted(zoo.RECIPES):
        for seed in SEEDS:
            for precision in PRECISIONS:
                key = f"{name}, seed {seed}, {precision}"
                if key not in record["runs"]:
                    record["runs"][key] = one_run(name, precision, seed, steps)
                    keep_record("precision", record)
        runs = {p: [record["runs"][f"{name}, seed {s}, {p}"] for s in SEEDS] for p in PRECISIONS}
        held = {p: [run["held out"] for run in runs[p]] for p in PRECISIONS}
        apart = [b - a for a, b in zip(*held.values(), strict=True)]
        curves = [
            abs(x - y)
            for a, b in zip(*runs.values(), strict=True)
            for x, y in zip(a["losses"], b["losses"], strict=True)
        ]
        print(f"{name}: held-out loss in float32 {held['float32']}, in bfloat16 {held['bfloat16']};")
        print(f"   bfloat16 − float32: {statistics.mean(apart):+.4f} on average; standard deviation between")
        print(
            f"   seeds: {statistics.stdev(held['float32']):.4f}; curves at most {max(curves):.4f} apart",
            flush=True,
        )


if __name__ == "__main__":
    main()
