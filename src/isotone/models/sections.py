"""The sections of an architecture whose part is always the same; the encoder and the aligner are chosen by name."""

from __future__ import annotations

from pydantic import Field, model_validator

from isotone.models.parts import LARGEST_SIZE, Section

__all__ = ["DecoderSection", "EmissionSection", "TagSection"]


class DecoderSection(Section):
    """The decoder LSTM."""

    embedding: int = Field(default=200, ge=1, le=LARGEST_SIZE)
    """Width of the target symbols' embeddings."""
    hidden: int = Field(default=400, ge=1, le=LARGEST_SIZE)
    """d_h: the decoder's states."""
    dropout: float = Field(default=0.4, ge=0, lt=1)
    """On the embeddings, while training."""
    query_dropout: float = Field(default=0.0, ge=0, lt=1)
    """On the states, where alignments and emissions read them, while training."""


class EmissionSection(Section):
    """How a symbol is written; at most one way to copy."""

    copies_unknown: bool = False
    """May the model emit UNK, to be replaced by the source symbol it is aligned to?"""
    copy_gate: bool = False
    """May the model copy the source symbol it is aligned to, with a probability of its own? (`--copy`)"""

    @model_validator(mode="after")
    def _one_way_to_copy(self) -> EmissionSection:
        if self.copy_gate and self.copies_unknown:
            raise ValueError("copy_gate and copies_unknown exclude each other")
        return self


class TagSection(Section):
    """The tag vector, in tasks with tags."""

    size: int = Field(default=40, ge=1, le=LARGEST_SIZE)
    """Width of a tag's slot and of the tag vector."""
    in_encoder: bool = False
    """Does the encoder read the tag vector too, beside every source symbol? (In the paper only the decoder does.)"""
