"""Where the hidden units of the calling game's model are most active, over two hundred games.

    python benchmarks/unit_contexts.py

Writes records/unit_contexts.json. A few seconds.
"""

import torch
from recording import begin_record, keep_record

from support import zoo
from support.inside import trace

GAMES, SEED = 200, 7  # those of chapter 13
MOST = 4  # contexts kept of each unit


def context(words: list[str], at: int) -> str:
    """The last three words, with *number* for any number."""
    return " ".join("number" if word.isdigit() else word for word in words[max(0, at - 2) : at + 1])


def most_active() -> tuple[list[str], list[list[list[list[float]]]], list[list[float]]]:
    """The names of all contexts; for each layer and unit the contexts (by number, with the activation) of its
    most active moments, each named once; and at which share of the tokens it is active."""
    entry = zoo.load("calling-game")
    model, vocabulary = entry.model.double(), entry.vocabulary
    games = entry.world.sample(GAMES, seed=SEED)
    names = [context(words, at) for words in games for at in range(len(words))]
    kept = list(dict.fromkeys(names))
    number = torch.tensor([kept.index(name) for name in names])
    ids = torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(vocabulary.encode(w)) for w in games], batch_first=True
    )
    inputs = trace(model, ids).activations
    assert inputs is not None
    active = inputs[:, ids != 0].clamp(min=0)
    highest = torch.zeros(len(active), len(kept), active.shape[2], dtype=active.dtype)
    for layer, at in enumerate(active):
        highest[layer].scatter_reduce_(0, number[:, None].expand_as(at), at, "amax")
    top = highest.topk(MOST, dim=1)
    found = [
        [
            [[where, round(much, 2)] for where, much in zip(w, m, strict=True) if much > 0]
            for w, m in zip(places.T.tolist(), values.T.tolist(), strict=True)
        ]
        for places, values in zip(top.indices, top.values, strict=True)
    ]
    share = [[round(x, 4) for x in row] for row in (active > 0).double().mean(dim=1).tolist()]
    return kept, found, share


def main() -> None:
    contexts, units, share = most_active()
    used = sorted({where for layer in units for unit in layer for where, _ in unit})
    place = {where: k for k, where in enumerate(used)}
    units = [[[[place[where], much] for where, much in unit] for unit in layer] for layer in units]
    content = begin_record("unit_contexts", {}, games=GAMES, contexts=[contexts[where] for where in used])
    content |= {"units": units, "active": share}
    del content["runs"]
    keep_record("unit_contexts", content, indent=None)


if __name__ == "__main__":
    main()
