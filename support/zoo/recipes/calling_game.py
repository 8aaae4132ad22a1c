"""The calling game's model: two layers that know who must answer what."""

import math
from collections.abc import Mapping, Sequence

import torch
from torch.nn import functional as F

from support.model import GPT, GPTConfig
from support.text import Vocabulary
from support.training import TrainConfig
from support.training.batches import pad_sequences
from support.worlds import CallingGame
from support.worlds.game import NUMBERS, TITLES, VERBS
from support.zoo.recipe import Recipe

GAMES = 40_000
RULES = ("who is called", "chiama or perde", "who speaks next", "which title")


def config(vocabulary: Vocabulary) -> GPTConfig:
    """Two layers of four heads, 64 wide, with ReLU, so that a neuron is either silent or not."""
    return GPTConfig(
        vocab_size=len(vocabulary),
        context=CallingGame().max_length,
        d_model=64,
        n_layers=2,
        n_heads=4,
        activation="relu",
        masked_ids=(vocabulary.id("<PAD>"),),
    )


@torch.no_grad()
def next_word(model: GPT, prefix: str) -> dict[str, float]:
    """The model's probability of every next word after a prefix such as ``"<BOS> Pietro chiama"``."""
    vocabulary = CallingGame().vocabulary
    logits = model(torch.tensor([vocabulary.encode(prefix)]))[0, -1].double()
    return dict(zip(vocabulary.tokens, logits.softmax(dim=0).tolist(), strict=True))


@torch.no_grad()
def mean_error(model: GPT, games: int = 200) -> float:
    """How much probability the model puts elsewhere than the game does, in the mean over fresh games' words.

    The total variation distance: half the sum of all absolute differences, 0 for equal, 1 for disjoint.
    """
    world = CallingGame()
    errors = []
    for tokens in world.sample(games, seed=998):
        guessed = model(torch.tensor([world.vocabulary.encode(tokens[:-1])]))[0].double().softmax(dim=1)
        exact = [[d.get(t, 0.0) for t in world.vocabulary.tokens] for d in world.distributions(tokens)]
        errors += ((guessed - torch.tensor(exact)).abs().sum(dim=1) / 2).tolist()
    return sum(errors) / len(errors)


def rule(before: str, distribution: Mapping[str, float]) -> str:
    """Which of the game's rules decides a word, by the word before it and by what can come.

    >>> rule("chiama", {"Pietro": 0.5, "5": 0.5}), rule("Paolo", {"Tarso": 1.0})
    ('who is called', 'which title')
    """
    if before == "chiama":
        return "who is called"
    if set(distribution) <= set(TITLES):
        return "which title"
    if set(distribution) & set(VERBS):
        return "chiama or perde"
    return "who speaks next"


@torch.no_grad()
def excess_by_rule(model: GPT, games: Sequence[Sequence[str]]) -> dict[str, float]:
    """For each rule the model's mean surprisal less that of the game itself, in nats a word."""
    world, found = CallingGame(), {name: list[float]() for name in RULES}
    device = next(model.parameters()).device
    ids = pad_sequences([world.vocabulary.encode(game) for game in games]).to(device)
    surprisals = F.cross_entropy(model(ids[:, :-1]).transpose(1, 2), ids[:, 1:], reduction="none").tolist()
    for game, surprisal in zip(games, surprisals, strict=True):
        for before, word, d, nats in zip(game, game[1:], world.distributions(game), surprisal, strict=False):
            found[rule(before, d)].append(nats + math.log(d[word]))
    return {name: sum(parts) / len(parts) for name, parts in found.items()}


def facts(model: GPT) -> dict[str, float]:
    """What the *workbench* says of its model, asked of this one."""
    sure, unsure = next_word(model, "<BOS> Pietro chiama Paolo"), next_word(model, "<BOS> Pietro chiama")
    return {
        "P(Tarso)": sure["Tarso"],
        "least number": min(unsure[n] for n in NUMBERS),
        "greatest number": max(unsure[n] for n in NUMBERS),
        "P(Paolo)": unsure["Paolo"],
        "mean error": mean_error(model),
    }


RECIPE = Recipe(
    name="calling-game",
    title="The calling game",
    about="Predicts the next word of a parlour game with exact rules: who calls whom, by which name, and who "
    "answers. P(Tarso) is asked after “Pietro chiama Paolo”, the numbers and Paolo after “Pietro chiama”; "
    "the mean error is the probability put elsewhere than the game puts it, over the words of fresh games.",
    world=CallingGame,
    config=config,
    texts=lambda seed: CallingGame().sample(GAMES, seed=1000 + seed),
    held_out=lambda: CallingGame().sample(1000, seed=999),
    tuning=lambda: CallingGame().sample(1000, seed=997),
    training=TrainConfig(steps=4000, lr=3e-3, warmup=50, min_lr=3e-5, weight_decay=0.01),
    batch_size=64,
    facts=facts,
)
