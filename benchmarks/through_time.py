"""How far back recurrent networks learn: one symbol recalled after a pause.

    python benchmarks/through_time.py [--only KIND PAUSE SEED]

Writes support/zoo/records/through_time.json. About 10 CPU-minutes for everything; rows that the record holds
already are not trained again.
`--only` trains one row and prints it.
"""

import argparse

import torch
import torch.nn.functional as F
from recording import begin_record, keep_record
from torch import nn

from support.ancestors import MinGRU, RecurrentModel, as_torch
from support.core import progress, seed_everything
from support.inside import jacobian_norms
from support.model import GPT, GPTConfig
from support.worlds.memory import Recall

TASK = Recall()
D_MODEL, D_HIDDEN, STEPS, BATCH, RATE = 32, 64, 300, 64, 3e-3
PAUSES, SEEDS = (10, 30, 100), (0, 1, 2)
# The number behind a name is the bias with which its forget gate starts.
KINDS = ("rnn", "gru", "lstm", "lstm+3", "lstm+5", "mingru", "mingru+5", "attention")
AGES = (0, 1, 2, 3, 5, 7, 10, 15, 20, 30, 40, 50, 60, 80, 100)  # how many steps before the last
HELD_OUT = 10**6  # seeds from here on are for testing


def model_of(kind: str, context: int = 128) -> nn.Module:
    if kind == "attention":
        return GPT(GPTConfig(TASK.vocab_size, context, D_HIDDEN, n_layers=1, n_heads=4, positions="none"))
    name, _, forget = kind.partition("+")
    return RecurrentModel(
        name, TASK.vocab_size, D_MODEL, D_HIDDEN, forget_bias=float(forget) if forget else None
    )


def answers(model: nn.Module, ids: torch.Tensor) -> torch.Tensor:
    """The logits at the question; a cell that torch has too is run by torch's, with the same parameters."""
    if isinstance(model, GPT) or isinstance(model.layers[0], MinGRU):
        return model(ids)[:, -1]
    return model.output(as_torch(model.layers[0])(model.embedding(ids))[0][:, -1])


def by_age(model: nn.Module, pause: int) -> dict[int, float] | None:
    """∂(last hidden state)/∂(input so many steps before): spectral norms, the mean of eight texts."""
    if isinstance(model, GPT):
        return None
    ids, _ = TASK.batch(8, pause, HELD_OUT)
    norms = jacobian_norms(model.layers[0], model.embedding(ids)).mean(0).flip(0)
    return {age: float(f"{norms[age]:.3g}") for age in AGES if age < len(norms)}


@torch.no_grad()
def accuracy(model: nn.Module, pause: int, size: int = 1000) -> float:
    ids, targets = TASK.batch(size, pause, HELD_OUT + 1)
    return round((answers(model, ids).argmax(-1) == targets[:, -1]).float().mean().item(), 3)


def trained(kind: str, pause: int, seed: int, steps: int = STEPS) -> nn.Module:
    seed_everything(seed)
    model = model_of(kind)
    optimiser = torch.optim.Adam(model.parameters(), RATE, fused=True)
    for step in progress(range(steps), what=f"{kind}, pause {pause}, seed {seed}"):
        ids, targets = TASK.batch(BATCH, pause, seed * steps + step)
        loss = F.cross_entropy(answers(model, ids), targets[:, -1])
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
    return model


def row(kind: str, pause: int, seed: int) -> dict:
    model = trained(kind, pause, seed)
    seed_everything(seed)
    found = {"kind": kind, "pause": pause, "seed": seed, "accuracy": accuracy(model, pause)}
    return found | {"fresh": by_age(model_of(kind), pause), "trained": by_age(model, pause)}


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record("through_time", [], steps=STEPS, batch=BATCH, lr=RATE, guess=1 / TASK.symbols)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=3, metavar=("KIND", "PAUSE", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    if only:
        print(row(only[0], int(only[1]), int(only[2])))
        return
    for seed in SEEDS:
        for pause in PAUSES:
            for kind in KINDS:
                known = {(r["kind"], r["pause"], r["seed"]) for r in record()["runs"]}
                if (kind, pause, seed) in known:
                    continue
                found = row(kind, pause, seed)
                print({k: v for k, v in found.items() if k not in ("fresh", "trained")}, flush=True)
                grown = record()
                grown["runs"].append(found)
                keep_record("through_time", grown)


if __name__ == "__main__":
    main()
