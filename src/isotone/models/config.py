"""What a model is: architecture, text settings, task. Travels with the weights as config.json. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializeAsAny, ValidationError, field_validator, model_validator

from isotone.errors import ConfigError, first_problem
from isotone.models.aligners import ALIGNERS, AlignerPart, check_copying
from isotone.models.encoders import ENCODERS
from isotone.models.parts import Options, Part, Section, carry_over, read_options
from isotone.models.sections import DecoderSection, EmissionSection, TagSection
from isotone.models.sizes import SIZES, Size
from isotone.text.config import Texts
from isotone.text.readers import DataFormat

__all__ = ["FORMAT", "SIZES", "Architecture", "Hyperparameter", "ModelConfig", "Size"]

FORMAT = 2
"""The version of the model folder; a folder with a higher number comes from a newer Isotone."""

TABLES: dict[str, Mapping[str, Part[Any]]] = {"encoder": ENCODERS, "aligner": ALIGNERS}
"""The sections whose part is chosen by name."""


@dataclass(frozen=True)
class Hyperparameter:
    """One field of an architecture."""

    path: str
    """Such as encoder.layers."""
    value: int | float | bool | str
    """What this architecture has."""
    default: int | float | bool | str
    """What it is unless set."""
    summary: str
    """What it means."""


class Architecture(BaseModel):
    """The parts of a Network and their hyperparameters, one section per part; the defaults are the paper's."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid", validate_default=True)

    encoder: SerializeAsAny[Options] = Field(default_factory=lambda: Options(name="lstm"))
    """What reads the source: a name in the table of encoders, with its options."""
    decoder: DecoderSection = Field(default_factory=DecoderSection)
    """What reads the target so far."""
    aligner: SerializeAsAny[Options] = Field(default_factory=lambda: Options(name="0-mono"))
    """Where the next symbol is written from: a name in the table of aligners, with its options."""
    emission: EmissionSection = Field(default_factory=EmissionSection)
    """What writes the next symbol."""
    tags: TagSection = Field(default_factory=TagSection)
    """What reads the tags."""

    @field_validator("encoder", mode="before")
    @classmethod
    def _known_encoder(cls, section: Any) -> Options:
        return read_options(ENCODERS, "encoder", section)

    @field_validator("aligner", mode="before")
    @classmethod
    def _known_aligner(cls, section: Any) -> Options:
        return read_options(ALIGNERS, "aligner", section)

    @model_validator(mode="after")
    def _fits_together(self) -> Architecture:
        if self.tags.in_encoder and not ENCODERS[self.encoder.name].reads_tags:
            raise ValueError(f"tags.in_encoder: the encoder {self.encoder.name} reads no tags")
        if self.emission.copy_gate:
            try:
                check_copying(self.aligner.name)
            except ConfigError as error:
                raise ValueError(str(error)) from error
        return self

    @property
    def aligner_part(self) -> AlignerPart:
        """The table's entry for the aligner."""
        return ALIGNERS[self.aligner.name]

    def hyperparameters(self) -> tuple[Hyperparameter, ...]:
        """Every field by its dotted path, section by section."""
        fields, paper = [], Architecture()
        for section_name in type(self).model_fields:
            section: Section = getattr(self, section_name)
            usual, summaries = getattr(paper, section_name), section.summaries()
            for name, field in type(section).model_fields.items():
                default = usual.name if name == "name" else field.default
                path = f"{section_name}.{name}"
                fields.append(Hyperparameter(path, getattr(section, name), default, summaries.get(name, "")))
        return tuple(fields)

    def with_changes(self, changes: Mapping[str, Any]) -> Architecture:
        """This architecture with other values by dotted path, `{"encoder.layers": 3}`; strings are read as typed.

        Another encoder or aligner (`aligner.name`) keeps the values of options that it shares with the one before.
        Raises ConfigError for a path that the chosen parts do not have, or a value out of bounds.
        """
        values = self._with_parts(changes)
        known = _paths(values)
        for path, value in changes.items():
            if path not in known:
                raise ConfigError(f"{path}: no such hyperparameter; there are {', '.join(known)}")
            section, _, name = path.partition(".")
            values[section][name] = value
        try:
            return Architecture.model_validate(values)
        except ValidationError as error:
            raise ConfigError(first_problem(error)) from error

    def with_preset(self, preset: Mapping[str, Any]) -> Architecture:
        """As `with_changes`, but options that the chosen encoder or aligner does not have are left out."""
        known = _paths(self._with_parts(preset))
        return self.with_changes({path: value for path, value in preset.items() if path in known})

    def _with_parts(self, changes: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
        """All sections, those of a newly named encoder or aligner with its own options."""
        values = self.model_dump()
        for kind, table in TABLES.items():
            if (name := changes.get(f"{kind}.name")) is not None:
                try:
                    values[kind] = carry_over(table, kind, values[kind], name)
                except ValueError as error:
                    raise ConfigError(f"{kind}.name: {error}") from error
        return values


def _paths(values: Mapping[str, Mapping[str, Any]]) -> list[str]:
    """The dotted paths that these sections may have."""
    paths = []
    for name, section in values.items():
        fixed: Any = Architecture.model_fields[name].annotation
        options = TABLES[name][section["name"]].options if name in TABLES else fixed
        paths += [f"{name}.{field}" for field in options.model_fields]
    return paths


class ModelConfig(BaseModel):
    """config.json."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    format: int = FORMAT
    """Version of the folder's layout."""
    task: str = "transduction"
    """g2p, inflection, transliteration or plain transduction: which metrics describe it."""
    architecture: Architecture = Field(default_factory=Architecture)
    """The network."""
    text: Texts = Field(default_factory=Texts)
    """How strings become symbols."""
    data_format: DataFormat | None = None
    """The format of the files it was trained on: the default for files read later."""
    longest_source: int | None = None
    """Symbols of the longest source in training; null where that is not known."""
    longest_target: int | None = None
    """Likewise for targets."""
    paradigm: bool = False
    """Can it read a known form, with its tags marked, in place of the lemma? (`isotone.text.paradigm`)"""
    backwards: bool = False
    """Does it read and write strings from their ends? (`isotone.decoding.directions`)"""
