"""Rejection sampling: draw several answers, keep the best by the reward, and imitate what was kept."""

from collections.abc import Callable

import torch
from jaxtyping import Int
from torch import Tensor

from support.alignment.answers import draw_answers, token_log_probs
from support.alignment.optimise import SETTINGS, Callback, minimise
from support.alignment.preferences import Reward
from support.core import InputError
from support.model import GPT
from support.training import TrainConfig

Prompts = Int[Tensor, "answer position"]
Answers = Int[Tensor, "answer length"]


def draw_best_of_n(
    model: GPT,
    prompts: Prompts,
    reward: Reward,
    n: int,
    length: int,
    generator: torch.Generator | None = None,
) -> Answers:
    """For each prompt the best of n answers; of several equally good ones the first.

    Args:
        model: what answers, at temperature 1.
        prompts: ids.
        reward: of a whole answer.
        n: answers drawn for each prompt.
        length: tokens of an answer.
        generator: for the draws; torch's own by default.

    Raises:
        InputError: n is not at least 1.

    >>> from support import zoo
    >>> from support.alignment import GameReward
    >>> game = zoo.load("calling-game")
    >>> asked, reward = torch.tensor([[1, 3, 17]]), GameReward(game.vocabulary)
    >>> draw_best_of_n(game.model, asked, reward, n=4, length=3).shape
    torch.Size([1, 3])
    """
    if n < 1:
        raise InputError(f"the best of {n} answers is none; give n from 1 up")
    asked = prompts.repeat_interleave(n, 0)
    answers = draw_answers(model, asked, length, generator)
    best = reward(asked, answers).reshape(-1, n).argmax(1)
    return answers.reshape(len(prompts), n, length)[torch.arange(len(prompts)), best]


def imitate(
    policy: GPT,
    examples: Callable[[int], tuple[Prompts, Answers]],
    training: TrainConfig = SETTINGS,
    callback: Callback | None = None,
) -> list[float]:
    """Train a policy in place to give the answers it is shown: cross-entropy on the answers; the losses.

    Args:
        policy: what is trained, with its dropout, as in any training by cross-entropy.
        examples: step → prompts and the answers to imitate.
        training: steps and optimiser; by default 150 steps at a learning rate of 10⁻³, without weight decay.
        callback: called with the number of steps done after each of them.

    Raises:
        DivergedError: the loss or its gradient is no longer a number; the weights are those before.

    >>> from support.model import GPTConfig
    >>> policy = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> shown = torch.tensor([[1, 4]]), torch.tensor([[5, 6]])
    >>> losses = imitate(policy, lambda step: shown, TrainConfig(steps=60, lr=0.03))
    >>> losses[0] > 2, losses[-1] < 0.1
    (True, True)
    """

    def loss(step: int) -> Tensor:
        return -token_log_probs(policy, *examples(step)).mean()

    return minimise(policy, loss, training, callback)
