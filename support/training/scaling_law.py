"""Scaling laws: how the loss falls with the parameters of a model and with the tokens that it reads."""

import math
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from jaxtyping import Float
from torch import Tensor
from torch.func import jacfwd, vmap

from support.core import InputError, seeded_generator

HUBER = 1e-3  # residuals of ln L beyond this count by their size, not by their square (Hoffmann et al. 2022)
PATIENCE = 12  # steps without any gain after which all starts have arrived
Numbers = Any  # what torch.as_tensor takes
Predict = Callable[[Tensor], Tensor]


@dataclass(frozen=True)
class ScalingLaw:
    """L(N, D) = E + A / N^α + B / D^β, the form of Hoffmann et al. 2022 (Chinchilla).

    Attributes:
        floor: E, the loss that is left with infinitely many parameters and data.
        a: A, what too few parameters cost.
        alpha: α, how fast that falls as they grow.
        b: B, what too little data costs.
        beta: β, how fast that falls.

    >>> chinchilla = ScalingLaw(1.69, 406.4, 0.34, 410.7, 0.28)
    >>> n, d = chinchilla.optimal(5.76e23)
    >>> f"{n:.2e} parameters, {d / n:.0f} tokens for each, loss {chinchilla(n, d):.2f}"
    '3.22e+10 parameters, 93 tokens for each, loss 1.93'
    """

    floor: float | int
    a: float | int
    alpha: float | int
    b: float | int
    beta: float | int

    def __call__(self, parameters: Numbers, tokens: Numbers) -> Numbers:
        """The loss, in nats per token; numbers, arrays or tensors."""
        return self.floor + self.a / parameters**self.alpha + self.b / tokens**self.beta

    def optimal(self, operations: float | int, per_pair: float | int = 6.0) -> tuple[float, float]:
        """The parameters and tokens with the lowest loss for so many operations, where A α / N^α = B β / D^β.

        Args:
            operations: floating-point operations of the whole training.
            per_pair: operations for each parameter and token: ``operations = per_pair · N · D``.
        """
        product = operations / per_pair
        ratio = self.alpha * self.a / (self.beta * self.b)
        power = 1 / (self.alpha + self.beta)
        parameters = ratio**power * product ** (self.beta * power)
        return parameters, product / parameters

    @property
    def exponent(self) -> float:
        """The best N grows as the operations to the power β / (α + β); D to α / (α + β)."""
        return self.beta / (self.alpha + self.beta)


@dataclass(frozen=True)
class KaplanLaw:
    """L(N, D) = ((N₀ / N)^(α/β) + D₀ / D)^β, equation 1.5 of Kaplan et al. 2020. It has no floor.

    Attributes:
        n_0: N₀; with endless data the loss is (N₀ / N)^α.
        alpha: α, how fast the loss falls with the parameters.
        d_0: D₀; with endless parameters the loss is (D₀ / D)^β.
        beta: β, how fast it falls with the tokens.
    """

    n_0: float | int
    alpha: float | int
    d_0: float | int
    beta: float | int

    def __call__(self, parameters: Numbers, tokens: Numbers) -> Numbers:
        """The loss, in nats per token; numbers, arrays or tensors.

        >>> round(KaplanLaw(8.8e13, 0.076, 5.4e13, 0.095)(1e9, 1e15), 2)
        2.38
        """
        return ((self.n_0 / parameters) ** (self.alpha / self.beta) + self.d_0 / tokens) ** self.beta


def fit_scaling_law(
    parameters: Numbers,
    tokens: Numbers,
    losses: Numbers,
    floor: float | int | None = None,
    huber: float = HUBER,
) -> ScalingLaw:
    """The law with the smallest Huber loss of the residuals of ln L, over a grid of starts.

    Follows Hoffmann et al. 2022, section 3.3, with Levenberg–Marquardt steps instead of L-BFGS.

    Args:
        parameters: of each run.
        tokens: of each run.
        losses: of each run, in nats.
        floor: E, if it is known; otherwise it is fitted.
        huber: where the Huber loss turns from square to linear.

    Raises:
        InputError: there are fewer runs than constants, or a number is not positive.

    >>> law = ScalingLaw(0.9, 30.0, 0.5, 80.0, 0.4)
    >>> n, d = torch.meshgrid(10.0 ** torch.arange(2, 6), 10.0 ** torch.arange(3, 8), indexing="ij")
    >>> found = fit_scaling_law(n.flatten(), d.flatten(), law(n, d).flatten())
    >>> round(found.floor, 4), round(found.alpha, 4), round(found.beta, 4)
    (0.9, 0.5, 0.4)
    """
    runs = _checked(parameters, tokens, losses, 5)
    return _fit_all(*runs, torch.ones(1, len(runs[0]), dtype=torch.float64), floor, huber)[0]


def fit_kaplan(parameters: Numbers, tokens: Numbers, losses: Numbers, huber: float = HUBER) -> KaplanLaw:
    """The law of Kaplan et al. 2020 with the smallest Huber loss of the residuals of ln L.

    The arguments and errors are those of `fit_scaling_law`.

    >>> law = KaplanLaw(1e4, 0.3, 1e5, 0.4)
    >>> n, d = torch.meshgrid(10.0 ** torch.arange(2, 6), 10.0 ** torch.arange(3, 8), indexing="ij")
    >>> found = fit_kaplan(n.flatten(), d.flatten(), law(n, d).flatten())
    >>> round(found.alpha, 4), round(found.beta, 4)
    (0.3, 0.4)
    """
    n, d, loss = _checked(parameters, tokens, losses, 4)

    def predict(theta: Tensor) -> Tensor:
        n_0, d_0, alpha, beta = theta.unbind()
        alpha, beta = alpha.exp(), beta.exp()
        return beta * torch.logaddexp(alpha / beta * (n_0 - n), d_0 - d)

    starts = torch.cartesian_prod(
        *(torch.tensor(v, dtype=torch.float64) for v in ((3, 9, 15), (3, 9, 15), (-2, 0), (-2, 0)))
    )
    theta = _best(predict, starts, loss, torch.ones_like(loss), huber)
    n_0, d_0, alpha, beta = theta.exp().tolist()
    return KaplanLaw(n_0, alpha, d_0, beta)


def bootstrap(
    parameters: Numbers,
    tokens: Numbers,
    losses: Numbers,
    resamples: int = 200,
    seed: int = 0,
    huber: float = HUBER,
) -> list[ScalingLaw]:
    """The law fitted again to as many runs, drawn with replacement: its spread is an interval.

    As Besiroglu et al. 2024 did with the runs of Chinchilla.

    Args:
        parameters: of each run; the first three and the last are as for `fit_scaling_law`.
        tokens: of each run.
        losses: of each run, in nats.
        resamples: how many laws to fit.
        seed: of the draws.
        huber: where the Huber loss turns from square to linear.

    >>> law = ScalingLaw(0.9, 30.0, 0.5, 80.0, 0.4)
    >>> n, d = torch.meshgrid(10.0 ** torch.arange(2, 6), 10.0 ** torch.arange(3, 8), indexing="ij")
    >>> laws = bootstrap(n.flatten(), d.flatten(), law(n, d).flatten(), resamples=3)
    >>> [round(law.floor, 3) for law in laws]
    [0.9, 0.9, 0.9]
    """
    runs = _checked(parameters, tokens, losses, 5)
    count = len(runs[0])
    drawn = torch.randint(count, (resamples, count), generator=seeded_generator(seed))
    weights = torch.zeros(resamples, count, dtype=torch.float64)
    weights.scatter_add_(1, drawn, torch.ones_like(drawn, dtype=torch.float64))
    return _fit_all(*runs, weights, None, huber)


def _checked(
    parameters: Numbers, tokens: Numbers, losses: Numbers, least: int
) -> tuple[Float[Tensor, " run"], Float[Tensor, " run"], Float[Tensor, " run"]]:
    """The logarithms of the three."""
    n, d, loss = (torch.as_tensor(v, dtype=torch.float64).flatten() for v in (parameters, tokens, losses))
    if not len(n) == len(d) == len(loss) or len(n) < least:
        raise InputError(
            f"{len(n)} parameters, {len(d)} tokens, {len(loss)} losses: give one of each for every run, and "
            f"at least {least} runs"
        )
    if min(float(v.min()) for v in (n, d, loss)) <= 0:
        raise InputError("parameters, tokens and losses must be positive")
    return n.log(), d.log(), loss.log()


def _fit_all(
    n: Tensor,
    d: Tensor,
    loss: Tensor,
    weights: Float[Tensor, "resample run"],
    floor: float | int | None,
    huber: float,
) -> list[ScalingLaw]:
    """One law for each row of weights. Fitted are ln A, ln B, ln α, ln β and ln E."""

    def predict(theta: Tensor) -> Tensor:
        a, b, alpha, beta, *rest = theta.unbind()
        floor_log = rest[0] if rest else torch.full((), math.log(floor or 1.0), dtype=torch.float64)
        two = torch.logaddexp(a - alpha.exp() * n, b - beta.exp() * d)
        return torch.logaddexp(two, floor_log.expand_as(two))

    lowest = float(loss.min())
    grid: list[tuple[float, ...]] = [(0.0, 5.0, 10.0, 15.0), (0.0, 5.0, 10.0, 15.0), (-1.0, 0.3), (-1.0, 0.3)]
    if floor is None:
        grid.append((lowest - 1.0, lowest - 0.05))
    starts = torch.cartesian_prod(*(torch.tensor(v, dtype=torch.float64) for v in grid))
    best = _best(predict, starts, loss, weights[0] if len(weights) == 1 else torch.ones_like(loss), huber)
    found = best[None]
    if len(weights) > 1:  # each resample goes on from the fit of all
        found, _ = _descend(predict, best.repeat(len(weights), 1), loss, weights, huber)
    return [_law(theta, floor) for theta in found]


def _law(theta: Tensor, floor: float | int | None) -> ScalingLaw:
    a, b, alpha, beta, *rest = theta.exp().tolist()
    return ScalingLaw(rest[0] if floor is None else floor, a, alpha, b, beta)


def _best(predict: Predict, starts: Tensor, loss: Tensor, weights: Tensor, huber: float) -> Tensor:
    found, objective = _descend(predict, starts, loss, weights.expand(len(starts), -1), huber)
    return found[objective.nan_to_num(math.inf).argmin()]


def _descend(
    predict: Predict, theta: Tensor, loss: Tensor, weights: Tensor, huber: float, steps: int = 300
) -> tuple[Float[Tensor, "start constant"], Float[Tensor, " start"]]:
    """Levenberg–Marquardt steps on a weighted Huber loss, from many starts at once."""
    values, jacobians = vmap(predict), vmap(jacfwd(predict))

    def objective(residuals: Tensor) -> Tensor:
        size = residuals.abs()
        each = torch.where(size < huber, residuals.square() / 2, huber * (size - huber / 2))
        return (weights * each).sum(1)

    with warnings.catch_warnings():  # torch 2.15 warns of its own code at the first forward-mode derivative
        warnings.filterwarnings("ignore", "`torch.jit.script`", FutureWarning)
        jacobians(theta[:1])
    damping = torch.full((len(theta), 1), 1e-2, dtype=torch.float64)
    residuals = values(theta) - loss
    now, still = objective(residuals), 0
    for _ in range(steps):
        jacobian = jacobians(theta)
        heavy = weights * (huber / residuals.abs().clamp(min=huber))
        curvature = torch.einsum("srp,sr,srq->spq", jacobian, heavy, jacobian)
        gradient = torch.einsum("srp,sr,sr->sp", jacobian, heavy, residuals)
        diagonal = curvature.diagonal(dim1=1, dim2=2)
        damped = curvature + torch.diag_embed(damping * (diagonal + 1e-12))
        step = torch.linalg.solve_ex(damped, gradient)[0].nan_to_num(0.0).clamp(-2, 2)
        tried = values(theta - step) - loss
        then = objective(tried)
        better = (then < now)[:, None]
        still = 0 if bool((then < now * (1 - 1e-9)).any()) else still + 1
        if still == PATIENCE:
            break
        theta = torch.where(better, theta - step, theta)
        residuals, now = torch.where(better, tried, residuals), torch.where(then < now, then, now)
        damping = torch.where(better, damping / 3, damping * 4).clamp(1e-12, 1e8)
    return theta, now
