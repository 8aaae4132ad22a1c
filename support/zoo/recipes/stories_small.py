"""The small story model: two layers, a seventh of the large one's numbers, to draft for it."""

import dataclasses

from support.model import GPTConfig
from support.text import Vocabulary
from support.zoo.recipes import stories


def config(vocabulary: Vocabulary) -> GPTConfig:
    """A third of the large model's width and half of its layers; the same vocabulary and context."""
    return dataclasses.replace(stories.config(vocabulary), d_model=32, n_layers=2, n_heads=4, d_ff=96)


RECIPE = dataclasses.replace(
    stories.RECIPE,
    name="stories-small",
    title="Stories, small",
    about="Tells the same tales with a seventh of the numbers. Pronouns and objects come back as they "
    "should, names and colours hardly better than by chance. "
    "It drafts for the large model in speculative decoding.",
    config=config,
    training=dataclasses.replace(stories.RECIPE.training, steps=3000, lr=5e-3),
)
