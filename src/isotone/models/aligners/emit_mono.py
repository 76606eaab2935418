"""EMIT-MONO: from the last position on, each position either emits or shifts to the next (Yu et al. 2016).

No new parameter: the scores of 0-MONO, each read as the log-odds of one decision instead of in a softmax over all.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

from isotone.dp.transition import Monotone
from isotone.models.aligners.base import Aligner
from isotone.models.memory import Memory

__all__ = ["EmitMono"]


class EmitMono(Aligner):
    """p(a_i = j | a_{i−1} = k) = Π_{m=k}^{j−1} (1 − e_m) · e_j for j ≥ k, e_m = σ(h_d[i]ᵀ T h_e[m]); e = 1 at the end.

    With C_j = Σ_{m<j} log(1 − e_m) its logarithm is (log e_j + C_j) − C_k: the form of `Monotone`, so O(n) per step.
    """

    def transition(self, query: Tensor, memory: Memory) -> Monotone:
        scores, real = self.scores(query, memory), memory.mask[:, None]
        last = real & ~F.pad(real[..., 1:], (0, 1))
        log_shift = F.logsigmoid(-scores[..., :-1]).masked_fill(~real[..., 1:], 0.0)  # none from the last one on
        log_shifted = F.pad(log_shift.cumsum(-1), (1, 0))
        log_emit = F.logsigmoid(scores).masked_fill(last, 0.0)
        return Monotone((log_emit + log_shifted).masked_fill(~real, -torch.inf), log_shifted)
