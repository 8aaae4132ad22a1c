"""Norms over depth, dropout on too little text, norms over a batch.

Writes support/zoo/records/norms_and_dropout.json.

    python benchmarks/norms_and_dropout.py [--only KIND NAME SIZE SEED]

About 12 CPU-minutes for everything; rows that the record holds already are not trained again.
`--only depth pre-norm 2 0`, `--only dropout 0.1 100 0` or `--only norm batch 16 0` trains one row and
prints it.
"""

import argparse
import math

import torch
from recording import begin_record, keep_record
from torch import Tensor, nn

from support.core import progress, seed_everything
from support.model import GPT, GPTConfig
from support.training import SequenceBatches, StreamBatches, TrainConfig, evaluate_loss, train
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
NORMS, ROWS, NORM_STEPS = ("layer", "rms", "batch"), (1, 16), 600


def games(n: int, seed: int) -> list[list[int]]:
    return [GAME.vocabulary.encode(game) for game in GAME.sample(n, seed=seed)]


def full_size(model: GPT) -> GPT:
    """Take back the division of the writing matrices by √(2 n_layers): the size they had in 2017."""
    with torch.no_grad():
        for block in model.blocks:
            for writer in (block.attention.output, block.feed_forward.down):
                writer.weight *= math.sqrt(2 * model.config.n_layers)
    return model


def depth_row(arm: str, n_layers: int, seed: int) -> dict:
    """Losses over training, as means of 20 steps; no text comes twice, so they are losses on new text."""
    choices, warmup, small = ARMS[arm]
    seed_everything(seed)
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
    seed_everything(seed)
    few, new = games(n_texts, seed=seed + 1), games(300, seed=10**6)
    shape = {"vocab_size": len(GAME.vocabulary), "context": 74, "d_model": 64, "n_layers": 2, "n_heads": 4}
    model = GPT(GPTConfig(**shape, masked_ids=(0,), dropout=float(rate)))
    config = TrainConfig(steps=DROPOUT_STEPS, lr=3e-3, warmup=20, eval_every=EVERY, progress=False)
    history = train(
        model, SequenceBatches(few, 16, pad_id=0, seed=seed), config, evaluate=lambda m: evaluate_loss(m, new)
    )
    return {
        "kind": "dropout",
        "name": rate,
        "size": n_texts,
        "seed": seed,
        "known": round(evaluate_loss(model, few), 3),
        "new": {str(step): round(loss, 3) for step, loss in history.evals.items()},
    }


class BatchNorm(nn.BatchNorm1d):
    """Each number against the same number of all words of the batch; in use, against stored averages."""

    def forward(self, x: Tensor) -> Tensor:
        return super().forward(x.flatten(0, -2)).view_as(x)


def with_batch_norm(model: GPT) -> GPT:
    """The model with a BatchNorm in the place of every norm."""
    for part in (*model.blocks, model):
        for name in ("norm_1", "norm_2", "final_norm"):
            if hasattr(part, name):
                setattr(part, name, BatchNorm(model.config.d_model))
    return model


def norm_row(norm: str, rows: int, seed: int) -> dict:
    """Losses on new text: as it was read in training, and in use. ``rows`` stretches of text at a time."""
    seed_everything(seed)
    told, new = (
        torch.tensor([i for ids in games(n, s) for i in ids]) for n, s in ((6000, seed + 1), (600, 10**6))
    )
    shape = {
        "vocab_size": len(GAME.vocabulary),
        "context": LONGEST,
        "d_model": 32,
        "n_heads": 2,
        "n_layers": 2,
    }
    model = GPT(GPTConfig(**shape, masked_ids=(0,), norm="rms" if norm == "rms" else "layer"))
    model = with_batch_norm(model) if norm == "batch" else model
    config = TrainConfig(steps=NORM_STEPS, lr=3e-3, warmup=50, progress=False)
    train(model, StreamBatches(told, rows, LONGEST, seed=seed), config)
    stretches = new[: len(new) // (LONGEST + 1) * (LONGEST + 1)].view(-1, LONGEST + 1)
    stretches = stretches[: len(stretches) // 16 * 16]

    @torch.no_grad()
    def loss(at_a_time: int) -> float:
        found = [
            nn.functional.cross_entropy(model(some[:, :-1]).flatten(0, 1), some[:, 1:].flatten())
            for some in stretches.split(at_a_time)
        ]
        return round(torch.stack(found).mean().item(), 3)

    as_read, peeks = loss(rows), {}
    if norm == "batch":
        peeks = {"one at a time": loss(1)}
    model.eval()
    return {
        "kind": "norm",
        "name": norm,
        "size": rows,
        "seed": seed,
        "as read": as_read,
        "in use": loss(16),
    } | peeks


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record("norms_and_dropout", [], steps=STEPS, rate=RATE, dropout_steps=DROPOUT_STEPS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=4, metavar=("KIND", "NAME", "SIZE", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    wanted = [("depth", arm, n, seed) for seed in SEEDS for n in DEPTHS for arm in ARMS]
    wanted += [("dropout", str(rate), TEXTS, seed) for seed in SEEDS for rate in RATES]
    wanted += [("norm", norm, rows, seed) for seed in SEEDS for norm in NORMS for rows in ROWS]
    if only:
        wanted = [(only[0], only[1], int(only[2]), int(only[3]))]
    known = {(row["kind"], row["name"], row["size"], row["seed"]) for row in record()["runs"]}
    todo = wanted if only else [key for key in wanted if key not in known]
    for kind, *key in progress(todo, what="rows"):
        row = {"depth": depth_row, "dropout": dropout_row, "norm": norm_row}[kind](*key)
        print(row, flush=True)
        if not only:
            grown = record()
            grown["runs"].append(row)
            keep_record("norms_and_dropout", grown)


if __name__ == "__main__":
    main()
