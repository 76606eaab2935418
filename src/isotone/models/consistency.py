"""How far two readings of the same pair disagree, symbol by symbol: what consistent training adds to its loss.

Dropout makes two networks of one. R-drop (Liang et al. 2021) asks them for the same answer: here, for the same
probability of each target symbol after those before it, alignments summed out.
"""

from __future__ import annotations

import torch
from torch import Tensor

from isotone.shapes import Float

__all__ = ["consistent", "disagreement"]

NEARLY_CERTAIN = -1e-6
"""The highest log-probability told from 1: in fp32 the odds of a higher one are rounding."""


def disagreement(first: Float[Tensor, "*shape"], second: Float[Tensor, "*shape"]) -> Float[Tensor, "*shape"]:
    """½ KL(p‖q) + ½ KL(q‖p) of "this symbol or another one", in nats: ½ (p − q)(logit p − logit q).

    Takes log p and log q. It is 0 where they are the same, and never negative.
    """
    first, second = first.clamp(max=NEARLY_CERTAIN), second.clamp(max=NEARLY_CERTAIN)
    return 0.5 * (first.exp() - second.exp()) * (_logit(first) - _logit(second))


def consistent(steps: Float[Tensor, "twice target"], weight: float) -> Float[Tensor, "batch"]:
    """The mean log p(y | x) of a pair's two readings less `weight` times their disagreement about its symbols.

    `steps` holds log p(y_i | y_<i, x), the readings of a pair in neighbouring rows, as `Batch.twice` has them.
    """
    first, second = steps[0::2], steps[1::2]
    return (0.5 * (first + second) - weight * disagreement(first, second)).sum(1)


def _logit(log_p: Tensor) -> Tensor:
    return log_p - torch.log(-torch.expm1(log_p))
