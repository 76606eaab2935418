"""Hyperparameters of encoders; apart from their classes, so that they can be read without torch."""

from __future__ import annotations

from pydantic import Field

from isotone.models.parts import LARGEST_SIZE, Options

__all__ = ["LSTMOptions"]


class LSTMOptions(Options):
    """Of the bidirectional LSTM; the defaults are the paper's."""

    embedding: int = Field(default=200, ge=1, le=LARGEST_SIZE)
    """Width of the source symbols' embeddings."""
    hidden: int = Field(default=400, ge=1, le=LARGEST_SIZE)
    """States of each direction."""
    layers: int = Field(default=2, ge=1, le=64)
    """Bidirectional layers."""
    dropout: float = Field(default=0.4, ge=0, lt=1)
    """On the embeddings and between layers, while training."""
