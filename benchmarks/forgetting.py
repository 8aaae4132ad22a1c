"""What the game model forgets while it learns a second evening. Writes records/forgetting.json.

    python benchmarks/forgetting.py [--only METHOD SEED]

About 5 CPU-minutes for everything; runs that the record holds already are not made again.
`--only` makes one run and prints it.
"""

import argparse
import copy
from dataclasses import dataclass
from typing import Any

import torch
from recording import begin_record, keep_record

from support import zoo
from support.alignment import Distilled, InstructionBatches, Transcript, add_lora, merge_lora, transcript_loss
from support.core import seed_everything
from support.generation import generate_many
from support.model import GPT
from support.training import SequenceBatches, TrainConfig, evaluate_loss, train
from support.worlds import CallingGame, loss_floor
from support.worlds.evening import SecondEvening, forced_forgetting

ENTRY = zoo.load("calling-game")
WORDS, OLD, NEW = ENTRY.vocabulary, CallingGame(), SecondEvening()
SEEDS, STEPS, BATCH, MEASURED, TEXTS = (0, 1, 2), 100, 32, (10, 25, 50, 100), 150


@dataclass(frozen=True)
class Method:
    """How the base model goes on learning.

    Attributes:
        lr: the highest learning rate.
        rank: of LoRA; 0 trains the weights themselves.
        trained: the beginnings of the names of what is trained; all if empty.
        layer_decay: see `TrainConfig`.
        replay: how many old games each batch holds beside the new ones.
        teacher: the weight of the divergence from the base model, on texts that the base model wrote.
        announced: whether a word tells the second evening from the first.
        fresh: begin with random weights instead of the base model.
    """

    lr: float
    rank: int = 0
    trained: tuple[str, ...] = ()
    layer_decay: float = 1.0
    replay: int = 0
    teacher: float = 0.0
    announced: bool = True
    fresh: bool = False


METHODS = {
    "full, 3e-4": Method(3e-4),
    "full, 1e-3": Method(1e-3),
    "LoRA r=8, 1e-3": Method(1e-3, rank=8),
    "LoRA r=8, 1e-2": Method(1e-2, rank=8),
    "LoRA r=1, 3e-3": Method(3e-3, rank=1),
    "LoRA r=64, 3e-3": Method(3e-3, rank=64),
    "first block, 1e-3": Method(1e-3, trained=("blocks.0.",)),
    "last block, 1e-3": Method(1e-3, trained=("blocks.1.",)),
    "replay, 1e-3": Method(1e-3, replay=3),
    "distillation, 1e-3": Method(1e-3, teacher=1.0),
    "from scratch, 3e-3": Method(3e-3, fresh=True),
    "unannounced: full, 1e-3": Method(1e-3, announced=False),
    "unannounced: LoRA r=8, 1e-2": Method(1e-2, rank=8, announced=False),
}
# Side questions, asked with one seed.
ONCE = ("full, 3e-4", "from scratch, 3e-3")
RUNS = [(name, seed) for seed in SEEDS for name in METHODS if seed == 0 or name not in ONCE]


def transcripts(n: int, seed: int, announced: bool) -> list[Transcript]:
    """Games of the second evening; the announcing word is given, like <BOS>, and not learned."""
    if not announced:
        return [Transcript(game, [True] * len(game)) for game in NEW.rules.sample(n, seed)]
    return [Transcript(game, [False, False] + [True] * (len(game) - 2)) for game in NEW.sample(n, seed)]


def old_transcripts(games: list[list[str]]) -> list[Transcript]:
    return [Transcript(game, [True] * len(game)) for game in games]


def floors(announced: bool) -> tuple[float, float]:
    """The floors of the new and of the old held-out games, in nats per predicted token."""
    games = [said.tokens for said in transcripts(TEXTS, 6, announced)]
    nats = -sum((NEW if announced else NEW.rules).log_prob(game) for game in games)
    return nats / sum(len(game) - 1 - announced for game in games), loss_floor(OLD, OLD.sample(TEXTS, 7))


def measure(model: torch.nn.Module, announced: bool) -> dict[str, float]:
    """The losses above their floors."""
    new, old = floors(announced)
    said = transcripts(TEXTS, 6, announced)
    held_out = [WORDS.encode(game) for game in OLD.sample(TEXTS, 7)]
    return {
        "new": round(transcript_loss(model, said, WORDS) - new, 4),
        "old": round(evaluate_loss(model, held_out) - old, 4),
    }


def run(method: Method, seed: int, steps: int = STEPS) -> tuple[GPT, dict[str, Any]]:
    """The tuned model, its adapter merged, and what was measured on the way."""
    model = copy.deepcopy(ENTRY.model)
    if method.fresh:
        seed_everything(seed)
        model.initialise()
    if method.rank:
        add_lora(model, method.rank, seed=seed)
    if method.trained:
        for name, parameter in model.named_parameters():
            parameter.requires_grad_(name.startswith(method.trained))
    new = InstructionBatches(transcripts(4000, 10 + seed, method.announced), WORDS, BATCH, seed=seed)
    mixed = new
    if method.replay:  # old games stand in the same batches, 3 for 32
        whole = transcripts(3640, 10 + seed, method.announced) + old_transcripts(OLD.sample(360, 20 + seed))
        mixed = InstructionBatches(whole, WORDS, BATCH + method.replay, seed=seed)
    trained: torch.nn.Module = model
    if method.teacher:
        written = generate_many(ENTRY.model, [[1]] * 400, 80, seed=seed, stop=[2])
        trained = Distilled(model, ENTRY.model, SequenceBatches(written, 8, seed=seed), method.teacher)
    track = [{"step": 0, **measure(model, method.announced)}]

    def note(step: int, *_: Any) -> None:
        if step + 1 in MEASURED:
            track.append({"step": step + 1, **measure(model, method.announced)})

    config = TrainConfig(
        steps,
        lr=method.lr,
        warmup=10,
        weight_decay=0.0,
        layer_decay=method.layer_decay,
        seed=seed,
        precision="float32",
        progress=False,
    )
    train(trained, mixed, config, callbacks=[note])
    count = sum(p.numel() for p in model.parameters() if p.requires_grad)
    return merge_lora(model).eval(), {"trained": count, "track": track}


@torch.no_grad()
def changes(model: GPT) -> dict[str, dict[str, float]]:
    """For each matrix: how much it changed, in what shape, and on which texts the change acts.

    ``relative`` is ‖ΔW‖ / ‖W‖ in the Frobenius norm; ``stable rank`` is ‖ΔW‖² over its largest singular value
    squared; ``old`` and ``new`` are the root mean squares of x ΔWᵀ over the layer's inputs x, on the games of
    each evening.
    """
    inputs = {"old": _inputs(OLD.sample(60, 30)), "new": _inputs(NEW.sample(60, 31))}
    found = {}
    after = dict(model.named_parameters())
    for name, before in ENTRY.model.named_parameters():
        if name.endswith(".weight") and before.ndim == 2:
            delta = after[name] - before
            values = torch.linalg.svdvals(delta.double())
            row = {"relative": float(delta.norm() / before.norm())}
            if float(values[0]) > 0:
                row["stable rank"] = float((values**2).sum() / values[0] ** 2)
                row["largest"] = float(values[0])
            if name in inputs["old"]:
                for which, seen in inputs.items():
                    row[which] = float((seen[name] @ delta.T).square().mean().sqrt())
            found[name] = {key: round(value, 4) for key, value in row.items()}
    return found


def _inputs(games: list[list[str]]) -> dict[str, torch.Tensor]:
    """What every linear layer of the base model reads on these games, as rows."""
    kept: dict[str, list[torch.Tensor]] = {}
    hooks = [
        module.register_forward_pre_hook(
            lambda _, given, name=name: kept.setdefault(f"{name}.weight", []).append(given[0].flatten(0, -2))
        )
        for name, module in ENTRY.model.named_modules()
        if isinstance(module, torch.nn.Linear)
    ]
    for game in games:
        ENTRY.model(torch.tensor([WORDS.encode(game)]))
    for hook in hooks:
        hook.remove()
    return {name: torch.cat(rows) for name, rows in kept.items()}


def record() -> dict[str, Any]:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record(
        "forgetting",
        [],
        steps=STEPS,
        batch=BATCH,
        texts=TEXTS,
        forced=round(forced_forgetting(OLD, NEW.rules), 4),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, metavar=("METHOD", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    todo = [(only[0], int(only[1]))] if only else RUNS
    for name, seed in todo:
        if not only and (name, seed) in {(r["method"], r["seed"]) for r in record()["runs"]}:
            continue
        model, row = run(METHODS[name], seed)
        found = {"method": name, "seed": seed, **row}
        if seed == 0:
            found["changes"] = changes(model)
        print(name, seed, row["trained"], row["track"][-1], flush=True)
        if not only:
            grown = record()
            grown["runs"].append(found)
            grown["runs"].sort(key=lambda run: RUNS.index((run["method"], run["seed"])))
            keep_record("forgetting", grown, indent=None)


if __name__ == "__main__":
    main()
