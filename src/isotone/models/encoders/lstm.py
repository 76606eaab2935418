"""The paper's bidirectional LSTM, padding-invariant without packed sequences, which are slow on a CPU."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from isotone.models.dropout import Dropout
from isotone.models.encoders.base import Encoder
from isotone.models.precision import run_lstm
from isotone.shapes import Float, Int

__all__ = ["LSTMEncoder"]


class LSTMEncoder(Encoder):
    """Embedding → dropout → layers of two plain LSTMs, the backward one on input reversed within each length.

    Right padding comes after the real symbols in both directions, so no real state ever depends on it.
    """

    def __init__(
        self, *, symbols: int, tags: int = 0, embedding: int, hidden: int, layers: int, dropout: float
    ) -> None:
        super().__init__(memory_size=2 * hidden)
        self.embedding = nn.Embedding(symbols, embedding)
        self.tags = nn.Linear(tags, embedding, bias=False) if tags else None
        sizes = [embedding] + [2 * hidden] * (layers - 1)
        self.forwards = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes)
        self.backwards = nn.ModuleList(nn.LSTM(size, hidden, batch_first=True) for size in sizes)
        self.dropout = Dropout(dropout)

    def forward(
        self,
        source: Int[Tensor, "batch state"],
        lengths: Int[Tensor, "batch"],
        tags: Float[Tensor, "batch tag"] | None = None,
    ) -> Float[Tensor, "batch state memory"]:
        """h_e: both directions side by side; states past a row's length are padding.

        The tag vector, where it is read, is projected and added to the embedding of every position.
        """
        reversal = _reversal(lengths, source.shape[1])
        states: Tensor = self.embedding(source)
        if self.tags is not None:
            states = states + self.tags(tags)[:, None]
        for ahead, back in zip(self.forwards, self.backwards, strict=True):
            states = self.dropout(states)
            left = run_lstm(ahead, states)
            right = run_lstm(back, _reverse(states, reversal))
            states = torch.cat([left, _reverse(right, reversal)], -1)
        return states


def _reversal(lengths: Tensor, size: int) -> Int[Tensor, "row"]:
    """The rows of the flattened batch in an order that reverses each string within its length and keeps padding."""
    position = torch.arange(size, device=lengths.device)
    backwards = lengths[:, None] - 1 - position
    within = torch.where(backwards >= 0, backwards, position)
    return (within + size * torch.arange(len(lengths), device=lengths.device)[:, None]).flatten()


def _reverse(states: Float[Tensor, "batch state feature"], rows: Int[Tensor, "row"]) -> Tensor:
    if not torch.is_grad_enabled():
        return _copy(states, rows)
    reversed_: Tensor = _Reverse.apply(states, rows)  # type: ignore[no-untyped-call]
    return reversed_


class _Reverse(torch.autograd.Function):
    """Copies whole rows. A reversal is its own inverse, so the backward pass is the same copy.

    Torch's gather copies number by number and its gradient adds number by number, which took 4 % of a training step.
    """

    @staticmethod
    def forward(ctx: Any, states: Tensor, rows: Tensor) -> Tensor:
        ctx.save_for_backward(rows)
        return _copy(states, rows)

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> tuple[Tensor, None]:
        (rows,) = ctx.saved_tensors
        return _reverse(grad, rows), None


def _copy(states: Tensor, rows: Tensor) -> Tensor:
    return states.flatten(0, 1).index_select(0, rows).view(states.shape)
