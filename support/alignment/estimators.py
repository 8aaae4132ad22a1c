"""Three estimators of the KL divergence, and the policies to which they lead as a term of the loss.

Follows Schulman 2020 (*Approximating KL divergence*) for k1, k2 and k3; that their gradients differ from the
gradient of what they estimate is said by Tang and Munos 2025 and Liu et al. 2025.
"""

from typing import Literal

import torch
from jaxtyping import Float
from torch import Tensor

from support.alignment.exact import Table, forward_kl_optimum, optimum
from support.core import InputError


def kl_estimate(
    log_policy: Float[Tensor, "*answer"], log_reference: Float[Tensor, "*answer"], kind: str
) -> Float[Tensor, "*answer"]:
    """An estimate of KL(π ‖ π_ref) from one answer that was drawn from π; carries a gradient.

    With d = ln π_ref − ln π: k1 = −d, k2 = d²/2, k3 = e^d − 1 − d. Over answers drawn from π, k1 and k3 have
    the KL divergence as their mean.

    Args:
        log_policy: ln π of the answer, or of each of its tokens.
        log_reference: ln π_ref of the same.
        kind: ``"k1"``, ``"k2"`` or ``"k3"``.

    Raises:
        InputError: ``kind`` is not k1, k2 or k3.

    Follows Schulman 2020, *Approximating KL divergence*.

    >>> one = torch.tensor(0.5).log(), torch.tensor(1.0).log()  # the reference has twice the probability
    >>> [round(kl_estimate(*one, kind).item(), 3) for kind in ("k1", "k2", "k3")]
    [-0.693, 0.24, 0.307]
    """
    d = log_reference - log_policy
    if kind == "k1":
        return -d
    if kind == "k2":
        return d**2 / 2
    if kind == "k3":
        return d.exp() - 1 - d
    raise InputError(f"there is no estimator {kind!r}; choose k1, k2 or k3")


def per_token_optimum(
    log_reference: Table, rewards: Table, beta: float, tokens: int, length: int, kind: Literal["k2", "k3"]
) -> Table:
    """Where a penalty in the loss leads that is computed token by token, as in GRPO, by backward induction.

    At each beginning of an answer the policy trades the expected reward of what follows against the
    divergence of the next token alone: KL(π ‖ π_ref) for k2, KL(π_ref ‖ π) for k3. What a token makes later
    tokens cost does not count, because no gradient flows through the beginnings.

    Args:
        log_reference: of all answers.
        rewards: of all answers.
        beta: the weight of the penalty.
        tokens: how many can stand at each place.
        length: tokens of an answer.
        kind: of the estimator.

    For answers of one token it is the optimum of the whole answer:

    >>> reference = torch.tensor([[0.4, 0.3, 0.2, 0.1]], dtype=torch.float64).log()
    >>> rewards = torch.tensor([[0.0, 1.0, 2.0, 0.0]], dtype=torch.float64)
    >>> local = per_token_optimum(reference, rewards, 1.0, tokens=4, length=1, kind="k2")
    >>> bool(torch.allclose(local, optimum(reference, rewards, 1.0)))
    True
    """
    solve = {"k2": optimum, "k3": forward_kl_optimum}[kind]
    n, values = len(log_reference), rewards
    found = torch.zeros_like(log_reference)
    for k in reversed(range(length)):
        upto = torch.logsumexp(log_reference.reshape(n, tokens ** (k + 1), -1), -1)
        conditional = upto.reshape(-1, tokens).log_softmax(-1)
        values = values.reshape(-1, tokens)
        local = solve(conditional, values, beta)
        values = (local.exp() * values).sum(-1)
        found = found + local.reshape(n, -1, 1).expand(-1, -1, tokens ** (length - k - 1)).reshape(n, -1)
    return found


def scaled_optimum(log_reference: Table, rewards: Table, beta: float, rounds: int = 200) -> Table:
    """Where k3 in the loss leads if the advantages are divided by their group's standard deviation.

    Division by the standard deviation σ divides the reward; but σ depends on the policy to which that leads.
    The two are brought together by repetition, halfway each time. Arguments and errors are those of
    `optimum`; ``rounds`` is how often that is repeated.

    >>> reference = torch.tensor([[0.4, 0.3, 0.2, 0.1]], dtype=torch.float64)
    >>> found = scaled_optimum(reference.log(), torch.tensor([[0, 1, 2, 0]]).double(), beta=1.0)
    >>> policy, rewards = found.exp(), torch.tensor([0.0, 1, 2, 0]).double()
    >>> mean = (policy * rewards).sum()
    >>> deviation = (policy * (rewards - mean) ** 2).sum().sqrt()
    >>> same = forward_kl_optimum(reference.log(), (rewards / deviation)[None], beta=1.0)
    >>> bool(torch.allclose(found, same, atol=1e-6))
    True
    """
    sigma = torch.ones(len(rewards), dtype=rewards.dtype)
    found = log_reference
    for _ in range(rounds):
        found = forward_kl_optimum(log_reference, rewards / sigma[:, None], beta, rounds=60)
        p = found.exp()
        mean = (p * rewards).sum(-1, keepdim=True)
        sigma = (sigma + (p * (rewards - mean) ** 2).sum(-1).sqrt()) / 2
    return found
