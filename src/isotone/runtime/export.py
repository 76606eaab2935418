"""From a trained network to graphs. Needs torch and onnx; what it writes needs neither."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import ModelProto
from torch import Tensor, nn

from isotone.errors import ConfigError
from isotone.models.aligners.base import Aligner
from isotone.models.aligners.first_order import FirstOrder
from isotone.models.encoders.lstm import LSTMEncoder
from isotone.models.network import Network
from isotone.runtime.aligner_graphs import ALIGNER_GRAPHS
from isotone.runtime.builder import Builder
from isotone.runtime.encoder_graph import Direction, encoder_states
from isotone.runtime.greedy_graph import greedy_graph
from isotone.runtime.step_graph import StepWeights, step_graph

__all__ = ["graphs_of"]

Array = NDArray[np.float32]
TORCH_GATES = [0, 1, 3, 2]
"""Torch's order of gates as input, forget, output, cell: the three logistic ones side by side."""


def graphs_of(network: Network, aligner: str, *, int8: bool) -> dict[str, bytes]:
    """The graphs of a network in evaluation mode, by name; ConfigError where a part has no exported form.

    With a copy gate there is no greedy graph: what is copied has no place in the target's alphabet.
    """
    if aligner not in ALIGNER_GRAPHS:
        raise ConfigError(f"the aligner {aligner} cannot be exported, only {', '.join(ALIGNER_GRAPHS)}")
    if not isinstance(network.encoder, LSTMEncoder):
        raise ConfigError(f"the encoder {type(network.encoder).__name__} cannot be exported, only lstm")
    weights = _step_weights(network)
    graphs = {
        "encoder": _encoder(network, network.encoder, int8=int8),
        "step": step_graph(weights, aligner, int8=int8),
    }
    if not weights.gated:
        graphs["greedy"] = greedy_graph(weights, aligner, int8=int8)
    return {name: graph.SerializeToString() for name, graph in graphs.items()}


def _encoder(network: Network, encoder: LSTMEncoder, *, int8: bool) -> ModelProto:
    graph = Builder(int8=int8)
    layers = [
        (_direction(ahead), _direction(back)) for ahead, back in zip(encoder.forwards, encoder.backwards, strict=True)
    ]
    vector = _tag_vector(graph, network)
    reads_tags = getattr(encoder, "tags", None)
    added = None
    if reads_tags is not None and vector is not None:
        added = graph.node("MatMul", vector, graph.constant(_array(reads_tags.weight).T.copy()))
    states, width = encoder_states(graph, _array(encoder.embedding.weight), layers, added)
    key, bias = _array(network.aligner.key.weight), _array(network.aligner.key.bias)
    if isinstance(network.aligner, FirstOrder):  # U_k·(T h_e + b), which needs no query
        from_key = _array(network.aligner.jump.weight)[:, key.shape[0] :]
        key, bias = from_key @ key, from_key @ bias
    hidden = encoder.memory_size // 2
    outputs: dict[str, Any] = {
        "keys": (
            graph.linear(states, _wide(key, hidden, width).T, bias),
            ["batch", "state", len(key)],
        )
    }
    features = _array(network.emission.memory.weight)
    outputs["features"] = (
        graph.linear(states, _wide(features, hidden, width).T),
        ["batch", "state", len(features)],
    )
    if vector is not None:
        weight = _array(network.decoder.lstm.weight_ih_l0)[:, network.decoder.embedding.embedding_dim :]
        gates = graph.node("MatMul", vector, graph.constant(_gates(weight).T.copy()))
        outputs["tag_gates"] = (gates, ["batch", len(weight)])
    return graph.model(outputs, "encoder")


def _tag_vector(graph: Builder, network: Network) -> str | None:
    """ReLU(Y·[e(t1); …]), in fp32: it is computed once per word."""
    if network.tags is None:
        return None
    embedding, mix = _array(network.tags.embedding.weight), _array(network.tags.mix.weight)
    count, size = embedding.shape
    # Y·[present_t · e(t)]_t is linear in what is present: one row per tag.
    rows = np.einsum("mts,ts->tm", mix.reshape(size, count, size), embedding)
    product = graph.node("MatMul", graph.input("tags", ["batch", count]), graph.constant(rows))
    return graph.node("Relu", graph.node("Add", product, graph.constant(_array(network.tags.mix.bias))))


def _step_weights(network: Network) -> StepWeights:
    decoder, emission = network.decoder, network.emission
    size = decoder.embedding.embedding_dim
    given = _array(decoder.lstm.weight_ih_l0)[:, :size]
    bias = _array(decoder.lstm.bias_ih_l0) + _array(decoder.lstm.bias_hh_l0)
    never = emission.first_output  # ids that are never written
    output = np.pad(_array(emission.output.weight), ((never, 0), (0, 0)))
    output_bias = np.pad(_array(emission.output.bias), (never, 0), constant_values=-np.inf)
    if emission.gate is not None:
        output = np.concatenate([output, _array(emission.gate.weight)])
        output_bias = np.concatenate([output_bias, _array(emission.gate.bias)])
    return StepWeights(
        symbols=_array(decoder.embedding.weight) @ _gates(given).T + _gates(bias),
        recurrent=_gates(_array(decoder.lstm.weight_hh_l0)).T,
        tags=network.tags is not None,
        query=_array(emission.query.weight).T,
        query_bias=_array(emission.query.bias),
        output=output.T,
        output_bias=output_bias,
        gated=emission.gate is not None,
        jump=_jump(network.aligner),
    )


def _jump(aligner: Aligner) -> tuple[Array, Array] | None:
    if not isinstance(aligner, FirstOrder):
        return None
    from_query = _array(aligner.jump.weight)[:, : aligner.key.out_features]
    return from_query.T, _array(aligner.jump.bias)


def _direction(lstm: nn.Module) -> Direction:
    weights = {name: _array(value) for name, value in lstm.named_parameters()}
    return weights["weight_ih_l0"], weights["weight_hh_l0"], weights["bias_ih_l0"] + weights["bias_hh_l0"]


def _wide(weight: Array, hidden: int, width: int) -> Array:
    """(output, 2·hidden) → (output, 2·width): zeros for the pinned units of both directions."""
    blocks = weight.reshape(len(weight), 2, hidden)
    return np.pad(blocks, ((0, 0), (0, 0), (0, width - hidden))).reshape(len(weight), 2 * width)


def _gates(weight: Array) -> Array:
    return weight.reshape(4, -1, *weight.shape[1:])[TORCH_GATES].reshape(weight.shape)


def _array(value: Tensor | nn.Module) -> Array:
    assert isinstance(value, Tensor)
    found: Array = value.detach().cpu().float().numpy()
    return found
