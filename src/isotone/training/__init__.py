"""Training: recipes, the loop, and its state."""

from isotone.training.events import BatchDone, Callback, EpochDone, Plan
from isotone.training.loop import Outcome, Run
from isotone.training.recipe import RECIPES, Recipe, choose_recipe, recipe_for, recipe_named
from isotone.training.settings import Settings
from isotone.training.train import check_folder, train

__all__ = [
    "RECIPES",
    "BatchDone",
    "Callback",
    "EpochDone",
    "Outcome",
    "Plan",
    "Recipe",
    "Run",
    "Settings",
    "check_folder",
    "choose_recipe",
    "recipe_for",
    "recipe_named",
    "train",
]
