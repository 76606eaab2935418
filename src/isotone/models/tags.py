"""The tag vector: ReLU(Y·[e(t1); …; e(t_|Σt|)]), one slot per known tag, zeros where it is absent (eq. 5)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from isotone.shapes import Bool, Float

__all__ = ["TagEncoder"]


class TagEncoder(nn.Module):
    """A slot of `size` numbers per tag of the vocabulary, mixed into one vector of `size` numbers."""

    def __init__(self, *, tags: int, size: int) -> None:
        super().__init__()
        self.size = size
        self.embedding = nn.Embedding(tags, size)
        self.mix = nn.Linear(tags * size, size)

    def forward(self, present: Bool[Tensor, "batch tag"]) -> Float[Tensor, "batch size"]:
        """(batch, tag) presence → (batch, size)."""
        slots = present[:, :, None] * self.embedding.weight
        return torch.relu(self.mix(slots.flatten(1)))
