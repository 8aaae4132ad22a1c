"""The semantic model: two layers that may arrange forty nouns as they like."""

from typing import Any

import numpy as np
import torch
from jaxtyping import Float
from torch import Tensor

from support.inside import EmbeddingReport, embedding_report
from support.model import GPT, GPTConfig
from support.text import Vocabulary
from support.training import TrainConfig
from support.worlds import SemanticWorld
from support.worlds.semantic import ANALOGIES, AXES, LATENTS, NOUNS
from support.zoo.recipe import Recipe

SENTENCES = 20_000


def config(vocabulary: Vocabulary, init_std: float | int = 0.02) -> GPTConfig:
    """The source's shape: two layers of two heads, 32 wide. The longest sentence has 15 tokens."""
    return GPTConfig(
        vocab_size=len(vocabulary),
        context=16,
        d_model=32,
        n_layers=2,
        n_heads=2,
        init_std=init_std,
        masked_ids=(vocabulary.id("<PAD>"),),
    )


def rows(model: GPT) -> Float[Tensor, "noun d_model"]:
    """The nouns' rows of a model's embedding, in the order of `NOUNS`."""
    ids = torch.tensor(SemanticWorld("full").vocabulary.encode(list(NOUNS)))
    return model.embedding.weight.detach()[ids.to(model.embedding.weight.device)]


def judged(vectors: Float[Tensor, "noun d"] | Float[np.ndarray, "noun d"]) -> EmbeddingReport:
    """The acceptance tests of *workbench* note 2, put to forty vectors.

    >>> judged(LATENTS).axes_read
    6
    """
    return embedding_report(vectors, LATENTS, NOUNS, ANALOGIES)


def of_random_vectors(draws: int = 100, d_model: int = 32) -> dict[str, float | int]:
    """What the tests say of vectors without any meaning: averages over draws, and the luckiest of them.

    >>> of_random_vectors(draws=2)["axes read, most"]
    0
    """
    rng = np.random.default_rng(0)
    seen = [judged(rng.normal(size=(len(NOUNS), d_model))) for _ in range(draws)]
    return {
        "draws": draws,
        "top 2": round(float(np.mean([s.top2 for s in seen])), 4),
        "top 6": round(float(np.mean([s.top6 for s in seen])), 4),
        "greatest R²": round(max(max(s.r2) for s in seen), 4),
        "axes read, most": max(s.axes_read for s in seen),
        "analogies, mean": round(float(np.mean([s.recovered for s in seen])), 4),
        "analogies, most": max(s.recovered for s in seen),
    }


def facts(model: GPT) -> dict[str, float | int]:
    """The three tests on one model's nouns."""
    seen = judged(rows(model))
    return {
        "top 2": seen.top2,
        "top 6": seen.top6,
        **{f"R² {axis}": value for axis, value in zip(AXES, seen.r2, strict=True)},
        "axes read": seen.axes_read,
        "analogies": seen.recovered,
    }


def details(model: GPT) -> dict[str, Any]:
    """The answers to the analogies, and what random vectors score."""
    answers = judged(rows(model)).answers
    asked = [f"{a} − {b} + {c} → {d}" for a, b, c, d in ANALOGIES]
    return {
        "answers": dict(zip(asked, answers, strict=True)),
        "random vectors": of_random_vectors(),
        "fresh seeds and other texts": "support/zoo/records/semantic.json (benchmarks/semantic.py)",
    }


RECIPE = Recipe(
    name="semantic",
    title="The semantic world",
    about="Learns forty nouns from sentences in ten forms, all true of six designed axes that it never sees. "
    "The card asks whether the axes can be found in its embedding: the share of spread in the first two and "
    "six principal components, a probe per axis (R² on words left out), five analogies; random vectors too.",
    world=SemanticWorld,
    config=config,
    texts=lambda seed: SemanticWorld().sample(SENTENCES, seed=1000 + seed),
    held_out=lambda: SemanticWorld().sample(2000, seed=999),
    tuning=lambda: SemanticWorld().sample(2000, seed=997),
    training=TrainConfig(steps=4000, lr=3e-3, warmup=50, min_lr=3e-4, weight_decay=0.01),
    batch_size=64,
    facts=facts,
    details=details,
    seeds=(0, 1, 2, 3, 4),
)
