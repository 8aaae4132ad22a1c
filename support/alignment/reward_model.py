"""The reward model: a GPT whose last hidden state is read as one number, fitted to comparisons."""

import copy

import torch
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor, nn

from support.alignment.optimise import minimise
from support.alignment.preferences import Pairs
from support.core import seeded_generator
from support.model import GPT, evaluating
from support.training import TrainConfig


class ScoreModel(nn.Module):
    """A copy of a GPT with one number at every position instead of logits; it starts at zero everywhere.

    As a reward model it is read at the last position, as a critic at all of them.

    Args:
        model: whose embeddings and blocks are copied.

    >>> from support import zoo
    >>> scores = ScoreModel(zoo.load("calling-game").model)
    >>> scores(torch.tensor([[1, 3, 17]])).tolist()
    [[0.0, 0.0, 0.0]]
    """

    def __init__(self, model: GPT) -> None:
        super().__init__()
        self.trunk = copy.deepcopy(model).requires_grad_()
        weight = model.embedding.weight
        self.head = nn.Linear(model.config.d_model, 1, device=weight.device, dtype=weight.dtype)
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)

    def forward(self, ids: Int[Tensor, "batch position"]) -> Float[Tensor, "batch position"]:
        """A number for every beginning of the text."""
        return self.head(self.trunk.final_norm(self.trunk.read(ids))).squeeze(-1)

    def score(
        self, prompts: Int[Tensor, "answer position"], answers: Int[Tensor, "answer length"]
    ) -> Float[Tensor, " answer"]:
        """The score of whole answers, read at their last token."""
        return self(torch.cat([prompts, answers], dim=1))[:, -1]


def bradley_terry_loss(chosen: Float[Tensor, " pair"], rejected: Float[Tensor, " pair"]) -> Float[Tensor, ""]:
    """The mean of −ln σ(r_chosen − r_rejected): the cross-entropy of the annotators' choices.

    Args:
        chosen: the score of each answer that was preferred.
        rejected: of the other one.

    Follows Christiano et al. 2017 and Ouyang et al. 2022.

    >>> round(bradley_terry_loss(torch.zeros(1), torch.zeros(1)).item(), 4)
    0.6931
    """
    return -F.logsigmoid(chosen - rejected).mean()


def train_reward_model(
    model: GPT, pairs: Pairs, training: TrainConfig, batch_size: int = 64, seed: int = 0
) -> tuple[ScoreModel, list[float]]:
    """A reward model fitted to compared answers, from a copy of a model; and its losses.

    It is trained with the model's dropout, and returned in evaluation mode, so that its scores do not vary.

    Args:
        model: where the reward model's trunk starts.
        pairs: the comparisons, drawn from with replacement.
        training: its ``steps``, learning rate and the rest of the optimiser.
        batch_size: pairs a step.
        seed: of the draws of pairs.

    Raises:
        DivergedError: the loss or its gradient is no longer a number.

    >>> from support.model import GPTConfig
    >>> pairs = Pairs(torch.tensor([[1, 4]]), torch.tensor([[5, 6]]), torch.tensor([[7, 8]]))
    >>> model = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    >>> scores, losses = train_reward_model(model, pairs, TrainConfig(steps=40, lr=0.03), batch_size=4)
    >>> round(losses[0], 4), losses[-1] < 0.1  # ln 2 at the start
    (0.6931, True)
    """
    scores = ScoreModel(model).eval()
    generator = seeded_generator(seed)

    def loss(step: int) -> Tensor:
        some = pairs.take(torch.randint(len(pairs.prompts), (batch_size,), generator=generator))
        both = scores.score(some.prompts.repeat(2, 1), torch.cat([some.chosen, some.rejected]))
        return bradley_terry_loss(*both.split(batch_size))

    return scores, minimise(scores, loss, training)


@torch.no_grad()
def all_scores(
    scores: ScoreModel, prompts: Int[Tensor, "prompt position"], answers: Int[Tensor, "answer length"]
) -> Float[Tensor, "prompt answer"]:
    """The score of every answer to every prompt, in float64, without dropout.

    Args:
        scores: a reward model.
        prompts: ids; all of one length.
        answers: ids, such as `all_answers`.

    >>> from support.alignment import all_answers
    >>> from support.model import GPTConfig
    >>> scores = ScoreModel(GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2)))
    >>> all_scores(scores, torch.tensor([[1, 4]]), all_answers(torch.tensor([5, 6]), 1)).tolist()
    [[0.0, 0.0]]
    """
    with evaluating(scores):
        rows = [
            torch.cat([scores.score(prompt.expand(len(part), -1), part) for part in answers.split(20_000)])
            for prompt in prompts
        ]
    return torch.stack(rows).double()
