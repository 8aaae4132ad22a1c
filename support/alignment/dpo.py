"""Learning from pairs without a reward model: DPO, and IPO, SimPO and KTO for comparison.

Every loss takes the log-probabilities of whole answers, summed over their tokens: the prompt's do not count.
"""

from collections.abc import Callable

import torch
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor

from support.alignment.adapters import reading
from support.alignment.answers import token_log_probs
from support.alignment.optimise import SETTINGS, Callback, minimise
from support.alignment.preferences import Pairs
from support.core import InputError, seeded_generator
from support.core.validation import Count, Positive, check
from support.model import GPT, evaluating
from support.training import TrainConfig

Sums = Float[Tensor, " pair"]
Scalar = Float[Tensor, ""]


def dpo_loss(chosen: Sums, rejected: Sums, ref_chosen: Sums, ref_rejected: Sums, beta: float) -> Scalar:
    """The mean of −ln σ(β (ln π/π_ref of the chosen answer − the same of the rejected one)).

    Args:
        chosen: the policy's log-probability of each answer that was preferred, summed over its tokens (the
            prompt's do not count).
        rejected: of the other answer.
        ref_chosen: the reference's log-probability of the first one.
        ref_rejected: of the other one.
        beta: the weight β of the KL penalty whose optimum is sought.

    Follows Rafailov et al. 2023.

    >>> same = torch.tensor([-3.0])
    >>> round(dpo_loss(same, same, same, same, beta=1.0).item(), 4)
    0.6931
    """
    return -F.logsigmoid(beta * _margin(chosen, rejected, ref_chosen, ref_rejected)).mean()


def ipo_loss(chosen: Sums, rejected: Sums, ref_chosen: Sums, ref_rejected: Sums, beta: float) -> Scalar:
    """The mean of (margin − 1/(2β))²: the margin has a target, beyond which it is pulled back.

    The margin is ln π/π_ref of the chosen answer less that of the rejected one; the arguments are those of
    `dpo_loss`.

    Follows Azar et al. 2024.

    >>> same = torch.tensor([-3.0])
    >>> ipo_loss(same, same, same, same, beta=0.5).item()
    1.0
    """
    return (_margin(chosen, rejected, ref_chosen, ref_rejected) - 1 / (2 * beta)).square().mean()


def simpo_loss(chosen: Sums, rejected: Sums, length: int, beta: float, target: float = 0.5) -> Scalar:
    """The mean of −ln σ(β (ln π of the chosen answer − of the rejected) / length − target); no reference.

    Args:
        chosen: the policy's log-probability of each answer that was preferred, summed over its tokens.
        rejected: of the other answer.
        length: tokens of an answer.
        beta: what the difference is multiplied by.
        target: γ, the margin that is asked for.

    Follows Meng, Xia and Chen 2024.

    >>> loss = simpo_loss(torch.tensor([-3.0]), torch.tensor([-6.0]), length=3, beta=1.0, target=1.0)
    >>> round(loss.item(), 4)
    0.6931
    """
    return -F.logsigmoid(beta * (chosen - rejected) / length - target).mean()


def kto_loss(chosen: Sums, rejected: Sums, ref_chosen: Sums, ref_rejected: Sums, beta: float) -> Scalar:
    """Each answer alone, as good or bad, against the mean log-ratio of the batch (at least 0) as its zero.

    KTO needs no pairs. The paper estimates the zero from mismatched pairs of prompt and answer; here it is
    the batch's own mean, without a gradient. The arguments are those of `dpo_loss`.

    Follows Ethayarajh et al. 2024.

    >>> same = torch.tensor([-3.0])
    >>> kto_loss(same, same, same, same, beta=1.0).item()
    0.5
    """
    good, bad = chosen - ref_chosen, rejected - ref_rejected
    zero = torch.cat([good, bad]).mean().clamp(min=0).detach()
    return 1 - (torch.sigmoid(beta * (good - zero)).mean() + torch.sigmoid(beta * (zero - bad)).mean()) / 2


def _margin(chosen: Sums, rejected: Sums, ref_chosen: Sums, ref_rejected: Sums) -> Sums:
    return (chosen - ref_chosen) - (rejected - ref_rejected)


def pair_loss(policy: GPT, reference: GPT | None, pairs: Pairs, beta: float, method: str = "dpo") -> Scalar:
    """A method's loss on some pairs; carries the policy's gradient.

    Both models are evaluated without dropout: its noise would drown the small differences of their
    log-probabilities that these losses compare.

    Args:
        policy: what is trained.
        reference: where it started; None is the base of a policy with an adapter. SimPO does not ask it.
        pairs: compared answers.
        beta: see the loss of the method.
        method: ``"dpo"``, ``"ipo"``, ``"simpo"`` or ``"kto"``.

    Raises:
        InputError: there is no such method, or the policy is its own reference.

    >>> from support.alignment import add_lora
    >>> from support.model import GPTConfig
    >>> policy = add_lora(GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2, dropout=0.5)), rank=1)
    >>> pairs = Pairs(torch.tensor([[1, 4]]), torch.tensor([[5, 6]]), torch.tensor([[7, 8]]))
    >>> round(pair_loss(policy, None, pairs, beta=1.0).item(), 4)  # ln 2, before any training
    0.6931
    """
    both, answers = pairs.prompts.repeat(2, 1), torch.cat([pairs.chosen, pairs.rejected])
    n = len(pairs.prompts)
    with evaluating(policy):
        ours = token_log_probs(policy, both, answers).sum(1).split(n)
    if method == "simpo":
        return simpo_loss(ours[0], ours[1], answers.shape[1], beta)
    losses: dict[str, Callable[..., Tensor]] = {"dpo": dpo_loss, "ipo": ipo_loss, "kto": kto_loss}
    if method not in losses:
        raise InputError(f"there is no method {method!r}; choose one of: dpo, ipo, simpo, kto")
    with torch.no_grad(), reading(reference, policy) as base:
        theirs = token_log_probs(base, both, answers).sum(1).split(n)
    return losses[method](*ours, *theirs, beta)


def train_on_pairs(
    policy: GPT,
    reference: GPT | None,
    pairs: Pairs | Callable[[int], Pairs],
    beta: float = 1.0,
    method: str = "dpo",
    training: TrainConfig = SETTINGS,
    batch_size: int = 64,
    seed: int = 0,
    callback: Callback | None = None,
) -> list[float]:
    """Train a policy in place on compared answers; the losses of the steps.

    Args:
        policy: what is trained, without dropout (see `pair_loss`).
        reference: where it started; it is not changed. None is the base of a policy with an adapter, which
            needs no second copy.
        pairs: a fixed set, of which ``batch_size`` are drawn for each step; or step → fresh pairs.
        beta: the weight of the KL penalty whose optimum is sought.
        method: ``"dpo"``, ``"ipo"``, ``"simpo"`` or ``"kto"``.
        training: steps and optimiser; by default 150 steps at a learning rate of 10⁻³, without weight decay.
        batch_size: pairs a step, of a fixed set.
        seed: of the draws from a fixed set.
        callback: called with the number of steps done after each of them.

    Raises:
        InputError: there is no such method, a number is out of range, or the policy is its own reference.
        DivergedError: the loss or its gradient is no longer a number; the weights are those before.

    >>> import copy
    >>> from support import zoo
    >>> from support.alignment import GameReward, draw_pairs
    >>> game = zoo.load("calling-game")
    >>> asked, policy = torch.tensor([[1, 3, 17]]), copy.deepcopy(game.model)
    >>> pairs = draw_pairs(game.model, asked, GameReward(game.vocabulary), n=20, length=3)
    >>> quick = TrainConfig(steps=2, lr=1e-3, weight_decay=0.0)
    >>> losses = train_on_pairs(policy, game.model, pairs, training=quick)
    >>> round(losses[0], 3)  # ln 2
    0.693
    """
    check("train_on_pairs: beta", beta, Positive)
    check("train_on_pairs: batch_size", batch_size, Count)
    generator = seeded_generator(seed)

    def loss(step: int) -> Tensor:
        if isinstance(pairs, Pairs):
            some = pairs.take(torch.randint(len(pairs.prompts), (batch_size,), generator=generator))
        else:
            some = pairs(step)
        return pair_loss(policy, reference, some, beta, method)

    return minimise(policy, loss, training, callback)
