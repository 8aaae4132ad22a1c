"""Contexts that were never seen: n-grams against the neural n-gram. Writes records/unseen_contexts.json.

    python benchmarks/unseen_contexts.py [--only SENTENCES SEED]

About 3 CPU-minutes for everything; rows that the record holds already are not made again.
`--only` makes one row and prints it.
"""

import argparse
import math

import numpy as np
import torch
from recording import begin_record, keep_record

from support.ancestors import NeuralNGram, NGram
from support.core import seed_everything
from support.training import SequenceBatches, TrainConfig, evaluate_loss, train
from support.worlds.classes import ClassWorld

WORLD = ClassWorld()
SIZE, MASKED = len(WORLD.vocabulary), (0, 1, 2)  # the special tokens are never predicted here
SENTENCES, SEEDS, WIDTHS = (1500,), (0, 1, 2), (2, 4, 8)
D_HIDDEN, CONFIG = 64, {"steps": 4000, "lr": 5e-3, "min_lr": 0.0, "weight_decay": 0.01}
DEV, TEST = 10**6, 10**6 + 1


def texts(n: int, seed: int) -> list[list[int]]:
    """Sentences as ids from <BOS> to the last word: <EOS> would only tell how long sentences are."""
    return [WORLD.vocabulary.encode(tokens[:-1]) for tokens in WORLD.sample(n, seed)]


def contexts(sentences: list[list[int]]) -> list[tuple[int, int]]:
    """All pairs of words that a word follows."""
    return [(ids[i], ids[i + 1]) for ids in sentences for i in range(1, len(ids) - 2)]


def truth(pair: tuple[int, int]) -> np.ndarray:
    """The exact distribution of the next word."""
    probabilities = WORLD.distribution(["<BOS>", *map(WORLD.vocabulary.token, pair)])
    return np.array([probabilities.get(token, 0.0) for token in WORLD.vocabulary.tokens])


def divergence(p: np.ndarray, q: np.ndarray) -> float:
    """KL(p ‖ q) in nats."""
    there = p > 0
    return float((p[there] * np.log(p[there] / np.maximum(q[there], 1e-12))).sum())


def bengio(
    sentences: list[list[int]], width: int, seed: int, dev: list[list[int]], steps: int | None = None
) -> NeuralNGram:
    """A network trained on the sentences; of its states, the one that does best on `dev` (early stopping)."""
    seed_everything(seed)
    model, best = NeuralNGram(SIZE, 2, width, D_HIDDEN), {"loss": math.inf, "weights": {}}

    def keep_best(step: int, model: NeuralNGram, _) -> None:
        if step % 50 == 49 and (loss := evaluate_loss(model, dev)) < best["loss"]:
            best.update(loss=loss, weights={k: v.clone() for k, v in model.state_dict().items()})

    config = CONFIG | {"seed": seed} | ({"steps": steps} if steps else {})
    # Twelve words a sentence: as many sentences as make about 128 predictions.
    train(model, SequenceBatches(sentences, 12, seed=seed), TrainConfig(**config), callbacks=[keep_best])
    model.load_state_dict(best["weights"])
    return model.eval()


@torch.no_grad()
def next_word(model: NeuralNGram, pair: tuple[int, int]) -> np.ndarray:
    return model(torch.tensor([pair]))[0, -1].double().softmax(0).numpy()


def same_class(model: NeuralNGram) -> float:
    """The share of words whose nearest neighbour (by cosine) is of their class."""
    words = torch.nn.functional.normalize(model.embedding.weight.detach()[3:], dim=1)
    nearest = (words @ words.T).fill_diagonal_(-2).argmax(1).tolist()
    return sum(
        WORLD.class_of[WORLD.names[i]] == WORLD.class_of[WORLD.names[j]] for i, j in enumerate(nearest)
    ) / len(nearest)


def row(n: int, seed: int) -> dict:
    sentences, dev = texts(n, seed), texts(200, DEV)
    seen, asked = set(contexts(sentences)), contexts(texts(400, TEST))
    exact = {pair: truth(pair) for pair in asked}

    def split(predict) -> dict:
        off = {pair: divergence(exact[pair], predict(pair)) for pair in exact}
        parts = {
            "seen": [off[p] for p in asked if p in seen],
            "unseen": [off[p] for p in asked if p not in seen],
        }
        return {name: round(float(np.mean(values)), 3) for name, values in parts.items()}

    found = {"sentences": n, "seed": seed}
    found["unseen_share"] = round(sum(pair not in seen for pair in asked) / len(asked), 4)
    for smoothing in ("interpolated", "kneser-ney"):
        counted = NGram(3, smoothing, masked_ids=MASKED).fit(sentences, SIZE).tune(dev)
        found[smoothing] = split(lambda pair, counted=counted: counted.probabilities([1, *pair]))
    for width in WIDTHS:
        model = bengio(sentences, width, seed, dev)
        found[f"d{width}"] = split(lambda pair, model=model: next_word(model, pair))
        found[f"d{width}"] |= {"same_class": round(same_class(model), 3), "parameters": model.n_parameters()}
    return found


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record("unseen_contexts", [], **CONFIG, d_hidden=D_HIDDEN, by_guess=round(15 / 127, 3))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, type=int, metavar=("SENTENCES", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    if only:
        print(row(*only))
        return
    for n in SENTENCES:
        for seed in SEEDS:
            if (n, seed) in {(r["sentences"], r["seed"]) for r in record()["runs"]}:
                continue
            found = row(n, seed)
            print(found, flush=True)
            grown = record()
            grown["runs"].append(found)
            keep_record("unseen_contexts", grown)


if __name__ == "__main__":
    main()
