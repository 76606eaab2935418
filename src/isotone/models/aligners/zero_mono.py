"""0-MONO: the scores of 0-HARD, a structural zero wherever an alignment would step back (eq. 8). No new parameter."""

from __future__ import annotations

from torch import Tensor

from isotone.dp.transition import Monotone
from isotone.models.aligners.base import Aligner
from isotone.models.memory import Memory

__all__ = ["ZeroMono"]


class ZeroMono(Aligner):
    """p(a_i = j | a_{i−1} = k) ∝ exp(h_d[i]ᵀ T h_e[j]) for j ≥ k, 0 for j < k."""

    def transition(self, query: Tensor, memory: Memory) -> Monotone:
        return Monotone.from_scores(self.scores(query, memory), memory.mask)
