"""Probes against ridge regression written out, and against vectors in which there is nothing to find."""

import numpy as np
import pytest

from support.core import InputError
from support.inside.embedding_report import embedding_report
from support.inside.probes import PENALTIES, fit_on_all, probe
from support.worlds.semantic import ANALOGIES, LATENTS, NOUNS


def ridge(X, y, penalty, new):
    """The closed form, with an unpenalised intercept."""
    centre = X.mean(0)
    weights = np.linalg.solve(
        (X - centre).T @ (X - centre) + penalty * np.eye(X.shape[1]), (X - centre).T @ y
    )
    return y.mean() + (new - centre) @ weights


def nested_by_hand(X, y):
    X = X / np.sqrt(((X - X.mean(0)) ** 2).mean())
    predictions, means = [], []
    for i in range(len(y)):
        A, b = np.delete(X, i, 0), np.delete(y, i)
        errors = [
            sum(
                (ridge(np.delete(A, j, 0), np.delete(b, j), penalty, A[j]) - b[j]) ** 2 for j in range(len(b))
            )
            for penalty in PENALTIES
        ]
        predictions.append(ridge(A, b, PENALTIES[int(np.argmin(errors))], X[i]))
        means.append(b.mean())
    return 1 - ((y - predictions) ** 2).sum() / ((y - means) ** 2).sum(), predictions


def test_probe_is_nested_leave_one_out_ridge():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 5)) * 7 + 3
    y = X @ rng.normal(size=5) + 3 * rng.normal(size=12)
    r2, predictions = nested_by_hand(X, y)
    found = probe(X, y)
    np.testing.assert_allclose(found.predictions, predictions, rtol=1e-8)
    assert found.r2 == pytest.approx(r2)


def test_random_vectors_fit_the_words_they_were_fitted_to_and_no_others():
    rng = np.random.default_rng(0)
    fitted, honest = [], []
    for _ in range(3):
        X = rng.normal(size=(40, 32))
        fitted += [fit_on_all(X, axis) for axis in LATENTS.T]
        honest += [probe(X, axis).r2 for axis in LATENTS.T]
    assert min(fitted) > 0.55 and np.mean(fitted) > 0.75
    assert max(honest) < 0.3 and np.mean(honest) < 0.05


def test_the_scale_and_place_of_the_vectors_do_not_matter():
    X = np.random.default_rng(1).normal(size=(20, 6)) + LATENTS[:20]
    assert probe(X, LATENTS[:20, 1]).r2 == pytest.approx(probe(1e-3 * X + 5, LATENTS[:20, 1]).r2, abs=1e-9)


def test_a_property_without_differences_is_refused():
    with pytest.raises(InputError, match="differ"):
        probe(np.eye(5), np.ones(5))


def test_acceptance_passes_the_design_in_any_rotation_and_fails_noise():
    rotation = np.linalg.qr(np.random.default_rng(0).normal(size=(32, 32))).Q[:6]
    passed = embedding_report(LATENTS @ rotation, LATENTS, NOUNS, ANALOGIES)
    assert (passed.axes_read, passed.recovered) == (6, 5)
    assert passed.answers == tuple(d for *_, d in ANALOGIES)
    assert passed.top6 == pytest.approx(1.0)
    plain = embedding_report(LATENTS, LATENTS, NOUNS, ANALOGIES)
    assert passed.top2 == pytest.approx(plain.top2)
    noise = embedding_report(np.random.default_rng(0).normal(size=(40, 32)), LATENTS, NOUNS, ANALOGIES)
    assert noise.axes_read == 0 and noise.recovered <= 2
