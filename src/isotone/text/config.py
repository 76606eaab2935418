"""How text becomes symbols: the settings that travel with a model."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, model_validator

__all__ = ["Normalization", "Segmentation", "TextConfig", "Texts"]

Normalization = Literal["NFC", "NFD", "NFKC", "NFKD", "none"]
Segmentation = Literal["codepoints", "graphemes", "separator"]


class TextConfig(BaseModel):
    """Normalisation and segmentation of one side, source or target."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    normalization: Normalization = "NFC"
    """Unicode normal form, applied before anything else; "none" leaves text as it is."""

    segmentation: Segmentation = "codepoints"
    """What one symbol is: a code point, an extended grapheme cluster, or what stands between separators."""

    separator: str | None = None
    """Only with segmentation "separator": the string between symbols. None splits on any white space and
    joins with one space."""

    @model_validator(mode="after")
    def _separator_fits(self) -> "TextConfig":
        if self.separator is not None and self.segmentation != "separator":
            raise ValueError(f'a separator needs segmentation "separator", not "{self.segmentation}"')
        if self.separator == "":
            raise ValueError('the separator is empty: use segmentation "codepoints" instead')
        return self


class Texts(BaseModel):
    """The settings of both sides."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    source: TextConfig = TextConfig()
    """How sources are read."""

    target: TextConfig = TextConfig()
    """How targets are read, and how predicted symbols are joined into text."""
