"""Preferences: the distance of each method to the exact optimum, over seeds. Writes records/preferences.json.

    python benchmarks/preferences.py [--only METHOD SEED]

About 8 CPU-minutes for everything; rows that the record holds already are not made again.
`--only` makes one row and prints it.
"""

import argparse
import copy
import math
import time
from itertools import pairwise
from typing import Any

import torch
from recording import begin_record, keep_record

from support import zoo
from support.alignment import (
    GameReward,
    PolicyConfig,
    all_answers,
    answer_log_probs,
    best_of_n,
    divergence,
    draw_answers,
    draw_best_of_n,
    draw_pairs,
    forward_kl_optimum,
    group_advantages,
    imitate,
    judge,
    optimum,
    per_token_optimum,
    possible_tokens,
    prefix_values,
    scaled_optimum,
    token_log_probs,
    train_on_pairs,
    train_policy,
)
from support.core import seed_everything
from support.training import TrainConfig, evaluate_loss
from support.worlds.game import PLAYERS

BETA, LENGTH, RARE = 1.0, 3, 1e-6
GAME = zoo.load("calling-game")
VOCABULARY, REFERENCE, REWARD = GAME.vocabulary, GAME.model, GameReward(GAME.vocabulary)
PROMPTS = torch.tensor([VOCABULARY.encode(["<BOS>", player, "chiama"]) for player in PLAYERS])
TOKENS = possible_tokens(REFERENCE)
ANSWERS = all_answers(TOKENS, LENGTH)
REWARDS = REWARD(PROMPTS[:1], ANSWERS).double().expand(len(PROMPTS), -1)
OLD = GAME.world.sample(200, seed=10**6)  # games to measure what is left of the old skill

SETTINGS: dict[str, Any] = {"lr": 1e-3, "warmup": 10, "min_lr": 0.0, "weight_decay": 0.0}
POLICIES = {
    "REINFORCE": PolicyConfig(baseline="none"),
    "group baseline, k1 in the reward": PolicyConfig(),
    "PPO": PolicyConfig(baseline="critic", clip=0.2, epochs=4),
    "PPO without the clip": PolicyConfig(baseline="critic", epochs=4),
    "k2 in the reward": PolicyConfig(penalty="reward:k2"),
    "k3 in the reward": PolicyConfig(penalty="reward:k3"),
    "k1 in the loss": PolicyConfig(penalty="loss:k1"),
    "k2 in the loss": PolicyConfig(penalty="loss:k2"),
    "k3 in the loss": PolicyConfig(penalty="loss:k3"),
    "k2 in the loss, per token": PolicyConfig(penalty="loss:k2", per_token=True),
    "k3 in the loss, per token": PolicyConfig(penalty="loss:k3", per_token=True),
    "k3 in the loss, divided by the deviation": PolicyConfig(penalty="loss:k3", scale_rewards=True),
}
PAIRS = {"DPO": "dpo", "DPO, labels without noise": "dpo", "IPO": "ipo", "SimPO": "simpo", "KTO": "kto"}
FIXED = {"DPO, 300 pairs": 300, "DPO, 1,000 pairs": 1000, "DPO, 3,000 pairs": 3000}
IMITATED = {"best of 4, imitated": 4, "samples of the optimum, imitated": 0}
METHODS = (*POLICIES, *PAIRS, *FIXED, *IMITATED)
RUNS = [(method, seed) for seed in (0, 1, 2) for method in METHODS]
CURVE = (0, 10, 25, 50, 100, 150, 200, 300)  # steps at which a run on fixed pairs is judged


@torch.no_grad()
def table(model: torch.nn.Module) -> torch.Tensor:
    """The log-probabilities of all answers, in float64."""
    return answer_log_probs(model, PROMPTS, LENGTH).double()


LOG_REFERENCE = table(REFERENCE)


def ipo_optimum() -> torch.Tensor:
    """Where IPO leads: the reward is the probability of being preferred to an answer of the reference."""
    levels, level = torch.unique(REWARDS[0], return_inverse=True)
    mass = torch.stack([LOG_REFERENCE.exp()[:, level == k].sum(1) for k in range(len(levels))], 1)
    wins = mass @ torch.sigmoid(levels[None] - levels[:, None])  # [prompt, level]
    return optimum(LOG_REFERENCE, wins[:, level], BETA)


def predicted() -> dict[str, torch.Tensor]:
    """The policies to which the methods lead, if there were neither noise nor an end to the steps."""
    args = (LOG_REFERENCE, REWARDS, BETA)
    each = {"tokens": len(TOKENS), "length": LENGTH}
    return {
        "k3 in the loss": forward_kl_optimum(*args),
        "k2 in the loss, per token": per_token_optimum(*args, **each, kind="k2"),
        "k3 in the loss, per token": per_token_optimum(*args, **each, kind="k3"),
        "k3 in the loss, divided by the deviation": scaled_optimum(*args),
        "IPO": ipo_optimum(),
        "best of 4, imitated": best_of_n(LOG_REFERENCE, REWARDS, 4),
    }


def standing(log_policy: torch.Tensor) -> dict[str, float]:
    """Where a policy stands, how varied its answers are, and how many it gives that were hardly possible."""
    found = {k: round(v, 4) for k, v in judge(log_policy, LOG_REFERENCE, REWARDS, BETA)._asdict().items()}
    p = log_policy.exp()
    found["entropy"] = round(-torch.where(p > 0, p * log_policy, 0.0).sum(1).mean().item(), 4)
    found["rare"] = round((p * (math.log(RARE) > LOG_REFERENCE)).sum(1).mean().item(), 5)
    return found


@torch.no_grad()
def old_world(model: torch.nn.Module) -> dict[str, float]:
    """What is left of the old skill: the loss on games, and the divergence from the world where it was tuned
    (the three tokens after the first *chiama*) and elsewhere, in nats a token.
    """
    ids = [VOCABULARY.encode(tokens) for tokens in OLD]
    parts: dict[str, list[float]] = {"tuned": [], "elsewhere": []}
    for tokens, row in zip(OLD[:100], ids, strict=False):
        log_probs = model(torch.tensor([row[:-1]]))[0].double().log_softmax(-1)
        for place, truth in enumerate(GAME.world.distributions(tokens)):
            kl = sum(
                p * (math.log(p) - log_probs[place, VOCABULARY.id(t)].item()) for t, p in truth.items() if p
            )
            parts["tuned" if 2 <= place <= 4 else "elsewhere"].append(kl)
    means = {name: round(sum(values) / len(values), 4) for name, values in parts.items()}
    return {"loss": round(evaluate_loss(model, ids), 4), **means}


def settings(steps: int, lr: float = SETTINGS["lr"]) -> TrainConfig:
    """The optimiser of all methods, for so many steps."""
    return TrainConfig(steps=steps, **SETTINGS | {"lr": lr, "warmup": min(SETTINGS["warmup"], steps)})


def policy(method: str, seed: int, steps: int | None = None) -> tuple[torch.nn.Module, dict]:
    """A policy trained by a method; answers drawn, CPU seconds, and what a method has to tell besides."""
    trained, generator = copy.deepcopy(REFERENCE).requires_grad_(), torch.Generator().manual_seed(seed)
    began, more = time.process_time(), {}
    if method in POLICIES:
        training = settings(steps or 150)
        config = POLICIES[method]
        _, critic = train_policy(
            trained, REFERENCE, PROMPTS, REWARD, LENGTH, config, training=training, seed=seed
        )
        more = {"samples": training.steps * config.group * len(PROMPTS)}
        if critic is not None:
            with torch.no_grad():
                more["critic"] = round(critic(PROMPTS)[:, -1].mean().item(), 3)
    elif method in PAIRS:
        training = settings(steps or 200, lr=3e-4)
        noisy = "without" not in method

        def fresh(step):
            return draw_pairs(REFERENCE, PROMPTS, REWARD, 64, LENGTH, generator, noisy)

        train_on_pairs(trained, REFERENCE, fresh, BETA, PAIRS[method], training)
        more = {"samples": 2 * 64 * training.steps}
    elif method in FIXED:
        more = fixed(trained, FIXED[method], generator, settings(steps or 300, lr=3e-4))
    else:
        training, n = settings(steps or 150), IMITATED[method]
        best = optimum(LOG_REFERENCE, REWARDS, BETA).exp()

        def examples(step):
            if n:
                asked = PROMPTS.repeat(4, 1)
                return asked, draw_best_of_n(REFERENCE, asked, REWARD, n, LENGTH, generator)
            rows = torch.multinomial(best, 16, replacement=True, generator=generator)
            return PROMPTS.repeat_interleave(16, 0), ANSWERS[rows.flatten()]

        imitate(trained, examples, training)
        more = {"samples": 160 * training.steps}
    return trained, more | {"seconds": round(time.process_time() - began, 1)}


def fixed(trained: torch.nn.Module, n: int, generator: torch.Generator, training: TrainConfig) -> dict:
    """DPO on a fixed set of pairs, judged on the way: what its own loss does not show."""
    pairs = draw_pairs(REFERENCE, PROMPTS, REWARD, n, LENGTH, generator)
    curve = []

    @torch.no_grad()
    def judged(step: int) -> None:
        if step not in CURVE:
            return
        # The answers' ids as places in the table: a number to the base of the tokens.
        place = len(TOKENS) ** torch.arange(LENGTH - 1, -1, -1)
        asked = (pairs.prompts[:, None] == PROMPTS[None]).all(2).int().argmax(1)
        log_policy = table(trained)
        ratio = log_policy - LOG_REFERENCE
        gains = [ratio[asked, ((a - TOKENS[0]) * place).sum(1)] for a in (pairs.chosen, pairs.rejected)]
        loss = -torch.nn.functional.logsigmoid(BETA * (gains[0] - gains[1])).mean()
        found = {"step": step, "loss": loss, "chosen": gains[0].mean(), "rejected": gains[1].mean()}
        curve.append({k: round(float(v), 4) for k, v in found.items()} | standing(log_policy))

    judged(0)
    train_on_pairs(trained, REFERENCE, pairs, BETA, "dpo", training, seed=1, callback=judged)
    return {"samples": 2 * n, "curve": curve}


def row(method: str, seed: int) -> dict:
    """A method's policy, judged."""
    seed_everything(seed)
    trained, more = policy(method, seed)
    log_policy = table(trained)
    found = {"method": method, "seed": seed, **standing(log_policy), "old": old_world(trained), **more}
    goal = predicted().get(method)
    if goal is not None:
        found["from_predicted"] = round(divergence(log_policy, goal).mean().item(), 4)
    return found


def noise(group: int = 8, draws: int = 40) -> dict[str, float]:
    """The noise of one gradient of the reward as a share of the exact gradient's length, by baseline."""
    generator = torch.Generator().manual_seed(0)
    model = copy.deepcopy(REFERENCE).requires_grad_()
    parameters = list(model.parameters())

    def gradient(value: torch.Tensor, keep: bool = True) -> torch.Tensor:
        return torch.cat([g.flatten() for g in torch.autograd.grad(value, parameters, retain_graph=keep)])

    log_probs = answer_log_probs(model, PROMPTS, LENGTH)
    exact = gradient((log_probs.exp() * REWARDS).sum(1).mean().float(), keep=False)
    values = [v.float() for v in prefix_values(LOG_REFERENCE, REWARDS, len(TOKENS), LENGTH)]
    asked = PROMPTS.repeat_interleave(group, 0)
    row_of = torch.arange(len(PROMPTS)).repeat_interleave(group)
    found: dict[str, list[torch.Tensor]] = {}
    for _ in range(draws):
        answers = draw_answers(REFERENCE, asked, LENGTH, generator)
        each = token_log_probs(model, asked, answers)
        reward = REWARD(asked, answers)
        place, index = [values[0][row_of, 0]], torch.zeros_like(row_of)
        for k in range(LENGTH):
            index = index * len(TOKENS) + answers[:, k] - TOKENS[0]
            place.append(values[k + 1][row_of, index])
        rows = reward.reshape(-1, group)
        weights = {
            "no baseline": reward,
            "mean of the group": group_advantages(rows, leave_one_out=False).flatten(),
            "mean of the others": group_advantages(rows).flatten(),
            "exact value of the prompt": reward - place[0],
        }
        for name, weight in weights.items():
            found.setdefault(name, []).append(gradient((weight * each.sum(1)).mean()))
        exact_advantage = torch.stack([b - a for a, b in pairwise(place)], 1)
        found.setdefault("exact advantage of each token", []).append(
            gradient((exact_advantage * each).sum(1).mean())
        )
    return {
        name: round(
            ((torch.stack(gs) - exact).norm(dim=1) ** 2).mean().sqrt().item() / exact.norm().item(), 3
        )
        for name, gs in found.items()
    }


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record("preferences", [], **SETTINGS, beta=BETA, group=16)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, metavar=("METHOD", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    if only:
        print(row(only[0], int(only[1])))
        return
    if "noise" not in record():
        start = record()
        start["reference"] = standing(LOG_REFERENCE) | {"old": old_world(REFERENCE)}
        start["optimum"] = standing(optimum(LOG_REFERENCE, REWARDS, BETA))
        start["predicted"] = {name: standing(goal) for name, goal in predicted().items()}
        start["noise"] = noise()
        print({k: start[k] for k in ("reference", "optimum", "predicted", "noise")}, flush=True)
        keep_record("preferences", start)
    for method, seed in RUNS:
        if (method, seed) in {(r["method"], r["seed"]) for r in record()["runs"]}:
            continue
        found = row(method, seed)
        print({k: v for k, v in found.items() if k != "curve"}, flush=True)
        grown = record()
        grown["runs"].append(found)
        keep_record("preferences", grown)


if __name__ == "__main__":
    main()
