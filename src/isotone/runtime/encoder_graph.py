"""The encoder's graph: sources → keys, features and what else does not depend on the target."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import TensorProto

from isotone.runtime.builder import CONTRIB, Builder, quantise

__all__ = ["Direction", "encoder_states"]

Array = NDArray[np.float32]
Direction = tuple[Array, Array, Array]
"""The weights of an LSTM in one direction as torch has them: input (4·hidden, input), recurrent (4·hidden, hidden),
and the sum of both biases (4·hidden,), gates in the order input, forget, cell, output."""

GATES = [0, 3, 1, 2]
"""Torch's order of gates in ONNX's: input, output, forget, cell."""
PINNED = 2
"""Additional units per direction in int8, always at +1 and −1. ONNX Runtime's quantised LSTM takes its scale from the
largest number of a batch; with these units that is the same in every batch, so no row depends on its neighbours."""
FAR = 30.0
"""tanh and the logistic function are 1 there, in fp32."""


def encoder_states(graph: Builder, embedding: Array, layers: Sequence[tuple[Direction, Direction]]) -> tuple[str, int]:
    """(batch, state, feature) states of the bidirectional LSTM, and how many of the features belong to a direction.

    In int8 the last `PINNED` features of each direction are no states but constants.
    """
    source = graph.input("source", ["batch", "state"], TensorProto.INT64)
    lengths = graph.input("lengths", ["batch"], TensorProto.INT32)
    table = _pinned_columns(embedding) if graph.int8 else embedding
    by_time = graph.node("Transpose", source, perm=[1, 0])
    states = graph.node("Gather", graph.constant(table), by_time)
    hidden = layers[0][0][1].shape[1]
    width = hidden + PINNED if graph.int8 else hidden
    for place, directions in enumerate(layers):
        run = _int8_lstm if graph.int8 else _lstm
        both = run(graph, states, lengths, directions, hidden, inputs=place)
        last = place == len(layers) - 1
        side_by_side = graph.node("Transpose", both, perm=[2, 0, 1, 3] if last else [0, 2, 1, 3])
        states = graph.node("Reshape", side_by_side, graph.constant(np.array([0, 0, 2 * width], dtype=np.int64)))
    return states, width


def _lstm(
    graph: Builder, states: str, lengths: str, directions: tuple[Direction, Direction], hidden: int, *, inputs: int
) -> str:
    weights, recurrent, biases = (np.stack([_reordered(d[part]) for d in directions]) for part in range(3))
    biases = np.concatenate([biases, np.zeros_like(biases)], 1)
    parts = [graph.constant(part) for part in (weights, recurrent, biases)]
    return graph.node("LSTM", states, *parts, lengths, hidden_size=hidden, direction="bidirectional")


def _int8_lstm(
    graph: Builder, states: str, lengths: str, directions: tuple[Direction, Direction], hidden: int, *, inputs: int
) -> str:
    """The same with integers; `inputs` > 0 where the states come from a layer below, pinned units among them."""
    width = hidden + PINNED
    sizes = [(hidden, width)] * 2 if inputs else [(directions[0][0].shape[1], directions[0][0].shape[1] + PINNED)]
    quantised: list[list[Any]] = [[], [], [], [], []]
    for weight, recurrent, bias in directions:
        tall = _spread(_wide_gates(_reordered(weight), hidden), sizes)
        own = _spread(_wide_gates(_reordered(recurrent), hidden), [(hidden, width)])
        pinned = np.repeat(np.array([[-FAR], [FAR], [FAR], [0.0]], dtype=np.float32), PINNED, 1)
        gates = np.concatenate([_reordered(bias).reshape(4, hidden), pinned], 1).reshape(-1)
        for place, value in enumerate((*quantise(tall.T), *quantise(own.T), np.concatenate([gates, 0 * gates]))):
            quantised[place].append(value)
    weights, weight_scales, recurrents, recurrent_scales, biases = (np.stack(part) for part in quantised)
    zero = np.zeros(weight_scales.shape, dtype=np.int8)
    hidden_start, cell_start = np.zeros((2, 2, 1, width), dtype=np.float32)
    hidden_start[:, :, hidden:] = [1.0, -1.0]
    cell_start[:, :, hidden:] = [FAR, -FAR]
    batch = graph.node("Shape", lengths)
    one = graph.constant(np.array([1], dtype=np.int64))
    shape = graph.node("Concat", one, batch, one, axis=0)
    starts = [graph.node("Expand", graph.constant(start), shape) for start in (hidden_start, cell_start)]
    scales = [graph.constant(part) for part in (weight_scales, zero, recurrent_scales, zero)]
    parts = [graph.constant(part) for part in (weights, recurrents, biases)]
    return graph.node(
        "DynamicQuantizeLSTM",
        states,
        *parts,
        lengths,
        *starts,
        "",
        *scales,
        domain=CONTRIB,
        hidden_size=width,
        direction="bidirectional",
    )


def _reordered(gates: Array) -> Array:
    return gates.reshape(4, -1, *gates.shape[1:])[GATES].reshape(gates.shape)


def _wide_gates(weight: Array, hidden: int) -> Array:
    """(4·hidden, input) → (4·(hidden + PINNED), input), zeros for the pinned units."""
    blocks = weight.reshape(4, hidden, -1)
    return np.pad(blocks, ((0, 0), (0, PINNED), (0, 0))).reshape(4 * (hidden + PINNED), -1)


def _spread(weight: Array, sizes: Sequence[tuple[int, int]]) -> Array:
    """Zero columns for the pinned inputs behind each block of inputs; `sizes`: a block's size without and with."""
    blocks, at = [], 0
    for size, wide in sizes:
        blocks.append(np.pad(weight[:, at : at + size], ((0, 0), (0, wide - size))))
        at += size
    return np.concatenate(blocks, 1)


def _pinned_columns(embedding: Array) -> Array:
    largest = np.abs(embedding).max()
    columns = np.tile(np.array([largest, -largest], dtype=np.float32), (len(embedding), 1))
    return np.concatenate([embedding, columns], 1)
