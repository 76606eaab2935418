"""How text becomes symbols: the settings that travel with a model."""

from difflib import get_close_matches
from typing import Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from isotone.errors import ConfigError, first_problem

__all__ = ["Normalization", "Segmentation", "SideChanges", "TextChanges", "TextConfig", "Texts"]

Normalization = Literal["NFC", "NFD", "NFKC", "NFKD", "none"]
Segmentation = Literal["codepoints", "graphemes", "separator"]

_SYMBOLS = {
    "codepoints": {"segmentation": "codepoints"},
    "graphemes": {"segmentation": "graphemes"},
    "spaces": {"segmentation": "separator"},
}
"""The names that `symbols` takes besides a separator."""


class TextConfig(BaseModel):
    """Normalisation and segmentation of one side, source or target."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    normalization: Normalization = "NFC"
    """Unicode normal form, applied first; "none" leaves text unchanged."""

    segmentation: Segmentation = "codepoints"
    """What one symbol is: a code point, an extended grapheme cluster, or the text between separators."""

    separator: str | None = None
    """Only with segmentation "separator": the string between symbols. None splits on any white space and
    joins with one space."""

    fold_case: bool = False
    """Capitals are read as lower case."""

    @model_validator(mode="after")
    def _separator_fits(self) -> "TextConfig":
        if self.separator is not None and self.segmentation != "separator":
            raise ValueError(f'a separator needs segmentation "separator", not "{self.segmentation}"')
        if self.separator == "":
            raise ValueError('the separator is empty: use segmentation "codepoints" instead')
        return self


class TextChanges(BaseModel):
    """Changes to a format's own settings of one side; None keeps the format's own."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    normalization: Normalization | None = None
    """NFC, NFD, NFKC, NFKD or none."""
    segmentation: Segmentation | None = None
    """codepoints, graphemes or separator."""
    separator: str | None = None
    """Only with segmentation "separator": the string between symbols; None means any white space."""
    fold_case: bool | None = None
    """Read capitals as lower case?"""

    @classmethod
    def of(cls, *, normalization: str | None = None, symbols: str | None = None, fold_case: bool | None = None) -> Self:
        """From the words of the command line: `symbols` is codepoints, graphemes, spaces, or a separator.

        Raises ConfigError for an unknown normal form, and for a separator that looks like a misspelt name.
        """
        values: dict[str, str | bool | None] = {"normalization": normalization, "fold_case": fold_case}
        if symbols is not None:
            values |= _SYMBOLS.get(symbols) or {"segmentation": "separator", "separator": _separator(symbols)}
        try:
            return cls.model_validate(values)
        except ValidationError as error:
            raise ConfigError(first_problem(error)) from error

    def over(self, own: TextConfig) -> TextConfig:
        """The format's `own` settings with these changes; raises pydantic's ValidationError if they do not fit."""
        given = self.model_dump(exclude_none=True)
        kept = own.model_dump(exclude={"separator"} if self.segmentation else None)
        return TextConfig.model_validate(kept | given)


def _separator(symbols: str) -> str:
    """`symbols` as a separator, unless it is a near miss of a name: `space` would silently split nothing."""
    plain = symbols.strip().lower()
    if plain in {"separator", "characters"}:
        raise ConfigError(f"symbols {symbols!r}: expected {', '.join(_SYMBOLS)} or the separator itself, such as '_'")
    if near := get_close_matches(plain, _SYMBOLS, n=1, cutoff=0.7):
        raise ConfigError(f"symbols {symbols!r}: did you mean {near[0]}?")
    return symbols


class Texts(BaseModel):
    """The settings of both sides."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    source: TextConfig = Field(default_factory=TextConfig)
    """How sources are read."""

    target: TextConfig = Field(default_factory=TextConfig)
    """How targets are read, and how predicted symbols are joined into text."""

    def with_changes(self, *, source: TextChanges | None = None, target: TextChanges | None = None) -> Self:
        """These settings with changes to either side; raises ConfigError if a change does not fit."""
        sides = {"source": (self.source, source), "target": (self.target, target)}
        changed = {}
        for name, (own, changes) in sides.items():
            try:
                changed[name] = changes.over(own) if changes else own
            except ValidationError as error:
                raise ConfigError(f"{name}: {first_problem(error)}") from error
        return self.model_copy(update=changed)


class SideChanges(BaseModel):
    """Changes to both sides."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid")

    source: TextChanges = Field(default_factory=TextChanges)
    """Of sources."""
    target: TextChanges = Field(default_factory=TextChanges)
    """Of targets."""

    def over(self, own: Texts) -> Texts:
        """`own` with these changes; raises ConfigError if one does not fit."""
        return own.with_changes(source=self.source, target=self.target)
