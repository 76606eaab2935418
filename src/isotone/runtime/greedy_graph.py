"""The greedy graph: a whole target for every source of a batch, with one call.

The same products as in the step's graph, in a loop. At each step the most probable symbol is taken, and what the next
best ones have is reported, so that search can tell whether there is anything better. It takes a fraction of the time
because nothing returns to Python between steps, and because the emission, most of a step, is computed only at
positions that belief has reached: all others have nothing, or less than `negligible` of the prefix's probability.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from onnx import GraphProto, ModelProto, TensorProto

from isotone.runtime.builder import Builder
from isotone.runtime.greedy_aligners import GREEDY_ALIGNERS, Place
from isotone.runtime.step_graph import StepWeights, lstm_cell
from isotone.text.vocabulary import BOS, EOS, PAD, UNK

__all__ = ["BEST", "greedy_graph"]

FLOAT, INT64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
BEST = 3
"""Continuations reported at each step: with the end among them there are two symbols, and without it, it is no match
for them."""


class _Given(NamedTuple):
    """What is the same at all steps, by the names of values in the graph around the loop."""

    features: str
    negligible: str
    few: str
    no_symbols: str
    """(batch, 1, symbol) zeros."""
    no_belief: str
    """(batch, state, 1) zeros."""
    writable: str | None
    """(batch, 1, symbol) 0 where UNK may not be written, else 1; None for models that never write it."""


class _Best(NamedTuple):
    """What follows a prefix, and the state after its best continuation."""

    probabilities: str
    """(batch, 1, best) p(prefix + symbol | x)."""
    symbols: str
    """(batch, 1, best) their ids."""
    symbol: str
    """(batch, 1, 1) the best one; PAD where that is the end, or where the string has ended before."""
    belief: str
    threshold: str
    """(batch, 1, 1) what belief has to exceed in the next step."""


def greedy_graph(weights: StepWeights, aligner: str, *, int8: bool) -> ModelProto:
    """Inputs are the memory, the first belief (batch, state, 1), `negligible` (batch, 1, 1), and for models that copy
    `writable` (batch, 1, symbol). It stops after `steps`, or when no more than `few` strings have not ended.

    Outputs are the best continuations of each step and their probabilities, of which the first is taken. A string ends
    with its first EOS; what comes behind it means nothing.
    """
    size, symbols = weights.recurrent.shape[0], weights.output.shape[1]
    graph = Builder(int8=int8, feature_size=weights.query.shape[1])
    belief = graph.input("belief", ["batch", 1 if aligner == "soft" else "position", 1])
    negligible = graph.input("negligible", ["batch", 1, 1])
    rows = graph.node("Shape", negligible)

    def start(width: int, filling: float | int = 0.0) -> str:
        kind = np.int64 if isinstance(filling, int) else np.float32
        return graph.node("Expand", graph.constant(np.full((1, 1, width), filling, dtype=kind)), rows)

    given = _Given(
        features=graph.features(),
        negligible=negligible,
        few=graph.input("few", [], INT64),
        no_symbols=start(symbols),
        no_belief=graph.node("Mul", belief, graph.constant(np.float32(0))),
        writable=graph.input("writable", ["batch", 1, symbols]) if np.isfinite(weights.output_bias[UNK]) else None,
    )
    steps, goes_on = graph.input("steps", [], INT64), graph.constant(np.array(True))
    body = _body(graph, given, weights, aligner)
    carried = (start(4 * size), start(size), start(1, BOS), belief, negligible)
    *_, probabilities, ids = graph.nodes("Loop", steps, goes_on, *carried, outputs=7, body=body)
    outputs: dict[str, tuple[str, list[int | str]]] = {
        "probabilities": (probabilities, ["target", "batch", 1, BEST]),
        "symbols": (ids, ["target", "batch", 1, BEST]),
    }
    return graph.model(outputs, "greedy", integers=("symbols",))


def _body(outer: Builder, given: _Given, weights: StepWeights, aligner: str) -> GraphProto:
    """One step: the decoder reads a symbol, belief moves, and the best symbol is taken."""
    size = weights.recurrent.shape[0]
    step = Builder(int8=outer.int8, prefix="step_")
    step.input("number", [], INT64)
    step.input("goes_on", [], BOOL)
    gates = step.input("gates", ["batch", 1, 4 * size])
    cell = step.input("cell", ["batch", 1, size])
    symbol = step.input("symbol", ["batch", 1, 1], INT64)
    belief = step.input("reached", ["batch", "position", 1])
    threshold = step.input("threshold", ["batch", 1, 1])
    read = step.node("GatherND", step.constant(weights.symbols), symbol)
    if weights.tags:
        tags = outer.input("tag_gates", ["batch", 4 * size])
        read = step.node("Add", read, outer.node("Unsqueeze", tags, outer.axes(1)))
    hidden, new_cell = lstm_cell(step, step.node("Add", read, gates), cell, size)
    place = Place(outer, step, hidden, size, belief, given.features, weights.jump)
    arrived, features = GREEDY_ALIGNERS[aligner](place)
    query = step.linear(hidden, weights.query, weights.query_bias)
    best = _best(step, given, weights, query=query, features=features, arrived=arrived, threshold=threshold)
    left = step.node("ReduceSum", step.node("Sign", best.symbol), keepdims=0)  # PAD is 0
    goes_on = step.node("Greater", left, given.few)
    # The recurrent product is the next step's, but the levels of the state are at hand here.
    recurrent = step.linear(hidden, weights.recurrent)
    outputs: tuple[tuple[str, int, list[int | str]], ...] = (
        (goes_on, BOOL, []),
        (recurrent, FLOAT, ["batch", 1, 4 * size]),
        (new_cell, FLOAT, ["batch", 1, size]),
        (best.symbol, INT64, ["batch", 1, 1]),
        (best.belief, FLOAT, ["batch", "position", 1]),
        (best.threshold, FLOAT, ["batch", 1, 1]),
        (best.probabilities, FLOAT, ["batch", 1, BEST]),
        (best.symbols, INT64, ["batch", 1, BEST]),
    )
    return step.graph(outputs, "step")


def _best(
    step: Builder, given: _Given, weights: StepWeights, *, query: str, features: str, arrived: str, threshold: str
) -> _Best:
    """The emission where belief has arrived, and the best symbols.

    `places` are (batch, state, 0), one per position; an end leaves no belief behind, since nothing emits PAD.
    """
    places = step.node("Transpose", step.node("NonZero", step.node("Greater", arrived, threshold)), perm=[1, 0])
    states = step.node("Gather", places, step.constant(np.array([0, 1])), axis=1)
    rows = step.node("Gather", places, step.constant(np.array([0, 2])), axis=1)
    given_there = step.node("GatherND", features, states)
    layer = step.node("Tanh", step.node("Add", step.node("GatherND", query, rows), given_there))
    emission = step.node("Softmax", step.linear(layer, weights.output, weights.output_bias), axis=-1)
    joint = step.node("Mul", emission, step.node("GatherND", arrived, states))
    every = step.node("ScatterND", given.no_symbols, rows, joint, reduction="add")
    if given.writable is not None:
        every = step.node("Mul", every, given.writable)
    probabilities, symbols = step.nodes("TopK", every, step.constant(np.array([BEST])), outputs=2)
    first = step.constant(np.array([0]))
    highest, chosen = (step.node("Gather", value, first, axis=2) for value in (probabilities, symbols))
    read_as = np.arange(weights.output.shape[1])
    read_as[EOS] = PAD
    symbol = step.node("Gather", step.constant(read_as), chosen)
    picked = step.node("GatherElements", joint, step.node("GatherND", symbol, rows), axis=1)
    belief = step.node("ScatterND", given.no_belief, states, picked)
    return _Best(probabilities, symbols, symbol, belief, step.node("Mul", highest, given.negligible))
