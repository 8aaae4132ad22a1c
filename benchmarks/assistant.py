"""The assistant after each of its three steps, over seeds. Writes records/assistant.json and the zoo's model.

    python benchmarks/assistant.py [--only SEED]

About 7 CPU-minutes a seed; seeds that the record holds already are not trained again. The weights of seed 0
are those of the zoo. With `--only` several seeds can be trained side by side.
"""

import argparse
from typing import Any

import torch
from recording import begin_record, keep_record

from support import zoo
from support.core import seed_everything
from support.generation import generate_many
from support.zoo.recipes import assistant as made
from support.zoo.recipes.assistant_build import row, write
from support.zoo.recipes.assistant_facts import STORIES, TEST, long_talks

SEEDS, KEPT = (0, 1, 2), 0
READ = (0, 1, 3, 9)  # turns that are read besides the story


def told_by_the_base() -> dict[str, float]:
    """How many stories of the untuned model, drawn at temperature 1, are stories of the world."""
    base = zoo.load(made.BASE)
    end = base.vocabulary.id("<EOS>")
    start = [[base.vocabulary.id("<BOS>")]] * STORIES
    texts = generate_many(base.model, start, 190, seed=TEST, stop=[end])
    told = [[base.vocabulary.token(i) for i in ids] for ids in texts]
    legal = sum(base.world.log_prob(tokens) > -torch.inf for tokens in told)
    return {"stories legal": round(legal / STORIES, 4)}


def record() -> dict[str, Any]:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    empty = begin_record("assistant", [], steps=made.STEPS, rates=made.RATES, beta=made.BETA)
    if "base" not in empty:
        empty["base"] = told_by_the_base()
    return empty


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", type=int, metavar="SEED")
    only = parser.parse_args().only
    seed_everything()
    for seed in SEEDS if only is None else [only]:
        if seed in {run["seed"] for run in record()["runs"]}:
            continue
        print(f"seed {seed}", flush=True)
        found, model, words = row(seed)
        grown = record()
        grown["runs"] = sorted([*grown["runs"], found], key=lambda run: run["seed"])
        keep_record("assistant", grown)
        if seed == KEPT:
            write(model, words, grown["runs"])
    complete = record()["runs"]
    if [run["seed"] for run in complete] == list(SEEDS):
        entry = zoo.load(made.NAME)
        write(entry.model, entry.vocabulary, complete)
        grown = record()
        grown["right after long talks"] = {
            str(latest): round(long_talks(entry.model, entry.vocabulary, latest), 4) for latest in READ
        }
        keep_record("assistant", grown)


if __name__ == "__main__":
    main()
