"""Learning from rewards: REINFORCE, PPO and GRPO in one loop, told apart by their advantages and penalties.

Follows Williams 1992 (REINFORCE), Schulman et al. 2016 (GAE) and 2017 (PPO), Ouyang et al. 2022 (the KL in
the reward), Shao et al. 2024 (GRPO).
"""

from dataclasses import dataclass
from typing import Annotated, Literal

import torch
import torch.nn.functional as F
from annotated_types import Ge, Le
from jaxtyping import Float, Int
from torch import Tensor

from support.alignment.adapters import merge_lora, reading
from support.alignment.answers import draw_answers, token_log_probs
from support.alignment.estimators import kl_estimate
from support.alignment.optimise import SETTINGS, Callback, Trained, update
from support.alignment.preferences import Reward
from support.alignment.reward_model import ScoreModel
from support.core import InputError, seeded_generator
from support.core.validation import BaseConfig, Count, NonNegative, Positive
from support.model import GPT, evaluating
from support.training import TrainConfig
from support.training.schedule import make_optimiser


@dataclass(frozen=True)
class PolicyConfig(BaseConfig):
    """What tells the methods of `train_policy` apart.

    Attributes:
        beta: the weight of the KL penalty.
        group: answers to each prompt in a step.
        baseline: what is subtracted from an answer's reward: ``"none"`` (REINFORCE), the mean of the
            ``"group"`` (GRPO), or the ``"critic"`` that is trained beside (PPO).
        penalty: where the KL stands and its estimator, k1, k2 or k3: ``"reward:k1"``, ``"loss:k3"``.
        per_token: a penalty in the loss is computed for each token (as GRPO does), not for the answer.
        scale_rewards: divide a group's advantages by their standard deviation (as GRPO does).
        clip: PPO's ε; ``None`` clips nothing.
        epochs: updates from the same answers.
        gae_lambda: of the critic's advantages.
        critic_lr: the critic's highest learning rate.

    Raises:
        InputError: a value is impossible, or the group too small for its baseline; the sentence names it.

    Follows Williams 1992 (REINFORCE), Schulman et al. 2016 (GAE) and 2017 (PPO), Ouyang et al. 2022 (the KL
    in the reward), Shao et al. 2024 (GRPO).

    >>> grpo = PolicyConfig(penalty="loss:k3", per_token=True, scale_rewards=True, clip=0.2)
    >>> ppo = PolicyConfig(baseline="critic", clip=0.2, epochs=4)
    """

    beta: NonNegative = 1.0
    group: Count = 16
    baseline: Literal["none", "group", "critic"] = "group"
    penalty: Literal["reward:k1", "reward:k2", "reward:k3", "loss:k1", "loss:k2", "loss:k3"] = "reward:k1"
    per_token: bool = False
    scale_rewards: bool = False
    clip: Positive | None = None
    epochs: Count = 1
    gae_lambda: Annotated[float, Ge(0), Le(1)] = 0.95
    critic_lr: Positive = 3e-3

    def __post_init__(self) -> None:
        super().__post_init__()
        alone = self.baseline == "group" and self.group < 2
        self._refuse_unless(not alone, f"group={self.group} has no mean to compare with; give 2 or more")


def group_advantages(
    rewards: Float[Tensor, "prompt group"],
    scale: bool = False,
    leave_one_out: bool = True,
) -> Float[Tensor, "prompt group"]:
    """Each answer's reward less the mean of its group.

    Args:
        rewards: a row for each prompt.
        scale: divide by the group's standard deviation (of the sample), plus 10⁻⁴.
        leave_one_out: use the mean of the *others*, which makes the gradient unbiased (Kool et al. 2019); it
            stretches the advantages by G / (G − 1), and is left out with ``scale``.

    >>> group_advantages(torch.tensor([[1.0, 0.0, 0.0, 1.0]]), leave_one_out=False)
    tensor([[ 0.5000, -0.5000, -0.5000,  0.5000]])
    >>> group_advantages(torch.tensor([[1.0, 0.0, 0.0, 1.0]]), scale=True)
    tensor([[ 0.8659, -0.8659, -0.8659,  0.8659]])
    """
    n = rewards.shape[1]
    found = rewards - rewards.mean(1, keepdim=True)
    if scale:
        return found / (rewards.std(1, keepdim=True) + 1e-4)
    return found * (n / (n - 1) if leave_one_out else 1)


def gae(
    rewards: Float[Tensor, "answer length"],
    values: Float[Tensor, "answer length"],
    lam: float = 0.95,
) -> Float[Tensor, "answer length"]:
    """Generalised advantage estimates of each token, undiscounted (Schulman et al. 2016).

    Args:
        rewards: that come with each token.
        values: the critic's, *before* each token; after the last token nothing more comes.
        lam: 0 trusts the critic after one token, 1 waits for the whole answer.

    >>> gae(torch.tensor([[0.0, 0.0, 1.0]]), torch.tensor([[0.5, 0.5, 0.8]]), lam=1.0)
    tensor([[0.5000, 0.5000, 0.2000]])
    """
    after = torch.cat([values[:, 1:], torch.zeros_like(values[:, :1])], dim=1)
    steps = rewards + after - values
    found, running = [], torch.zeros_like(values[:, 0])
    for t in reversed(range(values.shape[1])):
        running = steps[:, t] + lam * running
        found.append(running)
    return torch.stack(found[::-1], dim=1)


def clipped_objective(
    ratio: Float[Tensor, "*token"], advantages: Float[Tensor, "*token"], clip: float | None
) -> Float[Tensor, "*token"]:
    """PPO's objective: min(ρA, clamp(ρ, 1 − ε, 1 + ε) A) with the ratio ρ = π/π_old (Schulman et al. 2017).

    Args:
        ratio: ρ of each token: its probability now, over that with which it was drawn.
        advantages: A of each token.
        clip: ε; None clips nothing.

    >>> clipped_objective(torch.tensor([1.5, 1.5, 0.5, 0.5]), torch.tensor([1.0, -1.0, 1.0, -1.0]), clip=0.2)
    tensor([ 1.2000, -1.5000,  0.5000, -0.8000])
    """
    plain = ratio * advantages
    return plain if clip is None else torch.minimum(plain, ratio.clamp(1 - clip, 1 + clip) * advantages)


class _Batch:
    """The answers of one step, with everything that does not change while the policy is updated from them."""

    @torch.no_grad()
    def __init__(self, run: "_Run") -> None:
        config = run.config
        self.prompts = run.prompts.repeat_interleave(config.group, 0)
        self.answers = draw_answers(run.policy, self.prompts, run.length, run.generator)
        with evaluating(run.policy):
            self.old = token_log_probs(run.policy, self.prompts, self.answers)
        with reading(run.reference, run.policy) as base:
            self.reference = token_log_probs(base, self.prompts, self.answers)
        self.reward = run.reward(self.prompts, self.answers)
        if not self.reward.isfinite().all():
            raise InputError("The reward of an answer is nan or infinite; look at what `reward` returns.")
        where, _, kind = config.penalty.partition(":")
        self.in_loss = kind if where == "loss" else None
        total, each = self.reward, torch.zeros_like(self.old)
        if where == "reward":
            total = total - config.beta * kl_estimate(self.old.sum(1), self.reference.sum(1), kind)
            each = each - config.beta * kl_estimate(self.old, self.reference, kind)
        each[:, -1] += self.reward
        if run.critic is not None:
            self.values = run.values(self)
            self.advantages = gae(each, self.values, config.gae_lambda)
            self.returns = self.advantages + self.values
        else:
            rows = total.reshape(-1, config.group)
            if config.baseline == "group":
                rows = group_advantages(rows, config.scale_rewards)
            self.advantages = rows.reshape(-1, 1).expand_as(self.old)


class _Run:
    def __init__(
        self,
        policy: GPT,
        reference: GPT | None,
        prompts: Tensor,
        reward: Reward,
        length: int,
        config: PolicyConfig,
        seed: int,
    ) -> None:
        self.policy, self.reference, self.prompts, self.reward = policy, reference, prompts, reward
        self.length, self.config = length, config
        self.generator = seeded_generator(seed)
        self.critic = None
        if config.baseline == "critic":
            with reading(reference, policy) as base:
                self.critic = ScoreModel(base).eval()
            merge_lora(self.critic.trunk)  # whose adapters are off, if it has any

    def values(self, batch: _Batch) -> Tensor:
        """The critic's value before each token."""
        assert self.critic is not None
        texts = torch.cat([batch.prompts, batch.answers[:, :-1]], dim=1)
        return self.critic(texts)[:, batch.prompts.shape[1] - 1 :]

    def loss(self, batch: _Batch) -> Tensor:
        """What is minimised: minus the objective, plus a penalty, plus the critic's error."""
        config = self.config
        with evaluating(self.policy):
            log_probs = token_log_probs(self.policy, batch.prompts, batch.answers)
        ratio = (log_probs - batch.old).exp()  # its gradient at ratio 1 is that of the log-probability
        loss = -clipped_objective(ratio, batch.advantages, config.clip).sum(1).mean()
        if batch.in_loss is not None:
            ours, theirs = log_probs, batch.reference
            if not config.per_token:
                ours, theirs = ours.sum(1), theirs.sum(1)
            penalty = kl_estimate(ours, theirs, batch.in_loss)
            loss = loss + config.beta * penalty.reshape(len(ratio), -1).sum(1).mean()
        return loss if self.critic is None else loss + F.mse_loss(self.values(batch), batch.returns)


def train_policy(
    policy: GPT,
    reference: GPT | None,
    prompts: Int[Tensor, "prompt position"],
    reward: Reward,
    length: int,
    config: PolicyConfig | None = None,
    training: TrainConfig = SETTINGS,
    seed: int = 0,
    callback: Callback | None = None,
) -> tuple[list[float], ScoreModel | None]:
    """Train a policy in place towards a high reward that does not cost too much divergence from a reference.

    In each step every prompt gets ``group`` answers of the policy as it is then. All models are evaluated
    without dropout, also while the policy is trained: with it, the ratio to the policy that drew the answers
    would not start at 1.

    Args:
        policy: what is trained.
        reference: where it started; it is not changed. None is the base of a policy with an adapter, which
            needs no second copy.
        prompts: all are asked in every step.
        reward: of a whole answer.
        length: tokens of an answer.
        config: which method; GRPO-like with the KL in the reward by default.
        training: steps and optimiser; by default 150 steps at a learning rate of 10⁻³, without weight decay.
        seed: of the answers that are drawn.
        callback: called with the number of steps done after each of them.

    Returns:
        the mean reward of each step's answers, and the critic, if there is one.

    Raises:
        InputError: a reward or a logit is no number, or the policy is its own reference.
        DivergedError: the loss or its gradient is no longer a number; the weights are those before.

    >>> import copy
    >>> from support import zoo
    >>> from support.alignment import GameReward
    >>> game = zoo.load("calling-game")
    >>> asked, policy = torch.tensor([[1, 3, 17]]), copy.deepcopy(game.model)
    >>> quick = TrainConfig(steps=2, lr=1e-3, weight_decay=0.0)
    >>> reward = GameReward(game.vocabulary)
    >>> means, critic = train_policy(policy, game.model, asked, reward, 3, training=quick)
    >>> len(means), critic
    (2, None)
    """
    config = config or PolicyConfig()
    run = _Run(policy, reference, prompts, reward, length, config, seed)
    trained = [Trained(policy, make_optimiser(policy, training))]
    if run.critic is not None:
        rate = config.critic_lr / training.lr
        trained.append(Trained(run.critic, make_optimiser(run.critic, training), rate))
    rewards = []
    for step in range(training.steps):
        batch = _Batch(run)
        rewards.append(batch.reward.mean().item())
        for _ in range(config.epochs):
            update(run.loss(batch), step, training, *trained)
        if callback is not None:
            callback(step + 1)
    return rewards, run.critic
