"""Ancestral samples of strings, each with its exact log-probability."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from isotone.decoding.constraint import Constraint
from isotone.decoding.hypothesis import Hypothesis
from isotone.decoding.protocol import Floats, Ids, Model
from isotone.decoding.space import SearchSpace
from isotone.decoding.walk import walk
from isotone.errors import ConfigError
from isotone.text.codec import Encoded

__all__ = ["sample_strings"]


def sample_strings(
    model: Model,
    sources: Sequence[Encoded],
    *,
    count: int = 1,
    generator: np.random.Generator | None = None,
    max_length: int | None = None,
    constraint: Constraint | None = None,
) -> list[tuple[Hypothesis, ...]]:
    """`count` strings for each source, drawn from p(y | x), in the order drawn: the same string may come again.

    Under a constraint each symbol is drawn among those allowed, renormalised; the log-probability that comes with a
    string is the model's own log p(y | x) all the same. A string that reaches its limit is ended there by EOS; one that
    the constraint does not allow to end there is left out, the only way to get fewer than `count`.
    """
    if count < 1:
        raise ConfigError(f"count must be at least 1, not {count}")
    random = generator or np.random.default_rng()
    rows = np.repeat(np.arange(len(sources)), count)

    def draw(log_symbols: Floats) -> tuple[Floats, Ids]:
        peak = np.maximum(log_symbols.max(1, keepdims=True), np.finfo(log_symbols.dtype).min)
        mass = np.exp(log_symbols - peak, dtype=np.float64).cumsum(1)
        # The first symbol whose cumulative mass exceeds the threshold, so never one of probability 0.
        symbols = (mass > random.random((len(mass), 1)) * mass[:, -1:]).argmax(1)
        return log_symbols[np.arange(len(symbols)), symbols], symbols

    memory = model.encode(sources)
    space = SearchSpace(model, sources, memory, max_length=max_length, constraint=constraint, idle_copies=True)
    drawn = walk(space.select(rows), draw)
    return [
        tuple(written.hypothesis for written in drawn[first : first + count] if written.hypothesis is not None)
        for first in range(0, len(drawn), count)
    ]
