"""Do experts specialise? Mixtures of experts on walks by many rules. Writes support/zoo/records/experts.json.

    python benchmarks/experts.py [--only ARM SEED]

About 4 CPU-minutes for everything; rows that the record holds already are not trained again.
`--only dense-narrow 0` trains one row and prints it.
"""

import argparse
from typing import Any

import torch
from jaxtyping import Float, Int
from recording import begin_record, keep_record
from torch import Tensor

from support.core import progress, seed_everything
from support.model import GPT, GPTConfig
from support.training import IGNORE_INDEX, TrainConfig, train
from support.worlds.walks import RuleWalks

SEEDS = (0, 1, 2)
RULES, SYMBOLS, LENGTH = 16, 64, 12
EXPERTS, VISITS, WIDTH = 8, 2, 8  # networks, how many a token visits, how wide each is
STEPS, BATCH, RATE = 1500, 32, 5e-3
TEST = 10**6  # the batch that is measured; training takes batches 0 … STEPS - 1
ARMS: dict[str, dict[str, Any]] = {
    "dense-narrow": {"d_ff": VISITS * WIDTH},  # the same work for each token as the mixtures
    "dense-wide": {"d_ff": EXPERTS * WIDTH},  # the same number of weights
    "balance 0": {"balance_weight": 0.0},
    "balance 0.01": {"balance_weight": 0.01},
    "balance 0.1": {"balance_weight": 0.1},
    "frozen router": {"balance_weight": 0.0},  # the doors are drawn by lot and stay
}


def walks(seed: int, step: int, n: int = BATCH) -> tuple[Int[Tensor, "n length"], Int[Tensor, "n length"]]:
    """A batch of the world of this seed."""
    return RuleWalks(RULES, SYMBOLS, seed).batch(n, LENGTH, seed=10**7 * (seed + 1) + step)


def make(arm: str) -> GPT:
    """One block of the newer kind: RoPE, RMSNorm, SwiGLU."""
    more = {"d_ff": WIDTH, "n_experts": EXPERTS, "experts_per_token": VISITS}
    more = ARMS[arm] if "d_ff" in ARMS[arm] else more | ARMS[arm]
    shape = {"vocab_size": SYMBOLS + RULES, "context": LENGTH + 1, "d_model": 32, "n_layers": 1, "n_heads": 2}
    modern = {"positions": "rope", "norm": "rms", "activation": "swiglu"}
    free = {"attention_bias": False, "ffn_bias": False, "init_std": 0.1}
    return GPT(GPTConfig(**shape, **modern, **free, **more))


def shared(table: Float[Tensor, "row column"]) -> float:
    """How much of the columns' uncertainty the rows explain: mutual information / entropy of the columns."""
    joint = table / table.sum()
    row, column = joint.sum(1, keepdim=True), joint.sum(0, keepdim=True)
    known = (joint * (joint / (row * column)).clamp(min=1e-30).log()).sum()
    entropy = -(column * column.clamp(min=1e-30).log()).sum()
    return float(known / entropy) if entropy > 0 else 0.0


def visits(kind: Int[Tensor, " token"], expert: Int[Tensor, " token"], kinds: int) -> Float[Tensor, "k e"]:
    """How many tokens of each kind went to each expert."""
    return torch.bincount(kind * EXPERTS + expert, minlength=kinds * EXPERTS).view(kinds, EXPERTS).double()


def shares(table: Float[Tensor, "k e"]) -> list[list[float]]:
    return (table / table.sum(1, keepdim=True)).round(decimals=2).tolist()


@torch.no_grad()
def measured(model: GPT, seed: int) -> dict[str, Any]:
    """Loss and accuracy on fresh walks; with experts, who works, and on what the choice depends."""
    ids, targets = walks(seed, TEST, 1000)
    asked = targets != IGNORE_INDEX

    def loss(model: GPT) -> Tensor:
        return torch.nn.functional.cross_entropy(model(ids)[asked], targets[asked])

    right = (model(ids).argmax(-1) == targets)[asked].double().mean()
    row = {"loss": round(float(loss(model)), 4), "right": round(float(right), 4)}
    if model.config.n_experts == 1:
        return row
    experts = model.blocks[0].feed_forward
    best = experts.routing.chosen.unflatten(0, ids.shape)[..., 0][asked]
    rule = (ids[:, :1] - SYMBOLS).expand_as(ids)[asked]
    by_rule, by_symbol = visits(rule, best, RULES), visits(ids[asked], best, SYMBOLS)
    row |= {
        "load": [round(share, 4) for share in sorted(experts.routing.load.tolist())],
        "balance": round(float(experts.routing.balance), 3),
        "by rule": round(shared(by_rule), 3),
        "by symbol": round(shared(by_symbol), 3),
    }
    if seed == SEEDS[0]:  # where the tokens of each rule and of each symbol went, to be looked at
        row |= {"rules": shares(by_rule), "symbols": shares(by_symbol)}
    kept = experts.router.weight.clone()
    experts.router.weight.copy_(kept.roll(1, dims=0))  # every door leads to the next expert's room
    row["wrong doors"] = round(float(loss(model)), 3)
    experts.router.weight.copy_(kept)
    return row


def row(arm: str, seed: int) -> dict[str, Any]:
    seed_everything(seed)
    model = make(arm)
    found: dict[str, Any] = {"arm": arm, "seed": seed}
    found |= {"stored": model.n_parameters(), "active": model.n_parameters(active=True)}
    if arm == "frozen router":
        model.blocks[0].feed_forward.router.weight.requires_grad_(False)
    config = TrainConfig(steps=STEPS, lr=RATE, warmup=50, min_lr=RATE / 20, weight_decay=0.0, progress=False)
    train(model, lambda step: walks(seed, step), config)
    return found | measured(model.eval(), seed)


def record() -> dict[str, Any]:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    settings = {"rules": RULES, "symbols": SYMBOLS, "experts": EXPERTS, "visits": VISITS, "width": WIDTH}
    return begin_record("experts", [], **settings, steps=STEPS, batch=BATCH, rate=RATE)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, metavar=("ARM", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    known = {(run["arm"], run["seed"]) for run in record()["runs"]}
    todo = [(arm, seed) for seed in SEEDS for arm in ARMS if (arm, seed) not in known]
    for arm, seed in progress([(only[0], int(only[1]))] if only else todo, what="rows"):
        found = row(arm, seed)
        print({key: value for key, value in found.items() if key not in ("rules", "symbols")}, flush=True)
        if not only:
            grown = record()
            grown["runs"].append(found)
            keep_record("experts", grown)


if __name__ == "__main__":
    main()
