"""What brings the designed axes back into learned embeddings? Writes support/zoo/records/semantic.json.

    python benchmarks/semantic.py [--only ARM SEED] [--seeds N]

Every arm is the semantic model of the zoo with one or two choices changed (and all with fewer steps), on
five seeds that no earlier trial had used. About 15 CPU-minutes for everything, seed by seed; an interrupted
study goes on where it was. `--only` trains one run and prints it; `--seeds` stops after the first so many.
"""

import argparse
import json
from dataclasses import dataclass, replace

import numpy as np
import torch
from recording import begin_record, keep_record

from support.core import seed_everything
from support.inside import EmbeddingReport, probe, retrofit, trace
from support.model import GPT
from support.training import SequenceBatches, evaluate_loss, train
from support.worlds import SemanticWorld
from support.worlds.listed import ListedWorld
from support.worlds.semantic import LATENTS, NOUNS, rich_forms
from support.zoo.recipes import semantic

SEEDS = (101, 102, 103, 104, 105)
STEPS = 2500  # the zoo's model has 4000
MEASURED_AT = (250, 1000)  # steps at which a run is judged on its way, besides its end
DICTATED_SIZE = 0.6  # makes a dictated row about as long as a learned one


@dataclass(frozen=True)
class Arm:
    """What is changed: the text, the size of the random start, the nouns' first rows, and their freedom."""

    corpus: str
    init: float = 0.02
    start: str = "random"  # or "dictated": the designed coordinates, then zeros
    frozen: bool = False  # the nouns' rows stay as they started
    tied: bool = True  # one table to read words in and to score words going out
    table: float | None = None  # the token table's own random start; `init` is then that of the rest
    head: float | None = None  # the same of an untied output head


ARMS = {f"{corpus} {init}": Arm(corpus, init) for corpus in ("thin", "full", "rich") for init in (0.02, 1.0)}
ARMS |= {
    "few of ten forms 0.02": Arm("few of ten forms"),
    "dictated, frozen": Arm("rich", start="dictated", frozen=True),
    "random, frozen": Arm("rich", init=0.2, frozen=True),
    "rich, untied": Arm("rich", tied=False),
    # Which part of the large start is it: the token table, the positions, the logits of a tied head?
    "rich 0.2": Arm("rich", init=0.2),
    "rich, table 1.0": Arm("rich", table=1.0),
    "rich, untied, table 1.0": Arm("rich", tied=False, table=1.0),
    "rich, untied, head 1.0": Arm("rich", tied=False, head=1.0),
}


def world_of(corpus: str, seed: int) -> ListedWorld:
    """The text of an arm; *few of ten forms* is as short as the thin text and as varied as the rich one."""
    if corpus != "few of ten forms":
        return SemanticWorld(corpus, seed=seed)
    rng = np.random.default_rng(seed)
    forms = dict(rich_forms())
    kept = list(forms.pop("definition"))
    for n, sentences in enumerate(forms.values()):
        count = 400 // len(forms) + (n < 400 % len(forms))
        kept += [sentences[i] for i in rng.permutation(len(sentences))[:count]]
    tokens = SemanticWorld("full").vocabulary.tokens[3:]
    return ListedWorld({tuple(s.split()): 1.0 for s in dict.fromkeys(kept)}, tokens=tokens)


def kin() -> list[tuple[int, int]]:
    """Pairs of nouns that differ on exactly one axis: what a lexicon of relatives might list."""
    apart = (LATENTS[:, None] != LATENTS[None]).sum(2)
    return [(int(a), int(b)) for a, b in np.argwhere(np.triu(apart == 1))]


def verdict(seen: EmbeddingReport) -> dict:
    return {
        "top2": round(seen.top2, 4),
        "top6": round(seen.top6, 4),
        "r2": [round(value, 3) for value in seen.r2],
        "axes_read": seen.axes_read,
        "answers": list(seen.answers),
        "recovered": seen.recovered,
    }


def run(arm: Arm, seed: int, steps: int | None = None) -> dict:
    """Train one model and judge its nouns; `steps` stops it early, on the schedule of the whole run."""
    world, recipe = world_of(arm.corpus, seed), semantic.RECIPE
    vocabulary = world.vocabulary
    texts = [vocabulary.encode(s) for s in world.sample(semantic.SENTENCES, seed=1000 + seed)]
    test = [vocabulary.encode(s) for s in world.sample(2000, seed=999)]
    seed_everything(seed)
    model = GPT(replace(semantic.config(vocabulary, init_std=arm.init), tie_weights=arm.tied))
    nouns = torch.tensor(vocabulary.encode(list(NOUNS)))
    with torch.no_grad():
        if arm.table is not None:
            model.embedding.weight *= arm.table / arm.init
        if arm.head is not None and model.head is not None:
            model.head.weight *= arm.head / arm.init
        if arm.start == "dictated":
            model.embedding.weight[nouns] = 0.0
            model.embedding.weight[nouns, : LATENTS.shape[1]] = DICTATED_SIZE * torch.tensor(LATENTS).float()
    started = semantic.rows(model).clone()
    if arm.frozen:
        model.embedding.weight.register_hook(lambda gradient: gradient.index_fill(0, nouns, 0.0))

    trail: list[dict] = []

    def report(step: int, model: torch.nn.Module, history: object) -> None:
        if step + 1 in MEASURED_AT:
            seen = semantic.judged(semantic.rows(model))
            trail.append(
                {
                    "step": step + 1,
                    "loss": round(evaluate_loss(model, test), 4),
                    "top6": round(seen.top6, 4),
                    "axes_read": seen.axes_read,
                    "recovered": seen.recovered,
                }
            )
        if step + 1 == steps:
            raise StopIteration

    settings = replace(recipe.training, steps=STEPS, seed=seed, progress=False)
    batches = SequenceBatches(texts, recipe.batch_size, seed=seed)
    try:
        train(model, batches, settings, callbacks=[report])
    except StopIteration:
        return {"trail": trail}
    return {
        "seed": seed,
        "loss": round(evaluate_loss(model.eval(), test), 4),
        "floor": round(world.entropy, 4),
        **verdict(semantic.judged(semantic.rows(model))),
        "length": round(float(semantic.rows(model).norm(dim=1).mean()), 3),
        "change": changed(semantic.rows(model) - started),
        "inside": inside(model, vocabulary),
        "retrofitted": retrofitted(model, nouns, test),
        "trail": trail,
        "rows": semantic.rows(model).numpy().round(4).tolist(),
    }


def changed(change: torch.Tensor) -> dict | None:
    """The three tests on what training added to the random start; None if it added nothing."""
    return verdict(semantic.judged(change)) if float(change.abs().max()) > 0 else None


def inside(model: GPT, vocabulary: object) -> list[list[float]]:
    """The probes' R² on the stream at the noun, after *the*: before the first block and after each block."""
    ids = torch.tensor([vocabulary.encode(["<BOS>", "the", noun]) for noun in NOUNS])
    streams = [stream[:, -1].double().numpy() for stream in trace(model, ids).streams]
    return [[round(probe(stream, axis).r2, 3) for axis in LATENTS.T] for stream in streams]


@torch.no_grad()
def retrofitted(model: GPT, nouns: torch.Tensor, test: list[list[int]]) -> dict:
    """The tests and the model's loss after the nouns' rows were drawn towards their kin."""
    kept = model.embedding.weight[nouns].clone()
    moved = torch.tensor(retrofit(kept, kin())).float()
    model.embedding.weight[nouns] = moved
    result = {"loss": round(evaluate_loss(model, test), 4), **verdict(semantic.judged(moved))}
    model.embedding.weight[nouns] = kept
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, metavar=("ARM", "SEED"))
    parser.add_argument("--seeds", type=int, default=len(SEEDS))
    asked = parser.parse_args()
    only = asked.only
    if only:
        print(json.dumps({k: v for k, v in run(ARMS[only[0]], int(only[1])).items() if k != "rows"}))
        return
    seed_everything()
    record = begin_record("semantic", {}, under="arms", steps=STEPS, seeds=list(SEEDS))
    for seed in SEEDS[: asked.seeds]:
        for name, arm in ARMS.items():
            if any(row["seed"] == seed for row in record["arms"].get(name, [])):
                continue
            row = run(arm, seed)
            if seed != SEEDS[0] or arm.frozen:
                del row["rows"]  # one space of each kind is enough to draw
            record["arms"].setdefault(name, []).append(row)
            print(name, {k: v for k, v in row.items() if k not in ("rows", "trail", "change")}, flush=True)
            keep_record("semantic", record, indent=None)


if __name__ == "__main__":
    main()
