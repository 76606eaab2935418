"""Ancestral samples of strings, each with its exact log-probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from isotone.decoding.constraint import Constraint
from isotone.decoding.directions import is_backwards, turned
from isotone.decoding.hypothesis import Hypothesis
from isotone.decoding.protocol import Floats, Ids, Model
from isotone.decoding.space import SearchSpace
from isotone.decoding.walk import walk
from isotone.errors import ConfigError
from isotone.text.codec import Encoded
from isotone.text.vocabulary import EOS

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

    if hasattr(model, "ways"):
        options = {"generator": random, "max_length": max_length, "constraint": constraint}
        return [_of_both(model, source, count, **options) for source in sources]
    backwards = is_backwards(model)
    memory = model.encode(sources)
    allowed = turned(constraint) if backwards else constraint
    space = SearchSpace(model, sources, memory, max_length=max_length, constraint=allowed, idle_copies=True)
    drawn = [written.hypothesis for written in walk(space.select(rows), draw)]
    if backwards:
        drawn = [one and Hypothesis(one.symbols[::-1], one.log_prob) for one in drawn]
    return [tuple(one for one in drawn[first : first + count] if one) for first in range(0, len(drawn), count)]


def _of_both(model: Model, source: Encoded, count: int, **options: Any) -> tuple[Hypothesis, ...]:
    """Each string from a direction drawn by its weight, with its log-probability under both."""
    ways, weights = model.ways, model.weights  # type: ignore[attr-defined]
    chosen = options["generator"].choice(len(ways), size=count, p=weights)
    drawn: list[tuple[int, Hypothesis]] = []
    for place, way in enumerate(ways):
        rows = np.flatnonzero(chosen == place).tolist()
        if rows:
            (found,) = sample_strings(way, [source], count=len(rows), **options)
            drawn += zip(rows, found, strict=False)  # fewer, where a constraint lets a string not end
    if not drawn:
        return ()
    strings = [one.symbols for _, one in sorted(drawn, key=lambda pair: pair[0])]
    values = model.log_probs([replace(source, target=(*string, EOS), unseen=()) for string in strings]).tolist()
    return tuple(Hypothesis(string, value) for string, value in zip(strings, values, strict=True))
