"""The step's graph: one more target symbol read, and every continuation's emission in every state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto

from isotone.runtime.aligner_graphs import ALIGNER_GRAPHS, log_sum
from isotone.runtime.builder import Builder

__all__ = ["StepWeights", "lstm_cell", "step_graph"]

Array = NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class StepWeights:
    """What the decoder, the aligner and the emission multiply with; matrices are (input, output)."""

    symbols: Array
    """(symbol, gate) the decoder's gates from the last symbol, with the bias; gates in the order input, forget, output,
    cell."""
    recurrent: Array
    """(query, gate) the gates from the decoder's own state."""
    tags: bool
    """Is there a share of the gates for each row's tags?"""
    query: Array
    query_bias: Array
    """(query, feature) the emission's V_d."""
    output: Array
    output_bias: Array
    """(feature, symbol) the emission's W by vocabulary id, the gate's column last where there is one; a bias of −inf
    for ids that are never written."""
    gated: bool
    jump: tuple[Array, Array] | None
    """(query, jump) and its bias: a first-order aligner's U_d; None for the others, which compare with keys."""


def step_graph(weights: StepWeights, aligner: str, *, int8: bool) -> ModelProto:
    """Inputs are a prefix's last symbol, the decoder's state, belief over positions, and the memory."""
    size, features = weights.recurrent.shape[0], weights.query.shape[1]
    graph = Builder(int8=int8, feature_size=features)
    hidden, cell = _decoder(graph, weights)
    arrival = ALIGNER_GRAPHS[aligner](graph, hidden, size, weights.jump)
    states: int | str = 1 if aligner == "soft" else "state"
    outputs: dict[str, tuple[str, list[int | str]]] = {
        "new_state": (graph.node("Concat", hidden, cell, axis=-1), ["batch", 2 * size]),
        "log_arrived": (arrival.log_arrived, ["batch", states]),
        "scores": (arrival.scores, ["batch", "state" if weights.jump is None else weights.jump[0].shape[1]]),
    }
    outputs |= _emission(graph, weights, hidden, arrival.features, states)
    if not weights.gated:  # copies go beyond the alphabet, so the sum over states comes after the graph
        log_emission, shape = outputs["log_emission"]
        arrived = graph.node("Unsqueeze", arrival.log_arrived, graph.axes(2))
        outputs["log_symbols"] = (log_sum(graph, graph.node("Add", log_emission, arrived), 1), ["batch", shape[2]])
    return graph.model(outputs, "step")


def _decoder(graph: Builder, weights: StepWeights) -> tuple[str, str]:
    """The new (hidden, cell)."""
    size = weights.recurrent.shape[0]
    symbol = graph.input("symbol", ["batch"], TensorProto.INT64)
    halves = graph.constant(np.array([size, size], dtype=np.int64))
    hidden, cell = graph.nodes("Split", graph.input("state", ["batch", 2 * size]), halves, outputs=2, axis=-1)
    given = graph.node("Gather", graph.constant(weights.symbols), symbol)
    if weights.tags:
        given = graph.node("Add", given, graph.input("tag_gates", ["batch", 4 * size]))
    return lstm_cell(graph, graph.node("Add", given, graph.linear(hidden, weights.recurrent)), cell, size)


def lstm_cell(graph: Builder, gates: str, cell: str, size: int) -> tuple[str, str]:
    """The new (hidden, cell) from the sums at the gates, in the order input, forget, output, cell."""
    cuts = graph.constant(np.array([3 * size, size], dtype=np.int64))
    logistic, update = graph.nodes("Split", gates, cuts, outputs=2, axis=-1)
    thirds = graph.constant(np.array([size] * 3, dtype=np.int64))
    enter, forget, leave = graph.nodes("Split", graph.node("Sigmoid", logistic), thirds, outputs=3, axis=-1)
    entering = graph.node("Mul", enter, graph.node("Tanh", update))
    new_cell = graph.node("Add", graph.node("Mul", forget, cell), entering)
    return graph.node("Mul", leave, graph.node("Tanh", new_cell)), new_cell


def _emission(
    graph: Builder, weights: StepWeights, hidden: str, features: str, states: int | str
) -> dict[str, tuple[str, list[int | str]]]:
    """log p(y | a = j) by vocabulary id, −inf where a symbol is never written; the gate's logits apart."""
    query = graph.node("Unsqueeze", graph.linear(hidden, weights.query, weights.query_bias), graph.axes(1))
    layer = graph.node("Tanh", graph.node("Add", query, features))
    logits = graph.linear(layer, weights.output, weights.output_bias)
    found: dict[str, tuple[str, list[int | str]]] = {}
    outputs = weights.output.shape[1]
    if weights.gated:
        outputs -= 1
        cuts = graph.constant(np.array([outputs, 1], dtype=np.int64))
        logits, gate = graph.nodes("Split", logits, cuts, outputs=2, axis=-1)
        found["gate"] = (graph.node("Squeeze", gate, graph.axes(2)), ["batch", states])
    found["log_emission"] = (graph.node("LogSoftmax", logits, axis=-1), ["batch", states, outputs])
    return found
