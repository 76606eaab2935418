"""A batch of alignment chains: everything the dynamic program needs to know about (x, y)."""

from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor

from isotone.dp.transition import Dense, Transition
from isotone.shapes import Float, Int

__all__ = ["Chain", "NotANumberError"]


class NotANumberError(ValueError):
    """A log-potential is nan or +inf."""


@dataclass(frozen=True, eq=False)
class Chain:
    """log p(y, a | x) in factors: Σ_i log p(a_i | a_{i−1}) + log p(y_i | a_i), with a_0 = 0, the BOS.

    Raises ValueError where shapes disagree, a length is outside 1…target, or a log-potential is nan or +inf.
    """

    log_emission: Float[Tensor, "batch target state"]
    """log p(y_i | a_i = j) of the gold symbol."""
    transition: Transition
    """log p(a_i | a_{i−1}), in any form of `isotone.dp.transition`."""
    target_lengths: Int[Tensor, "batch"]
    """Target symbols of each row, including the EOS; steps past it leave the belief unchanged."""

    def __post_init__(self) -> None:
        batch, target, _ = self.log_emission.shape
        if self.transition.shape != tuple(self.log_emission.shape):
            raise ValueError(
                f"transition is {self.transition.shape}, emission is {tuple(self.log_emission.shape)} "
                "(batch, target, state)"
            )
        if self.target_lengths.shape != (batch,):
            raise ValueError(f"expected {batch} target lengths, found {tuple(self.target_lengths.shape)}")
        if bool(((self.target_lengths < 1) | (self.target_lengths > target)).any()):
            raise ValueError(f"target lengths must lie in 1…{target}: {self.target_lengths.tolist()}")
        factors = (self.log_emission, *self.transition.log_factors)
        emission_is_sound, *sound = torch.stack([(factor < torch.inf).all() for factor in factors]).tolist()
        if not emission_is_sound:
            raise NotANumberError("log_emission holds nan or +inf")
        if not all(sound):
            raise NotANumberError("transition holds nan or +inf")

    def to_dense(self) -> Chain:
        """The same chain with its transition written out: the slow twin."""
        return replace(self, transition=Dense(self.transition.dense()))
