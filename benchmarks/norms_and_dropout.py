"""Norms over depth, and dropout on too little text. Writes support/zoo/records/norms_and_dropout.json.

    python benchmarks/norms_and_dropout.py [--only KIND NAME SIZE SEED]

About 10 CPU-minutes for everything; rows that the record holds already are not trained again.
`--only depth pre-norm 2 0` or `--only dropout 0.1 100 0` trains one row and prints it.
"""

import argparse
import math

import torch

from support import zoo
from support.core import progress, set_up
from support.model import GPT, GPTConfig
from support.training import SequenceBatches, TrainConfig, loss_of, train
from support.worlds.game import CallingGame

GAME = CallingGame()
SEEDS = (0, 1, 2)
DEPTHS, STEPS, RATE, LONGEST = (2, 6, 12, 24), 300, 1e-3, 32
ARMS = {  # choices of the configuration, steps of warm-up, small writes (divided by the root of their number)
    "pre-norm": ({}, 0, False),
    "pre-norm, small writes": ({}, 0, True),
    "post-norm": ({"norm_first": False}, 0, False),
    "post-norm, warm-up": ({"norm_first": False}, STEPS // 2, False),
    "post-norm, small writes": ({"norm_first": False}, 0, True),
    "no residuals": ({"residual": False}, 0, False),
}
RATES, TEXTS, DROPOUT_STEPS, EVERY = (0.0, 0.1, 0.3), 100, 500, 25


def games(n: int, seed: int) -> list[list[int]]:
    return [GAME.vocabulary.encode(game) for game in GAME.sample(n, seed=seed)]


def full_size(model: GPT) -> GPT:
    """Take back the division of the writing matrices by √(2 n_layers): the size they had in 2017."""
    with torch.no_grad():
        for block in model.blocks:
            for writer in (block.attention.output, block.feed_forward.contract):
                writer.weight *= math.sqrt(2 * model.config.n_layers)
    return model


def depth_row(arm: str, n_layers: int, seed: int) -> dict:
    """Losses over training, as means of 20 steps; no text comes twice, so they are losses on new text."""
    choices, warmup, small = ARMS[arm]
    set_up(seed)
    texts = [ids for ids in games(8000, seed=seed + 1) if len(ids) <= LONGEST]
    shape = {"vocab_size": len(GAME.vocabulary), "context": LONGEST, "d_model": 32, "n_heads": 2}
    model = GPT(GPTConfig(**shape, n_layers=n_layers, masked_ids=(0,), **choices))
    config = TrainConfig(steps=STEPS, lr=RATE, warmup=warmup, progress=False)
    history = train(
        model if small else full_size(model), SequenceBatches(texts, 16, pad_id=0, seed=seed), config
    )
    losses = [round(sum(history.losses[i : i + 20]) / 20, 3) for i in range(0, STEPS, 20)]
    return {"kind": "depth", "name": arm, "size": n_layers, "seed": seed, "losses": losses}


def dropout_row(rate: str, n_texts: int, seed: int) -> dict:
    """Losses on the few texts of the training and on new ones, along the way."""
    set_up(seed)
    few, new = games(n_texts, seed=seed + 1), games(300, seed=10**6)
    shape = {"vocab_size": len(GAME.vocabulary), "context": 74, "d_model": 64, "n_layers": 2, "n_heads": 4}
    model = GPT(GPTConfig(**shape, masked_ids=(0,), dropout=float(rate)))
    config = TrainConfig(steps=DROPOUT_STEPS, lr=3e-3, warmup=20, eval_every=EVERY, progress=False)
    history = train(
        model, SequenceBatches(few, 16, pad_id=0, seed=seed), config, evaluate=lambda m: loss_of(m, new)
    )
    return {
        "kind": "dropout",
        "name": rate,
        "size": n_texts,
        "seed": seed,
        "known": round(loss_of(model, few), 3),
        "new": {str(step): round(loss, 3) for step, loss in history.evals.items()},
    }


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return zoo.begin_record("norms_and_dropout", [], steps=STEPS, rate=RATE, dropout_steps=DROPOUT_STEPS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=4, metavar=("KIND", "NAME", "SIZE", "SEED"))
    only = parser.parse_args().only
    set_up()
    wanted = [("depth", arm, n, seed) for seed in SEEDS for n in DEPTHS for arm in ARMS]
    wanted += [("dropout", str(rate), TEXTS, seed) for seed in SEEDS for rate in RATES]
    if only:
        wanted = [(only[0], only[1], int(only[2]), int(only[3]))]
    known = {(row["kind"], row["name"], row["size"], row["seed"]) for row in record()["runs"]}
    todo = wanted if only else [key for key in wanted if key not in known]
    for kind, *key in progress(todo, what="rows"):
        row = depth_row(*key) if kind == "depth" else dropout_row(*key)
        print(row, flush=True)
        if not only:
            grown = record()
            grown["runs"].append(row)
            zoo.keep_record("norms_and_dropout", grown)


if __name__ == "__main__":
    main()
