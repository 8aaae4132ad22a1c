"""The best possible policy: its identities, its table against sampling and against plain loops."""

import math

import pytest
import torch

from support import zoo
from support.alignment import (
    GameReward,
    all_answers,
    answer_log_probs,
    best_of_n,
    divergence,
    draw_answers,
    elo,
    forward_kl_optimum,
    judge,
    kl_estimate,
    optimal_value,
    optimum,
    per_token_optimum,
    possible_tokens,
    preference_probability,
    prefix_values,
    scaled_optimum,
    token_log_probs,
)
from support.core import InputError
from support.model import GPT, GPTConfig

REFERENCE = torch.tensor([[0.4, 0.3, 0.2, 0.1]], dtype=torch.float64).log()
REWARDS = torch.tensor([[0.0, 1.0, 2.0, 0.0]], dtype=torch.float64)


@pytest.fixture
def model():
    return GPT(
        GPTConfig(vocab_size=5, d_model=8, n_heads=2, context=8, masked_ids=(0,), init_std=1.0)
    ).double()


def random_table(*shape):
    return torch.randn(*shape, dtype=torch.float64).log_softmax(-1)


def test_the_table_is_what_the_model_says_of_each_answer(model):
    prompts = torch.tensor([[1, 2], [1, 3]])
    table = answer_log_probs(model, prompts, length=3)
    answers = all_answers(possible_tokens(model), 3)
    assert table.shape == (2, 64) and len(answers) == 64
    assert torch.allclose(table.exp().sum(1), torch.ones(2, dtype=torch.float64))
    for row, prompt in zip(table, prompts, strict=True):
        for found, answer in zip(row, answers, strict=True):
            text, total = prompt.tolist(), 0.0
            for token in answer.tolist():
                total += model(torch.tensor([text]))[0, -1].log_softmax(-1)[token].item()
                text.append(token)
            assert found.item() == pytest.approx(total, abs=1e-12)
    again = token_log_probs(model, prompts.repeat_interleave(64, 0), answers.repeat(2, 1)).sum(1)
    assert torch.allclose(again.reshape(2, -1), table, atol=1e-12)
    one = answer_log_probs(model, prompts, length=1)
    assert torch.allclose(one.exp().sum(1), torch.ones(2, dtype=torch.float64)) and one.shape == (2, 4)


def test_answers_are_drawn_with_their_probabilities(model):
    table = answer_log_probs(model, torch.tensor([[1, 2]]), length=2)[0].exp().detach()
    generator = torch.Generator().manual_seed(0)
    drawn = draw_answers(model, torch.tensor([[1, 2]]).expand(20_000, -1), 2, generator)
    counts = torch.bincount((drawn[:, 0] - 1) * 4 + drawn[:, 1] - 1, minlength=16) / len(drawn)
    assert (counts - table).abs().max() < 4 * (table * (1 - table) / len(drawn)).sqrt().max()


@pytest.mark.parametrize("beta", [0.1, 1.0, 3.0])
def test_regret_is_the_distance_from_the_optimum(beta):
    reference, rewards, policy = random_table(3, 50), torch.randn(3, 50).double(), random_table(3, 50)
    best = optimum(reference, rewards, beta)
    standing = judge(policy, reference, rewards, beta)
    assert standing.regret == pytest.approx(beta * divergence(policy, best).mean().item(), abs=1e-9)
    assert judge(best, reference, rewards, beta).regret == pytest.approx(0, abs=1e-9)
    assert judge(best, reference, rewards, beta).objective == pytest.approx(
        optimal_value(reference, rewards, beta).mean().item(), abs=1e-9
    )


def test_the_optimum_is_found_by_plain_gradient_ascent():
    logits = REFERENCE.clone().requires_grad_()
    for _ in range(3000):
        p = logits.log_softmax(-1)
        objective = (p.exp() * REWARDS).sum() - divergence(p, REFERENCE).sum()
        (gradient,) = torch.autograd.grad(objective, logits)
        logits = (logits + 0.5 * gradient).detach().requires_grad_()
    assert torch.allclose(logits.log_softmax(-1), optimum(REFERENCE, REWARDS, 1.0), atol=1e-6)


@pytest.mark.parametrize("beta", [0.2, 1.0, 2.0])
def test_the_other_optimum_is_stationary(beta):
    reference, rewards = random_table(2, 30), torch.randn(2, 30).double()
    found = forward_kl_optimum(reference, rewards, beta)
    assert torch.allclose(found.exp().sum(1), torch.ones(2, dtype=torch.float64), atol=1e-9)
    logits = found.clone().requires_grad_()
    p = logits.log_softmax(-1)
    objective = (p.exp() * rewards).sum() - beta * divergence(reference, p).sum()
    (gradient,) = torch.autograd.grad(objective, logits)
    assert gradient.abs().max() < 1e-9


@pytest.mark.parametrize("n", [1, 2, 3, 5])
def test_the_law_of_the_best_of_n_is_that_of_all_draws(n):
    best = best_of_n(REFERENCE, REWARDS, n).exp()[0]
    by_hand = torch.zeros(4, dtype=torch.float64)
    p, r = REFERENCE[0].exp(), REWARDS[0]
    for draws in torch.cartesian_prod(*[torch.arange(4)] * n).reshape(-1, n):
        top = draws[r[draws] == r[draws].max()]
        by_hand[top] += 0  # indices that repeat are added one by one
        for i in top.tolist():
            by_hand[i] += p[draws].prod() / len(top)
    assert torch.allclose(best, by_hand, atol=1e-12)
    assert divergence(best[None].log(), REFERENCE).item() <= math.log(n) - (n - 1) / n + 1e-12


def test_without_ties_the_bound_on_the_divergence_is_nearly_reached():
    reference = torch.full((1, 4096), 1 / 4096, dtype=torch.float64).log()
    rewards = torch.arange(4096, dtype=torch.float64)[None]
    kl = divergence(best_of_n(reference, rewards, 8), reference).item()
    assert kl == pytest.approx(math.log(8) - 7 / 8, abs=1e-3)


def test_values_of_beginnings_are_means_over_what_follows():
    policy, rewards = random_table(2, 27), torch.randn(2, 27).double()
    first, second, third, last = prefix_values(policy, rewards, tokens=3, length=3)
    p = policy.exp()
    assert first[0, 0].item() == pytest.approx((p[0] * rewards[0]).sum().item())
    assert second[1, 2].item() == pytest.approx(((p * rewards)[1, 18:].sum() / p[1, 18:].sum()).item())
    assert third[0, 4].item() == pytest.approx(((p * rewards)[0, 12:15].sum() / p[0, 12:15].sum()).item())
    assert torch.allclose(last, rewards)


def test_the_mean_of_the_estimators():
    """k1 and k3 estimate the divergence without bias; the gradients of k2 and k3 are those of the two KLs."""
    logits = random_table(1, 6).requires_grad_()
    reference, p = random_table(1, 6), logits.log_softmax(-1)
    weights = p.exp().detach()
    for kind in ("k1", "k3"):
        assert torch.allclose((weights * kl_estimate(p, reference, kind)).sum(1), divergence(p, reference))

    def gradient(value):
        return torch.autograd.grad(value.sum(), logits, retain_graph=True)[0]

    assert gradient(weights * kl_estimate(p, reference, "k1")).abs().max() < 1e-12
    assert torch.allclose(
        gradient(weights * kl_estimate(p, reference, "k2")), gradient(divergence(p, reference))
    )
    assert torch.allclose(
        gradient(weights * kl_estimate(p, reference, "k3")), gradient(divergence(reference, p))
    )


@pytest.mark.parametrize("kind", ["k2", "k3"])
def test_per_token_optimum_is_where_the_expected_gradient_is_zero(kind):
    reference, rewards = random_table(1, 9), torch.randn(1, 9).double()
    found = per_token_optimum(reference, rewards, 0.7, tokens=3, length=2, kind=kind)
    assert torch.allclose(found.exp().sum(1), torch.ones(1, dtype=torch.float64))

    def conditionals(log_policy):
        first = log_policy.reshape(3, 3).logsumexp(-1)
        return first, log_policy.reshape(3, 3) - first[:, None]

    parts = [part.clone().requires_grad_() for part in conditionals(found)]
    first, second = (part.log_softmax(-1) for part in parts)
    table = (first[:, None] + second).reshape(1, 9)
    p, theirs = table.exp().detach(), conditionals(reference)
    penalty = kl_estimate(first, theirs[0], kind)[:, None] + kl_estimate(second, theirs[1], kind)
    objective = (p * rewards * table).sum() - 0.7 * (p * penalty.reshape(1, 9)).sum()
    for gradient in torch.autograd.grad(objective, parts):
        assert gradient.abs().max() < 1e-9


def test_scaled_optimum_is_consistent_with_its_own_deviation():
    found = scaled_optimum(REFERENCE, REWARDS, 1.0)
    p = found.exp()
    sigma = (p * (REWARDS - (p * REWARDS).sum()) ** 2).sum().sqrt()
    assert torch.allclose(found, forward_kl_optimum(REFERENCE, REWARDS / sigma, 1.0), atol=1e-6)


def test_annotators():
    assert preference_probability(torch.tensor(2.0), torch.tensor(0.0)).item() == pytest.approx(
        1 / (1 + math.exp(-2))
    )
    assert 1 / (1 + 10 ** (-elo(2.0) / 400)) == pytest.approx(1 / (1 + math.exp(-2)))


def test_the_reward_of_the_game_is_planted_as_told():
    vocabulary = zoo.load("calling-game").vocabulary
    lines = {"2 2 chiama": 1, "3 2 chiama": 0, "Paolo vice 3": 2, "4 capo banana": -2, "4 chiama vice": 2}
    answers = torch.tensor([vocabulary.encode(line.split()) for line in lines])
    found = GameReward(vocabulary)(torch.zeros(len(lines), 0, dtype=torch.long), answers)
    assert found.tolist() == list(lines.values())


def test_refusals(model):
    with pytest.raises(InputError, match="must be positive"):
        optimum(REFERENCE, REWARDS, 0.0)
    with pytest.raises(InputError, match="best of 0"):
        best_of_n(REFERENCE, REWARDS, 0)
    with pytest.raises(InputError, match="cannot be listed"):
        answer_log_probs(model, torch.tensor([[1]]), length=40)
    with pytest.raises(InputError, match="no vocabulary"):
        possible_tokens(torch.nn.Linear(1, 1))
    with pytest.raises(InputError, match="no estimator"):
        kl_estimate(REFERENCE, REFERENCE, "k4")
