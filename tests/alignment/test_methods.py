"""The methods: gradients against exact ones, losses against formulas, advantages against double loops."""

import copy
import itertools
import math

import pytest
import torch
import torch.nn.functional as F

from support import zoo
from support.alignment import (
    Distilled,
    GameReward,
    Pairs,
    PolicyConfig,
    ScoreModel,
    add_lora,
    all_answers,
    all_scores,
    answer_log_probs,
    bradley_terry_loss,
    clipped_objective,
    dpo_loss,
    draw_answers,
    draw_best_of_n,
    draw_pairs,
    forward_kl_optimum,
    gae,
    group_advantages,
    imitate,
    ipo_loss,
    judge,
    kto_loss,
    lora_layers,
    lora_parameters,
    pair_loss,
    possible_tokens,
    simpo_loss,
    train_on_pairs,
    train_policy,
    train_reward_model,
)
from support.alignment.policy_gradient import _Batch, _Run
from support.core import InputError
from support.model import GPT, GPTConfig
from support.training import DivergedError, TrainConfig

PROMPTS = torch.tensor([[1, 2], [1, 3]])
TOKENS = torch.tensor([1, 2, 3])


def tiny(seed=0):
    torch.manual_seed(seed)
    config = GPTConfig(
        vocab_size=4,
        d_model=8,
        n_heads=2,
        n_layers=1,
        context=8,
        masked_ids=(0,),
        init_std=0.3,
        activation="gelu",
    )
    return GPT(config).double().eval()


def reward(prompts, answers):
    return (answers[:, 0] == 2).double() + 2 * (answers[:, 1] == 3).double() - (answers == 1).any(1).double()


@pytest.fixture
def setting():
    reference, policy = tiny(0), tiny(1)
    answers = all_answers(TOKENS, 2)
    rewards = reward(None, answers)[None].expand(2, -1)
    return policy, reference, rewards


def flat(gradients):
    return torch.cat([g.flatten() for g in gradients if g is not None])


def mean_gradient(policy, reference, config, n=400):
    """The mean of many steps' gradients, and its standard error."""
    run = _Run(policy, reference, PROMPTS, reward, 2, config, seed=0)
    parameters = list(policy.parameters())
    found = torch.stack(
        [flat(torch.autograd.grad(run.loss(_Batch(run)), parameters, allow_unused=True)) for _ in range(n)]
    )
    return -found.mean(0), (found.var(0) / n).sum().sqrt()


@pytest.mark.parametrize(
    "baseline, penalty", [("none", "reward:k1"), ("group", "reward:k1"), ("group", "loss:k2")]
)
def test_the_sampled_gradient_is_the_exact_one_in_the_mean(setting, baseline, penalty):
    policy, reference, rewards = setting
    log_probs = answer_log_probs(policy, PROMPTS, 2)
    log_reference = answer_log_probs(reference, PROMPTS, 2).detach()
    objective = (log_probs.exp() * (rewards - (log_probs - log_reference))).sum(1).mean()
    exact = flat(torch.autograd.grad(objective, list(policy.parameters()), allow_unused=True))
    config = PolicyConfig(group=8, baseline=baseline, penalty=penalty)
    found, error = mean_gradient(policy, reference, config)
    assert (found - exact).norm() < 2 * error < 0.5 * exact.norm()


def test_with_k3_in_the_loss_it_is_the_gradient_of_the_other_divergence(setting):
    policy, reference, rewards = setting
    log_probs = answer_log_probs(policy, PROMPTS, 2)
    log_reference = answer_log_probs(reference, PROMPTS, 2).detach()
    objective = (log_probs.exp() * rewards - log_reference.exp() * (log_reference - log_probs)).sum(1).mean()
    exact = flat(torch.autograd.grad(objective, list(policy.parameters()), allow_unused=True))
    found, error = mean_gradient(policy, reference, PolicyConfig(group=8, penalty="loss:k3"))
    assert (found - exact).norm() < 2 * error


def test_group_advantages_against_loops():
    rewards = torch.randn(3, 5)
    by_hand = [[r - sum(row[:i] + row[i + 1 :]) / 4 for i, r in enumerate(row)] for row in rewards.tolist()]
    assert torch.allclose(group_advantages(rewards), torch.tensor(by_hand), atol=1e-6)
    scaled = group_advantages(rewards, scale=True)
    assert torch.allclose(scaled.std(1), torch.ones(3), atol=1e-3)
    assert torch.equal(group_advantages(torch.ones(1, 4), scale=True), torch.zeros(1, 4))


@pytest.mark.parametrize("lam", [0.0, 0.5, 1.0])
def test_gae_against_a_double_loop(lam):
    rewards, values = torch.randn(4, 6).double(), torch.randn(4, 6).double()
    found = gae(rewards, values, lam)
    for i, t in itertools.product(range(4), range(6)):
        total = 0.0
        for k in range(t, 6):
            after = values[i, k + 1] if k < 5 else 0.0
            total += lam ** (k - t) * (rewards[i, k] + after - values[i, k])
        assert found[i, t].item() == pytest.approx(float(total), abs=1e-12)


def test_the_clip_stops_the_gradient_only_where_it_would_go_too_far():
    for ratio, advantage, moves in [
        (1.3, 1.0, False),
        (1.3, -1.0, True),
        (0.7, 1.0, True),
        (0.7, -1.0, False),
    ]:
        x = torch.tensor(ratio, requires_grad=True)
        clipped_objective(x, torch.tensor(advantage), 0.2).backward()
        assert (x.grad.item() != 0) == moves


def test_losses_on_pairs_against_their_formulas():
    chosen, rejected, ref_chosen, ref_rejected = (torch.randn(7).double() for _ in range(4))
    parts = list(zip(*(x.tolist() for x in (chosen, rejected, ref_chosen, ref_rejected)), strict=True))
    beta, log, exp = 0.3, torch.log, lambda x: torch.tensor(x).double().exp()
    gaps = [(c - a) - (r - b) for c, r, a, b in parts]
    dpo = sum(float(log(1 + exp(-beta * gap))) for gap in gaps) / 7
    assert dpo_loss(chosen, rejected, ref_chosen, ref_rejected, beta).item() == pytest.approx(dpo)
    ipo = sum((gap - 1 / (2 * beta)) ** 2 for gap in gaps) / 7
    assert ipo_loss(chosen, rejected, ref_chosen, ref_rejected, beta).item() == pytest.approx(ipo)
    simpo = sum(float(log(1 + exp(0.5 - beta * (c - r) / 3))) for c, r, _, _ in parts) / 7
    assert simpo_loss(chosen, rejected, 3, beta).item() == pytest.approx(simpo)
    zero = max(0.0, sum(c - a + r - b for c, r, a, b in parts) / 14)
    kto = [1 - 1 / (1 + exp(-beta * (c - a - zero))) for c, _, a, _ in parts]
    kto += [1 - 1 / (1 + exp(-beta * (zero - r + b))) for _, r, _, b in parts]
    assert kto_loss(chosen, rejected, ref_chosen, ref_rejected, beta).item() == pytest.approx(
        float(sum(kto)) / 14
    )
    assert bradley_terry_loss(chosen, rejected).item() == pytest.approx(
        sum(float(log(1 + exp(r - c))) for c, r, _, _ in parts) / 7
    )


def test_the_slope_of_dpo_on_one_pair_is_the_probability_of_the_wrong_choice():
    chosen = torch.tensor([-1.0], dtype=torch.float64, requires_grad=True)
    others = [torch.tensor([x], dtype=torch.float64) for x in (-2.0, -1.5, -1.0)]
    dpo_loss(chosen, *others, beta=0.5).backward()
    gap = 0.5 * ((-1.0 + 1.5) - (-2.0 + 1.0))
    assert chosen.grad.item() == pytest.approx(-0.5 / (1 + torch.tensor(gap).exp().item()))


def test_the_reward_that_minimises_dpo_is_the_true_one():
    """On all pairs at their exact probabilities, the optimum of DPO is the KL-regularised optimum."""
    log_reference = torch.randn(6).double().log_softmax(0)
    rewards, logits = torch.randn(6).double(), log_reference.clone().requires_grad_()
    i, j = torch.cartesian_prod(torch.arange(6), torch.arange(6)).unbind(1)
    weights = (log_reference[i] + log_reference[j]).exp() * torch.sigmoid(rewards[i] - rewards[j])
    for _ in range(4000):
        ratio = logits.log_softmax(0) - log_reference
        loss = -(weights * torch.nn.functional.logsigmoid(ratio[i] - ratio[j])).sum()
        (gradient,) = torch.autograd.grad(loss, logits)
        logits = (logits - 3 * gradient).detach().requires_grad_()
    assert torch.allclose(logits.softmax(0), (log_reference + rewards).softmax(0), atol=1e-4)


QUICK = TrainConfig(steps=60, lr=1e-2, warmup=5, min_lr=0.0, weight_decay=0.0)


@pytest.mark.parametrize(
    "config",
    [
        PolicyConfig(),
        PolicyConfig(baseline="none", group=32),
        PolicyConfig(baseline="critic", clip=0.2, epochs=3, critic_lr=1e-2),
        PolicyConfig(penalty="loss:k2"),
        PolicyConfig(penalty="loss:k3", per_token=True),
    ],
)
def test_every_kind_of_policy_gradient_brings_the_policy_nearer(config):
    reference = tiny()
    policy, rewards = copy.deepcopy(reference), reward(None, all_answers(TOKENS, 2))[None].expand(2, -1)
    seen = []
    means, critic = train_policy(
        policy, reference, PROMPTS, reward, 2, config, training=QUICK, callback=lambda step: seen.append(step)
    )
    with torch.no_grad():
        log_reference, log_policy = (answer_log_probs(m, PROMPTS, 2) for m in (reference, policy))
    before = judge(log_reference, log_reference, rewards, 1.0)
    after = judge(log_policy, log_reference, rewards, 1.0)
    assert after.regret < 0.7 * before.regret and len(means) == 60 and seen[-1] == 60
    assert (critic is not None) == (config.baseline == "critic")


@pytest.mark.parametrize("method", ["dpo", "ipo", "kto", "simpo"])
def test_every_loss_on_pairs_raises_the_reward(method):
    reference = tiny()
    policy, generator = copy.deepcopy(reference), torch.Generator().manual_seed(0)
    pairs = draw_pairs(reference, PROMPTS, reward, n=300, length=2, generator=generator)
    losses = train_on_pairs(policy, reference, pairs, method=method, training=QUICK)
    assert sum(losses[-10:]) < sum(losses[:10])
    with torch.no_grad():
        log_reference, log_policy = (answer_log_probs(m, PROMPTS, 2) for m in (reference, policy))
    rewards = reward(None, all_answers(TOKENS, 2))
    assert (log_policy.exp() @ rewards).mean() > (log_reference.exp() @ rewards).mean() + 0.05


def test_annotators_choose_as_often_as_bradley_and_terry_say():
    generator = torch.Generator().manual_seed(0)
    noisy = draw_pairs(tiny(), PROMPTS, reward, n=4000, length=2, generator=generator)
    gap = reward(None, noisy.chosen) - reward(None, noisy.rejected)
    one = gap.abs() == 1
    assert (gap[one] > 0).double().mean().item() == pytest.approx(0.731, abs=0.03)
    clean = draw_pairs(tiny(), PROMPTS, reward, n=200, length=2, generator=generator, noisy=False)
    assert (reward(None, clean.chosen) >= reward(None, clean.rejected)).all()


def test_a_reward_model_finds_the_reward():
    reference, generator = tiny(), torch.Generator().manual_seed(0)
    pairs = draw_pairs(reference, PROMPTS, reward, n=3000, length=2, generator=generator)
    scores, losses = train_reward_model(reference, pairs, TrainConfig(steps=200, lr=1e-2, weight_decay=0.0))
    answers = all_answers(TOKENS, 2)
    found, truth = all_scores(scores, PROMPTS, answers), reward(None, answers)[None].expand(2, -1)
    assert torch.corrcoef(torch.stack([found.flatten(), truth.flatten()]))[0, 1] > 0.85
    assert losses[0] == pytest.approx(0.693, abs=1e-3) and ScoreModel(reference).trunk is not reference


def test_the_best_of_n_is_drawn_by_its_law():
    reference, generator = tiny(), torch.Generator().manual_seed(0)
    prompts = PROMPTS[:1].expand(3000, -1)
    best = draw_best_of_n(reference, prompts, reward, n=3, length=2, generator=generator)
    from support.alignment import best_of_n

    log_reference = answer_log_probs(reference, PROMPTS[:1], 2).detach()
    rewards = reward(None, all_answers(possible_tokens(reference), 2))[None]
    exact = (best_of_n(log_reference, rewards, 3).exp() * rewards).sum().item()
    assert reward(None, best).mean().item() == pytest.approx(exact, abs=0.08)


def test_imitation_reaches_what_it_is_shown():
    policy = tiny()
    target = torch.tensor([[3, 2]])
    losses = imitate(policy, lambda step: (PROMPTS[:1], target), QUICK)
    assert losses[-1] < 0.05 < losses[0]


def test_k3_in_the_loss_converges_to_the_other_optimum():
    reference = tiny()
    policy, rewards = copy.deepcopy(reference), reward(None, all_answers(TOKENS, 2))[None].expand(2, -1)
    training = TrainConfig(steps=150, lr=1e-2, warmup=5, min_lr=0.0, weight_decay=0.0)
    train_policy(policy, reference, PROMPTS, reward, 2, PolicyConfig(group=32, penalty="loss:k3"), training)
    with torch.no_grad():
        log_reference, log_policy = (answer_log_probs(m, PROMPTS, 2) for m in (reference, policy))
    predicted = forward_kl_optimum(log_reference, rewards, 1.0)
    from support.alignment import divergence, optimum

    best = optimum(log_reference, rewards, 1.0)
    assert divergence(log_policy, predicted).mean() < 0.2 * divergence(log_policy, best).mean()


def test_refusals():
    reference, pairs = tiny(), Pairs(PROMPTS, PROMPTS, PROMPTS)
    with pytest.raises(InputError, match="no method"):
        pair_loss(reference, reference, pairs, 1.0, "xpo")
    with pytest.raises(InputError, match="group=1 has no mean to compare with; give 2 or more"):
        PolicyConfig(baseline="group", group=1)
    with pytest.raises(InputError, match="best of 0"):
        draw_best_of_n(reference, PROMPTS, reward, 0, 2)
    with pytest.raises(InputError, match="n=0"):
        draw_pairs(reference, PROMPTS, reward, 0, 2)
    impossible = {"penalty": "k3", "baseline": "mean", "group": 2.5, "epochs": 0, "beta": "x", "clip": -1.0}
    for field, value in (impossible | {"gae_lambda": 7, "critic_lr": 0.0}).items():
        with pytest.raises(InputError, match=f"{field}={value!r} must be"):
            PolicyConfig(**{field: value})


def test_pairs_that_do_not_belong_together_are_refused():
    one, two = PROMPTS[:1], PROMPTS
    for parts in ((two, two, one), (two, two, two[:, :1]), (one, two, two), (two[:0],) * 3, (two[0],) * 3):
        with pytest.raises(InputError, match="the shapes are"):
            Pairs(*parts)
    with pytest.raises(InputError, match="must be an instance of Tensor"):
        Pairs(two, two.tolist(), two)


def noisy(dropout=0.4, seed=0):
    """Small models with dropout; they are built in training mode, as every torch module is."""
    torch.manual_seed(seed)
    return GPT(GPTConfig(vocab_size=6, d_model=8, n_heads=2, n_layers=1, context=8, dropout=dropout))


def modes(model):
    return [module.training for module in model.modules()]


def test_dropout_is_off_wherever_two_models_are_compared():
    policy = noisy()
    pairs, texts = Pairs(PROMPTS, PROMPTS, PROMPTS.flip(0)), (PROMPTS, PROMPTS)
    for method, start in {"dpo": math.log(2), "ipo": 0.25, "kto": 0.5}.items():
        assert pair_loss(policy, copy.deepcopy(policy), pairs, 1.0, method).item() == pytest.approx(start)
    both = Distilled(policy.eval(), noisy(), lambda step: texts, 1.0).train()
    policy.eval()  # so only a teacher with dropout could differ from its twin
    both(PROMPTS)
    assert both.extra_loss().item() == pytest.approx(0, abs=1e-6)
    run = _Run(noisy(), noisy(seed=1), PROMPTS, reward, 2, PolicyConfig(baseline="critic", clip=0.2), seed=0)
    batch = _Batch(run)
    with torch.no_grad():
        critic = F.mse_loss(run.values(batch), batch.returns)
        assert run.loss(batch).item() == pytest.approx((critic - batch.advantages.sum(1).mean()).item())
    draws = [draw_answers(noisy(), PROMPTS, 4, torch.Generator().manual_seed(0)) for _ in range(2)]
    assert torch.equal(*draws)


TRAININGS = {
    "pairs": lambda p, r, t, c: train_on_pairs(
        p, r, Pairs(PROMPTS, PROMPTS, PROMPTS), training=t, callback=c
    ),
    "policy": lambda p, r, t, c: train_policy(p, r, PROMPTS, reward, 2, training=t, callback=c),
    "critic": lambda p, r, t, c: train_policy(
        p, r, PROMPTS, reward, 2, PolicyConfig(baseline="critic", epochs=2), t, callback=c
    ),
    "imitation": lambda p, r, t, c: imitate(p, lambda step: (PROMPTS, PROMPTS), t, c),
}


@pytest.mark.parametrize("kind", TRAININGS)
def test_modes_are_as_before_also_after_an_interruption(kind):
    def interrupt(step):
        raise KeyboardInterrupt

    policy, reference = noisy().eval(), noisy()
    policy.blocks[0].train()
    before = modes(policy), modes(reference)
    TRAININGS[kind](policy, reference, TrainConfig(steps=2), None)
    with pytest.raises(KeyboardInterrupt):
        TRAININGS[kind](policy, reference, TrainConfig(steps=2), interrupt)
    assert (modes(policy), modes(reference)) == before


@pytest.mark.parametrize("kind", TRAININGS)
def test_a_diverging_step_is_not_taken(kind):
    """A hook makes the gradient of the second step nan; the weights are those that the first step left."""
    policy, reference, kept = noisy(0.0), noisy(0.0), {}

    def spoil(step):
        kept.update({name: weight.detach().clone() for name, weight in policy.named_parameters()})
        policy.final_norm.weight.register_hook(lambda gradient: gradient * math.nan)

    with pytest.raises(DivergedError, match="gradient became nan at step 1, and the weights are"):
        TRAININGS[kind](policy, reference, TrainConfig(steps=3), spoil)
    assert kept and all(torch.equal(weight, kept[name]) for name, weight in policy.named_parameters())


@pytest.mark.parametrize("kind", ["pairs", "policy", "critic"])
def test_the_base_of_an_adapter_is_a_reference_without_a_second_copy(kind):
    base, quick = tiny(), TrainConfig(steps=4, lr=0.1, weight_decay=0.0)
    one, other = (add_lora(copy.deepcopy(base), rank=2) for _ in range(2))
    found = TRAININGS[kind](one, base, quick, None), TRAININGS[kind](other, None, quick, None)
    assert found[0] == found[1] if kind == "pairs" else found[0][0] == found[1][0]
    for mine, theirs in zip(lora_parameters(one), lora_parameters(other), strict=True):
        assert torch.equal(mine, theirs) and mine.requires_grad
    assert lora_layers(one)["blocks.0.attention.qkv"].updates["default"]["q"].B.any()


def test_what_is_no_number_gets_a_sentence():
    policy, reference, quick = noisy(), noisy(), TrainConfig(steps=2)
    with pytest.raises(InputError, match="reward of an answer is nan"):
        train_policy(policy, reference, PROMPTS, lambda p, a: a.sum(1) * math.nan, 2, training=quick)
    assert all(weight.isfinite().all() for weight in policy.parameters())
    with torch.no_grad():
        policy.embedding.weight.fill_(math.nan)
    with pytest.raises(InputError, match="logits are nan"):
        draw_answers(policy, PROMPTS, 2)
    pairs = Pairs(PROMPTS, PROMPTS, PROMPTS)
    with pytest.raises(DivergedError, match="loss became nan at step 0"):
        train_on_pairs(policy, reference, pairs, training=quick)
    for train_it in ("pairs", "policy"):
        with pytest.raises(InputError, match="its own reference"):
            TRAININGS[train_it](reference, reference, quick, None)
        with pytest.raises(InputError, match="or None for a policy with an adapter"):
            TRAININGS[train_it](noisy(), None, quick, None)
    for wrong in ({"beta": -1.0}, {"batch_size": 0}):
        with pytest.raises(InputError, match="must be greater"):
            train_on_pairs(policy, reference, pairs, **wrong)


def test_the_reward_of_the_zoo_model_fits_its_vocabulary():
    game = zoo.load("calling-game")
    assert GameReward(game.vocabulary).even.tolist() == game.vocabulary.encode(list("2468"))


def test_the_rates_by_layer_count_for_the_methods_too():
    policy = GPT(GPTConfig(vocab_size=9, d_model=8, n_heads=2))
    before = {name: weight.detach().clone() for name, weight in policy.named_parameters()}
    examples = torch.tensor([[1, 4]]), torch.tensor([[5, 6]])
    imitate(policy, lambda step: examples, TrainConfig(steps=1, lr=0.01, layer_decay=0.1, weight_decay=0.0))
    # AdamW's first step moves a weight with a gradient by the learning rate.
    moved = {name: (weight - before[name]).abs().max().item() for name, weight in policy.named_parameters()}
    for layer, rate in (("blocks.1.feed_forward.up.weight", 1.0), ("blocks.0.feed_forward.up.weight", 0.1)):
        assert abs(moved[layer] / (0.01 * rate) - 1) < 1e-2
