"""The bidirectional LSTM encoder, padding-invariant without packed sequences (they take a slow path on CPU)."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from isotone.shapes import Float, Int

__all__ = ["Encoder"]


class Encoder(nn.Module):
    """Embedding → dropout → layers of two plain LSTMs, the backward one on input reversed within each length.

    Right padding comes after the real symbols in both directions, so no real state ever depends on it.
    """

    def __init__(self, *, symbols: int, embedding: int, hidden: int, layers: int, dropout: float) -> None:
        super().__init__()
        self.embedding = nn.Embedding(symbols, embedding)
        sizes = [embedding] + [2 * hidden] * (layers - 1)
        self.forwards = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes)
        self.backwards = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes)
        self.dropout = nn.Dropout(dropout)

    def forward(
        self, source: Int[Tensor, "batch state"], lengths: Int[Tensor, "batch"]
    ) -> Float[Tensor, "batch state memory"]:
        """h_e: both directions side by side; states past a row's length are padding."""
        reversal = _reversal(lengths, source.shape[1])
        states: Tensor = self.embedding(source)
        for ahead, back in zip(self.forwards, self.backwards, strict=True):
            states = self.dropout(states)
            left, _ = ahead(states)
            right, _ = back(_reorder(states, reversal))
            states = torch.cat([left, _reorder(right, reversal)], -1)
        return states


def _reversal(lengths: Tensor, size: int) -> Tensor:
    """Index that reverses each row within its length and leaves padding where it is: its own inverse."""
    position = torch.arange(size, device=lengths.device)
    backwards = lengths[:, None] - 1 - position
    return torch.where(backwards >= 0, backwards, position)


def _reorder(states: Tensor, index: Tensor) -> Tensor:
    return states.gather(1, index[:, :, None].expand_as(states))
