"""The fit of scaling laws: constants that were put in come out, and scipy finds the same minimum."""

import numpy as np
import pytest
import torch
from scipy.optimize import minimize

from support.core import InputError
from support.training import KaplanLaw, ScalingLaw, bootstrap, fit_kaplan, fit_scaling_law

LAW = ScalingLaw(0.9, 12.0, 0.45, 300.0, 0.6)
N, D = (
    t.flatten()
    for t in torch.meshgrid(2.0 ** torch.arange(5, 13), 2.0 ** torch.arange(10, 18), indexing="ij")
)


def noisy(seed=0, size=0.01):
    return LAW(N, D) * torch.exp(size * torch.randn(len(N), generator=torch.Generator().manual_seed(seed)))


def test_constants_that_were_put_in_come_out():
    found = fit_scaling_law(N, D, LAW(N, D))
    for name in ("floor", "a", "alpha", "b", "beta"):
        assert getattr(found, name) == pytest.approx(getattr(LAW, name), rel=1e-4)
    fixed = fit_scaling_law(N, D, LAW(N, D), floor=0.9)
    assert fixed.floor == 0.9 and fixed.alpha == pytest.approx(0.45, rel=1e-4)


def test_no_start_of_scipy_finds_a_lower_objective():
    losses = noisy()
    n, d, y = (np.log(v.numpy()) for v in (N, D, losses))

    def objective(theta, delta=1e-3):
        a, b, e, alpha, beta = theta
        r = np.abs(np.logaddexp(np.logaddexp(a - alpha * n, b - beta * d), e) - y)
        return np.where(r < delta, r * r / 2, delta * (r - delta / 2)).sum()

    best = min(
        (
            minimize(objective, [a, b, -0.5, alpha, beta], method="L-BFGS-B")
            for a in (0, 5)
            for b in (0, 5, 10)
            for alpha in (0.3, 1)
            for beta in (0.3, 1)
        ),
        key=lambda run: run.fun,
    )
    found = fit_scaling_law(N, D, losses)
    ours = objective([*np.log([found.a, found.b, found.floor]), found.alpha, found.beta])
    assert ours <= best.fun * (1 + 1e-6)
    assert found.floor == pytest.approx(np.exp(best.x[2]), abs=0.02)


def test_the_law_of_kaplan_comes_out_and_cannot_see_a_floor():
    law = KaplanLaw(2e4, 0.3, 5e5, 0.4)
    found = fit_kaplan(N, D, law(N, D))
    assert (found.alpha, found.beta) == pytest.approx((0.3, 0.4), rel=1e-4)
    assert fit_kaplan(N, D, LAW(N, D))(1e30, 1e30) < 0.01  # although nothing falls below 0.9


def test_the_best_size_is_the_best_of_a_fine_search():
    n, d = LAW.optimal(1e9)
    assert 6 * n * d == pytest.approx(1e9)
    sizes = np.exp(np.linspace(np.log(n) - 3, np.log(n) + 3, 20001))
    searched = sizes[np.argmin([LAW(size, 1e9 / 6 / size) for size in sizes])]
    assert n == pytest.approx(searched, rel=1e-3)
    assert LAW.optimal(1e12)[0] / n == pytest.approx(1000**LAW.exponent)


def test_the_interval_holds_the_truth():
    floors = sorted(law.floor for law in bootstrap(N, D, noisy(1), resamples=60))
    assert floors[2] < 0.9 < floors[-3] and floors[-1] - floors[0] < 0.2


def test_what_cannot_be_fitted_is_refused():
    with pytest.raises(InputError, match="at least 5 runs"):
        fit_scaling_law(N[:4], D[:4], N[:4])
    with pytest.raises(InputError, match="must be positive"):
        fit_scaling_law(N, D, 0 * N)
