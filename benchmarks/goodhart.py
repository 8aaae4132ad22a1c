"""Reward models and over-optimisation: the exact optimum against each, by β. Writes records/goodhart.json.

    python benchmarks/goodhart.py [--only PAIRS SEED]

About a CPU-minute for everything; rows that the record holds already are not made again.
`--only` makes one row and prints it.
"""

import argparse
import math

import torch
from preferences import (
    ANSWERS,
    LENGTH,
    LOG_REFERENCE,
    PROMPTS,
    REFERENCE,
    REWARD,
    REWARDS,
    VOCABULARY,
    settings,
)
from recording import begin_record, keep_record

from support.alignment import (
    all_scores,
    best_of_n,
    divergence,
    draw_pairs,
    optimum,
    preference_probability,
    train_reward_model,
)
from support.core import seed_everything

SIZES, SEEDS, STEPS = (30, 100, 1000), (0, 1, 2), 100
BETAS = (16.0, 8.0, 4.0, 2.0, 1.0, 0.5, 0.25, 0.1, 0.05, 0.02)
BEST_OF = (1, 2, 4, 8, 16, 32, 64)


def expected(log_policy: torch.Tensor, rewards: torch.Tensor) -> float:
    """E_π[r], the mean over the prompts."""
    return round((log_policy.exp() * rewards).sum(1).mean().item(), 4)


def away(log_policy: torch.Tensor) -> float:
    """KL(π ‖ π_ref), the mean over the prompts."""
    return round(divergence(log_policy, LOG_REFERENCE).mean().item(), 4)


def calibration(scores: torch.Tensor, draws: int = 40_000) -> list[dict[str, float]]:
    """Pairs of answers of the reference by the probability that the reward model gives the first one: what it
    says, and what the annotators' exact probability is, in ten equal bins.
    """
    generator = torch.Generator().manual_seed(0)
    prompt = torch.randint(len(PROMPTS), (draws,), generator=generator)
    a, b = torch.multinomial(LOG_REFERENCE.exp()[prompt], 2, replacement=True, generator=generator).T
    said = preference_probability(scores[prompt, a], scores[prompt, b])
    exact = preference_probability(REWARDS[prompt, a], REWARDS[prompt, b])
    differ = REWARDS[prompt, a] != REWARDS[prompt, b]
    said, exact = said[differ], exact[differ]
    bins = (said * 10).long().clamp(max=9)
    return [
        {
            "said": round(said[bins == k].mean().item(), 4),
            "exact": round(exact[bins == k].mean().item(), 4),
            "share": round((bins == k).double().mean().item(), 4),
        }
        for k in range(10)
        if (bins == k).any()
    ]


def agreement(scores: torch.Tensor) -> float:
    """The correlation of score and reward under the reference, each less its mean for the prompt."""
    p = LOG_REFERENCE.exp()
    x, y = (t - (p * t).sum(1, keepdim=True) for t in (scores, REWARDS))
    return round(((p * x * y).sum() / ((p * x * x).sum() * (p * y * y).sum()).sqrt()).item(), 4)


def row(pairs: int, seed: int) -> dict:
    """A reward model from so many comparisons, and the best policies against it."""
    seed_everything(seed)
    generator = torch.Generator().manual_seed(seed)
    compared = draw_pairs(REFERENCE, PROMPTS, REWARD, pairs, LENGTH, generator)
    model, losses = train_reward_model(REFERENCE, compared, settings(STEPS), seed=seed)
    scores = all_scores(model, PROMPTS, ANSWERS)
    scores = scores - (LOG_REFERENCE.exp() * scores).sum(1, keepdim=True)
    curve = []
    for beta in BETAS:
        best = optimum(LOG_REFERENCE, scores, beta)
        curve.append(
            {"beta": beta, "kl": away(best), "true": expected(best, REWARDS), "proxy": expected(best, scores)}
        )
    last = optimum(LOG_REFERENCE, scores, BETAS[-1]).exp()
    favourites = [
        " ".join(map(VOCABULARY.token, ANSWERS[i].tolist())) for i in last.mean(0).topk(5).indices.tolist()
    ]
    return {
        "pairs": pairs,
        "seed": seed,
        "loss": round(sum(losses[-20:]) / 20, 4),
        "correlation": agreement(scores),
        "calibration": calibration(scores),
        "curve": curve,
        "favourites": favourites,
    }


def bound(n: int) -> float:
    """The highest KL divergence that the best of n answers can have."""
    return round(math.log(n) - (n - 1) / n, 4)


def frontier() -> dict:
    """What nobody can beat: the optimum against the true reward, and the best of n."""
    best = [(beta, optimum(LOG_REFERENCE, REWARDS, beta)) for beta in BETAS]
    several = [(n, best_of_n(LOG_REFERENCE, REWARDS, n)) for n in BEST_OF]
    return {
        "frontier": [{"beta": b, "kl": away(p), "true": expected(p, REWARDS)} for b, p in best],
        "best_of_n": [
            {
                "n": n,
                "kl": away(p),
                "bound": round(math.log(n) - (n - 1) / n, 4),
                "true": expected(p, REWARDS),
            }
            for n, p in several
        ],
    }


def record() -> dict:
    """The record as it stands; an empty one if there is none, or if it was made with other settings."""
    return begin_record("goodhart", [], steps=STEPS, betas=list(BETAS), **frontier())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", nargs=2, type=int, metavar=("PAIRS", "SEED"))
    only = parser.parse_args().only
    seed_everything()
    if only:
        print(row(*only))
        return
    for seed in SEEDS:
        for pairs in SIZES:
            if (pairs, seed) in {(r["pairs"], r["seed"]) for r in record()["runs"]}:
                continue
            found = row(pairs, seed)
            print(found, flush=True)
            grown = record()
            grown["runs"].append(found)
            keep_record("goodhart", grown)


if __name__ == "__main__":
    main()
