"""The aligners of an exported model: from a step's scores to a transition."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from isotone.decoding.protocol import Ids
from isotone.runtime.logspace import Array, log_sigmoid, log_softmax
from isotone.runtime.memory import Memory
from isotone.runtime.transitions import Banded, Independent, Monotone, Transition

__all__ = ["TRANSITIONS", "landings", "log_onwards", "log_support"]

Rule = Callable[[Array, Memory, int], Transition]
"""(scores, memory, the first jump) → transition, in the precision of the scores."""


def log_support(lengths: Ids, states: int, first: int, jumps: int) -> Array:
    """(row, previous, jump) 0 where a jump lands on a real position, −inf elsewhere.

    All jumps are allowed from padding, where belief never is: a row of −inf would have no distribution.
    """
    landing = np.arange(states)[:, None] + np.arange(first, first + jumps)
    padding = np.arange(states) >= lengths[:, None]
    inside = (landing >= 0) & (landing < lengths[:, None, None])
    return np.where(inside | padding[:, :, None], np.float32(0), np.float32(-np.inf))


def landings(states: int, first: int, jumps: int) -> Ids:
    """(next, jump) the place in (previous · jump) of the jump that lands there; one past the end for none."""
    previous = np.arange(states)[:, None] - np.arange(first, first + jumps)
    inside = (previous >= 0) & (previous < states)
    return np.where(inside, previous * jumps + np.arange(jumps), states * jumps)


def log_onwards(states: int) -> Array:
    """(previous, next) 0 where next ≥ previous, −inf elsewhere."""
    places = np.arange(states)
    return np.where(places >= places[:, None], np.float32(0), np.float32(-np.inf))


def _masked(scores: Array, memory: Memory) -> Array:
    return scores if memory.log_mask is None else scores + memory.log_mask


def _soft(scores: Array, memory: Memory, first: int) -> Independent:
    return Independent(np.zeros((len(scores), 1), dtype=scores.dtype))


def _zero_hard(scores: Array, memory: Memory, first: int) -> Independent:
    return Independent(log_softmax(_masked(scores, memory)))


def _zero_mono(scores: Array, memory: Memory, first: int) -> Monotone:
    return Monotone.from_scores(_masked(scores, memory))


def _emit_mono(scores: Array, memory: Memory, first: int) -> Monotone:
    """(log e_j + C_j) − C_k with C_j = Σ_{m<j} log(1 − e_m); e = 1 at the last position."""
    places, last = np.arange(scores.shape[1]), memory.lengths[:, None] - 1
    log_shift = np.where(places[:-1] < last, log_sigmoid(-scores[:, :-1]), scores.dtype.type(0))
    log_shifted = np.zeros_like(scores)
    np.cumsum(log_shift, axis=1, out=log_shifted[:, 1:])
    log_emit = np.where(places == last, scores.dtype.type(0), log_sigmoid(scores))
    return Monotone(_masked(log_emit + log_shifted, memory), log_shifted)


def _first_order(scores: Array, memory: Memory, first: int) -> Banded:
    assert memory.log_jumps is not None
    return Banded(log_softmax(scores[:, None] + memory.log_jumps.astype(scores.dtype, copy=False)), first)


TRANSITIONS: dict[str, Rule] = {
    "soft": _soft,
    "0-hard": _zero_hard,
    "0-mono": _zero_mono,
    "1-mono": _first_order,
    "1-hard": _first_order,
    "emit-mono": _emit_mono,
    "pipeline-mono": _zero_mono,
}
"""Every aligner that can be exported, by its name."""
