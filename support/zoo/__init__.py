"""Small trained models that come with the package, the recipe of each, and records of long experiments."""

from support.zoo.adapted import load_adapted
from support.zoo.entry import Entry, load
from support.zoo.recipe import RECIPES, Recipe, recipe
from support.zoo.record import record

__all__ = [
    "RECIPES",
    "Entry",
    "Recipe",
    "load",
    "load_adapted",
    "recipe",
    "record",
]
