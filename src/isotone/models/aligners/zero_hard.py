"""0-HARD: each target symbol picks its position independently of the others (eq. 7)."""

from __future__ import annotations

from torch import Tensor

from isotone.dp.masking import masked_log_softmax
from isotone.dp.transition import Independent
from isotone.models.aligners.base import Aligner
from isotone.models.memory import Memory

__all__ = ["ZeroHard"]


class ZeroHard(Aligner):
    """p(a_i = j) = softmax_j(h_d[i]ᵀ T h_e[j]) over every real position."""

    def transition(self, query: Tensor, memory: Memory) -> Independent:
        return Independent(masked_log_softmax(self.scores(query, memory), memory.mask[:, None]))
