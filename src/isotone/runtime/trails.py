"""Greedy strings of an exported model, a batch with one call of its greedy graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.protocol import Trail
from isotone.runtime.engine import Graph
from isotone.runtime.memory import Memory
from isotone.text.vocabulary import EOS, UNK

__all__ = ["NEGLIGIBLE", "trails"]

NEGLIGIBLE = 1e-8
"""A step leaves out positions that together have no more than this share of the prefix's probability: fp32 cannot add
them."""
STEPS = 2, 10
"""Steps per source symbol, and besides, after which a string is given up: most probably it is a loop."""
FEW = 16
"""Once less than one in this many strings has not ended, these begin again in a batch of their own."""


def trails(graph: Graph, memory: Memory, unknowns: NDArray[np.bool_] | None, needed: Sequence[str]) -> list[Trail]:
    """For each source; `needed` names what the graph wants of the memory besides the features."""
    rows = len(memory.lengths)
    few = rows // FEW
    out = graph.run(_feeds(graph, memory, unknowns, needed, few))
    symbols, probabilities = (out[name][:, :, 0].swapaxes(0, 1) for name in ("symbols", "probabilities"))
    both = zip(symbols.tolist(), probabilities.tolist(), strict=True)
    found = [Trail(ids, values, NEGLIGIBLE) for ids, values in both]
    if few:
        open_ = np.flatnonzero(~(symbols[:, :, 0] == EOS).any(1))
        if 0 < len(open_) <= few:  # more are open where they ran into the limit of steps
            again = trails(graph, memory.select(open_), None if unknowns is None else unknowns[open_], needed)
            for row, trail in zip(open_.tolist(), again, strict=True):
                found[row] = trail
    return found


def _feeds(
    graph: Graph, memory: Memory, unknowns: NDArray[np.bool_] | None, needed: Sequence[str], few: int
) -> dict[str, Any]:
    rows, size = memory.features.shape[:2]
    belief = np.zeros((rows, 1 if graph.inputs["belief"][1][1] == 1 else size, 1), dtype=np.float32)
    belief[:, 0] = 1
    negligible = np.float32(NEGLIGIBLE) / memory.lengths.astype(np.float32)
    feeds: dict[str, Any] = {
        "features": memory.features,
        "belief": belief,
        "negligible": negligible.reshape(rows, 1, 1),
        "steps": np.array(STEPS[0] * size + STEPS[1]),
        "few": np.array(few),
        **memory.constants,
    }
    for name in needed:
        feeds[name] = getattr(memory, name)
    if "writable" in graph.inputs:
        writable = np.ones((rows, 1, graph.inputs["writable"][1][2]), dtype=np.float32)
        if unknowns is not None:
            writable[~unknowns, :, UNK] = 0
        feeds["writable"] = writable
    return feeds
