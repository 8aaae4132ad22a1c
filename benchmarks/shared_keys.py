"""What it costs to share keys and values between heads. Writes support/zoo/records/shared_keys.json.

    python benchmarks/shared_keys.py [--only TASK NAME SEED]

About 5 CPU-minutes for everything; rows that the record holds already are not trained again.
`--only market "8 of 8" 0` trains one row and prints it.
"""

import argparse
from functools import lru_cache

import torch
from recording import begin_record, keep_record
from torch import Tensor

from support.core import progress, seed_everything
from support.model import GPT, GPTConfig, cache_bytes
from support.training import SequenceBatches, TrainConfig, evaluate_loss, train
from support.worlds.stories import StoryWorld

SEEDS = (0, 1, 2)
HEADS, SHARED = 8, (8, 4, 2, 1)
KINDS, STALLS, QUESTIONS, MARKET_STEPS, MARKET_RATE = 8, 6, 12, 800, 5e-3
TALE_STEPS, TALE_RATE = 400, 6e-3
ASKED = 3 * KINDS  # ids of names, goods and prices, in questions and answers; the stalls' ids follow


def market(n: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Six stalls, each one token that means a name, goods and a price; then twelve questions.

    A name asks for that stall's goods, goods for their price, a price for the name.
    """
    signs = torch.stack(
        [torch.rand(n, KINDS, generator=generator).argsort(1)[:, :STALLS] for _ in range(3)], -1
    )
    stalls = ASKED + signs @ torch.tensor([KINDS**2, KINDS, 1])
    which = torch.randint(STALLS, (n, QUESTIONS), generator=generator)
    kind = torch.randint(3, (n, QUESTIONS), generator=generator)
    meant = signs[torch.arange(n)[:, None], which]
    asked, told = (meant.gather(2, k[..., None])[..., 0] + KINDS * k for k in (kind, (kind + 1) % 3))
    return torch.cat([stalls, asked], 1), torch.cat([torch.full_like(stalls, -100), told], 1)


def shopper(n_kv_heads: int, d_head: int = 8) -> GPT:
    """One layer of eight heads; nothing about the order of the stalls counts."""
    shape = {"vocab_size": ASKED + KINDS**3, "context": STALLS + QUESTIONS, "d_model": 64, "d_ff": 64}
    shape |= {"n_heads": HEADS, "n_layers": 1, "positions": "none", "init_std": 0.2}
    return GPT(GPTConfig(**shape, n_kv_heads=n_kv_heads, d_head=d_head))


def teach(model: GPT, seed: int, steps: int = MARKET_STEPS, rate: float = MARKET_RATE) -> GPT:
    def batches(step: int) -> tuple[Tensor, Tensor]:
        return market(32, torch.Generator().manual_seed(10**6 * (seed + 1) + step))

    config = TrainConfig(steps=steps, lr=rate, warmup=min(25, steps // 10), weight_decay=0.0, progress=False)
    train(model, batches, config)
    return model.eval()


@torch.no_grad()
def share_right(model: GPT) -> float:
    ids, answers = market(400, torch.Generator().manual_seed(10**9))
    right = (model(ids).argmax(-1) == answers)[answers >= 0]
    return round(right.double().mean().item(), 3)


def pooled(model: GPT, n_kv_heads: int) -> GPT:
    """Each group's keys and values replaced by their mean (Ainslie et al. 2023)."""
    few = GPT(GPTConfig.from_dict(model.config.to_dict() | {"n_kv_heads": n_kv_heads}))
    few.to(model.embedding.weight.dtype)
    weights = model.state_dict()
    for name in [name for name in weights if ".qkv." in name]:
        q, k, v = weights[name].chunk(3)
        k, v = (t.unflatten(0, (n_kv_heads, HEADS // n_kv_heads, -1)).mean(1).flatten(0, 1) for t in (k, v))
        weights[name] = torch.cat([q, k, v])
    few.load_state_dict(weights)
    return few.eval()


@lru_cache(maxsize=16)
def taught(name: str, seed: int) -> GPT:
    """Trained from the start: so many shared heads, or as many heads as ever, but thinner."""
    seed_everything(seed)
    kept, _, width = name.partition(" thin of ")
    return teach(shopper(HEADS, int(width)) if width else shopper(int(kept.split()[0])), seed)


def market_row(name: str, seed: int) -> dict:
    model = taught(name, seed)
    return row("market", name, seed, model, right=share_right(model))


def pooled_row(name: str, seed: int) -> dict:
    """Trained with all heads; then the groups' means take their place, and a tenth of the steps follows."""
    model = pooled(taught(f"{HEADS} of {HEADS}", seed), int(name.split()[0]))
    at_once = share_right(model)
    later = share_right(teach(model, seed + 100, MARKET_STEPS // 10))
    return row("pooled", name, seed, model, right=at_once, later=later)


def tales(n: int, seed: int) -> list[list[int]]:
    world = StoryWorld()
    return [world.vocabulary.encode(tale) for tale in world.sample(n, seed=seed)]


@lru_cache(maxsize=16)
def told(n_kv_heads: int, seed: int) -> GPT:
    """A small model of stories."""
    seed_everything(seed)
    shape = {"vocab_size": len(StoryWorld().vocabulary), "context": 192, "d_model": 48, "n_heads": HEADS}
    shape |= {"n_layers": 2, "positions": "rope", "masked_ids": (0,), "init_std": 0.15}
    model = GPT(GPTConfig(**shape, n_kv_heads=n_kv_heads))
    return tell(model, seed, TALE_STEPS, TALE_RATE)


def tell(model: GPT, seed: int, steps: int, rate: float) -> GPT:
    batches = SequenceBatches(tales(10 * steps, seed + 1), 8, pad_id=0, seed=seed)
    train(model, batches, TrainConfig(steps=steps, lr=rate, warmup=steps // 20, progress=False))
    return model.eval()


def stories_row(name: str, seed: int) -> dict:
    """Nats per token on new stories."""
    model = told(int(name.split()[0]), seed)
    return row("stories", name, seed, model, loss=round(evaluate_loss(model, tales(200, 10**6)), 4))


def pooled_stories_row(name: str, seed: int) -> dict:
    """The model of stories with all heads, pooled, and a tenth of the steps more."""
    new, full = tales(200, 10**6), told(HEADS, seed)
    model = pooled(full, int(name.split()[0]))
    at_once = round(evaluate_loss(model, new), 4)
    later = round(evaluate_loss(tell(model, seed + 100, TALE_STEPS // 10, TALE_RATE / 3), new), 4)
    return row(
        "pooled stories",
        name,
        seed,
        model,
        full=round(evaluate_loss(full, new), 4),
        loss=at_once,
        later=later,
    )


def row(task: str, name: str, seed: int, model: GPT, **found: float) -> dict:
    """With the cache: by the formula, and the bytes that are really allocated."""
    size = {"parameters": model.n_parameters(), "cache": cache_bytes(model.config)}
    return {"task": task, "name": name, "seed": seed, **size, "allocated": model.cache().nbytes, **found}


ROWS = {
    "market": market_row,
    "pooled": pooled_row,
    "stories": stories_row,
    "pooled stories": pooled_stories_row,
}
WANTED = [
    *(("market", f"{n} of {HEADS}") for n in SHARED),
    *(("market", f"{HEADS} thin of {width}") for width in (4, 2, 1)),
    ("pooled", f"2 of {HEADS}"),
    ("pooled stories", f"2 of {HEADS}"),
    *(("stories", f"{n} of {HEADS}") for n in SHARED if n != 4),
]


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record("shared_keys", [], market_steps=MARKET_STEPS, tale_steps=TALE_STEPS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=3, metavar=("TASK", "NAME", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    wanted = [(*key, seed) for seed in SEEDS for key in WANTED]
    if only:
        wanted = [(*only[:2], int(only[2]))]
    known = {(r["task"], r["name"], r["seed"]) for r in record()["runs"]}
    for task, *key in progress([key for key in wanted if only or key not in known], what="rows"):
        made = ROWS[task](*key)
        print(made, flush=True)
        if not only:
            grown = record()
            grown["runs"].append(made)
            keep_record("shared_keys", grown)


if __name__ == "__main__":
    main()
