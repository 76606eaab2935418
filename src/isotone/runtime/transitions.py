"""Transitions of one target position in numpy: the twins of `isotone.dp.transition`, without torch."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from isotone.decoding.protocol import Ids
from isotone.runtime.logspace import Array, log_sum, prefix_log_sums, suffix_log_sums

__all__ = ["Banded", "Independent", "Monotone", "Transition"]


class Transition(Protocol):
    """log p(a_i | a_{i−1}) of one target position, for a batch of rows."""

    def move(self, log_belief: Array) -> Array:
        """log Σ_k belief(k) · p(a_i = a | k): (row, previous) → (row, next)."""
        ...

    def best(self, log_belief: Array) -> tuple[Array, Ids]:
        """The same with the maximum in place of the sum, and the k that reaches it."""
        ...

    def back(self, log_value: Array) -> Array:
        """log Σ_a p(a_i = a | k) · value(a): (row, next) → (row, previous)."""
        ...

    def into(self, next: Ids) -> Array:
        """(draw, previous) log p(a_i = next | k) of one row, for each of the given positions."""
        ...

    def stay(self) -> Array:
        """(row, state) log p(a_i = j | a_{i−1} = j)."""
        ...


@dataclass(frozen=True, eq=False)
class Independent:
    """The next position does not depend on the previous one."""

    log_position: Array
    """(row, next)."""

    def move(self, log_belief: Array) -> Array:
        """One sum for all positions."""
        return log_sum(log_belief)[:, None] + self.log_position

    def best(self, log_belief: Array) -> tuple[Array, Ids]:
        """The best previous position is the same for all."""
        previous = np.broadcast_to(log_belief.argmax(1)[:, None], self.log_position.shape)
        return log_belief.max(1)[:, None] + self.log_position, previous

    def back(self, log_value: Array) -> Array:
        """The same from everywhere."""
        return np.broadcast_to(log_sum(self.log_position + log_value)[:, None], log_value.shape)

    def into(self, next: Ids) -> Array:
        """The same from everywhere."""
        return np.broadcast_to(self.log_position[0, next][:, None], (len(next), self.log_position.shape[1]))

    def stay(self) -> Array:
        """As likely as being there."""
        return self.log_position


@dataclass(frozen=True, eq=False)
class Monotone:
    """p(a | k) = exp(s_a) / Z_k for a ≥ k: prefix sums over k."""

    log_scores: Array
    """(row, next) s_a; −inf at padding."""
    log_reachable: Array
    """(row, previous) log Z_k; finite."""

    @classmethod
    def from_scores(cls, log_scores: Array) -> Monotone:
        """Scores of every position, −inf at padding: Z_k = Σ_{j≥k} exp(s_j)."""
        log_reachable = suffix_log_sums(log_scores)
        return cls(log_scores, np.maximum(log_reachable, np.finfo(log_scores.dtype).min))

    def move(self, log_belief: Array) -> Array:
        """Prefix sums."""
        return prefix_log_sums(log_belief - self.log_reachable) + self.log_scores

    def best(self, log_belief: Array) -> tuple[Array, Ids]:
        """Running maxima."""
        values = log_belief - self.log_reachable
        highest = np.maximum.accumulate(values, axis=1)
        previous = np.maximum.accumulate(np.where(values >= highest, np.arange(values.shape[1]), 0), axis=1)
        return highest + self.log_scores, previous

    def back(self, log_value: Array) -> Array:
        """Suffix sums."""
        return suffix_log_sums(self.log_scores + log_value) - self.log_reachable

    def into(self, next: Ids) -> Array:
        """−inf from positions to the right."""
        log_p = self.log_scores[0, next][:, None] - self.log_reachable
        return np.where(np.arange(self.log_scores.shape[1]) > next[:, None], -np.inf, log_p)

    def stay(self) -> Array:
        """s_j / Z_j."""
        return self.log_scores - self.log_reachable


@dataclass(frozen=True, eq=False)
class Banded:
    """Jumps from k to k + first, …, k + last only."""

    log_jump: Array
    """(row, previous, jump)."""
    first: int

    def move(self, log_belief: Array) -> Array:
        """A sum over the jumps that arrive."""
        return log_sum(self._arriving(log_belief), 0)

    def best(self, log_belief: Array) -> tuple[Array, Ids]:
        """The best of the jumps that arrive."""
        arriving = self._arriving(log_belief)
        previous = np.arange(arriving.shape[2]) - self.first - arriving.argmax(0)
        return arriving.max(0), previous.clip(0, arriving.shape[2] - 1)

    def back(self, log_value: Array) -> Array:
        """A sum over the jumps that leave."""
        leaving = np.full_like(self.log_jump, -np.inf)
        for jump, (here, there) in enumerate(self._shifts()):
            leaving[:, here, jump] = self.log_jump[:, here, jump] + log_value[:, there]
        return log_sum(leaving)

    def into(self, next: Ids) -> Array:
        """−inf from positions out of reach."""
        previous = np.arange(self.log_jump.shape[1])
        jump = next[:, None] - previous - self.first
        inside = (jump >= 0) & (jump < self.log_jump.shape[2])
        log_p = self.log_jump[0, previous, np.where(inside, jump, 0)]
        return np.where(inside, log_p, -np.inf)

    def stay(self) -> Array:
        """A jump of 0."""
        return self.log_jump[:, :, -self.first]

    def _arriving(self, log_belief: Array) -> Array:
        """(jump, row, next): what each jump brings to where it lands."""
        rows, states, jumps = self.log_jump.shape
        arriving = np.full((jumps, rows, states), -np.inf, dtype=log_belief.dtype)
        for jump, (here, there) in enumerate(self._shifts()):
            arriving[jump, :, there] = log_belief[:, here] + self.log_jump[:, here, jump]
        return arriving

    def _shifts(self) -> list[tuple[slice, slice]]:
        """For each jump the positions it may leave from, and where they land."""
        states, jumps = self.log_jump.shape[1:]
        found = []
        for jump in range(self.first, self.first + jumps):
            begin, end = max(0, -jump), max(0, -jump, states - max(0, jump))
            found.append((slice(begin, end), slice(begin + jump, end + jump)))
        return found
