"""Recipes: how a network is trained, every choice in one place, each field documented and printable."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from isotone.errors import ConfigError, first_problem
from isotone.evaluation import task_named

__all__ = ["LITTLE", "RECIPES", "VERY_LITTLE", "Preset", "Recipe", "preset_for", "preset_named"]


class Recipe(BaseModel):
    """How a model is trained; the defaults are the paper's. The network itself is described by `Architecture`."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    name: str = "paper"
    """What the recipe is called."""
    schedule: Literal["halving", "one-cycle"] = "halving"
    """Halve the rate after an epoch without a better dev loss, or warm up and anneal over a fixed number of epochs."""
    rate: float = Field(default=0.001, gt=0, allow_inf_nan=False)
    """Adam's learning rate: the first one (halving) or the highest one (one-cycle)."""
    floor: float = Field(default=0.00001, gt=0)
    """Halving: stop once the rate would fall below this."""
    warmup: float = Field(default=0.1, ge=0, lt=1)
    """One-cycle: the share of steps in which the rate climbs."""
    epochs: int | None = Field(default=50, ge=1)
    """Epochs at most (halving) or altogether (one-cycle); None: by the number of training pairs, see `epochs_for`."""
    longer: float = Field(default=1.0, gt=0, le=1000)
    """Where the number of training pairs decides about the epochs: this many times as many."""
    batch_size: int | None = Field(default=None, ge=1)
    """Pairs per batch; None: the task's own, 20, or 50 for transliteration."""
    clip: float = Field(default=5.0, gt=0)
    """The gradient's norm is cut to this."""
    decay: float = Field(default=0.0, ge=0, lt=1)
    """Weight decay, apart from the gradient as in AdamW: each step takes rate × decay of every weight away."""
    smoothing: float = Field(default=0.0, ge=0, lt=1)
    """Label smoothing: this share of each target symbol's probability is spread over the whole alphabet, in the
    training loss only."""
    consistency: float = Field(default=0.0, ge=0, le=1000)
    """Each pair is read twice, with other dropout, and this many times the readings' disagreement about each target
    symbol is added to the training loss (after R-drop). Training takes twice the time."""
    precision: Literal["auto", "fp32", "bf16", "fp64"] = "fp32"
    """Number format of the matrix products; auto: bf16 where the hardware has it, else fp32."""
    decode: Literal["exact", "greedy"] = "greedy"
    """How dev sources are decoded for the dev metric."""
    unknown: float = Field(default=0.5, ge=0)
    """How often each source symbol is read as unknown, in occurrences per epoch, about: this trains UNK."""
    select: Literal["metric", "later"] = "metric"
    """Keep the epoch with the best dev metric, as the paper does; or the latest one that is not worse by more than the
    metric's standard error: with few dev words the best of many epochs is mostly the luckiest (docs/recipes.md)."""
    ties: Literal["lower loss", "later"] = "lower loss"
    """Of epochs with the same dev metric, keep the one with the lower dev loss, or the later one."""
    guided: float = Field(default=0.0, ge=0, lt=1)
    """The share of epochs, from the first on, that learn log p(y, a | x) along alignments found by EM; the others sum
    over all alignments, and the epoch that is kept is one of those."""
    augment: float = Field(default=0.0, ge=0)
    """Invented pairs per real one in each epoch: shared stems with other letters in them, for little data."""
    paradigm: float = Field(default=0.0, ge=0, le=1)
    """Inflection: how often another known form of the lemma is the source in place of the lemma, where there is one."""
    direction: Literal["forwards", "backwards", "both", "auto"] = "forwards"
    """Read and write strings from their beginnings, or from their ends; both: a mixture with networks of each kind;
    auto: backwards with aligners in `FROM_THE_END`, else forwards."""

    def with_changes(self, **changes: Any) -> Recipe:
        """This recipe with other values; None keeps the recipe's own."""
        given = {name: value for name, value in changes.items() if value is not None}
        try:
            return Recipe.model_validate(self.model_dump() | given)
        except ValidationError as error:
            raise ConfigError(first_problem(error)) from error

    def turned(self, aligner: str) -> bool:
        """Does a network with this aligner read and write strings from their ends?"""
        return self.direction == "backwards" or (self.direction == "auto" and aligner in FROM_THE_END)

    def batch_size_for(self, task: str) -> int:
        """Pairs per batch, with the task's default."""
        return self.batch_size or task_named(task).batch_size

    def epochs_for(self, pairs: int) -> int:
        """Epochs for a training set of this size: 34 for 1,000 pairs, and half as many for sixteen times the pairs.

        They are between 8 and 60, and then multiplied by `longer`.
        """
        usual = min(60, max(8, round(34 * (1000 / pairs) ** 0.25)))
        return self.epochs or max(1, round(self.longer * usual))

    def assessed_every(self, pairs: int, dev: int) -> int:
        """Epochs from one look at the dev set to the next: one, unless the dev set is large beside the training set.

        With as many dev words as pairs a look takes two thirds of the time of an epoch, and a one-cycle run is best at
        its end, which is always looked at. A halving schedule needs every epoch's dev loss.
        """
        if self.schedule == "halving" or dev < MANY:
            return 1
        return max(1, round(4 * dev / pairs))

    def guided_epochs_for(self, pairs: int) -> int:
        """Epochs along fixed alignments, for a training set of this size."""
        return round(self.guided * self.epochs_for(pairs))


FROM_THE_END = frozenset({"0-mono", "pipeline-mono"})
"""Aligners that inflect better from the end of a word to its beginning (docs/recipes.md). The pipeline's
network is that of 0-mono, so it goes the same way."""
EITHER_WAY = frozenset({"g2p"})
"""Tasks that 0-mono and 1-mono learn as well in either direction: there, networks of both directions make a better
mixture than networks of two seeds (docs/recipe-search.md)."""
MANY = 500
"""Dev sources from which their number may have them assessed less often than after each epoch."""
VERY_LITTLE, LITTLE = 1_000, 5_000
"""Training pairs below which smaller batches, and below which a smaller network, do better (docs/recipes.md)."""


@dataclass(frozen=True)
class Preset:
    """A line of the table of recipes: how to train, and which network to train that way."""

    recipe: Recipe
    summary: str
    """For help texts."""
    size: str = "paper"
    """A name in the table of sizes."""
    network: Mapping[str, Any] = field(default_factory=dict)
    """Changes to the paper's architecture beside its size, by dotted name."""
    aligners: tuple[str, ...] = ()
    """Where it trains a mixture: its members' aligners, each of which is trained with each seed. The options of the
    first one can be set (`aligner.width`); others take over those that they have too. Empty: what `--model` says."""
    seeds: int = 1
    """Members of each aligner."""
    by_data: bool = False
    """Each network is trained as the default recipe for the data trains it; for tasks in `EITHER_WAY`, with one seed in
    both directions in place of several seeds in one."""

    @property
    def name(self) -> str:
        """What `--recipe` calls it."""
        return self.recipe.name

    @property
    def is_mixture(self) -> bool:
        """Does it train several networks?"""
        return self.seeds > 1 or len(self.aligners) > 1

    def for_data(self, pairs: int, task: str) -> Preset:
        """What it is for this task and this many training pairs."""
        if not self.by_data:
            return self
        default = preset_for(pairs, task)
        changes, seeds = {"name": self.name}, self.seeds
        if task in EITHER_WAY:
            changes["direction"], seeds = "both", 1
        recipe = default.recipe.model_copy(update=changes)
        return replace(self, recipe=recipe, size=default.size, network=default.network, seeds=seeds)


# Made without checking, which a test does: pydantic takes longer to build its checks than a help text to draw.
_SMALL = Recipe.model_construct(
    name="small",
    schedule="one-cycle",
    rate=0.003,
    epochs=None,
    batch_size=32,
    guided=0.3,
    precision="auto",
    decode="exact",
    select="later",
    ties="later",
)


def _dropout(rate: float) -> dict[str, float]:
    return {"encoder.dropout": rate, "decoder.dropout": rate, "decoder.query_dropout": rate}


_BY_SIZE = {
    preset.name: preset
    for preset in (
        Preset(
            _SMALL.model_copy(update={"name": "fast", "rate": 0.002, "longer": 0.7, "consistency": 2.0}),
            "default from 5,000 training pairs on: pairs are read twice",
            "medium",
            _dropout(0.3),
        ),
        Preset(_SMALL, "default for 1,000 to 5,000 training pairs", "small", _dropout(0.3)),
        Preset(
            _SMALL.model_copy(update={"name": "low", "batch_size": 16}),
            "default below 1,000 training pairs",
            "small",
            _dropout(0.3),
        ),
    )
}


def _paced(pace: str, like: str, summary: str, *, dropout: float, **changes: Any) -> Preset:
    base = _BY_SIZE[like]
    recipe = base.recipe.model_copy(update={"name": f"{pace}-{like}", **changes})
    return replace(base, recipe=recipe, summary=summary, network=_dropout(dropout))


_patient = partial(_paced, "patient", dropout=0.5, decay=0.1, direction="auto")
_brisk = partial(_paced, "brisk", longer=0.7, consistency=2.0, dropout=0.3, decay=0.1)


def _demo(task: str, *, dropout: float = 0.3, **changes: Any) -> Preset:
    recipe = _SMALL.model_copy(update={"name": f"demo-{task}", **changes})
    return Preset(recipe, f"what `isotone demo {task}` trains with", "small", _dropout(dropout))


RECIPES: dict[str, Preset] = {
    preset.name: preset
    for preset in (
        Preset(Recipe.model_construct(), "the paper's own, for comparisons"),
        *_BY_SIZE.values(),
        _patient(
            "fast",
            "default for inflection from 5,000 pairs on: as fast, weight decay, 0-mono backwards",
            dropout=0.3,
        ),
        _patient(
            "small",
            "default for inflection with 1,000 to 5,000 pairs: longer than small, 0-mono backwards",
            longer=2.0,
        ),
        _patient("low", "default for inflection below 1,000 pairs: longer than low, 0-mono backwards", longer=2.0),
        _brisk("small", "default for g2p and names with 1,000 to 5,000 pairs: 0.7 times the epochs, pairs read twice"),
        _brisk("low", "default for g2p and names below 1,000 pairs: 0.7 times the epochs, pairs read twice"),
        Preset(
            _SMALL.model_copy(update={"name": "best"}),
            "accuracy first: a mixture of four networks, each trained as by default",
            "small",
            aligners=("1-mono", "0-mono"),
            seeds=2,
            by_data=True,
        ),
        _demo("g2p", epochs=8, batch_size=64, dropout=0.1),
        _demo("inflection", epochs=15),
        _demo("transliteration", epochs=60, batch_size=16),
    )
}
"""What `--recipe` takes."""


def preset_for(pairs: int, task: str) -> Preset:
    """Default recipe for this task and this many training pairs."""
    name = "low" if pairs < VERY_LITTLE else "small" if pairs < LITTLE else "fast"
    pace = task_named(task).pace
    paced = RECIPES.get(f"{pace}-{name}") if pace else None
    return paced or RECIPES[name]


def preset_named(name: str) -> Preset:
    """The recipe called `name`; raises ConfigError listing the known recipes."""
    if name not in RECIPES:
        raise ConfigError(f"unknown recipe {name!r}: expected one of {', '.join(RECIPES)}")
    return RECIPES[name]
