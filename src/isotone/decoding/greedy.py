"""Greedy decoding: the paper's Algorithm 1, batched."""

from __future__ import annotations

import torch
from torch import Tensor

from isotone.data.batch import Batch
from isotone.decoding.constraint import Constraint
from isotone.decoding.hypothesis import Decoded
from isotone.decoding.stepper import Stepper
from isotone.decoding.walk import length_limit, walk
from isotone.shapes import Float, Int

__all__ = ["greedy", "length_limit"]


@torch.inference_mode()
def greedy(
    model: Stepper, batch: Batch, *, max_length: int | None = None, constraint: Constraint | None = None
) -> list[Decoded]:
    """At each step the symbol with the highest *marginal* Σ_a among those allowed.

    A word that reaches its limit is ended there by EOS, and its log-probability is that of the string so ended; there
    is no hypothesis where the constraint forbids to end it there.
    """
    limits = length_limit(batch, max_length)
    written = walk(model, model.encode(batch), limits=limits, pick=_most_probable, constraint=constraint)
    return [Decoded(() if hypothesis is None else (hypothesis,)) for hypothesis in written]


def _most_probable(log_symbols: Float[Tensor, "row symbol"]) -> tuple[Float[Tensor, "row"], Int[Tensor, "row"]]:
    log_best, symbols = log_symbols.max(1)
    return log_best, symbols
