"""Position schemes trained and read beyond their length. Writes support/zoo/records/positions.json.

    python benchmarks/positions.py [--only KIND TASK NAME LAYERS SEED]

About 5 CPU-minutes for everything; rows that the record holds already are not trained again.
`--only reach "three back" rope 1 0` trains one row and prints it.
"""

import argparse
import warnings
from collections.abc import Callable
from functools import lru_cache

import torch
from recording import begin_record, keep_record
from sklearn.exceptions import ConvergenceWarning
from sklearn.neural_network import MLPRegressor
from torch import Tensor, nn

from support.core import progress, seed_everything
from support.model import GPT, GPTConfig, make_attention_context
from support.training import SequenceBatches, TrainConfig, train
from support.worlds.stories import StoryWorld

SEEDS = (0, 1, 2)
TRAINED, LENGTHS = 16, (16, 32, 64, 128)
STEPS, RATE, BATCH, WIDTH, WORDS, TESTS = 300, 1e-2, 32, 32, 10, 200
LONG_STEPS, LONG_RATE = 1500, 3e-3  # for three layers that must find their own way

# --- tasks: a batch of ids, and what is to be said at each place (−100: nothing is asked) ------------------


def three_back(n: int, length: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Random words; at each place: which word stood three places before?"""
    ids = torch.randint(WORDS, (n, length), generator=generator)
    return ids, nn.functional.pad(ids[:, :-3], (3, 0), value=-100)


def latest_name(n: int, length: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Words 0 and 1 are names, one word in five is one, and so is the first: which came last?"""
    ids, places = torch.randint(2, WORDS, (n, length), generator=generator), torch.arange(length)
    names = (torch.rand(n, length, generator=generator) < 0.2) | (places == 0)
    ids = torch.where(names, torch.randint(2, (n, length), generator=generator), ids)
    return ids, ids.gather(1, torch.where(names, places, 0).cummax(dim=1).values)


def who_first(n: int, length: int, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    """Words 0 and 1 stand somewhere, word 2 at the end: who came first? Half the texts mirror the others."""
    ids = torch.randint(3, WORDS, (n // 2, length), generator=generator)
    at = torch.rand(n // 2, length - 1, generator=generator).argsort(1)[:, :2]
    ids = ids.scatter(1, at[:, :1], 0).scatter(1, at[:, 1:], 1)
    ids[:, -1] = 2
    answers = torch.full((n, length), -100)
    answers[: n // 2, -1] = (at[:, 0] > at[:, 1]).long()
    answers[n // 2 :, -1] = 1 - answers[: n // 2, -1]
    return torch.cat([ids, torch.where(ids < 2, 1 - ids, ids)]), answers


TASKS: dict[str, Callable[..., tuple[Tensor, Tensor]]] = {
    "three back": three_back,
    "latest name": latest_name,
    "who first": who_first,
}

# --- models ------------------------------------------------------------------------------------------------


class Stamps(nn.Module):
    """The three attempts that fail: a stamp computed from the place, and added."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

    def forward(self, where: slice) -> Tensor:
        place = torch.arange(float(where.stop))[:, None]
        sign = torch.tensor([1.0, -1.0]).repeat(WIDTH // 2)  # so that a norm cannot wipe the number off
        if self.name == "many speeds":
            return place * sign * torch.logspace(0, -3, WIDTH)
        return place * sign / (1 if self.name == "plain numbers" else where.stop)


ATTEMPTS = ("plain numbers", "nought to one", "many speeds")
SCHEMES = ("none", "learned", "sinusoidal", "rope", "alibi")


def reader(name: str, layers: int, **more) -> GPT:
    """The package's model, small; an attempt takes the place of its position table."""
    shape = {"vocab_size": WORDS, "context": max(LENGTHS), "d_model": WIDTH, "n_heads": 4, "init_std": 0.3}
    positions = "none" if name in ATTEMPTS else name
    model = GPT(GPTConfig(**shape, n_layers=layers, positions=positions, **more))
    if name in ATTEMPTS:
        model.position = Stamps(name)
    return model


def teach(
    model: GPT, task: str, seed: int, steps: int = STEPS, rate: float = RATE, length: int = TRAINED
) -> GPT:
    """Train on texts of one length; every step brings new ones."""

    def batches(step: int) -> tuple[Tensor, Tensor]:
        return TASKS[task](BATCH, length, torch.Generator().manual_seed(10**6 * (seed + 1) + step))

    config = TrainConfig(steps=steps, lr=rate, warmup=steps // 20, weight_decay=0.0, progress=False)
    train(model, batches, config)
    return model.eval()


@torch.no_grad()
def shares_right(model: GPT, task: str, lengths: tuple[int, ...] = LENGTHS) -> dict[str, float]:
    """How often the likeliest word is the right one, in new texts of each length."""
    shares = {}
    for length in lengths:
        ids, answers = TASKS[task](TESTS, length, torch.Generator().manual_seed(10**9 + length))
        right = (model(ids).argmax(-1) == answers)[answers >= 0]
        shares[str(length)] = round(right.double().mean().item(), 3)
    return shares


def with_changes(model: GPT, **changes) -> GPT:
    """The same weights under another configuration."""
    other = GPT(GPTConfig.from_dict(model.config.to_dict() | changes))
    other.load_state_dict(model.state_dict())
    return other.eval()


# --- rows --------------------------------------------------------------------------------------------------


def reach_row(task: str, name: str, layers: int, seed: int) -> dict:
    """Trained on sixteen words, read up to eight times as many."""
    seed_everything(seed)
    more = (LONG_STEPS, LONG_RATE) if layers > 2 else (STEPS, RATE)
    model = teach(reader(name, layers), task, seed, *more)
    return row("reach", task, name, layers, seed, right=shares_right(model, task))


def order_row(task: str, name: str, layers: int, seed: int) -> dict:
    """No positions at all; with the mask or without."""
    seed_everything(seed)
    model = teach(reader("none", layers, causal=name == "mask"), task, seed, length=8)
    return row("order", task, name, layers, seed, right=shares_right(model, task, (8,)))


STRETCHES = {  # to read four times as far as in training
    "as trained": {},
    "base by the rule": {
        "rope_base": 1e4 * 4 ** (8 / 6)
    },  # bloc97: factor^(d/(d − 2)), with 8 numbers a head
    "base × 100": {"rope_base": 1e6},
    "every pair slowed": {"rope_scaling": {"rope_type": "linear", "factor": 4.0}},
    "slow pairs slowed": {
        "rope_scaling": {
            "rope_type": "llama3",
            "factor": 4.0,
            "low_freq_factor": 0.5,
            "high_freq_factor": 2.0,
            "original_max_position_embeddings": TRAINED,
        }
    },
}
FURTHER_STEPS, FURTHER_RATE, FURTHER_LENGTH = 40, 3e-3, 64


def stretch_row(task: str, name: str, layers: int, seed: int) -> dict:
    """RoPE trained on sixteen words, then slowed down: at once, and after a little more training."""
    seed_everything(seed)
    model = with_changes(teach(reader("rope", layers), task, seed), **STRETCHES[name])
    at_once = shares_right(model, task)
    teach(model, task, seed + 100, FURTHER_STEPS, FURTHER_RATE, FURTHER_LENGTH)
    return row("stretch", task, name, layers, seed, right=at_once, later=shares_right(model, task))


TALE_STEPS, TALE_LAYERS, PLACES = 300, 4, 96


@lru_cache(maxsize=2)
def storyteller(layers: int, seed: int, trained: bool) -> GPT:
    """A model of stories, without positions."""
    seed_everything(seed)
    world = StoryWorld()
    shape = {"vocab_size": len(world.vocabulary), "context": 192, "d_model": WIDTH, "masked_ids": (0,)}
    model = GPT(GPTConfig(**shape, n_heads=4, n_layers=layers, positions="none"))
    if trained:
        tales = [world.vocabulary.encode(tale) for tale in world.sample(2500, seed=seed + 1)]
        config = TrainConfig(steps=TALE_STEPS, lr=5e-3, warmup=10, progress=False)
        train(model, SequenceBatches(tales, 8, pad_id=0, seed=seed), config)
    return model.eval()


def place_row(task: str, name: str, layers: int, seed: int) -> dict:
    """How many words a probe is off when it tells the place from the stream, before each block and after.

    The probe is a small network; it learns on half of the texts and is asked about the others.
    """
    model, world = storyteller(layers, seed, trained=name != "untrained"), StoryWorld()
    if name == "mask removed":
        model = with_changes(model, causal=False)
    unseen = [world.vocabulary.encode(tale)[: PLACES + 1] for tale in world.sample(200, seed=10**6)]
    assert min(map(len, unseen)) == PLACES + 1
    return row("place", task, name, layers, seed, off=misses(model, torch.tensor(unseen), seed))


@torch.no_grad()
def misses(model: GPT, ids: Tensor, seed: int) -> list[float]:
    """Mean distance between the place and the probe's answer, for each state of the stream."""
    attention_context = make_attention_context(model.config, ids.shape[1])
    stream, found = model.embed(ids), []
    places = torch.arange(float(ids.shape[1])).expand(len(ids), -1)
    for block in [None, *model.blocks]:
        stream = stream if block is None else block(stream, attention_context)
        states = (stream - stream.mean((0, 1))) / stream.std()
        known, new = states.chunk(2)
        seen, asked = places.chunk(2)
        probe = MLPRegressor(
            hidden_layer_sizes=(64,), random_state=seed, max_iter=25, batch_size=128, learning_rate_init=3e-3
        )
        with warnings.catch_warnings():  # it is meant to stop after 25 rounds
            warnings.simplefilter("ignore", ConvergenceWarning)
            probe.fit(known.flatten(0, 1).numpy(), seen.flatten().numpy() / PLACES)
        told = torch.from_numpy(probe.predict(new.flatten(0, 1).numpy())) * PLACES
        found.append(round((told - asked.flatten()).abs().mean().item(), 2))
    return found


def row(kind: str, task: str, name: str, layers: int, seed: int, **found) -> dict:
    return {"kind": kind, "task": task, "name": name, "layers": layers, "seed": seed, **found}


ROWS = {"reach": reach_row, "order": order_row, "stretch": stretch_row, "place": place_row}
WANTED = [
    *(("order", "who first", mask, layers) for mask in ("mask", "no mask") for layers in (1, 2)),
    *(("place", "stories", name, TALE_LAYERS) for name in ("untrained", "trained", "mask removed")),
    *(("reach", "three back", name, 1) for name in ATTEMPTS),
    *(("reach", task, name, n) for task in ("three back", "latest name") for n in (1, 2) for name in SCHEMES),
    *(("reach", "three back", name, 3) for name in ("none", "alibi")),
    *(("stretch", task, name, 1) for task in ("three back", "latest name") for name in STRETCHES),
]


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record("positions", [], steps=STEPS, rate=RATE, trained=TRAINED, tale_steps=TALE_STEPS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=5, metavar=("KIND", "TASK", "NAME", "LAYERS", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    wanted = [(*key, seed) for seed in SEEDS for key in WANTED]
    if only:
        wanted = [(*only[:3], int(only[3]), int(only[4]))]
    known = {tuple(r[k] for k in ("kind", "task", "name", "layers", "seed")) for r in record()["runs"]}
    for kind, *key in progress([key for key in wanted if only or key not in known], what="rows"):
        made = ROWS[kind](*key)
        print(made, flush=True)
        if not only:
            grown = record()
            grown["runs"].append(made)
            keep_record("positions", grown)


if __name__ == "__main__":
    main()
