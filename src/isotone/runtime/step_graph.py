"""The step's graph: one more target symbol read, and every continuation's emission in every state."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto, TensorProto

from isotone.runtime.builder import Builder

__all__ = ["StepWeights", "step_graph"]

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
    """(feature, output) the emission's W, the gate's column last where there is one."""
    gated: bool
    first_output: int
    """The vocabulary id of output 0."""
    jump: tuple[Array, Array] | None
    """(query, jump) and its bias: a first-order aligner's U_d; None for the others, which compare with keys."""
    soft: bool
    """Does the emission see an average of all states?"""


def step_graph(weights: StepWeights, *, int8: bool) -> ModelProto:
    """Inputs are a prefix's last symbol, the decoder's state and the memory; no input depends on belief."""
    graph = Builder(int8=int8)
    hidden, cell = _decoder(graph, weights)
    size, features = weights.recurrent.shape[0], weights.query.shape[1]
    outputs: dict[str, tuple[str, list[int | str]]] = {
        "new_hidden": (hidden, ["batch", size]),
        "new_cell": (cell, ["batch", size]),
    }
    memory = graph.input("features", ["batch", "state", features])
    if weights.jump is not None:
        outputs["scores"] = (graph.linear(hidden, *weights.jump), ["batch", weights.jump[0].shape[1]])
    else:
        keys = graph.input("keys", ["batch", "state", size])
        column = graph.node("Unsqueeze", hidden, _axes(graph, 2))
        scores = graph.node("Squeeze", graph.node("MatMul", keys, column), _axes(graph, 2))
        outputs["scores"] = (scores, ["batch", "state"])
    if weights.soft:
        allowed = graph.node("Add", outputs["scores"][0], graph.input("log_mask", ["batch", "state"]))
        attention = graph.node("Softmax", allowed, axis=-1)
        outputs["scores"] = (attention, ["batch", "state"])
        memory = graph.node("MatMul", graph.node("Unsqueeze", attention, _axes(graph, 1)), memory)
    outputs |= _emission(graph, weights, hidden, memory)
    return graph.model(outputs, "step")


def _decoder(graph: Builder, weights: StepWeights) -> tuple[str, str]:
    """The new (hidden, cell)."""
    size = weights.recurrent.shape[0]
    symbol = graph.input("symbol", ["batch"], TensorProto.INT64)
    hidden, cell = graph.input("hidden", ["batch", size]), graph.input("cell", ["batch", size])
    given = graph.node("Gather", graph.constant(weights.symbols), symbol)
    if weights.tags:
        given = graph.node("Add", given, graph.input("tag_gates", ["batch", 4 * size]))
    gates = graph.node("Add", given, graph.linear(hidden, weights.recurrent))
    cuts = graph.constant(np.array([3 * size, size], dtype=np.int64))
    logistic, update = graph.nodes("Split", gates, cuts, outputs=2, axis=-1)
    thirds = graph.constant(np.array([size] * 3, dtype=np.int64))
    enter, forget, leave = graph.nodes("Split", graph.node("Sigmoid", logistic), thirds, outputs=3, axis=-1)
    entering = graph.node("Mul", enter, graph.node("Tanh", update))
    new_cell = graph.node("Add", graph.node("Mul", forget, cell), entering)
    return graph.node("Mul", leave, graph.node("Tanh", new_cell)), new_cell


def _emission(
    graph: Builder, weights: StepWeights, hidden: str, features: str
) -> dict[str, tuple[str, list[int | str]]]:
    """log p(y | a = j) by vocabulary id, −inf where a symbol is never written; the gate's logits apart."""
    query = graph.node("Unsqueeze", graph.linear(hidden, weights.query, weights.query_bias), _axes(graph, 1))
    layer = graph.node("Tanh", graph.node("Add", query, features))
    logits = graph.linear(layer, weights.output, weights.output_bias)
    found: dict[str, tuple[str, list[int | str]]] = {}
    outputs = weights.output.shape[1]
    states = 1 if weights.soft else "state"
    if weights.gated:
        outputs -= 1
        cuts = graph.constant(np.array([outputs, 1], dtype=np.int64))
        logits, gate = graph.nodes("Split", logits, cuts, outputs=2, axis=-1)
        found["gate"] = (graph.node("Squeeze", gate, _axes(graph, 2)), ["batch", states])
    log_symbols = graph.node("LogSoftmax", logits, axis=-1)
    places = graph.constant(np.array([0, 0, weights.first_output, 0, 0, 0], dtype=np.int64))
    padded = graph.node("Pad", log_symbols, places, graph.constant(np.float32(-np.inf)))
    found["log_emission"] = (padded, ["batch", states, weights.first_output + outputs])
    return found


def _axes(graph: Builder, axis: int) -> str:
    return graph.constant(np.array([axis], dtype=np.int64))
