"""The aligners in a step's graph: from the decoder's state and belief over positions to where belief arrives.

Sums over positions are written out in log space, position by position: a prefix sum of probabilities would lose those
that are small beside others. That takes |x|² additions per step, less than the emission takes for any |x| below its
width.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from isotone.runtime.builder import Builder

__all__ = ["ALIGNER_GRAPHS", "Arrival", "Jump", "log_sigmoid", "log_sum"]

LOWEST = np.finfo(np.float32).min


@dataclass(frozen=True, eq=False)
class Arrival:
    """What an aligner adds to the graph, by the names of values."""

    scores: str
    """(batch, state), or (batch, jump) for first-order aligners: what the dynamic program over whole pairs needs."""
    log_arrived: str
    """(batch, state) log p(prefix, a_{i+1} = j | x)."""
    features: str
    """(batch, state, feature) what the emission sees."""


Jump = tuple[NDArray[np.float32], NDArray[np.float32]] | None
Rule = Callable[[Builder, str, int, Jump], Arrival]
"""(graph, the decoder's hidden state, its size, the weights of jumps) → what is added."""


def log_sum(graph: Builder, values: str, axis: int) -> str:
    """log Σ exp along an axis, −inf where all are."""
    axes = graph.axes(axis)
    highest = graph.node("ReduceMax", values, axes, keepdims=1)
    peak = graph.node("Max", highest, graph.constant(np.float32(LOWEST)))
    total = graph.node("ReduceSum", graph.node("Exp", graph.node("Sub", values, peak)), axes, keepdims=0)
    return graph.node("Add", graph.node("Log", total), graph.node("Squeeze", peak, axes))


def _bilinear(graph: Builder, hidden: str, size: int) -> tuple[str, str]:
    """The scores h_dᵀ T h_e, and the memory's features."""
    keys = graph.input("keys", ["batch", "state", size])
    column = graph.node("Unsqueeze", hidden, graph.axes(2))
    scores = graph.node("Squeeze", graph.node("MatMul", keys, column), graph.axes(2))
    return scores, graph.features()


def _belief(graph: Builder, states: int | str = "state") -> str:
    return graph.input("log_belief", ["batch", states])


def _masked(graph: Builder, values: str) -> str:
    return graph.node("Add", values, graph.input("log_mask", ["batch", "state"]))


def _soft(graph: Builder, hidden: str, size: int, jump: Jump) -> Arrival:
    scores, features = _bilinear(graph, hidden, size)
    attention = graph.node("Softmax", _masked(graph, scores), axis=-1)
    average = graph.node("MatMul", graph.node("Unsqueeze", attention, graph.axes(1)), features)
    return Arrival(attention, graph.node("Identity", _belief(graph, 1)), average)


def _zero_hard(graph: Builder, hidden: str, size: int, jump: Jump) -> Arrival:
    scores, features = _bilinear(graph, hidden, size)
    log_position = graph.node("LogSoftmax", _masked(graph, scores), axis=-1)
    log_mass = graph.node("Unsqueeze", log_sum(graph, _belief(graph), 1), graph.axes(1))
    return Arrival(scores, graph.node("Add", log_mass, log_position), features)


def _zero_mono(graph: Builder, hidden: str, size: int, jump: Jump) -> Arrival:
    scores, features = _bilinear(graph, hidden, size)
    masked = _masked(graph, scores)
    # (batch, previous, next): next ≥ previous
    onwards = graph.node(
        "Add", graph.node("Unsqueeze", masked, graph.axes(1)), graph.input("log_onwards", ["state", "state"])
    )
    log_reachable = graph.node("Max", log_sum(graph, onwards, 2), graph.constant(np.float32(LOWEST)))
    return Arrival(scores, _prefix_moved(graph, masked, log_reachable), features)


def _emit_mono(graph: Builder, hidden: str, size: int, jump: Jump) -> Arrival:
    """1 − e = σ(−s), e = 1 at the last position; `last` and `before_last` are 1 there and before it, else 0."""
    scores, features = _bilinear(graph, hidden, size)
    log_emit = log_sigmoid(graph, scores)
    log_shift = graph.node("Sub", log_emit, scores)  # log σ(−s) = log σ(s) − s
    before_last = graph.input("before_last", ["batch", "state"])
    log_shifted = graph.node(
        "CumSum", graph.node("Mul", log_shift, before_last), graph.constant(np.int64(1)), exclusive=1
    )
    emits = graph.node("Mul", log_emit, before_last)
    masked = _masked(graph, graph.node("Add", emits, log_shifted))
    return Arrival(scores, _prefix_moved(graph, masked, log_shifted, onwards=True), features)


def _prefix_moved(graph: Builder, log_scores: str, log_reachable: str, *, onwards: bool = False) -> str:
    """log Σ_{k≤a} belief(k) / Z_k · exp(s_a)."""
    shares = graph.node("Sub", _belief(graph), log_reachable)
    if onwards:
        graph.input("log_onwards", ["state", "state"])
    terms = graph.node("Add", graph.node("Unsqueeze", shares, graph.axes(2)), "log_onwards")
    return graph.node("Add", log_sum(graph, terms, 1), log_scores)


def _first_order(graph: Builder, hidden: str, size: int, jump: Jump) -> Arrival:
    assert jump is not None
    jumps = jump[0].shape[1]
    scores = graph.linear(hidden, *jump)
    log_jumps = graph.input("log_jumps", ["batch", "state", jumps])
    log_jump = graph.node(
        "LogSoftmax", graph.node("Add", graph.node("Unsqueeze", scores, graph.axes(1)), log_jumps), axis=-1
    )
    leaving = graph.node("Add", graph.node("Unsqueeze", _belief(graph), graph.axes(2)), log_jump)
    flat = graph.node("Reshape", leaving, graph.constant(np.array([0, -1], dtype=np.int64)))
    ended = graph.node(
        "Pad", flat, graph.constant(np.array([0, 0, 0, 1], dtype=np.int64)), graph.constant(np.float32(-np.inf))
    )
    arriving = graph.node("Gather", ended, graph.input("landings", ["state", jumps], TensorProto.INT64), axis=1)
    return Arrival(scores, log_sum(graph, arriving, 2), graph.features())


def log_sigmoid(graph: Builder, values: str) -> str:
    """−log(1 + exp(−x)) = min(x, 0) − log(1 + exp(−|x|))."""
    small = graph.node("Exp", graph.node("Neg", graph.node("Abs", values)))
    log = graph.node("Log", graph.node("Add", small, graph.constant(np.float32(1))))
    return graph.node("Sub", graph.node("Min", values, graph.constant(np.float32(0))), log)


ALIGNER_GRAPHS: dict[str, Rule] = {
    "soft": _soft,
    "0-hard": _zero_hard,
    "0-mono": _zero_mono,
    "1-mono": _first_order,
    "1-hard": _first_order,
    "emit-mono": _emit_mono,
    "pipeline-mono": _zero_mono,
}
"""Every aligner that can be exported, by its name."""
