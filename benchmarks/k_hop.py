"""What depth is for: models of one to three blocks on the arrow game. Writes support/zoo/records/k_hop.json.

    python benchmarks/k_hop.py [--only DEPTH SEED]

About 30 CPU-minutes for everything; rows that the record holds already are not trained again.
`--only` trains one row and prints it.
"""

import argparse

import torch
import torch.nn.functional as F
from recording import begin_record, keep_record

from support.core import progress, seed_everything
from support.model import GPT, GPTConfig
from support.worlds.arrows import ArrowGame

GAME = ArrowGame(children=8, max_steps=4)
QUESTIONS, BATCH, STEPS, PEAK = 8, 128, 4000, 3e-3
HELD_OUT = 10**6  # seeds from here on are for testing
DEPTHS, SEEDS = (1, 2, 3), (0, 1, 2)


def model_of(n_layers: int) -> GPT:
    """Only the depth differs. The arrows come in random order, so positions would not help."""
    return GPT(
        GPTConfig(
            vocab_size=GAME.vocab_size,
            context=GAME.children + QUESTIONS,
            d_model=64,
            n_layers=n_layers,
            n_heads=4,
            positions="none",
            init_std=0.1,
        )
    )


@torch.no_grad()
def accuracy(model: GPT, seed: int, size: int = 2000) -> list[float]:
    """The share of right answers to questions of one step, two steps, …, on fresh games."""
    inputs, targets, steps = GAME.batch(size, QUESTIONS, seed)
    right = model(inputs).argmax(-1)[:, GAME.children :] == targets[:, GAME.children :]
    return [round(right[steps == k].float().mean().item(), 4) for k in range(1, GAME.max_steps + 1)]


def trained(n_layers: int, seed: int) -> GPT:
    seed_everything(seed)
    model = model_of(n_layers)
    optimiser = torch.optim.AdamW(model.parameters(), PEAK, betas=(0.9, 0.98), weight_decay=0.01, fused=True)
    hardest = 1
    for step in progress(range(STEPS), what=f"{n_layers} blocks, seed {seed}"):
        for group in optimiser.param_groups:
            group["lr"] = PEAK * min(1, (step + 1) / 100, max(0.05, (STEPS - step) / 1000))
        # Easy questions first: those of one more step join when the hardest so far are mastered.
        if step % 100 == 99 and accuracy(model, HELD_OUT, size=500)[hardest - 1] > 0.95:
            hardest = min(hardest + 1, GAME.max_steps)
        inputs, targets, _ = GAME.batch(BATCH, QUESTIONS, seed=seed * STEPS + step, hardest=hardest)
        loss = F.cross_entropy(model(inputs).flatten(0, 1), targets.flatten())
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model


def guess() -> list[float]:
    """The best answer without following arrows: after k steps one is back at the start surprisingly often.

    The share of starts that lie on a cycle whose length divides k; in a random permutation every cycle
    length from 1 to `children` is equally likely.
    """
    n = GAME.children
    back = [sum(k % length == 0 for length in range(1, n + 1)) / n for k in range(1, GAME.max_steps + 1)]
    return [round(max(share, (1 - share) / (n - 1)), 4) for share in back]


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    settings = {"children": GAME.children, "hops": GAME.max_steps, "steps": STEPS, "guess": guess()}
    return begin_record("k_hop", [], **settings)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, type=int, metavar=("DEPTH", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    for seed in SEEDS:
        for n_layers in DEPTHS:
            known = {(row["n_layers"], row["seed"]) for row in record()["runs"]}
            if (n_layers, seed) in known if not only else tuple(only) != (n_layers, seed):
                continue
            row = {
                "n_layers": n_layers,
                "seed": seed,
                "accuracy": accuracy(trained(n_layers, seed), HELD_OUT + 1),
            }
            print(row, flush=True)
            if not only:
                grown = record()
                grown["runs"].append(row)
                keep_record("k_hop", grown)


if __name__ == "__main__":
    main()
