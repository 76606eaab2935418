"""Hyperparameters of encoders; apart from their classes, so that they can be read without torch."""

from __future__ import annotations

from pydantic import Field

from isotone.models.parts import LARGEST_SIZE, Options

__all__ = ["ConvolutionOptions", "LSTMOptions", "TransformerOptions"]


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


class TransformerOptions(Options):
    """Of the transformer."""

    hidden: int = Field(default=160, ge=1, le=LARGEST_SIZE)
    """Half the width of a state: as wide as both directions of an LSTM with this many states."""
    layers: int = Field(default=3, ge=1, le=64)
    """Of attention and feed-forward part."""
    heads: int = Field(default=4, ge=1, le=256)
    """Of the attention in each layer; they share the width, rounded up to an even number for each."""
    feedforward: int = Field(default=2, ge=1, le=16)
    """The feed-forward part's inner width, as a multiple of a state's."""
    dropout: float = Field(default=0.3, ge=0, lt=1)
    """On the embeddings and on what each part adds, while training."""


class ConvolutionOptions(Options):
    """Of the convolution."""

    hidden: int = Field(default=160, ge=1, le=LARGEST_SIZE)
    """Half the width of a state: as wide as both directions of an LSTM with this many states."""
    layers: int = Field(default=4, ge=1, le=64)
    """One convolution each."""
    kernel: int = Field(default=3, ge=2, le=15)
    """Positions that a convolution reads, its own in the middle."""
    cycle: int = Field(default=4, ge=1, le=10)
    """Layers after which the dilation, which doubles with each, starts at 1 again."""
    dropout: float = Field(default=0.3, ge=0, lt=1)
    """On the embeddings and on what each layer adds, while training."""
