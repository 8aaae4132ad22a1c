"""The story model: four layers, about 480,000 numbers, trained to remember who, what and which colour."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import torch

from support.model import GPT, GPTConfig
from support.text import Vocabulary
from support.worlds import StoryWorld, floor
from support.worlds.grammar import Recall

STORIES = 40_000  # each is seen nearly twice; the loss on fresh ones stays that of the training ones
STEPS, BATCH = 4500, 16
# The start is not small on purpose: with embeddings of .02 the model copied things and pronouns after 900
# steps, but names and colours not after 1,700; with .1 to .15 all four after 900 to 1,800.
INIT_STD = 0.15
LEARNING_RATE, WARMUP, FINAL, WEIGHT_DECAY, BETAS, CLIP = 3.5e-3, 100, 0.02, 0.05, (0.9, 0.98), 1.0
HELD_OUT_SEED = 999


def config(vocabulary: Vocabulary) -> GPTConfig:
    """The model's shape: as wide as fits into 2 MB of float32; the longest story has 178 tokens."""
    return GPTConfig(
        vocab_size=len(vocabulary),
        context=192,
        d_model=96,
        n_layers=4,
        n_heads=4,
        d_ff=320,
        init_std=INIT_STD,
        masked_ids=(vocabulary.id("<PAD>"),),
    )


def texts(seed: int) -> list[list[str]]:
    """What a model of this seed is trained on."""
    return StoryWorld().sample(STORIES, seed=1000 + seed)


def held_out(n: int = 1000) -> list[tuple[list[str], list[Recall]]]:
    """Fresh stories, the same for all seeds, with what must be remembered in them."""
    return StoryWorld().sample_annotated(n, seed=HELD_OUT_SEED)


def measures(model: GPT, loss: float, n: int = 1000) -> dict[str, Any]:
    """What the card says besides the training: the exact floor, the distance to it, and the recall.

    Args:
        model: a trained story model.
        loss: its loss on ``held_out(n)``, nats per predicted token.
        n: how many held-out stories.
    """
    world, stories = StoryWorld(), held_out(n)
    least = floor(world, [tokens for tokens, _ in stories])
    remembered = recall(model, world.vocabulary, stories)
    return {
        "loss": loss,
        "floor": least,
        "above the floor": loss - least,
        "recall from 20 tokens back and more": {
            kind: {"right": right, "of": count} for kind, (right, count) in remembered.items()
        },
    }


@torch.no_grad()
def recall(
    model: GPT,
    vocabulary: Vocabulary,
    stories: Sequence[tuple[list[str], list[Recall]]],
    at_least: int = 20,
) -> dict[str, tuple[float, int]]:
    """How often the model ranks the word to be remembered first among those that could stand there.

    Args:
        model: a model of stories.
        vocabulary: its vocabulary.
        stories: stories with their recalls, from ``StoryWorld().sample_annotated``.
        at_least: count only what can be known from no nearer than so many tokens back.

    Returns:
        kind → (share of right ones, how many there were), the most frequent kind first.

    >>> world = StoryWorld(); stories = world.sample_annotated(3, seed=0)
    >>> model = GPT(config(world.vocabulary))
    >>> all(0 <= right <= 1 for right, count in recall(model, world.vocabulary, stories).values())
    True
    """
    right: dict[str, int] = defaultdict(int)
    count: dict[str, int] = defaultdict(int)
    for tokens, recalls in stories:
        logits = model(torch.tensor([vocabulary.encode(tokens[:-1])]))[0]
        for r in recalls:
            if r.distance < at_least:
                continue
            ids = vocabulary.encode(list(r.candidates))
            best = ids[int(logits[r.position - 1, ids].argmax())]
            right[r.kind] += best == vocabulary.id(tokens[r.position])
            count[r.kind] += 1
    return {kind: (right[kind] / n, n) for kind, n in sorted(count.items(), key=lambda item: -item[1])}
