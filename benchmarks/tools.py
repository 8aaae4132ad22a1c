"""What a model does without tools, and one that learned what the harness writes. Writes records/tools.json.

    python benchmarks/tools.py [--only KIND SEED]

About 2 CPU-minutes for everything; rows that the record holds already are not made again.
`--only` makes one row and prints it. The model with tools is the zoo's; its card has its three seeds.
"""

import argparse

from recording import begin_record, keep_record

from support.alignment.tool_evaluation import unplugged
from support.core import seed_everything
from support.zoo.recipes import shop

KINDS = {
    # answers follow the question at once
    "without tools": {"tools": False, "steps": 600},
    # with requests, but the loss counts every token: the questions and what the tools said as well
    "results learned": {"mask": "all", "steps": 400},
}
SEEDS = (0, 1, 2)
ASKED = 150


def row(kind: str, seed: int) -> dict:
    """One run: right answers by kind of problem, and what it does when no harness answers."""
    model = shop.trained(seed, **KINDS[kind])
    found = {"kind": kind, "seed": seed} | shop.accuracies(model, ASKED)
    if kind == "without tools":
        found |= {k: v for k, v in shop.by_page(model, ASKED).items() if k.startswith("no page")}
    else:
        alone = unplugged(model, shop.world().vocabulary, shop.new_problems("sum", ASKED))
        found |= {"unplugged, invents": alone.invents, "unplugged, right": alone.right}
    return {k: round(v, 4) if isinstance(v, float) else v for k, v in found.items()}


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record("tools", [], settings=KINDS, asked=ASKED)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, metavar=("KIND", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    if only:
        print(row(only[0], int(only[1])))
        return
    for kind in KINDS:
        for seed in SEEDS:
            if (kind, seed) in {(r["kind"], r["seed"]) for r in record()["runs"]}:
                continue
            found = row(kind, seed)
            print(found, flush=True)
            grown = record()
            grown["runs"].append(found)
            keep_record("tools", grown)


if __name__ == "__main__":
    main()
