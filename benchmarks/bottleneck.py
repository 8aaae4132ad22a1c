"""A list to be written backwards, through one vector or with attention. Writes records/bottleneck.json.

    python benchmarks/bottleneck.py [--only one-vector|attention SEED]

About 3 CPU-minutes for everything; rows that the record holds already are not trained again.
`--only` trains one row and prints it.
"""

import argparse
import math

import torch
from recording import begin_record, keep_record
from torch import nn

from support.ancestors import Seq2Seq
from support.core import progress, seed_everything
from support.model import Seq2SeqInputs
from support.training import cross_entropy_sum
from support.worlds.memory import Backwards

TASK = Backwards()
D_MODEL, D_HIDDEN, STEPS, BATCH, RATE = 32, 64, 1000, 64, 3e-3
TRAINED = (2, 16)  # the shortest and the longest list in training
LENGTHS, SEEDS, KINDS = (2, 4, 6, 8, 10, 12, 14, 16, 20, 24), (0, 1, 2), ("one vector", "attention")
OFFSETS = range(-3, 4)  # how far from the symbol's own place the weight lies
HELD_OUT = 10**6  # seeds from here on are for testing


def model_of(kind: str) -> Seq2Seq:
    return Seq2Seq(TASK.vocab_size, D_MODEL, D_HIDDEN, attention=kind == "attention")


def trained(kind: str, seed: int, steps: int = STEPS) -> Seq2Seq:
    seed_everything(seed)
    model, lengths = model_of(kind), torch.Generator().manual_seed(seed)
    optimiser = torch.optim.Adam(model.parameters(), RATE, fused=True)
    for step in progress(range(steps), what=f"{kind}, seed {seed}"):
        length = int(torch.randint(TRAINED[0], TRAINED[1] + 1, (1,), generator=lengths))
        source, written, targets = TASK.batch(BATCH, length, seed * steps + step)
        loss = cross_entropy_sum(model(Seq2SeqInputs(source, written)), targets) / targets.numel()
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model


@torch.no_grad()
def judged(model: Seq2Seq, length: int, size: int = 500) -> dict:
    """The share of right symbols, the bits that arrive of a list, and where the weight lies."""
    source, written, targets = TASK.batch(size, length, HELD_OUT + length)
    logits, weights = model.write(Seq2SeqInputs(source, written))
    nats = float(cross_entropy_sum(logits, targets)) / size
    found = {
        "length": length,
        "accuracy": round((logits.argmax(-1) == targets).float().mean().item(), 3),
        "bits": round(length * math.log2(TASK.symbols) - nats / math.log(2), 2),
    }
    if weights is None:
        return found
    # Backwards, the symbol's own place is that of the step, so that offsets are diagonals.
    turned = weights.flip(2)
    by_offset = {o: turned.diagonal(-o, 1, 2).mean().item() for o in OFFSETS if abs(o) < length}
    return found | {"weight_at": {str(o): round(w, 3) for o, w in by_offset.items()}}


@torch.no_grad()
def alignment(model: Seq2Seq, length: int = 10) -> list[list[float]]:
    """Where the writer looked for one list: a row for each symbol written, a column for each one read."""
    source, written, _ = TASK.batch(1, length, HELD_OUT)
    _, weights = model.write(Seq2SeqInputs(source, written))
    return [[round(w, 3) for w in row] for row in weights[0].tolist()]


def row(kind: str, seed: int) -> dict:
    model = trained(kind, seed)
    found = {"kind": kind, "seed": seed, "lengths": [judged(model, length) for length in LENGTHS]}
    return found | ({} if model.attention is None else {"alignment": alignment(model)})


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    settings = {"steps": STEPS, "batch": BATCH, "lr": RATE, "trained": list(TRAINED)}
    return begin_record("bottleneck", [], **settings, bits_per_symbol=math.log2(TASK.symbols))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, metavar=("KIND", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    if only:
        print(row(only[0].replace("-", " "), int(only[1])))
        return
    for seed in SEEDS:
        for kind in KINDS:
            if (kind, seed) in {(r["kind"], r["seed"]) for r in record()["runs"]}:
                continue
            found = row(kind, seed)
            print(kind, seed, [(r["length"], r["accuracy"]) for r in found["lengths"]], flush=True)
            grown = record()
            grown["runs"].append(found)
            keep_record("bottleneck", grown)


if __name__ == "__main__":
    main()
