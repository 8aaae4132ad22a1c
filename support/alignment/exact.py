"""The best possible policy, exactly: what can be said about preferences when all answers are listed.

A policy is a table of log-probabilities, a row for each prompt and a column for each answer, made by
`answer_log_probs`; rewards have the same form. The objective of a policy π is

    J(π) = E_π[r] − β KL(π ‖ π_ref).

Its maximum is at π* = π_ref exp(r/β) / Z with J* = β ln Z, and J* − J(π) = β KL(π ‖ π*) for every π (Korbak
et al. 2022).
"""

import math
from typing import NamedTuple

import torch
from jaxtyping import Float
from torch import Tensor

from support.core import InputError

Table = Float[Tensor, "prompt answer"]


class Standing(NamedTuple):
    """Where a policy π stands, as means over the prompts; all in nats or units of reward.

    Its objective is J(π) = E_π[r] − β KL(π ‖ π_ref), with the maximum J* = β ln Z at the policy
    π* = π_ref exp(r/β) / Z.

    Attributes:
        reward: E_π[r].
        kl: KL(π ‖ π_ref).
        objective: J(π).
        regret: J* − J(π), which is β KL(π ‖ π*).
        total_variation: half the sum of ``|π − π*|``: the probability that stands in the wrong place.
    """

    reward: float
    kl: float
    objective: float
    regret: float
    total_variation: float


def optimum(log_reference: Table, rewards: Table, beta: float) -> Table:
    """ln π* of the best policy: the reference reweighted by e^{r/β} and normalised.

    It has the highest E_π[r] − β KL(π ‖ π_ref) of all policies (Korbak et al. 2022).

    Args:
        log_reference: ln π_ref of all answers to each prompt, as `answer_log_probs` gives them.
        rewards: of the same answers.
        beta: the weight β of the KL penalty.

    Raises:
        InputError: β is not positive.

    >>> reference = torch.tensor([[0.4, 0.3, 0.2, 0.1]], dtype=torch.float64)
    >>> best = optimum(reference.log(), torch.tensor([[0, 1, 2, 0]]).double(), beta=1.0)
    >>> [round(p, 4) for p in best.exp()[0].tolist()]
    [0.1432, 0.2919, 0.5291, 0.0358]
    """
    _check(beta)
    return (log_reference + rewards / beta).log_softmax(-1)


def optimal_value(log_reference: Table, rewards: Table, beta: float) -> Float[Tensor, " prompt"]:
    """J* = β ln Z for each prompt: the highest E_π[r] − β KL(π ‖ π_ref) that a policy can have.

    Arguments and errors are those of `optimum`.

    >>> reference = torch.tensor([[0.4, 0.3, 0.2, 0.1]], dtype=torch.float64)
    >>> round(optimal_value(reference.log(), torch.tensor([[0, 1, 2, 0]]).double(), beta=1.0).item(), 4)
    1.0272
    """
    _check(beta)
    return beta * torch.logsumexp(log_reference + rewards / beta, dim=-1)


def divergence(log_p: Table, log_q: Table) -> Float[Tensor, " prompt"]:
    """KL(p ‖ q) for each prompt, in nats; an answer of probability 0 under p counts nothing.

    Args:
        log_p: ln p of all answers to each prompt.
        log_q: ln q of the same.

    >>> round(divergence(torch.tensor([[0.0, -math.inf]]), torch.tensor([[0.5, 0.5]]).log()).item(), 4)
    0.6931
    """
    p = log_p.exp()
    return torch.where(p > 0, p * (log_p - log_q), 0.0).sum(-1)


def judge(log_policy: Table, log_reference: Table, rewards: Table, beta: float) -> Standing:
    """Where a policy stands against the best possible one.

    Args:
        log_policy: ln π of all answers to each prompt; the other arguments and errors are those of `optimum`.
        log_reference: ln π_ref of the same.
        rewards: of the same.
        beta: the weight β of the KL penalty.

    >>> reference = torch.tensor([[0.5, 0.5]], dtype=torch.float64).log()
    >>> standing = judge(reference, reference, torch.tensor([[1.0, 0.0]], dtype=torch.float64), beta=1.0)
    >>> round(standing.reward, 3), round(standing.kl, 3), round(standing.regret, 4)
    (0.5, 0.0, 0.1201)
    """
    best = optimum(log_reference, rewards, beta)
    p = log_policy.exp()
    reward = (p * rewards).sum(-1).mean().item()
    kl = divergence(log_policy, log_reference).mean().item()
    top = optimal_value(log_reference, rewards, beta).mean().item()
    apart = (p - best.exp()).abs().sum(-1).mean().item() / 2
    return Standing(reward, kl, reward - beta * kl, top - (reward - beta * kl), apart)


def forward_kl_optimum(log_reference: Table, rewards: Table, beta: float, rounds: int = 100) -> Table:
    """ln of the policy that maximises E_π[r] − β KL(π_ref ‖ π): π = β π_ref / (λ − r), with λ by bisection.

    The penalty k3 as a term of the loss, as in GRPO, leads to this policy, because the expectation of its
    gradient is that of the *other* KL divergence. Arguments and errors are those of `optimum`; ``rounds`` of
    the bisection halve the error each.

    >>> reference = torch.tensor([[0.4, 0.3, 0.2, 0.1]], dtype=torch.float64)
    >>> found = forward_kl_optimum(reference.log(), torch.tensor([[0, 1, 2, 0]]).double(), beta=1.0)
    >>> [round(p, 4) for p in found.exp()[0].tolist()]
    [0.17, 0.2217, 0.5659, 0.0425]
    """
    _check(beta)
    reference = log_reference.exp()
    top = rewards.max(-1).values
    low, high = top.clone(), top + beta  # at λ = max r + β the sum of π is at most 1
    for _ in range(rounds):
        middle = (low + high) / 2
        too_much = (beta * reference / (middle[:, None] - rewards)).sum(-1) > 1
        low, high = torch.where(too_much, middle, low), torch.where(too_much, high, middle)
    return math.log(beta) + log_reference - (high[:, None] - rewards).log()


def best_of_n(log_reference: Table, rewards: Table, n: int) -> Table:
    """The log-probability that each answer is the best of n; of equally good ones one is taken at random.

    With F(r) the probability under π_ref of a reward of at most r, and F⁻ of one below, an answer of reward r
    has π_ref (Fⁿ − F⁻ⁿ) / (F − F⁻). Its KL from the reference is at most ln n − (n − 1)/n (Beirami et al.
    2024), and just that for a continuous reward.

    Args:
        log_reference: ln π_ref of all answers to each prompt.
        rewards: of the same answers.
        n: how many answers are drawn.

    Raises:
        InputError: n is not at least 1.

    >>> two = best_of_n(torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[1.0, 0.0]]), n=2)
    >>> [round(p, 4) for p in two.exp()[0].tolist()]
    [0.75, 0.25]
    """
    if n < 1:
        raise InputError(f"the best of {n} answers is none; give n from 1 up")
    rows = []
    for log_p, reward in zip(log_reference, rewards, strict=True):
        levels, level = torch.unique(reward, return_inverse=True)
        mass = log_p.new_zeros(len(levels)).index_add(0, level, log_p.exp())
        upto = mass.cumsum(0) / mass.sum()
        below = upto - mass / mass.sum()
        rows.append(log_p + ((upto**n - below**n) / mass * mass.sum()).log()[level])
    return torch.stack(rows)


def prefix_values(log_policy: Table, rewards: Table, tokens: int, length: int) -> list[Tensor]:
    """The expected reward from each beginning of an answer on: entry k has a value for each of tokens^k.

    Entry 0 is the value of the prompt, the last entry the rewards themselves.

    Args:
        log_policy: ln π of all answers to each prompt, in the order of `all_answers`.
        rewards: of the same.
        tokens: how many can stand at each place.
        length: tokens of an answer.

    >>> policy, rewards = torch.tensor([[0.5, 0.5]]).log(), torch.tensor([[1.0, 0.0]])
    >>> [v.tolist() for v in prefix_values(policy, rewards, tokens=2, length=1)]
    [[[0.5]], [[1.0, 0.0]]]
    """
    n = len(log_policy)
    found = []
    for k in range(length + 1):
        p = log_policy.exp().reshape(n, tokens**k, -1)
        found.append((p * rewards.reshape(n, tokens**k, -1)).sum(-1) / p.sum(-1))
    return found


def _check(beta: float) -> None:
    if not beta > 0:
        raise InputError(
            f"beta={beta} must be positive; the larger it is, the closer the optimum stays to the reference"
        )
