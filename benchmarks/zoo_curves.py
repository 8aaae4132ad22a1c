"""The held-out loss of each zoo model while it is trained. Writes support/zoo/records/zoo_curves.json.

    python benchmarks/zoo_curves.py             # about fifteen minutes on two cores
    python benchmarks/zoo_curves.py semantic    # one of them; the others stay as recorded

The kept seed of each recipe is trained once more, with the same texts in the same order, and evaluated on the
recipe's held-out texts (the first 300) at steps that grow by a factor of about 1.6. Weights are not kept.
"""

import sys
import tempfile
from pathlib import Path

import torch
from recording import keep_record, made_by

from support import zoo
from support.core import seed_everything
from support.training import evaluate_loss
from support.worlds import loss_floor
from support.zoo.build import trained

TEXTS = 300


def steps_to_evaluate(last: int) -> list[int]:
    """1, 2, 3, 5, 8, … and the last step.

    >>> steps_to_evaluate(30)
    [1, 2, 3, 5, 8, 13, 21, 30]
    """
    steps, following = [], (1, 2)
    while following[0] < last:
        steps.append(following[0])
        following = following[1], sum(following)
    return [*steps, last]


def curve(name: str) -> dict[str, object]:
    """The loss of one model on held-out texts against the step, with the world's floor on the same texts."""
    recipe = zoo.recipe(name)
    world, held_out = recipe.world(), recipe.held_out()[:TEXTS]
    seed = zoo.load(name).card["kept seed"]
    test = [world.vocabulary.encode(text) for text in held_out]
    asked = steps_to_evaluate(recipe.training.steps)
    losses: list[float] = []

    def measure(step: int, model: torch.nn.Module, history: object) -> None:
        if step + 1 in asked:
            losses.append(round(evaluate_loss(model, test), 4))
            print(name, step + 1, losses[-1], flush=True)

    with tempfile.TemporaryDirectory() as folder:
        trained(recipe, world.vocabulary, recipe.texts(seed), seed, Path(folder), callbacks=[measure])
    return {"seed": seed, "floor": round(loss_floor(world, held_out), 4), "steps": asked, "losses": losses}


def main() -> None:
    seed_everything(0)
    record = made_by("zoo_curves")
    old = {} if len(sys.argv) < 2 else zoo.record("zoo_curves")["models"]
    record["models"] = old | {name: curve(name) for name in sys.argv[1:] or zoo.RECIPES}
    keep_record("zoo_curves", record)


if __name__ == "__main__":
    main()
