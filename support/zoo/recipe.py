"""What a recipe must say, so that one oven bakes every model of the zoo."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from support.core import InputError
from support.model import GPT, GPTConfig
from support.text import Vocabulary
from support.training import TrainConfig
from support.worlds import World

RECIPES = {
    "calling-game": "calling_game",
    "semantic": "semantic",
    "stories": "stories",
    "stories-small": "stories_small",
}
# Models that learn only a part of each text, which no `Recipe` describes: modules with `world` and `build`.
OTHERS = {"assistant": "assistant_build", "shop": "shop"}

Texts = list[list[str]]


@dataclass(frozen=True)
class Recipe:
    """One model: its world, its shape, its texts, its training, and what its card must answer.

    Attributes:
        name: as in ``zoo.load(name)``.
        title: a heading for the card.
        about: one or two sentences.
        world: makes the world; called again for every use, so nothing is shared.
        config: the model's shape for the world's vocabulary.
        texts: the training texts of a seed.
        held_out: fresh texts, the same for every seed, on which all losses of the card are measured.
        tuning: further fresh texts, for tuning the n-gram baselines.
        training: steps, rates and so on; the seed is set for each run.
        batch_size: texts a step.
        facts: named numbers of one trained model, measured for every seed.
        details: more about the model that is kept, for the card only.
        seeds: trained one after the other. The first is kept, whatever the others give.
    """

    name: str
    title: str
    about: str
    world: Callable[[], World]
    config: Callable[[Vocabulary], GPTConfig]
    texts: Callable[[int], Texts]
    held_out: Callable[[], Texts]
    tuning: Callable[[], Texts]
    training: TrainConfig
    batch_size: int
    facts: Callable[[GPT], dict[str, float]]
    details: Callable[[GPT], dict[str, Any]] = lambda model: {}
    seeds: Sequence[int] = (0, 1, 2)


def recipe(name: str) -> Recipe:
    """The recipe of a model by its name.

    Raises:
        InputError: there is no such model; the message lists those that there are.

    >>> recipe("calling-game").name
    'calling-game'
    """
    return import_module(f"support.zoo.recipes.{RECIPES[known(name)]}").RECIPE


def known(name: str, others: bool = False) -> str:
    """The name itself, if the zoo has a recipe for it; with ``others``, also if it is made otherwise."""
    names = sorted({**RECIPES, **OTHERS} if others else RECIPES)
    if name not in names:
        raise InputError(f"The zoo has no model {name!r}; choose one of {', '.join(names)}.")
    return name


def maker(name: str) -> Any:
    """The module that makes a model of `OTHERS`: its ``world()`` and its ``build(folder, seeds)``."""
    return import_module(f"support.zoo.recipes.{OTHERS[name]}")
