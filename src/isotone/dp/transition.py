"""Transitions: how belief over positions moves from one target symbol to the next.

Each class stores log p(a_i | a_{i−1}) in the smallest form that defines it and moves belief exactly in that form:

| class       | model        | stored                                  | one step costs |
|-------------|--------------|-----------------------------------------|----------------|
| Independent | SOFT, 0-HARD | (batch, target, next)                   | O(n)           |
| Monotone    | 0-/EMIT-MONO | (batch, target, next) + mask            | O(n)           |
| Banded      | 1-MONO/-HARD | (batch, target, previous, jump)         | O(n·w)         |
| Dense       | any          | (batch, target, previous, next)         | O(n²)          |

Dense is the slow twin: `dense()` turns every other class into one, and tests compare the two.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol, runtime_checkable

import torch
import torch.nn.functional as F
from torch import Tensor

from isotone.dp.masking import masked_log_softmax
from isotone.dp.semiring import LogSemiring, Semiring
from isotone.shapes import Bool, Float, Int

__all__ = ["Banded", "Dense", "Independent", "Monotone", "Move", "Transition"]


Move = Callable[[Tensor, Semiring], Tensor]
"""Σ_k belief(k) · p(a_i = a | k): (batch, previous) → (batch, next), before anything is emitted.

A chain's tensors are cut into steps once instead of being indexed at every step: the backward pass of an index writes
the whole tensor each time, which would make an O(n) step O(n²).
"""


@runtime_checkable
class Transition(Protocol):
    """log p(a_i | a_{i−1}) for every step of a batch of chains."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """(batch, target, state)."""
        ...

    @property
    def log_factors(self) -> tuple[Tensor, ...]:
        """The stored tensors whose entries add up to log p(a_i | a_{i−1}), in any shape: what `Chain` checks."""
        ...

    def moves(self) -> Sequence[Move]:
        """One move per target position, in order."""
        ...

    def log_step(
        self, previous: Int[Tensor, "batch target"], next: Int[Tensor, "batch target"]
    ) -> Float[Tensor, "batch target"]:
        """log p(a_i = next_i | a_{i−1} = previous_i): one entry of each step, without writing the others out."""
        ...

    def log_stay(self) -> Float[Tensor, "batch target state"]:
        """log p(a_i = j | a_{i−1} = j), for every position."""
        ...

    @property
    def monotone(self) -> bool:
        """Does no alignment ever step back? Then each position is visited once, for one stretch of the target."""
        ...

    def dense(self) -> Tensor:
        """The same as one (batch, target, previous, next) tensor."""
        ...


@dataclass(frozen=True, eq=False)
class Dense:
    """Any transition, written out."""

    log_transition: Float[Tensor, "batch target previous next"]

    @property
    def shape(self) -> tuple[int, int, int]:
        batch, target, _, state = self.log_transition.shape
        return batch, target, state

    @property
    def log_factors(self) -> tuple[Tensor, ...]:
        return (self.log_transition,)

    def moves(self) -> list[Move]:
        return [partial(self._move, log_p) for log_p in self.log_transition.unbind(1)]

    @staticmethod
    def _move(log_transition: Tensor, log_belief: Tensor, semiring: Semiring) -> Tensor:
        return semiring.sum(log_belief[:, :, None] + log_transition, 1)

    def log_step(self, previous: Tensor, next: Tensor) -> Tensor:
        return _pick(_pick(self.log_transition, previous), next)

    def log_stay(self) -> Tensor:
        return self.log_transition.diagonal(dim1=2, dim2=3)

    @property
    def monotone(self) -> bool:
        return False

    def dense(self) -> Tensor:
        return self.log_transition


@dataclass(frozen=True, eq=False)
class Independent:
    """The next position does not depend on the previous one (eq. 1: 0th-order hard attention)."""

    log_position: Float[Tensor, "batch target next"]

    @property
    def shape(self) -> tuple[int, int, int]:
        batch, target, state = self.log_position.shape
        return batch, target, state

    @property
    def log_factors(self) -> tuple[Tensor, ...]:
        return (self.log_position,)

    def moves(self) -> list[Move]:
        return [partial(self._move, log_p) for log_p in self.log_position.unbind(1)]

    @staticmethod
    def _move(log_position: Tensor, log_belief: Tensor, semiring: Semiring) -> Tensor:
        return semiring.sum(log_belief, 1)[:, None] + log_position

    def log_step(self, previous: Tensor, next: Tensor) -> Tensor:
        return _pick(self.log_position, next)

    def log_stay(self) -> Tensor:
        return self.log_position

    @property
    def monotone(self) -> bool:
        return False

    def dense(self) -> Tensor:
        return self.log_position[:, :, None, :].expand(-1, -1, self.log_position.shape[-1], -1)


@dataclass(frozen=True, eq=False)
class Monotone:
    """p(a | k) = exp(s_a) / Z_k for a ≥ k with Z_k = Σ_{j≥k} exp(s_j): a prefix sum over k moves belief in O(n)."""

    log_scores: Float[Tensor, "batch target next"]
    """s_a; −inf at padding."""
    log_reachable: Float[Tensor, "batch target previous"]
    """log Z_k; the lowest finite number where nothing is reachable from k, where belief is 0 anyway."""

    @classmethod
    def from_scores(cls, scores: Float[Tensor, "batch target next"], allowed: Bool[Tensor, "batch next"]) -> Monotone:
        """Scores of every position and which positions are real."""
        log_scores = scores.masked_fill(~allowed[:, None], -torch.inf)
        log_z = LogSemiring().cumulative(log_scores.flip(-1)).flip(-1)
        return cls(log_scores, log_z.clamp(min=torch.finfo(log_z.dtype).min))

    @property
    def shape(self) -> tuple[int, int, int]:
        batch, target, state = self.log_scores.shape
        return batch, target, state

    @property
    def log_factors(self) -> tuple[Tensor, ...]:
        """log exp(s_a) and log 1/Z_k."""
        return self.log_scores, -self.log_reachable.detach()

    def moves(self) -> list[Move]:
        steps = zip(self.log_scores.unbind(1), self.log_reachable.unbind(1), strict=True)
        return [partial(self._move, scores, reachable) for scores, reachable in steps]

    @staticmethod
    def _move(log_scores: Tensor, log_reachable: Tensor, log_belief: Tensor, semiring: Semiring) -> Tensor:
        return semiring.cumulative(log_belief - log_reachable) + log_scores

    def log_step(self, previous: Tensor, next: Tensor) -> Tensor:
        log_p = _pick(self.log_scores, next) - _pick(self.log_reachable, previous)
        return log_p.masked_fill(next < previous, -torch.inf)

    def log_stay(self) -> Tensor:
        return self.log_scores - self.log_reachable

    @property
    def monotone(self) -> bool:
        return True

    def dense(self) -> Tensor:
        """By the definition, not by the prefix sums: a masked softmax over a ≥ k for every k."""
        size = self.log_scores.shape[-1]
        forward = torch.ones(size, size, dtype=torch.bool, device=self.log_scores.device).triu()
        scores = self.log_scores[:, :, None, :].expand(-1, -1, size, -1)
        return masked_log_softmax(scores, forward & (scores > -torch.inf))


@dataclass(frozen=True, eq=False)
class Banded:
    """Jumps from k to k + first, …, k + last only: belief moves along a band of fixed width."""

    log_jump: Float[Tensor, "batch target previous jump"]
    first: int

    @property
    def shape(self) -> tuple[int, int, int]:
        batch, target, state, _ = self.log_jump.shape
        return batch, target, state

    @property
    def log_factors(self) -> tuple[Tensor, ...]:
        return (self.log_jump,)

    def moves(self) -> list[Move]:
        """Jumps are shifted to where they arrive, once for the whole chain; a step then adds a window of belief."""
        width = self.log_jump.shape[-1]
        arriving = [_shift(self.log_jump[..., j], self.first + j) for j in reversed(range(width))]
        return [partial(self._move, log_p) for log_p in torch.stack(arriving, -1).unbind(1)]

    def _move(self, log_arriving: Tensor, log_belief: Tensor, semiring: Semiring) -> Tensor:
        """`log_arriving` (batch, next, jump) has the longest jump first, as a window has its leftmost position."""
        width = log_arriving.shape[-1]
        last = self.first + width - 1
        padded = F.pad(log_belief, (last, -self.first), value=-torch.inf)
        return semiring.sum(padded.unfold(-1, width, 1) + log_arriving, -1)

    def log_step(self, previous: Tensor, next: Tensor) -> Tensor:
        jump, width = next - previous - self.first, self.log_jump.shape[-1]
        log_p = _pick(_pick(self.log_jump, previous), jump.clamp(0, width - 1))
        return log_p.masked_fill((jump < 0) | (jump >= width), -torch.inf)

    def log_stay(self) -> Tensor:
        inside = self.first <= 0 < self.first + self.log_jump.shape[-1]
        return self.log_jump[..., -self.first] if inside else torch.full_like(self.log_jump[..., 0], -torch.inf)

    @property
    def monotone(self) -> bool:
        return self.first >= 0

    def dense(self) -> Tensor:
        size, width = self.log_jump.shape[-2:]
        next_, previous = torch.meshgrid(torch.arange(size), torch.arange(size), indexing="xy")
        jump = (next_ - previous - self.first).to(self.log_jump.device)
        inside = (jump >= 0) & (jump < width)
        index = jump.clamp(0, width - 1).expand(*self.log_jump.shape[:3], size)
        return self.log_jump.gather(-1, index).masked_fill(~inside, -torch.inf)


def _pick(x: Tensor, index: Tensor) -> Tensor:
    """One entry of axis 2 per target position: (batch, target, n, …) → (batch, target, …)."""
    wide = index.view(*index.shape, *[1] * (x.dim() - 2)).expand(-1, -1, 1, *x.shape[3:])
    return x.gather(2, wide).squeeze(2)


def _shift(x: Tensor, by: int) -> Tensor:
    """Move values `by` places along the last axis; values past the end are dropped, and −inf comes in."""
    size = x.shape[-1]
    if abs(by) >= size:
        return torch.full_like(x, -torch.inf)
    kept = x[..., max(0, -by) : size - max(0, by)]
    return F.pad(kept, (max(0, by), max(0, -by)), value=-torch.inf)
