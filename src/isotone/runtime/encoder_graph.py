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


def encoder_states(
    graph: Builder, embedding: Array, layers: Sequence[tuple[Direction, Direction]], added: str | None = None
) -> tuple[str, int]:
    """(batch, state, feature) states of the bidirectional LSTM, and how many of the features belong to a direction.

    In int8 the last `PINNED` features of each direction are no states but constants. `added` (batch, embedding) is
    added to every symbol's embedding; the first layer then has no fixed range and stays in fp32.
    """
    source = graph.input("source", ["batch", "state"], TensorProto.INT64)
    lengths = graph.input("lengths", ["batch"], TensorProto.INT32)
    table = _pinned_columns(embedding) if graph.int8 and added is None else embedding
    by_time = graph.node("Transpose", source, perm=[1, 0])
    states = graph.node("Gather", graph.constant(table), by_time)
    if added is not None:
        states = graph.node("Add", states, graph.node("Unsqueeze", added, graph.axes(0)))
    hidden = layers[0][0][1].shape[1]
    width = hidden + PINNED if graph.int8 else hidden
    for place, directions in enumerate(layers):
        if not graph.int8:
            both = _lstm(graph, states, lengths, directions)
        else:
            both = _pinned_lstm(
                graph, states, lengths, directions, first=place == 0, quantised=place > 0 or added is None
            )
        last = place == len(layers) - 1
        side_by_side = graph.node("Transpose", both, perm=[2, 0, 1, 3] if last else [0, 2, 1, 3])
        states = graph.node("Reshape", side_by_side, graph.constant(np.array([0, 0, 2 * width], dtype=np.int64)))
    return states, width


def _lstm(
    graph: Builder,
    states: str,
    lengths: str,
    directions: tuple[Direction, Direction],
    starts: Sequence[str] = (),
) -> str:
    weights, recurrent, biases = (np.stack([_reordered(d[part]) for d in directions]) for part in range(3))
    hidden = recurrent.shape[2]
    biases = np.concatenate([biases, np.zeros_like(biases)], 1)
    parts = [graph.constant(part) for part in (weights, recurrent, biases)]
    return graph.node("LSTM", states, *parts, lengths, *starts, hidden_size=hidden, direction="bidirectional")


def _pinned_lstm(
    graph: Builder,
    states: str,
    lengths: str,
    directions: tuple[Direction, Direction],
    *,
    first: bool,
    quantised: bool,
) -> str:
    """The same with pinned units; their inputs come with the embeddings (`first`) or from the layer below."""
    hidden = directions[0][1].shape[1]
    starts = _pinned_starts(graph, lengths, hidden)
    size = directions[0][0].shape[1]
    sizes = [(hidden, hidden + PINNED)] * 2 if not first else [(size, size + PINNED if quantised else size)]
    wide = (_pinned(directions[0], sizes), _pinned(directions[1], sizes))
    if not quantised:
        return _lstm(graph, states, lengths, wide, starts)
    parts: list[list[Any]] = [[], [], [], [], []]
    for weight, recurrent, bias in wide:
        gates = _reordered(bias)
        integers = (*quantise(_reordered(weight).T), *quantise(_reordered(recurrent).T))
        for place, value in enumerate((*integers, np.concatenate([gates, 0 * gates]))):
            parts[place].append(value)
    weights, weight_scales, recurrents, recurrent_scales, biases = (np.stack(part) for part in parts)
    zero = np.zeros(weight_scales.shape, dtype=np.int8)
    return graph.node(
        "DynamicQuantizeLSTM",
        states,
        *(graph.constant(part) for part in (weights, recurrents, biases)),
        lengths,
        *starts,
        "",
        *(graph.constant(part) for part in (weight_scales, zero, recurrent_scales, zero)),
        domain=CONTRIB,
        hidden_size=hidden + PINNED,
        direction="bidirectional",
    )


def _pinned(direction: Direction, sizes: Sequence[tuple[int, int]]) -> Direction:
    """A direction's weights with the pinned units: they keep the cell they begin with, and let it out."""
    weight, recurrent, bias = direction
    hidden = recurrent.shape[1]
    gates = np.array([[-FAR], [FAR], [0.0], [FAR]], dtype=np.float32)  # input, forget, cell, output
    return (
        _spread(_wide_gates(weight, hidden), sizes),
        _spread(_wide_gates(recurrent, hidden), [(hidden, hidden + PINNED)]),
        np.concatenate([bias.reshape(4, hidden), np.repeat(gates, PINNED, 1)], 1).reshape(-1),
    )


def _pinned_starts(graph: Builder, lengths: str, hidden: int) -> list[str]:
    """The first hidden and cell states: zeros, and ±1 and what gives ±1 in the pinned units."""
    hidden_start, cell_start = np.zeros((2, 2, 1, hidden + PINNED), dtype=np.float32)
    hidden_start[:, :, hidden:] = [1.0, -1.0]
    cell_start[:, :, hidden:] = [FAR, -FAR]
    one = graph.constant(np.array([1], dtype=np.int64))
    shape = graph.node("Concat", one, graph.node("Shape", lengths), one, axis=0)
    return [graph.node("Expand", graph.constant(start), shape) for start in (hidden_start, cell_start)]


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
