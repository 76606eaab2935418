"""A graph on ONNX Runtime, on one thread, made when it is first needed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from isotone.errors import ModelError
from isotone.runtime.logspace import Array

__all__ = ["Graph"]


class Graph:
    """One graph. Its session has a single thread and so no thread pool: nothing that a fork could lose."""

    def __init__(self, content: bytes, place: str) -> None:
        """`place` is the file's name, for messages."""
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.enable_mem_pattern = False  # shapes differ from call to call
        try:
            self._session = ort.InferenceSession(content, options, providers=["CPUExecutionProvider"])
        except Exception as error:  # onnxruntime has a dozen of its own, without a common base
            reason = next(iter(str(error).splitlines()), type(error).__name__)
            raise ModelError(f"{place}: not a graph that onnxruntime can run ({reason})") from error
        self.inputs = {one.name: (one.type, tuple(one.shape)) for one in self._session.get_inputs()}
        self.outputs = {one.name: (one.type, tuple(one.shape)) for one in self._session.get_outputs()}
        self._names = list(self.outputs)
        # The session's own `run` checks the names of inputs again at every call, which takes longer than a small graph.
        self._run = getattr(self._session, "_sess", self._session).run

    def run(self, feeds: Mapping[str, Any]) -> dict[str, Array]:
        """The outputs by name."""
        return dict(zip(self._names, self._run(self._names, feeds, None), strict=True))
