"""Writing ONNX graphs: nodes and weights by name, matrix products in fp32 or int8."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnx import GraphProto, ModelProto, TensorProto, helper, numpy_helper

__all__ = ["LEVELS", "Builder", "quantise"]

OPSET, IR = 18, 8
CONTRIB = "com.microsoft"
"""ONNX Runtime's own operators."""
ACTIVATION = np.float32(1 / 127)
"""What one level of an 8-bit activation stands for. Every input of a quantised product is an LSTM's state or a tanh, so
it lies in [−1, 1] whatever the input: the scale is fixed, and no row depends on the others in its batch."""
ZERO = np.uint8(128)
LEVELS = 64
"""Weights are quantised to −64…64. AVX2 adds pairs of products of 8-bit numbers in 16 bits, which overflow beyond that:
the answer would then depend on the processor."""


def quantise(weight: NDArray[np.float32]) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """A (input, output) matrix as integers and one scale per output."""
    largest = np.abs(weight).max(0)
    scale = np.where(largest > 0, largest, 1.0).astype(np.float32) / np.float32(LEVELS)
    return np.rint(weight / scale).astype(np.int8), scale


class Builder:
    """A graph in the making. Values are referred to by the names that the methods return."""

    def __init__(self, *, int8: bool, feature_size: int = 0, prefix: str = "") -> None:
        """`feature_size` is the width of a step's input of encoded sources; a graph inside another one needs a `prefix`
        for its names."""
        self.int8 = int8
        self._prefix = prefix
        self.feature_size = feature_size
        self._nodes: list[Any] = []
        self._weights: dict[str, NDArray[Any]] = {}
        self._quantised: dict[str, str] = {}
        self._inputs: list[Any] = []

    def input(self, name: str, shape: Sequence[int | str], dtype: int = TensorProto.FLOAT) -> str:
        """An input of the graph; axes that vary have names."""
        self._inputs.append(helper.make_tensor_value_info(name, dtype, list(shape)))
        return name

    def features(self) -> str:
        """The step's input of encoded sources."""
        return self.input("features", ["batch", "state", self.feature_size])

    def constant(self, value: Any) -> str:
        """A weight, or any array that is part of the graph."""
        array = np.ascontiguousarray(value)
        for name, known in self._weights.items():
            alike = known.size < 16 and known.dtype == array.dtype and known.shape == np.shape(value)
            if alike and np.array_equal(known, array.reshape(known.shape)):
                return name
        name = f"{self._prefix}w{len(self._weights)}"
        self._weights[name] = array.reshape(np.shape(value))
        return name

    def node(self, operator: str, *inputs: str, domain: str = "", **attributes: Any) -> str:
        """A node with one output; an input that is left out is the empty string."""
        return self.nodes(operator, *inputs, outputs=1, domain=domain, **attributes)[0]

    def nodes(self, operator: str, *inputs: str, outputs: int, domain: str = "", **attributes: Any) -> list[str]:
        """A node with several outputs."""
        names = [f"{self._prefix}v{len(self._nodes)}_{place}" for place in range(outputs)]
        self._nodes.append(helper.make_node(operator, list(inputs), names, domain=domain, **attributes))
        return names

    def axes(self, axis: int) -> str:
        """One axis, as operators take it."""
        return self.constant(np.array([axis], dtype=np.int64))

    def linear(self, x: str, weight: NDArray[np.float32], bias: NDArray[np.float32] | None = None) -> str:
        """x · weight (input, output) + bias, where every number of `x` lies in [−1, 1]."""
        if not self.int8:
            product = self.node("MatMul", x, self.constant(weight.astype(np.float32)))
            return product if bias is None else self.node("Add", product, self.constant(bias))
        integers, scale = quantise(weight)
        return self.node(
            "MatMulIntegerToFloat",
            self._levels(x),
            self.constant(integers),
            self.constant(ACTIVATION),
            self.constant(scale),
            self.constant(ZERO),
            "",
            "" if bias is None else self.constant(bias),
            domain=CONTRIB,
        )

    def _levels(self, x: str) -> str:
        if x not in self._quantised:
            self._quantised[x] = self.node("QuantizeLinear", x, self.constant(ACTIVATION), self.constant(ZERO))
        return self._quantised[x]

    def model(
        self,
        outputs: Mapping[str, tuple[str, Sequence[int | str]]],
        name: str,
        integers: Collection[str] = (),
    ) -> ModelProto:
        """The finished graph; `outputs` gives each output's name the value and the shape it has, in fp32 or int64."""
        public_names = {value: public for public, (value, _) in outputs.items()}
        for node in self._nodes:
            for names in (node.input, node.output):
                for place, value in enumerate(names):
                    names[place] = public_names.get(value, value)
        types = {public: TensorProto.INT64 if public in integers else TensorProto.FLOAT for public in outputs}
        graph = self.graph([(public, types[public], shape) for public, (_, shape) in outputs.items()], name)
        domains = [helper.make_opsetid("", OPSET), helper.make_opsetid(CONTRIB, 1)]
        return helper.make_model(graph, opset_imports=domains, ir_version=IR, producer_name="isotone")

    def graph(self, outputs: Sequence[tuple[str, int, Sequence[int | str]]], name: str) -> GraphProto:
        """The graph, to be part of a model or of another graph; outputs are values with their types and shapes."""
        infos = [helper.make_tensor_value_info(value, kind, list(shape)) for value, kind, shape in outputs]
        weights = [numpy_helper.from_array(array, name) for name, array in self._weights.items()]
        return helper.make_graph(self._nodes, name, self._inputs, infos, weights)
