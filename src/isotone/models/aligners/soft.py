"""SOFT: attention as a weighted average. Its chain has a single state, so scoring and decoding need no special case."""

from __future__ import annotations

import torch
from torch import Tensor

from isotone.dp.masking import masked_log_softmax
from isotone.dp.transition import Independent
from isotone.models.aligners.base import Aligner
from isotone.models.memory import Memory

__all__ = ["Soft"]


class Soft(Aligner):
    """α_ij = softmax_j(h_d[i]ᵀ T h_e[j]); the emission sees V_e·Σ_j α_ij h_e[j] = Σ_j α_ij V_e h_e[j] (eq. 11)."""

    def transition(self, query: Tensor, memory: Memory) -> Independent:
        return Independent(query.new_zeros(query.shape[0], query.shape[1], 1))

    def features(self, query: Tensor, memory: Memory) -> Tensor:
        return torch.matmul(self.attention(query, memory).to(memory.features.dtype), memory.features)[:, :, None]

    def attention(self, query: Tensor, memory: Memory) -> Tensor:
        return masked_log_softmax(self.scores(query, memory), memory.mask[:, None]).exp()

    def states(self, memory: Memory) -> int:
        return 1
