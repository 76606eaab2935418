"""The sweep file: which models on which data with which seeds, in TOML, each field documented."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)

from isotone.errors import ConfigError, IsotoneError, first_problem
from isotone.evaluation import task_named
from isotone.models.aligners import ALIGNERS
from isotone.text.config import SideChanges
from isotone.text.readers import DataFormat
from isotone.training.recipe import preset_named
from isotone.training.request import Asked, DataRecord, Request

__all__ = ["AUTO", "DataSet", "Sweep", "Variant", "load_sweep"]

AUTO = "auto"
"""The recipe that task and number of training pairs choose, or the model or mixture that a recipe trains by itself."""
T = TypeVar("T")
Several = TypeVar("Several", bound=Sequence[Any])
Name = Annotated[str, Field(pattern=r"^[\w.+-]+$", max_length=100)]
"""Becomes part of a folder's name."""


def _known_recipe(name: str) -> str:
    return name if name == AUTO else _spoken(lambda: preset_named(name).name)


def _by_name(value: object) -> object:
    """A format's name stands for a table with nothing else in it."""
    return {"name": value} if isinstance(value, str) else value


NamedFormat = Annotated[DataFormat, BeforeValidator(_by_name)]
"""A format's name, or a table with columns and separators."""


class _Part(BaseModel):
    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")


class DataSet(_Part):
    """One data set; paths are relative to the sweep file."""

    name: Name
    """What the tables call it."""
    train: Path
    """Training pairs."""
    dev: Path
    """Pairs that pick the best epoch."""
    test: Path | None = None
    """Pairs that the results are about; without them they are about the dev pairs, as in a search for a recipe."""
    format: NamedFormat | None = None
    """The files' format, where it is not the sweep's."""
    text: SideChanges | None = None
    """What to change in the format's own normalisation and segmentation, where it is not the sweep's."""

    def files(self) -> dict[str, Path]:
        """Its files by role."""
        return {"train": self.train, "dev": self.dev} | ({"test": self.test} if self.test else {})


class Variant(_Part):
    """A way of training, to be compared with others."""

    name: Name
    """What the tables call it, behind the model."""
    recipe: Annotated[str, AfterValidator(_known_recipe)] | None = None
    """Its recipe, where it is not the sweep's."""
    overrides: dict[str, Any] = {}
    """What it changes, on top of the sweep's own overrides."""


class Sweep(_Part):
    """Models × variants × data sets × seeds: each combination is a cell."""

    name: Name
    """What the sweep is called."""
    out: Path
    """Folder for cells and results, relative to the sweep file."""
    task: str
    """inflection, g2p, transliteration or transduction."""
    recipe: Annotated[str, AfterValidator(_known_recipe)] = "paper"
    """The recipe to train with; "auto": chosen by the task and each data set's number of pairs."""
    overrides: dict[str, Any] = {}
    """Fields of the recipe or of the network to change, as after `--set`, and `size`, `seeds` (the members of each
    mixture) and `distil`."""
    models: tuple[str, ...] = Field(min_length=1)
    """Such as soft, 0-hard, 0-mono, 1-mono; "auto": what the recipe trains, for recipes that train a mixture."""
    variants: tuple[Variant, ...] = ()
    """Ways of training to be compared: every model is trained in each of them."""
    seeds: tuple[Annotated[int, Field(ge=0)], ...] = Field(default=(0,), min_length=1)
    """Results are averaged over seeds. Mixtures of n members per aligner have the seeds n·s to n·s + n − 1."""
    threads: int = Field(default=1, ge=1)
    """CPU threads of a cell; Ray counts them as cores."""
    gpus: float = Field(default=0, ge=0)
    """GPUs of a cell, or a share of one; 0 trains on the CPU."""
    parallel: int | None = Field(default=None, ge=1)
    """Cells at a time at most; by default as many as there are cores for."""
    format: NamedFormat | None = None
    """The data files' format: a name, or a table with columns and separators."""
    skip_bad: bool = False
    """Leave out lines that do not fit the format, as --skip-bad does, rather than stop at the first."""
    text: SideChanges = SideChanges()
    """What to change in the format's own normalisation and segmentation."""
    data: tuple[DataSet, ...] = Field(min_length=1)
    """The data sets."""

    @field_validator("task")
    @classmethod
    def _known_task(cls, name: str) -> str:
        return _spoken(lambda: task_named(name).name)

    @field_validator("models")
    @classmethod
    def _known_models(cls, names: tuple[str, ...]) -> tuple[str, ...]:
        for name in names:
            if name not in ALIGNERS and name != AUTO:
                raise ValueError(f"unknown model {name!r}: expected one of {', '.join(ALIGNERS)}, or {AUTO}")
        return _distinct(names)

    @field_validator("seeds")
    @classmethod
    def _distinct_seeds(cls, seeds: tuple[int, ...]) -> tuple[int, ...]:
        return _distinct(seeds)

    @model_validator(mode="after")
    def _fits_together(self) -> Sweep:
        _distinct([corpus.name for corpus in self.data])
        _distinct([variant.name for variant in self.variants])
        for variant in self.variants or (None,):
            for corpus in self.data:
                texts = _spoken(_spoken(partial(self.format_of, corpus)).format).texts
                for model in self.models:
                    asked = _spoken(partial(self.asked, corpus, model, self.seeds[0], variant))
                    _spoken(partial(Request.of, asked, data=DataRecord(train_pairs=1), texts=texts))
        return self

    def recipe_of(self, variant: Variant | None) -> dict[str, Any]:
        """The name of a cell's recipe and everything that is changed in it."""
        overrides = {**self.overrides, **(variant.overrides if variant else {})}
        if "name" in overrides:
            raise ConfigError("overrides.name: the recipe's name cannot be changed")
        return {"name": (variant.recipe if variant else None) or self.recipe, **overrides}

    def asked(self, corpus: DataSet, model: str, seed: int, variant: Variant | None = None) -> Asked:
        """What a cell asks training for."""
        changes = self.recipe_of(variant)
        recipe = changes.pop("name")
        seeds = changes.pop("seeds", None)
        members = seeds or (1 if recipe == AUTO else preset_named(recipe).seeds)
        return Asked(
            task=self.task,
            model=None if model == AUTO else model,
            recipe=None if recipe == AUTO else recipe,
            size=changes.pop("size", None),
            text=corpus.text or self.text,
            seed=seed * members if isinstance(members, int) else seed,  # no member belongs to two mixtures
            seeds=seeds,
            distil=(distil := changes.pop("distil", None)),
            keep_teacher=True if distil else None,  # for the time that it took to train
            device="auto" if self.gpus else "cpu",
            threads=self.threads,
            changes=changes,
        )

    def format_of(self, corpus: DataSet) -> DataFormat:
        """The format of a data set's files."""
        given = corpus.format or self.format
        if given is None:
            raise ConfigError(f"format: neither the sweep nor the data set {corpus.name!r} names one")
        return given


def load_sweep(path: Path) -> Sweep:
    """A checked sweep file, with every path in it made absolute."""
    try:
        values = tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ConfigError(f"{path}: no such file") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not TOML: {error}") from error
    try:
        sweep = Sweep.model_validate(values)
    except ValidationError as error:
        raise ConfigError(f"{path}: {first_problem(error)}") from error
    folder = path.resolve().parent
    data = tuple(
        corpus.model_copy(update={role: folder / path for role, path in corpus.files().items()})
        for corpus in sweep.data
    )
    return sweep.model_copy(update={"out": (folder / sweep.out).resolve(), "data": data})


def _spoken(find: Callable[[], T]) -> T:
    """pydantic collects ValueErrors only."""
    try:
        return find()
    except (IsotoneError, ValidationError) as error:
        raise ValueError(first_problem(error) if isinstance(error, ValidationError) else str(error)) from error


def _distinct(names: Several) -> Several:
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name!r} is there twice")
    return names
