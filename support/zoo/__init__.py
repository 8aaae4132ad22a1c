"""Small trained models that come with the package, and the recipe of each."""

from support.zoo.entry import Entry, load
from support.zoo.recipe import RECIPES, Recipe, recipe

__all__ = ["RECIPES", "Entry", "Recipe", "load", "recipe"]
