"""One language, seven kinds of network of about equal size. Writes records/ancestors.json.

    python benchmarks/ancestors.py [--only KIND SEED]

About 6 CPU-minutes for everything; rows that the record holds already are not trained again.
`--only` trains one row and prints it.
"""

import argparse

from recording import begin_record, keep_record
from torch import nn

from support.ancestors import NeuralNGram, RecurrentModel
from support.core import seed_everything
from support.model import GPT, GPTConfig
from support.training import SequenceBatches, TrainConfig, evaluate_loss, train
from support.worlds import CallingGame, loss_floor

GAME = CallingGame()
SIZE = len(GAME.vocabulary)
GAMES, SEEDS, CONFIG = 4000, (0, 1, 2), {"steps": 600, "lr": 3e-3, "warmup": 30}
KINDS = {  # all of about 26,000 parameters
    "Bengio, window 3": lambda: NeuralNGram(SIZE, 3, 32, 184),
    "Bengio, window 8": lambda: NeuralNGram(SIZE, 8, 32, 85),
    "RNN": lambda: RecurrentModel("rnn", SIZE, 48, 120),
    "LSTM": lambda: RecurrentModel("lstm", SIZE, 48, 56, forget_bias=1.0),
    "GRU": lambda: RecurrentModel("gru", SIZE, 48, 66),
    "minGRU, two layers": lambda: RecurrentModel("mingru", SIZE, 48, 72, n_layers=2),
    "GPT, two layers": lambda: GPT(
        GPTConfig(SIZE, context=GAME.max_length, d_model=32, n_layers=2, n_heads=4, positions="rope")
    ),
}


def texts(n: int, seed: int) -> list[list[str]]:
    return GAME.sample(n, seed)


def trained(kind: str, seed: int, steps: int | None = None) -> nn.Module:
    seed_everything(seed)
    model = KINDS[kind]()
    games = [GAME.vocabulary.encode(t) for t in texts(GAMES, 10 + seed)]
    config = TrainConfig(**CONFIG | {"seed": seed} | ({"steps": steps} if steps else {}))
    train(model, SequenceBatches(games, 32, seed=seed), config)
    return model


def row(kind: str, seed: int) -> dict:
    model, test = trained(kind, seed), texts(500, 5)
    above = evaluate_loss(model, [GAME.vocabulary.encode(t) for t in test]) - loss_floor(GAME, test)
    return {"kind": kind, "seed": seed, "parameters": model.n_parameters(), "above_floor": round(above, 4)}


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record("ancestors", [], **CONFIG, games=GAMES, batch=32)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, metavar=("KIND", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    if only:
        print(row(only[0], int(only[1])))
        return
    for seed in SEEDS:
        for kind in KINDS:
            if (kind, seed) in {(r["kind"], r["seed"]) for r in record()["runs"]}:
                continue
            found = row(kind, seed)
            print(found, flush=True)
            grown = record()
            grown["runs"].append(found)
            keep_record("ancestors", grown)


if __name__ == "__main__":
    main()
