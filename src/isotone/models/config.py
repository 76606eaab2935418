"""What a model is: architecture, text settings, task. Travels with the weights as config.json."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from isotone.text.config import Texts
from isotone.text.readers.selection import DataFormat

__all__ = ["FORMAT", "SIZES", "Architecture", "ModelConfig", "Size"]

FORMAT = 1
"""The version of the model folder; a folder with a higher number comes from a newer Isotone."""

Size = Literal["paper", "medium", "small", "tiny"]


class Architecture(BaseModel):
    """The parts of a Network and their sizes; the defaults are the paper's."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    aligner: str = "0-mono"
    """A name in the table of aligners: soft, 0-hard, 0-mono, 1-mono, 1-hard, pipeline-mono, …"""
    embedding: int = Field(default=200, ge=1, le=65_536)
    """Width of the character embeddings, source and target."""
    hidden: int = Field(default=400, ge=1, le=65_536)
    """d_h: states of the decoder, and of each direction of the encoder."""
    encoder_layers: int = Field(default=2, ge=1, le=64)
    """Bidirectional layers of the encoder."""
    dropout: float = Field(default=0.4, ge=0, lt=1)
    """On embeddings and between encoder layers, while training."""
    query_dropout: float = Field(default=0.0, ge=0, lt=1)
    """On the decoder's states, where alignments and emissions read them, while training."""
    tag_embedding: int = Field(default=40, ge=1, le=65_536)
    """Width of a tag's slot and of the tag vector."""
    width: int = Field(default=4, ge=0, le=10_000)
    """w, the longest jump of the first-order aligners."""
    copies_unknown: bool = False
    """May the model emit UNK, to be replaced by the source symbol it is aligned to?"""
    copy_gate: bool = False
    """May the model copy the source symbol it is aligned to, with a probability of its own? (`--copy`)"""

    @model_validator(mode="after")
    def _one_way_to_copy(self) -> Architecture:
        if self.copy_gate and self.copies_unknown:
            raise ValueError("copy_gate and copies_unknown exclude each other")
        return self


SIZES: dict[Size, dict[str, int]] = {
    "paper": {"embedding": 200, "hidden": 400, "encoder_layers": 2},
    "medium": {"embedding": 128, "hidden": 256, "encoder_layers": 2},
    "small": {"embedding": 100, "hidden": 160, "encoder_layers": 2},
    "tiny": {"embedding": 64, "hidden": 96, "encoder_layers": 1},
}
"""Presets: the paper's 8.7 M parameters, and three for laptops, phones and little data."""


class ModelConfig(BaseModel):
    """config.json."""

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True)

    format: int = FORMAT
    """Version of the folder's layout."""
    task: str = "transduction"
    """g2p, inflection, transliteration or plain transduction: which metrics describe it."""
    architecture: Architecture = Architecture()
    """The network."""
    text: Texts = Texts()
    """How strings become symbols."""
    data_format: DataFormat | None = None
    """The shape of the files it was trained on: the default for files to come."""
