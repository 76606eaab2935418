"""The training request: a whole run as one frozen, validated record. It is written as run.json into the model folder.

The command line, `isotone.train`, sweeps, demos and benches all make one of these and nothing else. `Asked` is what a
user said, with None where nothing was said; `Request` is what follows from it, with every default filled in.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from isotone.errors import ConfigError, first_problem
from isotone.evaluation import task_named
from isotone.models.config import SIZES, Architecture
from isotone.text.config import SideChanges, Texts
from isotone.text.readers import DataFormat
from isotone.training.distillation import SECTION, Distillation, distillation_with
from isotone.training.recipe import Preset, Recipe, preset_for, preset_named
from isotone.training.start import Origin, Start

__all__ = ["Asked", "DataRecord", "Request"]

BOTH = {"dropout": ("encoder.dropout", "decoder.dropout")}
"""Short names that change several fields of the network at once."""
SHORT = {"query_dropout": "decoder.query_dropout", "copy_gate": "emission.copy_gate", "width": "aligner.width"}
"""Short names of single fields."""
ELSEWHERE = {"device", "devices", "threads", "origin.model"}
"""Facts of a machine, not of a run: a resumed run may have others."""


class DataRecord(BaseModel):
    """Where a run's pairs come from, and what they are."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    train: str | None = None
    """The file of training pairs; null where they were given as Python objects."""
    dev: str | float | None = None
    """The file of dev pairs, or the share of the training pairs that was held out; null for Python objects."""
    format: DataFormat | None = None
    """The shape of the files."""
    skip_bad: bool = False
    """Were lines that do not fit left out?"""
    train_pairs: int = Field(default=0, ge=0)
    """Training pairs, the held-out ones not counted."""
    dev_pairs: int = Field(default=0, ge=0)
    """Dev pairs."""
    train_digest: str = ""
    """Tells these training pairs from any others, wherever their file lies."""
    dev_digest: str = ""
    """Likewise for the dev pairs."""
    further: str | None = None
    """The file of sources without targets, for `distil`; null where there are none, or where they were given as Python
    objects."""
    further_sources: int = Field(default=0, ge=0)
    """How many of them."""
    further_digest: str = ""
    """Tells them from any others."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """What the user said about a run; None where nothing was said."""

    task: str | None = None
    model: str | None = None
    """A name in the table of aligners; several, with commas between them, for a mixture of all of them."""
    recipe: str | Recipe | None = None
    size: str | None = None
    """A name in the table of sizes."""
    text: Texts | SideChanges | None = None
    """How strings become symbols, or what to change in the data's own way."""
    seed: int | None = None
    seeds: int | None = None
    device: str | None = None
    devices: int | None = None
    threads: int | None = None
    reverse: bool | None = None
    """Learn the sources from the targets of the data."""
    distil: bool | None = None
    """Leave one network that has learnt from the mixture, in place of the mixture."""
    keep_teacher: bool | None = None
    """And leave the mixture beside it."""
    start: Start | None = None
    """The model to begin with; None: random weights."""
    changes: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the recipe (`rate`), or of the network or `distil` by dotted name (`encoder.layers`)."""


class Request(BaseModel):
    """Everything a run depends on."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    task: str = "transduction"
    """Which metrics describe the model, and which of them picks the best epoch."""
    data: DataRecord = Field(default_factory=DataRecord)
    """The pairs."""
    text: Texts = Field(default_factory=Texts)
    """How strings become symbols."""
    architecture: Architecture = Field(default_factory=Architecture)
    """The network, in sections per part."""
    recipe: Recipe = Field(default_factory=Recipe)
    """How it is trained."""
    seed: int = Field(default=0, ge=0)
    """Of the first model, and of everything random in its training."""
    seeds: int = Field(default=1, ge=1)
    """Models to train of each aligner, with the seeds from `seed` on; more than one make a mixture."""
    aligners: tuple[str, ...] = ()
    """Aligners of a mixture's members, each trained with each seed, first of all the architecture's own; empty: that
    one alone."""
    device: str = "auto"
    """auto, cpu, cuda, cuda:N or mps."""
    devices: int = Field(default=1, ge=1, le=4096)
    """Processes that share every batch, each with a device of its own; the size of a batch stays the recipe's."""
    threads: int | None = Field(default=None, ge=1)
    """CPU threads of each process; null: all cores, shared out among the processes."""

    distil: Distillation | None = None
    """Train a last network on what the mixture writes, and leave that one; null: leave the mixture."""
    origin: Origin | None = None
    """The model that every network begins with; null: random weights."""

    @field_validator("task")
    @classmethod
    def _known_task(cls, name: str) -> str:
        try:
            return task_named(name).name
        except ConfigError as error:
            raise ValueError(str(error)) from error

    @model_validator(mode="after")
    def _smoothing_applies(self) -> Request:
        if self.recipe.smoothing and self.architecture.emission.copy_gate:
            raise ValueError("smoothing: not with a copy gate, whose probabilities are no softmax over the alphabet")
        return self

    @model_validator(mode="after")
    def _readings_differ(self) -> Request:
        read, write = self.architecture.encoder, self.architecture.decoder
        reads_alike = getattr(read, "dropout", None) == 0  # an encoder without that option may vary in other ways
        if self.recipe.consistency and reads_alike and not (write.dropout or write.query_dropout):
            raise ValueError("consistency: without dropout two readings are the same; give dropout, or consistency=0")
        return self

    @model_validator(mode="after")
    def _paradigms_apply(self) -> Request:
        if self.recipe.paradigm and self.architecture.emission.copy_gate:
            raise ValueError("paradigm: not with a copy gate, which numbers the unknown symbols of one source")
        if self.recipe.paradigm and self.distil is not None:
            raise ValueError("paradigm: not with distil, which has one source for each target")
        return self

    @model_validator(mode="after")
    def _has_a_teacher(self) -> Request:
        if self.distil is not None and not self.is_mixture:
            raise ValueError("distil: there is no mixture to learn from; give --seeds, or --recipe best")
        return self

    @model_validator(mode="after")
    def _members_can_be_built(self) -> Request:
        names = self.aligners
        if not names:
            return self
        if names[0] != self.architecture.aligner.name or len(set(names)) != len(names):
            raise ValueError("aligners: expected distinct names, the network's own first")
        for name in names:
            try:
                self._aligned(name)
            except ConfigError as error:
                raise ValueError(f"aligners: {error}") from error
        return self

    @classmethod
    def of(cls, asked: Asked, *, data: DataRecord, texts: Texts) -> Request:
        """What follows from what the user said, for this data; `texts` are the data's own, unless the user has others.

        Without a recipe the task and the number of training pairs choose one.
        """
        task = asked.task or str(cls.model_fields["task"].default)
        preset = _preset(asked.recipe, pairs=data.train_pairs, task=task)
        start = cls(
            data=data,
            text=texts,
            recipe=preset.recipe,
            architecture=_network(Architecture(), preset),
            aligners=preset.aligners,
            seeds=preset.seeds,
        )
        return start._with(asked)

    @classmethod
    def from_json(cls, value: Any, *, place: str) -> Request:
        """A request as `--print-config` prints it; `place` names it in a ConfigError."""
        try:
            return cls.model_validate(value)
        except ValidationError as error:
            raise ConfigError(f"{place}: {first_problem(error)}") from error

    def to_json(self) -> dict[str, Any]:
        """run.json: every field, defaults included."""
        return self.model_dump(mode="json")

    def changed(self, asked: Asked) -> Request:
        """This request with what the user said in its place; the name of its own recipe changes nothing.

        Another recipe brings its members with it, if it trains a mixture, and else leaves those of this request.
        """
        if asked.recipe is None or asked.recipe in (self.recipe.name, self.recipe):
            return self._with(asked)
        preset = _preset(asked.recipe, pairs=self.data.train_pairs, task=asked.task or self.task)
        changes: dict[str, Any] = {"recipe": preset.recipe}
        changes["architecture"] = _network(self.architecture, preset)
        if preset.is_mixture:
            changes |= {"aligners": preset.aligners, "seeds": preset.seeds}
        if asked.start is not None:
            changes["origin"] = None  # so that the network is its own again, with the dropout of this recipe
        return self.model_copy(update=changes)._with(asked)

    def contradiction(self, other: Request, *, besides: Collection[str] = ()) -> str | None:
        """The first field but `besides` in which `other` differs, with both values; None where it is the same run."""
        mine, theirs = dict(_flat(self.to_json())), dict(_flat(other.to_json()))
        for name in dict.fromkeys([*mine, *theirs]):
            if name not in {*ELSEWHERE, *besides} and mine.get(name) != theirs.get(name):
                return f"{name} is {mine.get(name)!r}, not {theirs.get(name)!r}"
        return None

    def members(self) -> tuple[Request, ...]:
        """The requests of a mixture's models, aligner by aligner; this one, where it asks for a single model."""
        if not self.is_mixture:
            return (self,)
        alone: dict[str, Any] = {"seeds": 1, "aligners": (), "distil": None}
        ways = ("forwards", "backwards") if self.recipe.direction == "both" else (self.recipe.direction,)
        return tuple(
            self.model_copy(
                update={**alone, "seed": seed, "architecture": self._aligned(name), "recipe": self._directed(way)}
            )
            for name in self.aligners or (self.architecture.aligner.name,)
            for seed in range(self.seed, self.seed + self.seeds)
            for way in ways
        )

    @property
    def is_mixture(self) -> bool:
        """Does it ask for several models?"""
        return self.seeds > 1 or len(self.aligners) > 1 or self.recipe.direction == "both"

    def teacher(self) -> Request:
        """The mixture that this request's network learns from."""
        return self.model_copy(update={"distil": None})

    def _directed(self, direction: str) -> Recipe:
        return self.recipe.model_copy(update={"direction": direction})

    def _aligned(self, aligner: str) -> Architecture:
        """The network with another aligner, which takes over the options that both have."""
        return self.architecture.with_changes({"aligner.name": aligner})

    def _with(self, asked: Asked) -> Request:
        if asked.start is None:
            return self._changed(asked)
        wanted = self._begun_with(asked.start)._changed(asked)
        members = wanted.members()
        turned = [member.recipe.turned(member.architecture.aligner.name) for member in members]
        asked.start.check(wanted.architecture, backwards=turned)
        return wanted

    def _begun_with(self, start: Start) -> Request:
        """This request with the model's network, symbols and direction; the same, where it has them already."""
        if self.origin is not None and self.origin.fingerprint == start.origin.fingerprint:
            return self.model_copy(update={"origin": start.origin})
        aligner = self.architecture.aligner.name if self.aligners else None
        update = {
            "origin": start.origin,
            "architecture": start.architecture(self.architecture, aligner=aligner),
            "recipe": self._directed(start.direction),
            "text": start.config.text,
        }
        return self.model_copy(update=update)

    def _changed(self, asked: Asked) -> Request:
        changes = {name: value for name, value in asked.changes.items() if value is not None}
        distil = {name: value for name, value in changes.items() if name.startswith(SECTION)}
        recipe, network = _sorted_out({name: value for name, value in changes.items() if name not in distil})
        architecture = self.architecture if asked.size is None else self.architecture.with_preset(_sized(asked.size))
        names = () if asked.model is None else tuple(name.strip() for name in asked.model.split(","))
        if names:
            network = {"aligner.name": names[0], **network}
        plain = {name: getattr(asked, name) for name in ("task", "seed", "seeds", "device", "devices", "threads")}
        values = {name: value for name, value in plain.items() if value is not None}
        if "aligner.name" in network:
            values["aligners"] = names if len(names) > 1 else ()
        values["distil"] = distillation_with(
            self.distil, wanted=asked.distil, keep_teacher=asked.keep_teacher, changes=distil
        )
        if asked.text is not None:
            values["text"] = asked.text if isinstance(asked.text, Texts) else asked.text.over(self.text)
        values |= {"recipe": self.recipe.with_changes(**recipe), "architecture": architecture.with_changes(network)}
        if values["architecture"].emission.copy_gate and not task_named(values.get("task", self.task)).copies:
            raise ConfigError("--copy: letters are not phones, so g2p copies nothing; use --task transduction to copy")
        try:
            return Request.model_validate(dict(self) | values)
        except ValidationError as error:
            raise ConfigError(first_problem(error)) from error


def _preset(recipe: str | Recipe | None, *, pairs: int, task: str) -> Preset:
    """The named recipe, or the default for the data; a recipe of the user's own trains the paper's network."""
    if isinstance(recipe, Recipe):
        return Preset(recipe, "")
    return preset_for(pairs, task) if recipe is None else preset_named(recipe).for_data(pairs, task)


def _network(base: Architecture, preset: Preset) -> Architecture:
    """The preset's network, as a change of another one."""
    first = {"aligner.name": preset.aligners[0]} if preset.aligners else {}
    return base.with_preset(_sized(preset.size) | first | dict(preset.network))


def _sized(size: str) -> dict[str, Any]:
    if size not in SIZES:
        raise ConfigError(f"unknown size {size!r}: expected one of {', '.join(SIZES)}")
    return dict(SIZES[size])


def _sorted_out(changes: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Changes to the recipe, and changes to the network by dotted name."""
    recipe: dict[str, Any] = {}
    network: dict[str, Any] = {}
    fields = set(Recipe.model_fields) - {"name"}
    for name, value in changes.items():
        if name in fields:
            recipe[name] = value
        elif name in BOTH:
            network |= dict.fromkeys(BOTH[name], value)
        elif name in SHORT:
            network[SHORT[name]] = value
        elif "." in name:
            network[name] = value
        else:
            known = ", ".join(sorted(fields | BOTH.keys() | SHORT.keys()))
            raise ConfigError(f"unknown setting {name!r}: expected one of {known}, or a part's, such as encoder.layers")
    return recipe, network


def _flat(value: Any, name: str = "") -> Iterator[tuple[str, Any]]:
    """Dotted names and plain values of nested objects."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _flat(inner, f"{name}.{key}" if name else key)
    else:
        yield name, value
