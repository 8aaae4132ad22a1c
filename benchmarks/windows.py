"""The calling game through a window of n words: what counting achieves, and what is possible at all.

    python benchmarks/windows.py

Writes records/windows.json. Less than a CPU-minute.
"""

from recording import begin_record, keep_record

from support.ancestors import NGram
from support.core import seed_everything
from support.worlds import CallingGame
from support.worlds.last_word import window_entropies

GAME = CallingGame()
LONGEST, SIZES = 6, (30, 100, 300, 1000, 3000)
MASKED = (0, 1)  # <PAD> and <BOS>


def texts(n: int, seed: int) -> list[list[int]]:
    return [GAME.vocabulary.encode(tokens) for tokens in GAME.sample(n, seed)]


def losses(n_games: int, longest: int = LONGEST) -> list[float]:
    """Held-out losses of Kneser–Ney for windows of 0 to `longest` words, in nats per token."""
    read, dev, test = texts(n_games, 1), texts(200, 2), texts(2000, 3)
    size = len(GAME.vocabulary)
    return [
        round(NGram(n + 1, masked_ids=MASKED).fit(read, size).tune(dev).loss(test), 4)
        for n in range(longest + 1)
    ]


def main() -> None:
    seed_everything()
    content = begin_record("windows", {}, entropy=round(GAME.entropy, 4))
    content["possible"] = [round(nats, 4) for nats in window_entropies(GAME, LONGEST)]
    for n_games in SIZES:
        content["runs"][str(n_games)] = losses(n_games)
        print(n_games, content["runs"][str(n_games)], flush=True)
    keep_record("windows", content)


if __name__ == "__main__":
    main()
