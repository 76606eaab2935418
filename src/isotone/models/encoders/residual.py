"""What encoders of residual layers have in common: embedding, tags, layers that know the padding, a last norm."""

from __future__ import annotations

from collections.abc import Iterable

import torch
from torch import Tensor, nn

from isotone.models.dropout import Dropout
from isotone.models.encoders.base import Encoder
from isotone.shapes import Float, Int

__all__ = ["ResidualEncoder"]


class ResidualEncoder(Encoder):
    """Embedding → layers → layer norm. A layer takes the states and which positions are real, and returns states."""

    def __init__(self, layers: Iterable[nn.Module], *, symbols: int, tags: int, width: int, dropout: float) -> None:
        super().__init__(memory_size=width)
        self.embedding = nn.Embedding(symbols, width)
        self.tags = nn.Linear(tags, width, bias=False) if tags else None
        self.layers = nn.ModuleList(layers)
        self.norm = nn.LayerNorm(width)
        self.dropout = Dropout(dropout)

    def forward(
        self,
        source: Int[Tensor, "batch state"],
        lengths: Int[Tensor, "batch"],
        tags: Float[Tensor, "batch tag"] | None = None,
    ) -> Float[Tensor, "batch state memory"]:
        """h_e of every position; the tag vector, where it is read, is projected and added to every embedding."""
        states: Tensor = self.embedding(source)
        if self.tags is not None:
            states = states + self.tags(tags)[:, None]
        states = self.dropout(states)
        real = torch.arange(source.shape[1], device=source.device) < lengths[:, None]
        for layer in self.layers:
            states = layer(states, real)
        normed: Tensor = self.norm(states)
        return normed
