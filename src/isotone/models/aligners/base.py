"""What every aligner is: a rule for where the next target symbol may look, and how likely each place is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import torch
from torch import Tensor, nn

from isotone.dp.transition import Transition
from isotone.models.memory import Memory
from isotone.shapes import Float

__all__ = ["Aligner", "AlignerSizes"]


@dataclass(frozen=True, kw_only=True)
class AlignerSizes:
    """The numbers an aligner is built from."""

    query: int
    """d_h, the decoder's states."""
    memory: int
    """2·d_h, the encoder's states."""
    width: int = 4
    """w, the longest jump; used by first-order aligners."""


class Aligner(nn.Module):
    """Owns T, the only parameter that all aligners share; a subclass gives its scores and their support."""

    supervised: ClassVar[bool] = False
    """Is it trained on one alignment a pair, fixed beforehand, in place of the sum over all of them?"""
    positions: ClassVar[bool] = True
    """Are the chain's states source positions? Only then is an alignment a path, with a symbol to copy at each step."""

    def __init__(self, sizes: AlignerSizes) -> None:
        super().__init__()
        self.key = nn.Linear(sizes.memory, sizes.query)

    def transition(self, query: Float[Tensor, "batch target query"], memory: Memory) -> Transition:
        """log p(a_i | a_{i−1}) for every target position, exactly −inf outside the support."""
        raise NotImplementedError

    def features(
        self, query: Float[Tensor, "batch target query"], memory: Memory
    ) -> Float[Tensor, "batch shared state feature"]:
        """What the emission sees in each state of the chain: here V_e·h_e of that source position."""
        return memory.features[:, None]

    def attention(
        self, query: Float[Tensor, "batch target query"], memory: Memory
    ) -> Float[Tensor, "batch target state"] | None:
        """Soft weights over source positions, for an aligner whose chain's states are not positions."""
        return None

    def scores(self, query: Float[Tensor, "batch target query"], memory: Memory) -> Float[Tensor, "batch target state"]:
        """The bilinear scores h_dᵀ T h_e (eq. 7)."""
        return torch.matmul(query, memory.keys.transpose(1, 2))

    def states(self, memory: Memory) -> int:
        """How many states the chain has: one for each source position."""
        return memory.keys.shape[1]
