"""Exact alignments of pairs: best path and posteriors, for hard attention; attention weights, for soft."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from isotone.data.batch import Batch
from isotone.dp import best_path, log_likelihood, posteriors
from isotone.models.transducer import Transducer
from isotone.shapes import Float, Int

__all__ = ["Aligned", "align"]


@dataclass(frozen=True, eq=False)
class Aligned:
    """Alignments of a batch of pairs over source positions (BOS is 0)."""

    log_prob: Float[Tensor, "batch"]
    path: Int[Tensor, "batch target"]
    """The most probable alignment; −1 past a target's end, or where the pair has probability 0."""
    posterior: Float[Tensor, "batch target state"]
    """p(a_i = j | x, y)."""


@torch.no_grad()
def align(network: Transducer, batch: Batch) -> Aligned:
    """Best path and posteriors of every pair. SOFT has no alignment variable: its attention weights stand in."""
    chain = network.chain(batch)
    attention = network.attention(batch)
    if attention is None:
        return Aligned(log_likelihood(chain), best_path(chain)[1], posteriors(chain))
    real = torch.arange(attention.shape[1], device=attention.device) < batch.target_lengths[:, None]
    path = attention.argmax(-1).masked_fill(~real, -1)
    return Aligned(log_likelihood(chain), path, attention * real[:, :, None])
