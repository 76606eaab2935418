"""Greedy decoding: the paper's Algorithm 1, batched."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isotone.decoding.constraint import Constraint
from isotone.decoding.hypothesis import Decoded
from isotone.decoding.protocol import Floats, Ids, Model
from isotone.decoding.shortcut import greedy_answer, with_shortcuts
from isotone.decoding.walk import length_limits, walk
from isotone.text.codec import Encoded

__all__ = ["greedy_search"]


def greedy_search(
    model: Model, sources: Sequence[Encoded], *, max_length: int | None = None, constraint: Constraint | None = None
) -> list[Decoded]:
    """At each step the symbol with the highest *marginal* Σ_a among those allowed.

    A word that reaches its limit is ended there by EOS, and its log-probability is that of the string so ended; there
    is no hypothesis where the constraint does not allow the string to end there.
    """
    limits = length_limits(sources, max_length)

    def search(memory: Any, rows: Ids) -> list[Decoded]:
        written = walk(model, memory, limits=limits[rows], pick=_most_probable, constraint=constraint)
        return [Decoded(() if one.hypothesis is None else (one.hypothesis,), cut=one.cut) for one in written]

    memory = model.encode(sources)
    return with_shortcuts(model, memory, limits, constraint=constraint, answer=greedy_answer, search=search)


def _most_probable(log_symbols: Floats) -> tuple[Floats, Ids]:
    symbols: Ids = log_symbols.argmax(1)
    return log_symbols[np.arange(len(symbols)), symbols], symbols
