"""What every aligner is: a rule for where the next target symbol may look, and how likely each place is."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from isotone.dp.transition import Transition
from isotone.models.memory import Memory
from isotone.shapes import Float

__all__ = ["Aligner"]


class Aligner(nn.Module):
    """Owns T, the only parameter that all aligners share; a subclass defines the scores and their support.

    `query` and `memory` are the sizes of the decoder's and the encoder's states. A subclass with hyperparameters takes
    them as further keyword arguments.
    """

    def __init__(self, *, query: int, memory: int) -> None:
        super().__init__()
        self.key = nn.Linear(memory, query)

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
        """How many states the chain has: one per source position."""
        return memory.keys.shape[1]
