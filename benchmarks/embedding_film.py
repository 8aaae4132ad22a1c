"""How the calling game's words find their places in training. Writes support/zoo/records/embedding_film.json.

    python benchmarks/embedding_film.py

The zoo's own run (seed 0) once more, stopped for a picture 21 times. The plane is the same in all: the two
principal directions of the rows at the end. About 3 CPU-minutes.
"""

import numpy as np
import torch
from recording import begin_record, keep_record

from support.core import seed_everything
from support.inside import pca
from support.model import GPT
from support.training import SequenceBatches, evaluate_loss, train
from support.worlds import CallingGame, loss_floor
from support.zoo.recipe import recipe

STEPS = (0, 10, 20, 40, 60, 80, 100, 125, 150, 200, 250, 300, 400, 500, 700)
STEPS += (1000, 1400, 2000, 2600, 3200, 4000)
NEAR = 5


def film() -> tuple[list[int], list[float], np.ndarray]:
    """The steps, the loss on fresh games and the rows of all words but padding at each."""
    plan = recipe("calling-game")
    vocabulary = plan.world().vocabulary
    test = [vocabulary.encode(text) for text in CallingGame().sample(200, seed=999)]
    steps, losses, rows = [], [], []

    def measure(step: int, model: torch.nn.Module, _history: object) -> None:
        if step + 1 in STEPS:
            steps.append(step + 1)
            losses.append(evaluate_loss(model, test))
            rows.append(model.embedding.weight.detach().double().numpy()[1:].copy())

    seed_everything(0)
    model = GPT(plan.config(vocabulary))
    measure(-1, model, None)
    batches = SequenceBatches([vocabulary.encode(t) for t in plan.texts(0)], plan.batch_size, seed=0)
    train(model, batches, plan.training, callbacks=[measure])
    return steps, losses, np.array(rows)


def frames(steps: list[int], losses: list[float], rows: np.ndarray) -> list[dict]:
    """For each picture: where the words stand on the plane, and who is nearest to whom in the whole space."""
    last = rows[-1]
    axes, middle = pca(last).axes, last.mean(axis=0)
    made = []
    for step, loss, X in zip(steps, losses, rows, strict=True):
        centred = X - X.mean(axis=0)
        points = (X - middle) @ axes.T
        unit = X / np.linalg.norm(X, axis=1, keepdims=True)
        similarity = unit @ unit.T - 2 * np.eye(len(X))
        near = (-similarity).argsort(axis=1)[:, :NEAR]
        made.append({"step": step, "loss": round(loss, 4)})
        made[-1]["share"] = round(float(((centred @ axes.T) ** 2).sum() / (centred**2).sum()), 4)
        made[-1]["points"] = [[round(float(x), 3) for x in point] for point in points]
        made[-1]["near"] = near.tolist()
        made[-1]["cosine"] = np.take_along_axis(similarity, near, axis=1).round(3).tolist()
    return made


def main() -> None:
    texts = CallingGame().sample(200, seed=999)
    words = list(CallingGame().vocabulary.tokens[1:])
    kept = begin_record("embedding_film", [], under="frames", words=words, steps=list(STEPS))
    kept["floor"] = round(loss_floor(CallingGame(), texts), 4)
    kept["frames"] = frames(*film())
    keep_record("embedding_film", kept, indent=None)


if __name__ == "__main__":
    main()
