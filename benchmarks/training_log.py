"""A training run measured on its way. Writes support/zoo/records/training_log.json.

    python benchmarks/training_log.py

The calling game's model, 400 steps of 32 games (10 CPU-seconds), one seed. At some steps: the loss on 300
fresh games, two probabilities that a rule of the game decides, how many of 100 games that the model makes up
are legal, and the first of these. The n-grams of the comparison counted the same games.
"""

from collections.abc import Callable, Sequence
from typing import Any

import torch
from recording import keep_record, made_by

from support.core import seed_everything
from support.model import GPT
from support.training import SequenceBatches, TrainConfig, evaluate_loss, train
from support.worlds import CallingGame
from support.zoo.build import baselines
from support.zoo.recipes.calling_game import config, next_word

GAMES, FRESH, SEED = 20_000, 300, 0
MEASURED_AT = (0, 25, 50, 100, 200, 400)
SETTINGS = TrainConfig(400, lr=5e-3, warmup=30, weight_decay=0.01, progress=False)
WORLD = CallingGame()


@torch.no_grad()
def made_up(model: GPT, n: int = 100) -> list[list[str]]:
    """Games that the model makes up, each until it says <EOS>, or as long as a game can be."""
    vocabulary, generator = WORLD.vocabulary, torch.Generator().manual_seed(SEED)
    ids = torch.full((n, 1), vocabulary.id("<BOS>"))
    for _ in range(WORLD.max_length - 1):
        probabilities = model(ids)[:, -1].double().softmax(dim=1)
        ids = torch.cat([ids, torch.multinomial(probabilities, 1, generator=generator)], dim=1)
    games = [[vocabulary.token(i) for i in row] for row in ids.tolist()]
    return [g[: g.index("<EOS>") + 1] if "<EOS>" in g else g for g in games]


def measured(step: int, model: GPT, fresh: list[list[int]]) -> dict[str, object]:
    games = made_up(model)
    legal = [WORLD.log_prob(g) > -float("inf") for g in games]
    return {
        "step": step,
        "loss": round(evaluate_loss(model, fresh), 4),
        "P(Tarso)": round(next_word(model, "<BOS> Pietro chiama Paolo")["Tarso"], 4),
        "P(vice)": round(next_word(model, "<BOS> Pietro chiama 5 5 chiama Paolo")["vice"], 4),
        "legal games": sum(legal),
        "sample": " ".join(games[0]),
    }


def measured_at(
    steps: Sequence[int],
    texts: Sequence[Sequence[str]],
    test: Sequence[Any],
    measure: Callable[[int, GPT, Any], dict],
    seed: int = SEED,
) -> list[dict]:
    """The run, stopped at some steps: what `measure(step, model, test)` says there."""
    seed_everything(seed)
    model = GPT(config(WORLD.vocabulary))
    rows = [measure(0, model, test)]

    def callback(step: int, trained: GPT, _history: object) -> None:
        if step + 1 in steps:
            rows.append(measure(step + 1, trained, test))
            print(rows[-1], flush=True)

    batches = SequenceBatches([WORLD.vocabulary.encode(t) for t in texts], 32, seed=seed)
    train(model, batches, SETTINGS, callbacks=[callback])
    return rows


def main() -> None:
    texts, fresh = WORLD.sample(GAMES, seed=1000 + SEED), WORLD.sample(FRESH, seed=999)
    test = [WORLD.vocabulary.encode(t) for t in fresh]
    record = {
        **made_by("training_log"),
        "seed": SEED,
        "counting": baselines(WORLD.vocabulary, texts, WORLD.sample(1000, seed=997), test),
        "looks": measured_at(MEASURED_AT, texts, test, measured),
    }
    keep_record("training_log", record)


if __name__ == "__main__":
    main()
