"""What is the same inside the calling game's model when it is trained from other seeds, and what is chance.

    python benchmarks/game_inside.py [--runs FOLDER]

Writes support/zoo/records/game_inside.json, and goes on from it if it is there (delete it to start afresh).
Trains the zoo's recipe with its seeds, about 10 CPU-minutes; with `--runs`, checkpoints that are there
already (FOLDER/0/last.safetensors, …) are used and not made again.
"""

import argparse
import itertools
import tempfile
from pathlib import Path
from typing import Any

from recording import begin_record, keep_record

from support import zoo
from support.core import seed_everything
from support.inside import ablate, trace
from support.model import GPT
from support.training import inputs_and_targets
from support.zoo.build import trained
from support.zoo.recipes.calling_game import next_word

ASKED = {
    "Tarso": "Pietro chiama Paolo",
    "vice": "5 chiama Paolo",
    "Cefa": "Paolo chiama Pietro",
    "capo": "5 chiama Pietro",
}
NETWORKS = {"first": (0,), "second": (1,), "both": (0, 1)}


def titles(model: GPT, **cut: Any) -> dict[str, float]:
    """The probability of the right title in each of the four situations, with some parts cut out."""
    with ablate(model, **cut):
        return {title: round(next_word(model, f"<BOS> {said}")[title], 3) for title, said in ASKED.items()}


def measured(model: GPT) -> dict[str, Any]:
    """One model's record: each head and each feed-forward network ablated, and the attention to the caller.

    A part is cut in two ways: it is silent, or it always says what it says on average over a hundred games.
    """
    world = zoo.recipe("calling-game").world()
    encode = world.vocabulary.encode
    ways = {
        "zero": {},
        "mean": {"reference": inputs_and_targets([encode(game) for game in world.sample(100, seed=7)])[0]},
    }
    patterns = trace(model, encode("<BOS> Pietro chiama Paolo")).patterns[:, 0, :, -1]
    record: dict[str, Any] = {"whole": titles(model), "heads": [], "networks": []}
    for by, more in ways.items():
        for a, b in itertools.product(*map(range, patterns.shape[:2])):
            row = {"layer": a + 1, "head": b + 1, "by": by, "caller": round(patterns[a, b, 1].item(), 3)}
            record["heads"].append(row | titles(model, heads=[(a, b)], by=by, **more))
        for name, layers in NETWORKS.items():
            cut = titles(model, feed_forward=layers, by=by, **more)
            record["networks"].append({"cut": name, "by": by} | cut)
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=Path, help="a folder of checkpoints, one folder a seed")
    runs = parser.parse_args().runs or Path(tempfile.mkdtemp())
    recipe = zoo.recipe("calling-game")
    vocabulary = recipe.world().vocabulary
    seed_everything()
    record = begin_record("game_inside", [])
    for seed in sorted(set(recipe.seeds) - {run["seed"] for run in record["runs"]}):
        model = trained(recipe, vocabulary, recipe.texts(seed), seed, runs / str(seed))
        record["runs"].append({"seed": seed, **measured(model)})
        keep_record("game_inside", record)
        print(seed, record["runs"][-1]["networks"], flush=True)


if __name__ == "__main__":
    main()
