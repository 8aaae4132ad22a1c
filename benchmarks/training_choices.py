"""What optimiser, learning rate and warm-up decide. Writes support/zoo/records/training_choices.json.

    python benchmarks/training_choices.py [--only OPTIMISER RATE WARMUP SEED]

The calling game's model, 250 steps of 32 games, everything else as in the zoo's recipe; the loss is that on
the same 500 fresh games. About 4 CPU-minutes for everything; rows that the record holds already are not
trained again. `--only` trains one run of a row and prints its loss.
"""

import argparse

from recording import begin_record, keep_record

from support.core import seed_everything
from support.model import GPT
from support.training import DivergedError, SequenceBatches, TrainConfig, evaluate_loss, train
from support.worlds import CallingGame, loss_floor
from support.zoo.recipes.calling_game import config

STEPS, BATCH, GAMES = 250, 32, 8_000
SEEDS = (0, 1, 2)
ADAMW, SGD = (1e-3, 3e-3, 1e-2, 3e-2, 1e-1), (3e-2, 1e-1, 3e-1, 1.0)
ARMS = [("adamw", rate, 30) for rate in ADAMW]
ARMS += [("adamw", rate, 0) for rate in ADAMW]
ARMS += [("sgd", rate, 30) for rate in SGD]


def settings(optimiser: str, rate: float, warmup: int, seed: int) -> TrainConfig:
    """One arm: only these three things differ; the rate falls to a tenth in every arm."""
    return TrainConfig(
        STEPS, lr=rate, warmup=warmup, optimiser=optimiser, weight_decay=0.01, seed=seed, progress=False
    )


def trained_loss(optimiser: str, rate: float, warmup: int, seed: int) -> float | None:
    """The loss on fresh games after training; None if the training broke off."""
    world = CallingGame()
    encode = world.vocabulary.encode
    texts = [encode(text) for text in world.sample(GAMES, seed=1000 + seed)]
    seed_everything(seed)
    model = GPT(config(world.vocabulary))
    try:
        train(model, SequenceBatches(texts, BATCH, seed=seed), settings(optimiser, rate, warmup, seed))
    except DivergedError:
        return None
    return round(evaluate_loss(model, [encode(text) for text in held_out()]), 4)


def held_out() -> list[list[str]]:
    return CallingGame().sample(500, seed=999)


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    least = round(loss_floor(CallingGame(), held_out()), 4)
    return begin_record("training_choices", [], steps=STEPS, **{"games a step": BATCH, "floor": least})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=4, metavar=("OPTIMISER", "RATE", "WARMUP", "SEED"))
    only = parser.parse_args().only
    if only:
        print(trained_loss(only[0], float(only[1]), int(only[2]), int(only[3])))
        return
    seed_everything()
    kept = record()
    known = {(row["optimiser"], row["lr"], row["warmup"]) for row in kept["runs"]}
    for optimiser, rate, warmup in (arm for arm in ARMS if arm not in known):
        losses = [trained_loss(optimiser, rate, warmup, seed) for seed in SEEDS]
        kept["runs"].append({"optimiser": optimiser, "lr": rate, "warmup": warmup, "losses": losses})
        print(kept["runs"][-1], flush=True)
        keep_record("training_choices", kept)


if __name__ == "__main__":
    main()
