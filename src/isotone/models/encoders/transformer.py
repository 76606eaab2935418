"""A pre-norm transformer encoder with rotary positions, padding-invariant: padding is never attended to."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isotone.models.dropout import Dropout
from isotone.models.encoders.residual import ResidualEncoder
from isotone.shapes import Bool, Float

__all__ = ["TransformerEncoder"]

SLOWEST = 10_000.0
"""Positions after which the slowest of the rotations has turned by one radian, about."""


class TransformerEncoder(ResidualEncoder):
    """Embedding → layers of self-attention and a feed-forward part, each behind a layer norm and added to what it read.

    Positions are rotations of queries and keys (Su et al. 2021): attention sees distances, and no length is too long.
    """

    def __init__(
        self, *, symbols: int, tags: int = 0, hidden: int, layers: int, heads: int, feedforward: int, dropout: float
    ) -> None:
        width = 2 * hidden
        made = (_Layer(width=width, heads=heads, feedforward=feedforward, dropout=dropout) for _ in range(layers))
        super().__init__(made, symbols=symbols, tags=tags, width=width, dropout=dropout)


class _Layer(nn.Module):
    """x + attention(norm(x)), then x + feedforward(norm(x))."""

    def __init__(self, *, width: int, heads: int, feedforward: int, dropout: float) -> None:
        super().__init__()
        self.heads = heads
        self.head = 2 * -(-width // (2 * heads))  # even, for rotations, and together at least the width
        inner = heads * self.head
        self.attention_norm, self.feedforward_norm = nn.LayerNorm(width), nn.LayerNorm(width)
        # A bias of the keys would shift all scores of a query alike, but for the rotation: no need for any.
        self.queries, self.keys = nn.Linear(width, inner, bias=False), nn.Linear(width, inner, bias=False)
        self.values, self.mix = nn.Linear(width, inner), nn.Linear(inner, width)
        self.widen, self.narrow = nn.Linear(width, feedforward * width), nn.Linear(feedforward * width, width)
        self.dropout = Dropout(dropout)

    def forward(
        self, states: Float[Tensor, "batch state memory"], real: Bool[Tensor, "batch state"]
    ) -> Float[Tensor, "batch state memory"]:
        states = states + self.dropout(self._attended(self.attention_norm(states), real))
        inner = self.dropout(F.gelu(self.widen(self.feedforward_norm(states))))
        read: Tensor = states + self.dropout(self.narrow(inner))
        return read

    def _attended(self, states: Tensor, real: Tensor) -> Tensor:
        rotation = _rotation(states, self.head)
        query, key = (_rotated(self._split(part(states)), rotation) for part in (self.queries, self.keys))
        value = self._split(self.values(states))
        found = F.scaled_dot_product_attention(query, key, value, attn_mask=real[:, None, None])
        mixed: Tensor = self.mix(found.transpose(1, 2).flatten(2))
        return mixed

    def _split(self, states: Tensor) -> Float[Tensor, "batch head state feature"]:
        return states.view(*states.shape[:2], self.heads, self.head).transpose(1, 2)


def _rotation(states: Tensor, size: int) -> tuple[Tensor, Tensor]:
    """(cos, sin) by position and pair of features, in fp32 or better: bf16 could not tell far positions apart."""
    dtype = torch.float64 if states.dtype == torch.float64 else torch.float32
    speeds = SLOWEST ** -(torch.arange(0, size, 2, device=states.device, dtype=dtype) / size)
    angles = torch.arange(states.shape[1], device=states.device, dtype=dtype)[:, None] * speeds
    return angles.cos(), angles.sin()


def _rotated(states: Tensor, rotation: tuple[Tensor, Tensor]) -> Float[Tensor, "batch head state feature"]:
    """Every pair of features turned by its angle."""
    cos, sin = rotation
    one, other = states.chunk(2, -1)
    turned = torch.cat([one * cos - other * sin, one * sin + other * cos], -1)
    return turned.to(states.dtype)
