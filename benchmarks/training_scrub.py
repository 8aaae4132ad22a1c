"""A training run to be looked at step by step: the run of training_log.py, stopped more often.

    python benchmarks/training_scrub.py

Writes records/training_scrub.json. The calling game's model, 400 steps of 32 games, one seed; less than a
minute. At some thirty steps: the loss on 300 fresh games, the most probable next words after three texts
beside the game's own probabilities, how many of 100 games that the model makes up are legal, and one of them.
"""

from recording import begin_record, keep_record
from training_log import FRESH, GAMES, SEED, WORLD, made_up, measured_at

from support.model import GPT
from support.training import evaluate_loss
from support.zoo.recipes.calling_game import next_word
from support.zoo.record import record

STEPS = (0, 5, 10, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100, 120, 140, 160, 180, 200, 225, 250, 275, 300)
STEPS = (*STEPS, 325, 350, 375, 400)
TEXTS = ("Pietro chiama", "Pietro chiama Paolo", "5 chiama Paolo")
MOST, LONGEST = 6, 24  # words of a distribution that are kept, and words of a made-up game


def measured(step: int, model: GPT, fresh: list[list[int]]) -> dict[str, object]:
    games = made_up(model)
    row: dict[str, object] = {"step": step, "loss": round(evaluate_loss(model, fresh), 4)}
    row["legal"] = sum(WORLD.log_prob(game) > -float("inf") for game in games)
    row["game"] = " ".join(games[0][1 : LONGEST + 1]) + (" …" if len(games[0]) > LONGEST + 1 else "")
    row["next"] = {}
    for text in TEXTS:
        guessed, exact = next_word(model, f"<BOS> {text}"), WORLD.distribution(["<BOS>", *text.split()])
        best = sorted(guessed, key=lambda word: -guessed[word])[:MOST]
        row["next"][text] = [[word, round(guessed[word], 4), round(exact.get(word, 0.0), 4)] for word in best]
    return row


def main() -> None:
    texts, fresh = WORLD.sample(GAMES, seed=1000 + SEED), WORLD.sample(FRESH, seed=999)
    rows = measured_at(STEPS, texts, [WORLD.vocabulary.encode(t) for t in fresh], measured)
    content = begin_record("training_scrub", rows, seed=SEED)
    words = sum(len(game) - 1 for game in fresh)
    counting = {name.split()[-1]: loss for name, loss in record("training_log")["counting"].items()}
    content["lines"] = {name: counting[name] for name in ("unigram", "bigram", "trigram")}
    content["lines"]["floor"] = round(-sum(map(WORLD.log_prob, fresh)) / words, 4)
    content["runs"] = rows
    keep_record("training_scrub", content, indent=None)


if __name__ == "__main__":
    main()
