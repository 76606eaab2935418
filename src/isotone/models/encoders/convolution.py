"""Residual convolutions with growing dilation, padding-invariant: padding is zeros, as is whatever lies outside."""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from isotone.models.dropout import Dropout
from isotone.models.encoders.residual import ResidualEncoder
from isotone.shapes import Bool, Float

__all__ = ["ConvolutionEncoder"]


class ConvolutionEncoder(ResidualEncoder):
    """Embedding → layers in which each position reads neighbours at a distance, 1, 2, 4, …, and adds what it finds.

    With k ≤ `cycle` layers of kernel 3 a state depends on 2^k − 1 symbols on either side, and on nothing else.
    """

    def __init__(
        self, *, symbols: int, tags: int = 0, hidden: int, layers: int, kernel: int, cycle: int, dropout: float
    ) -> None:
        width = 2 * hidden
        made = (
            _Layer(width=width, kernel=kernel, dilation=2 ** (number % cycle), dropout=dropout)
            for number in range(layers)
        )
        super().__init__(made, symbols=symbols, tags=tags, width=width, dropout=dropout)


class _Layer(nn.Module):
    """x + gated convolution of norm(x)."""

    def __init__(self, *, width: int, kernel: int, dilation: int, dropout: float) -> None:
        super().__init__()
        self.distances = [(place - kernel // 2) * dilation for place in range(kernel)]
        self.norm = nn.LayerNorm(width)
        # One product over shifted copies, which runs in every number format on every machine; torch's own convolution
        # has no bf16 on CPUs without bf16 instructions.
        self.mix = nn.Linear(kernel * width, 2 * width)
        self.dropout = Dropout(dropout)

    def forward(
        self, states: Float[Tensor, "batch state memory"], real: Bool[Tensor, "batch state"]
    ) -> Float[Tensor, "batch state memory"]:
        seen = self.norm(states).masked_fill(~real[:, :, None], 0.0)
        window = torch.cat([_shifted(seen, distance) for distance in self.distances], -1)
        read: Tensor = states + self.dropout(F.glu(self.mix(window)))
        return read


def _shifted(states: Float[Tensor, "batch state memory"], distance: int) -> Float[Tensor, "batch state memory"]:
    """At each position what stands `distance` to the right of it (to the left, if negative); zeros from outside."""
    size = states.shape[1]
    if abs(distance) >= size:
        return torch.zeros_like(states)
    kept = states[:, max(0, distance) : size + min(0, distance)]
    return F.pad(kept, (0, 0, max(0, -distance), max(0, distance)))
