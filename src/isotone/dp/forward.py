"""The forward algorithm (eq. 3 of the paper), once, for every semiring and every transition."""

from __future__ import annotations

import torch
from torch import Tensor

from isotone.dp.chain import Chain
from isotone.dp.semiring import Semiring
from isotone.shapes import Float

__all__ = ["forward", "start_belief"]


def start_belief(batch: int, state: int, like: Tensor) -> Float[Tensor, "batch state"]:
    """All mass at position 0, the BOS: a_0, before the first step."""
    belief = like.new_full((batch, state), -torch.inf)
    belief[:, 0] = 0.0
    return belief


def forward(chain: Chain, semiring: Semiring) -> Float[Tensor, "batch"]:
    """α(a_i) = p(y_i | a_i) Σ_{a_{i−1}} p(a_i | a_{i−1}) α(a_{i−1}), summed over a_i at each row's last step."""
    batch, _, state = chain.log_emission.shape
    belief = start_belief(batch, state, chain.log_emission)
    shortest = int(chain.target_lengths.min())
    steps = zip(chain.transition.moves(), chain.log_emission.unbind(1), strict=True)
    for step, (move, log_emission) in enumerate(steps):
        moved = move(belief, semiring) + log_emission
        # finished rows are frozen
        belief = moved if step < shortest else torch.where((step < chain.target_lengths)[:, None], moved, belief)
    return semiring.sum(belief, 1)
