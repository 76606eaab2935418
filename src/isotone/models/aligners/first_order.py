"""1-MONO and 1-HARD: the jump depends on the decoder and on where the last symbol looked (eq. 9)."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from isotone.dp.masking import masked_log_softmax
from isotone.dp.transition import Banded
from isotone.models.aligners.base import Aligner
from isotone.models.memory import Memory

__all__ = ["FirstOrder", "FirstOrderHard"]


class FirstOrder(Aligner):
    """p(a_i = k + Δ | a_{i−1} = k) = softmax(U [h_d[i]; T h_e[k]])_Δ; a jump off the source is a structural zero.

    Jumps are Δ = 0…w, or −w…w where steps back are allowed. U is split like V: U_d·h_d + U_k·(T h_e).
    """

    steps_back: ClassVar[bool] = False

    def __init__(self, *, query: int, memory: int, width: int) -> None:
        super().__init__(query=query, memory=memory)
        self.first = -width if self.steps_back else 0
        self.jumps = width - self.first + 1
        self.jump = nn.Linear(2 * query, self.jumps)

    def transition(self, query: Tensor, memory: Memory) -> Banded:
        from_query, from_key = self.jump.weight.chunk(2, 1)
        scores = (
            nn.functional.linear(query, from_query, self.jump.bias)[:, :, None]
            + nn.functional.linear(memory.keys, from_key)[:, None]
        )
        return Banded(masked_log_softmax(scores, self._support(memory.mask)[:, None]), self.first)

    def _support(self, mask: Tensor) -> Tensor:
        """(batch, previous, jump): both ends of the jump are real positions."""
        size = mask.shape[1]
        positions = torch.arange(size, device=mask.device)
        landing = positions[:, None] + torch.arange(self.first, self.first + self.jumps, device=mask.device)
        inside = (landing >= 0) & (landing < size)
        return mask[:, landing.clamp(0, size - 1)] & inside & mask[:, :, None]


class FirstOrderHard(FirstOrder):
    """1-HARD: jumps in both directions."""

    steps_back = True
