"""Recipes: every choice of training in one place, each field documented, each printable."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from isotone.errors import ConfigError
from isotone.evaluation import task_named
from isotone.models.config import Size

__all__ = ["LITTLE", "RECIPES", "VERY_LITTLE", "Recipe", "choose_recipe", "recipe_for", "recipe_named"]


class Recipe(BaseModel):
    """How a model is trained; the defaults are the paper's."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    name: str = "paper"
    """What the recipe is called."""
    size: Size = "paper"
    """Sizes of the network: the paper's, medium, small or tiny."""
    schedule: Literal["halving", "one-cycle"] = "halving"
    """Halve the rate after an epoch without a better dev loss, or warm up and anneal over a fixed number of epochs."""
    rate: float = Field(default=0.001, gt=0)
    """Adam's learning rate: the first one (halving) or the highest one (one-cycle)."""
    floor: float = Field(default=0.00001, gt=0)
    """Halving: stop once the rate would fall below this."""
    warmup: float = Field(default=0.1, ge=0, lt=1)
    """One-cycle: the share of steps in which the rate climbs."""
    epochs: int | None = Field(default=50, ge=1)
    """Epochs at most (halving) or altogether (one-cycle); None: by the number of training pairs, see `epochs_for`."""
    batch_size: int | None = Field(default=None, ge=1)
    """Pairs per batch; None: the task's own (20, and 50 for transliteration)."""
    clip: float = Field(default=5.0, gt=0)
    """The gradient's norm is cut to this."""
    precision: str = "fp32"
    """Number format of the matrix products: fp32, bf16, fp64, or auto: bf16 where the machine has it."""
    dropout: float = Field(default=0.4, ge=0, lt=1)
    """On embeddings and between encoder layers."""
    query_dropout: float = Field(default=0.0, ge=0, lt=1)
    """On the decoder's states, where alignments and emissions read them."""
    unknown: float = Field(default=0.5, ge=0)
    """How often each source symbol is read as unknown, in occurrences an epoch, about: this trains UNK."""
    copy_gate: bool = False
    """May the model copy the source symbol it is aligned to, with a probability of its own? (`--copy`)"""

    ties: Literal["lower loss", "later"] = "lower loss"
    """Of epochs with the same dev metric, keep the one with the lower dev loss, or the later one."""
    guided: float = Field(default=0.0, ge=0, lt=1)
    """The share of epochs, from the first on, that learn log p(y, a | x) along alignments found by EM; then all sum.
    The epoch that is kept is one of the others."""
    augment: float = Field(default=0.0, ge=0)
    """Invented pairs for each real one in an epoch: shared stems with other letters in them, for little data."""

    def with_changes(self, **changes: Any) -> Recipe:
        """This recipe with other values; None keeps the recipe's own."""
        given = {name: value for name, value in changes.items() if value is not None}
        try:
            return Recipe.model_validate(self.model_dump() | given)
        except ValidationError as error:
            first = error.errors()[0]
            raise ConfigError(f"{first['loc'][0]}: {first['msg']}") from error

    def batch_size_for(self, task: str) -> int:
        """The batch size, with the paper's default for the task."""
        return self.batch_size or task_named(task).batch_size

    def epochs_for(self, pairs: int) -> int:
        """The epochs for so many training pairs: 34 for 1,000, and half as many for sixteen times the pairs."""
        return self.epochs or min(60, max(8, round(34 * (1000 / pairs) ** 0.25)))

    def guided_epochs_for(self, pairs: int) -> int:
        """Epochs along fixed alignments, for so many training pairs."""
        return round(self.guided * self.epochs_for(pairs))


_SMALL = Recipe(
    name="small",
    size="small",
    schedule="one-cycle",
    rate=0.003,
    epochs=None,
    batch_size=32,
    dropout=0.3,
    query_dropout=0.3,
    guided=0.3,
    precision="auto",
    ties="later",
)

RECIPES: dict[str, Recipe] = {
    "paper": Recipe(),
    "fast": _SMALL.model_copy(update={"name": "fast", "size": "medium", "rate": 0.002}),
    "small": _SMALL,
    "low": _SMALL.model_copy(update={"name": "low", "batch_size": 16}),
    "demo-g2p": _SMALL.model_copy(
        update={"name": "demo-g2p", "epochs": 8, "batch_size": 64, "dropout": 0.1, "query_dropout": 0.1}
    ),
    "demo-inflection": _SMALL.model_copy(update={"name": "demo-inflection", "epochs": 15}),
    "demo-transliteration": _SMALL.model_copy(update={"name": "demo-transliteration", "epochs": 60, "batch_size": 16}),
}
"""What `--recipe` takes."""


VERY_LITTLE, LITTLE = 1_000, 5_000
"""Training pairs below which smaller batches, and below which a smaller network, do better (docs/recipes.md)."""


def recipe_for(pairs: int) -> Recipe:
    """The recipe for so many training pairs, where the user names none."""
    return RECIPES["low" if pairs < VERY_LITTLE else "small" if pairs < LITTLE else "fast"]


def recipe_named(name: str) -> Recipe:
    """The recipe of that name, or an error that lists those there are."""
    if name not in RECIPES:
        raise ConfigError(f"unknown recipe {name!r}: expected one of {', '.join(RECIPES)}")
    return RECIPES[name]


def choose_recipe(name: str | None, *, pairs: int) -> Recipe:
    """The recipe of that name; where there is none, the one for so many training pairs."""
    return recipe_for(pairs) if name is None else recipe_named(name)
