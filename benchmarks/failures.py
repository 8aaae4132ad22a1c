"""Each way to fail, made from one healthy run by one change, and its cures. Writes records/failures.json.

    python benchmarks/failures.py [--only ARM SEED]

About 2 CPU-minutes for everything; rows of the record are not made again; `--only` prints one.
"""

import argparse
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import torch
from recording import begin_record, keep_record

from support.core import seed_everything
from support.model import GPT
from support.model.base import in_mode
from support.training import (
    DivergedError,
    SequenceBatches,
    TrainConfig,
    cross_entropy_sum,
    diagnose,
    evaluate_loss,
    inputs_and_targets,
    learning_rate,
    make_optimiser,
    train,
)
from support.worlds import CallingGame, loss_floor
from support.zoo.recipes import calling_game

WORLD = CallingGame()
GAMES, TEST = WORLD.sample(3000, seed=1), WORLD.sample(100, seed=2)
TEXTS, HELD_OUT = ([WORLD.vocabulary.encode(t) for t in games] for games in (GAMES, TEST))
FLOOR = loss_floor(WORLD, TEST)
VALIDATION = WORLD.sample(100, seed=3)  # chooses where to stop early; the test games do not
SHAPE = replace(
    calling_game.config(WORLD.vocabulary),
    d_model=32,
    n_layers=1,
    n_heads=2,
    d_head=16,
    n_kv_heads=2,
    d_ff=128,
)
CONFIG = TrainConfig(steps=100, lr=1e-2, warmup=20, weight_decay=0.01, eval_every=10)
SGD = {"optimiser": "sgd", "weight_decay": 0.0}
BATCH, SEEDS, EVERY = 24, (0, 1, 2), 2
KEPT = ("first loss", "moved by a later token", "update / weight", "reach of the run", "one batch learned")


@dataclass(frozen=True)
class Arm:
    """One change of the healthy run: of the model, the settings, the batches, or the loop."""

    fault: str = "none"  # what the diagnosis is expected to name
    shape: tuple[tuple[str, Any], ...] = ()
    config: tuple[tuple[str, Any], ...] = ()
    change: Callable[[GPT], None] | None = None
    targets: Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor] | None = None
    games: int = len(TEXTS)
    order: str = "shuffled"
    loop: str = "train"


def arm(fault: str = "none", shape: dict | None = None, **more: Any) -> Arm:
    known = {name: more.pop(name) for name in ("change", "targets", "games", "order", "loop") if name in more}
    return Arm(fault, tuple((shape or {}).items()), tuple(more.items()), **known)


def scaled(factor: float) -> Callable[[GPT], None]:
    def change(model: GPT) -> None:
        for p in model.parameters():
            p.data *= factor if p.dim() > 1 else 1

    return change


def silence(model: GPT) -> None:
    for block in model.blocks:
        block.feed_forward.up.bias.data.fill_(-10.0)


def freeze(model: GPT) -> None:
    model.blocks[0].attention.requires_grad_(False)


def corrupt(every: int) -> Callable[[torch.Tensor, torch.Tensor, int], torch.Tensor]:
    """In one batch of so many, words drawn at random in place of the targets."""

    def targets(inputs: torch.Tensor, right: torch.Tensor, step: int) -> torch.Tensor:
        words = torch.randint(3, 28, right.shape, generator=torch.Generator().manual_seed(step))
        return torch.where(right == -100, right, words) if step % every == every - 1 else right

    return targets


SMALL = {"games": 30, "steps": 150}
ARMS: dict[str, Arm] = {
    "healthy": arm(),
    "lr 1e-6": arm("learning rate too low", lr=1e-6),
    "lr 1e-4": arm("learning rate too low", lr=1e-4),
    "lr 2e-4": arm("learning rate too low", lr=2e-4),
    "lr 0.1": arm("learning rate too high", lr=0.1),
    "lr 0.3": arm("learning rate too high", lr=0.3),
    "lr 0.3, no warm-up, no clip": arm("learning rate too high", lr=0.3, warmup=0, clip=None),
    "SGD 0.3": arm(lr=0.3, **SGD),
    "SGD 3, no clip": arm("learning rate too high", lr=3.0, clip=None, **SGD),
    "SGD 3, clip 1": arm("learning rate too high", lr=3.0, **SGD),
    "clip 0.001": arm(clip=0.001),
    "clip 5": arm(clip=5.0),
    "SGD 0.3, clip 0.001": arm("clip too tight", lr=0.3, clip=0.001, **SGD),
    "SGD 0.3, clip 5": arm(lr=0.3, clip=5.0, **SGD),
    "weights × 10": arm("initialisation", change=scaled(10.0)),
    "weights × 0.0001": arm("initialisation", change=scaled(1e-4)),
    "units silenced": arm("dead units", change=silence),
    "scores × 64": arm("saturated attention", {"attention_scale": 16.0}),
    "attention frozen": arm("frozen", change=freeze),
    "no mask": arm("leak", {"causal": False}),
    "no mask, 400 steps": arm("leak", {"causal": False}, steps=400),
    "healthy, 400 steps": arm(steps=400),
    "targets not shifted": arm("targets not shifted", targets=lambda x, y, s: torch.where(y == -100, y, x)),
    "another text's targets": arm("wrong targets", targets=lambda x, y, s: y.roll(1, 0)),
    "padding counted": arm(
        "padding counted", {"masked_ids": ()}, targets=lambda x, y, s: y.masked_fill(y == -100, 0)
    ),
    "loss on every second word": arm(
        "loss mask", targets=lambda x, y, s: y.masked_fill(torch.arange(y.shape[1]) % 2 == 1, -100)
    ),
    "corrupt, 1 batch in 50": arm(targets=corrupt(50)),
    "corrupt, 1 batch in 5": arm("wrong targets", targets=corrupt(5)),
    "sorted by length": arm("data order", order="sorted"),
    "no zero_grad": arm("zero_grad", loop="no zero_grad"),
    "judged in training mode": arm("evaluation mode", {"dropout": 0.3}, loop="training mode"),
    "d_model 4": arm("capacity", {"d_model": 4, "n_heads": 1, "d_head": 4, "n_kv_heads": 1, "d_ff": 8}),
    "dropout 0.3": arm(shape={"dropout": 0.3}),
    "dropout 0.1": arm(shape={"dropout": 0.1}),
    "30 games": arm(**SMALL),
    "30 games, dropout 0.3": arm(shape={"dropout": 0.3}, **SMALL),
    "30 games, decay 1": arm(weight_decay=1.0, **SMALL),
    "30 games, no decay": arm(weight_decay=0.0, **SMALL),
    "30 games, d_model 8": arm(
        "capacity", shape={"d_model": 8, "n_heads": 2, "d_head": 4, "n_kv_heads": 2, "d_ff": 32}, **SMALL
    ),
    "30 games, stopped early": arm(loop="stop early", **SMALL),
    "300 games": arm(games=300, steps=150),
}


def batches_of(a: Arm, seed: int) -> Callable[[int], tuple[torch.Tensor, torch.Tensor]]:
    texts = TEXTS[: a.games]
    drawn = SequenceBatches(texts, BATCH, seed=seed)
    ordered = sorted(texts, key=len)

    def batches(step: int) -> tuple[torch.Tensor, torch.Tensor]:
        inputs, targets = drawn(step)
        if a.order == "sorted":
            first = step * BATCH % (len(ordered) - BATCH)
            inputs, targets = inputs_and_targets(ordered[first : first + BATCH])
        return inputs, targets if a.targets is None else a.targets(inputs, targets, step)

    return batches


def update(zero: bool) -> Callable[..., float]:
    """A training step written by hand, with or without `zero_grad`."""

    def step(model: GPT, optimiser: torch.optim.Optimizer, batch: tuple[torch.Tensor, torch.Tensor]) -> float:
        if zero:
            optimiser.zero_grad()
        loss = cross_entropy_sum(model(batch[0]), batch[1]) / (batch[1] != -100).sum()
        loss.backward()
        optimiser.step()
        return loss.item()

    return step


def keep_best(best: dict[str, Any]) -> Callable[[Any], float]:
    """Evaluate on the validation games, and keep the weights of the lowest loss so far in `best`."""
    texts = [WORLD.vocabulary.encode(text) for text in VALIDATION]
    above = FLOOR - loss_floor(WORLD, VALIDATION)  # so that `loss - FLOOR` is the distance to their own floor

    def evaluate(model: Any) -> float:
        loss = evaluate_loss(model, texts) + above
        if loss < best.get("loss", math.inf):
            best.update(loss=loss, weights={k: v.clone() for k, v in model.state_dict().items()})
        return loss

    return evaluate


def judge(a: Arm, best: dict[str, Any]) -> Callable[[Any], float]:
    if a.loop == "stop early":
        return keep_best(best)
    if a.loop != "training mode":
        return lambda model: evaluate_loss(model, HELD_OUT)

    def in_training_mode(model: GPT) -> float:
        inputs, targets = inputs_and_targets(HELD_OUT)
        with in_mode(model, training=True), torch.no_grad():
            return float(cross_entropy_sum(model(inputs), targets) / (targets != -100).sum())

    return in_training_mode


def settings(a: Arm) -> TrainConfig:
    changed = dict(a.config)
    return replace(CONFIG, min_lr=changed.get("lr", CONFIG.lr) / 10, **changed)


def fresh(a: Arm, seed: int) -> GPT:
    seed_everything(seed)
    model = GPT(replace(SHAPE, **dict(a.shape)))
    if a.change is not None:
        a.change(model)
    return model


def row(name: str, seed: int) -> dict[str, Any]:
    """One run: its curves, its losses at the end against the floor, and what the diagnosis says of it."""
    a = ARMS[name]
    model, batches, config = fresh(a, seed), batches_of(a, seed), replace(settings(a), seed=seed)
    step = update(zero=a.loop != "no zero_grad")
    evaluate = judge(a, best := {})
    report = diagnose(model, batches, config, held_out=HELD_OUT, evaluate=evaluate, update=step)
    losses: list[float] = []
    norms: list[float] = []
    evals: dict[int, float] = {}

    def note(done: int, trained: Any, history: Any) -> None:
        losses.append(history.losses[-1])
        norms.append(history.norms[-1])
        evals.update(history.evals)

    stopped = None
    if a.loop == "no zero_grad":
        optimiser = make_optimiser(model, config)
        for n in range(config.steps):
            for group in optimiser.param_groups:
                group["lr"] = learning_rate(n, config)
            losses.append(step(model, optimiser, batches(n)))
            norms.append(math.sqrt(sum(float(p.grad.square().sum()) for p in model.parameters())))
            if n % 10 == 9:
                evals[n + 1] = evaluate_loss(model, HELD_OUT)
    else:
        try:
            train(model, batches, config, evaluate, callbacks=[note])
        except DivergedError:
            stopped = len(losses)
    if best:
        model.load_state_dict(best["weights"])
    own = [GAMES[i] for i in range(min(a.games, 100))]
    every = EVERY * max(1, config.steps // CONFIG.steps)
    return {
        "arm": name,
        "seed": seed,
        "named": report.first,
        "stopped": stopped,
        "losses": [round(x, 3) for x in losses[::every]],
        "norms": [float(f"{x:.3g}") for x in norms[::every]],
        "evals": {str(k): round(v - FLOOR, 4) for k, v in evals.items()},
        "measured": {
            k: None if math.isnan(v) or math.isinf(v) else float(f"{v:.3g}")
            for k, v in report.measured.items()
            if k in KEPT
        },
        "training": round(evaluate_loss(model, TEXTS[: len(own)]) - loss_floor(WORLD, own), 4),
        "held_out": None if stopped is not None else round(evaluate_loss(model, HELD_OUT) - FLOOR, 4),
    }


def record() -> dict[str, Any]:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record("failures", [], steps=CONFIG.steps, lr=CONFIG.lr, batch=BATCH, floor=round(FLOOR, 4))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, metavar=("ARM", "SEED"))
    only = parser.parse_args().only
    if only:
        print(row(only[0], int(only[1])))
        return
    for seed in SEEDS:
        for name in ARMS:
            if (name, seed) in {(r["arm"], r["seed"]) for r in record()["runs"]}:
                continue
            found = row(name, seed)
            print(
                seed, name, found["named"], found["stopped"], found["training"], found["held_out"], flush=True
            )
            grown = record()
            grown["runs"].append(found)
            keep_record("failures", grown, indent=None)


if __name__ == "__main__":
    main()
