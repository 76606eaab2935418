"""The aligners in the greedy graph: where belief arrives, as probabilities and not in log space.

Probabilities below fp32's range (10⁻³⁸) are lost here, and nothing else: `isotone.runtime.session` counts them.
Every rule writes into two graphs: what is the same at all steps goes in front of the loop.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from onnx import TensorProto

from isotone.runtime.aligner_graphs import Jump, log_sigmoid
from isotone.runtime.builder import CONTRIB, Builder

__all__ = ["GREEDY_ALIGNERS", "Moved", "Place"]


class Place(NamedTuple):
    """Where a rule writes, and what it may use."""

    before: Builder
    """The graph around the loop."""
    step: Builder
    """The loop's body."""
    hidden: str
    """(batch, 1, query) the decoder's state."""
    size: int
    """Of a query."""
    belief: str
    """(batch, previous, 1) p(prefix, a_i = j | x)."""
    features: str
    """(batch, state, feature) encoded sources."""
    jump: Jump


class Moved(NamedTuple):
    """What a rule adds, by the names of values."""

    arrived: str
    """(batch, state, 1) p(prefix, a_{i+1} = j | x)."""
    features: str
    """(batch, state, feature) what the emission sees."""


Rule = Callable[[Place], Moved]


def _scores(place: Place) -> str:
    """(batch, 1, state) h_dᵀ T h_e."""
    keys = place.before.input("keys", ["batch", "state", place.size])
    return place.step.node("FusedMatMul", place.hidden, keys, transB=1, domain=CONTRIB)


def _log_mask(place: Place) -> str:
    """(batch, 1, state)."""
    mask = place.before.input("log_mask", ["batch", "state"])
    return place.before.node("Unsqueeze", mask, place.before.axes(1))


def _move(place: Place, moves: str) -> str:
    """Σ_k belief(k) · moves(k, a), for moves (batch, previous, next)."""
    return place.step.node("FusedMatMul", moves, place.belief, transA=1, domain=CONTRIB)


def _soft(place: Place) -> Moved:
    masked = place.step.node("Add", _scores(place), _log_mask(place))
    average = place.step.node("MatMul", place.step.node("Softmax", masked, axis=-1), place.features)
    return Moved(place.step.node("Identity", place.belief), average)


def _zero_hard(place: Place) -> Moved:
    masked = place.step.node("Add", _scores(place), _log_mask(place))
    attention = place.step.node("Softmax", masked, axis=-1)
    mass = place.step.node("ReduceSum", place.belief, place.step.axes(1), keepdims=1)
    return Moved(place.step.node("FusedMatMul", attention, mass, transA=1, domain=CONTRIB), place.features)


def _onwards(place: Place, *, open_padding: bool) -> str:
    """(batch, previous, next) 0 where next ≥ previous and real, else −inf; from padding all is open if so wished."""
    before, log_mask = place.before, _log_mask(place)
    allowed = before.node("Add", log_mask, before.input("log_onwards", ["state", "state"]))
    if not open_padding:
        return allowed
    real = before.node("Equal", before.node("Transpose", log_mask, perm=[0, 2, 1]), before.constant(np.float32(0)))
    return before.node("Where", real, allowed, before.constant(np.float32(0)))


def _zero_mono(place: Place) -> Moved:
    # From padding, where belief never is, all is open: a softmax over nothing would be nan.
    allowed = place.step.node("Add", _scores(place), _onwards(place, open_padding=True))
    return Moved(_move(place, place.step.node("Softmax", allowed, axis=-1)), place.features)


def _emit_mono(place: Place) -> Moved:
    """p(a | k) = e_a · Π_{k≤m<a} (1 − e_m), e = 1 at the last position."""
    step, scores = place.step, _scores(place)
    given = place.before.input("before_last", ["batch", "state"])
    before_last = place.before.node("Unsqueeze", given, place.before.axes(1))
    log_emit = log_sigmoid(step, scores)
    log_shift = step.node("Mul", step.node("Sub", log_emit, scores), before_last)
    log_shifted = step.node("CumSum", log_shift, step.constant(np.int64(2)), exclusive=1)
    emits = step.node("Add", step.node("Mul", log_emit, before_last), log_shifted)
    share = step.node("Sub", emits, step.node("Transpose", log_shifted, perm=[0, 2, 1]))
    return Moved(
        _move(place, step.node("Exp", step.node("Add", share, _onwards(place, open_padding=False)))), place.features
    )


def _first_order(place: Place) -> Moved:
    assert place.jump is not None
    step, jumps = place.step, place.jump[0].shape[1]
    log_jumps = place.before.input("log_jumps", ["batch", "state", jumps])
    landings = place.before.input("landings", ["state", jumps], TensorProto.INT64)
    jump = step.node("Softmax", step.node("Add", step.linear(place.hidden, *place.jump), log_jumps), axis=-1)
    leaving = step.node("Reshape", step.node("Mul", jump, place.belief), step.constant(np.array([0, -1])))
    ended = step.node("Pad", leaving, step.constant(np.array([0, 0, 0, 1])), step.constant(np.float32(0)))
    arriving = step.node("Gather", ended, landings, axis=1)
    return Moved(step.node("ReduceSum", arriving, step.axes(2), keepdims=1), place.features)


GREEDY_ALIGNERS: dict[str, Rule] = {
    "soft": _soft,
    "0-hard": _zero_hard,
    "0-mono": _zero_mono,
    "1-mono": _first_order,
    "1-hard": _first_order,
    "emit-mono": _emit_mono,
    "pipeline-mono": _zero_mono,
}
"""The aligners of `ALIGNER_GRAPHS`, by name."""
