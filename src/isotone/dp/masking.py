"""Softmax over the allowed entries only: everything else is exactly zero, −inf in log space."""

from __future__ import annotations

import torch
from torch import Tensor

from isotone.shapes import Bool, Float

__all__ = ["length_mask", "masked_log_softmax"]


def masked_log_softmax(
    scores: Float[Tensor, "*shape"], allowed: Bool[Tensor, "*#shape"], dim: int = -1
) -> Float[Tensor, "*shape"]:
    """log softmax of `scores` over the entries where `allowed`; −inf elsewhere.

    A row that allows nothing is all −inf (it has no distribution), never nan, and its gradient is zero.
    """
    allowed = allowed.expand_as(scores)
    empty = ~allowed.any(dim, keepdim=True)
    support = scores.masked_fill(~(allowed | empty), -torch.inf)
    return torch.log_softmax(support, dim).masked_fill(~allowed, -torch.inf)


def length_mask(lengths: Tensor, size: int) -> Bool[Tensor, "batch size"]:
    """True where a position is real: `position < length`. (batch,) → (batch, size)."""
    return torch.arange(size, device=lengths.device) < lengths[:, None]
