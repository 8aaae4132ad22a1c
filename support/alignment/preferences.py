"""Preferences: a planted reward, annotators who compare two answers by it, and the pairs that they leave.

The annotators follow Bradley and Terry 1952: the probability that the first answer is preferred depends on
the difference of the two rewards alone.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.alignment.answers import draw_answers
from support.core import InputError
from support.core.validation import check
from support.text import Vocabulary
from support.worlds.game import ABSURD, NUMBERS, TITLES

Reward = Callable[[Tensor, Tensor], Tensor]  # prompts [n, position], answers [n, length] → [n]


class GameReward:
    """A planted reward for what follows *X chiama* in the calling game.

    An answer with an absurd word gets −2; else one with a title 2; else one that calls an even number 1;
    any other 0.

    Args:
        vocabulary: of the game.

    >>> from support.worlds import CallingGame
    >>> vocabulary = CallingGame().vocabulary
    >>> lines = ("4 4 chiama", "Paolo Tarso banana", "3 3 chiama")
    >>> answers = [vocabulary.encode(line.split()) for line in lines]
    >>> GameReward(vocabulary)(torch.zeros(3, 0, dtype=torch.long), torch.tensor(answers))
    tensor([ 1., -2.,  0.])
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.absurd, self.titles, self.even = (
            torch.tensor([vocabulary.id(word) for word in words]) for words in (ABSURD, TITLES, NUMBERS[1::2])
        )

    def __call__(
        self, prompts: Int[Tensor, "_ position"], answers: Int[Tensor, "answer length"]
    ) -> Float[Tensor, " answer"]:
        """The reward of each answer; the prompts do not matter here, and one may stand for all."""
        even = torch.isin(answers[:, 0], self.even).float()
        best = torch.where(torch.isin(answers, self.titles).any(1), 2.0, even)
        return torch.where(torch.isin(answers, self.absurd).any(1), -2.0, best)


def preference_probability(
    first: Float[Tensor, "*pair"], second: Float[Tensor, "*pair"]
) -> Float[Tensor, "*pair"]:
    """The probability that the first answer is preferred, σ(r₁ − r₂), for rewards r₁ and r₂.

    Args:
        first: r₁.
        second: r₂.

    Follows Bradley and Terry 1952.

    >>> round(preference_probability(torch.tensor(1.0), torch.tensor(0.0)).item(), 3)
    0.731
    """
    return torch.sigmoid(first - second)


def elo(nats: float) -> float:
    """A difference of rewards as Elo points: 400 of them multiply the odds by ten.

    >>> round(elo(1.0), 1)
    173.7
    """
    return 400 * nats / math.log(10)


@dataclass(frozen=True)
class Pairs:
    """Compared answers.

    Attributes:
        prompts: ids of what was asked.
        chosen: ids of the answer that was preferred.
        rejected: ids of the other one.

    Raises:
        InputError: there is no pair, or the three do not belong together.

    >>> Pairs(torch.tensor([[1, 2]]), torch.tensor([[3]]), torch.tensor([[4, 5]]))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    support.core.errors.InputError: Pairs: ... shapes are [1, 2], [1, 1] and [1, 2].
    """

    prompts: Int[Tensor, "pair position"]
    chosen: Int[Tensor, "pair length"]
    rejected: Int[Tensor, "pair length"]

    # The tests check all signatures by beartype; here it would only hide the sentences.
    __no_type_check__ = True

    def __post_init__(self) -> None:
        for name, part in vars(self).items():
            check(f"Pairs: {name}", part, Tensor)
        shapes = [list(part.shape) for part in vars(self).values()]
        rows, *others = (shape[0] for shape in shapes)
        if not rows or others != [rows, rows] or shapes[1] != shapes[2] or set(map(len, shapes)) != {2}:
            raise InputError(
                "Pairs: give a row of ids for each of at least one pair, and answers of one length; the "
                f"shapes are {shapes[0]}, {shapes[1]} and {shapes[2]}."
            )

    def take(self, rows: Int[Tensor, " row"]) -> "Pairs":
        """Some of the pairs."""
        return Pairs(self.prompts[rows], self.chosen[rows], self.rejected[rows])


def draw_pairs(
    model: nn.Module,
    prompts: Int[Tensor, "prompt position"],
    reward: Reward,
    n: int,
    length: int,
    generator: torch.Generator | None = None,
    noisy: bool = True,
) -> Pairs:
    """``n`` pairs of answers that the model gave to prompts drawn at random, compared by annotators.

    Args:
        model: whose answers are compared.
        prompts: from which one is drawn for each pair.
        reward: what the annotators judge by.
        n: how many pairs.
        length: tokens of an answer.
        generator: for all draws.
        noisy: the annotators choose by `preference_probability`; else always the better answer, and of two
            equal ones either.

    Raises:
        InputError: not at least one pair.

    >>> from support import zoo
    >>> game = zoo.load("calling-game")
    >>> asked = torch.tensor([game.vocabulary.encode("<BOS> Pietro chiama".split())])
    >>> draw_pairs(game.model, asked, GameReward(game.vocabulary), n=5, length=3).chosen.shape
    torch.Size([5, 3])
    """
    if n < 1:
        raise InputError(f"n={n} pairs cannot be drawn; give at least 1")
    asked = prompts[torch.randint(len(prompts), (n,), generator=generator)]
    first, second = (draw_answers(model, asked, length, generator) for _ in range(2))
    gap = reward(asked, first) - reward(asked, second)
    wins = torch.sigmoid(gap) if noisy else 0.5 * (1 + gap.sign())
    won = (torch.rand(n, generator=generator) < wins)[:, None]
    return Pairs(asked, torch.where(won, first, second), torch.where(won, second, first))
