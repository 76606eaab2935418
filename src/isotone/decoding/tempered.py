"""A temperature on every symbol: p_T(y_i | prefix) ∝ p(y_i | prefix)^{1/T}, again a distribution over strings.

Each step is normalised by itself, over all symbols and the EOS, so prefixes still have the mass of their continuations
and every decoder works, exact search with its certificate included. What has probability 0 keeps it. The most probable
symbol after a prefix stays the same, so greedy decoding writes the same strings; the most probable whole string may be
another one. Alignments given a pair are those of the model itself: p_T(y, a | x) = p_T(y | x) · p(a | x, y).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.protocol import Aligned, Floats, Ids, Memory, Model, State, Step
from isotone.errors import ConfigError
from isotone.text.codec import Encoded

__all__ = ["Tempered", "TemperedMemory", "TemperedState", "TemperedStep", "forced", "log_softmax"]

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class TemperedMemory:
    """The sources as the model has encoded them."""

    part: Memory
    log_start: NDArray[np.float64]
    """(row,) zeros: log p_T of the empty prefix."""

    def select(self, rows: Ids) -> TemperedMemory:
        """The given rows, in the given order; a row may come several times."""
        return TemperedMemory(self.part.select(rows), self.log_start[rows])


@dataclass(frozen=True, eq=False)
class TemperedState:
    """The prefixes in the model, with their own probabilities."""

    part: State
    log_prefix: NDArray[np.float64]
    """(row,) log p_T(prefix | x)."""

    def join(self, others: Sequence[TemperedState]) -> TemperedState:
        """Its rows and then those of the others, in order."""
        log_prefix = np.concatenate([self.log_prefix, *(other.log_prefix for other in others)])
        return TemperedState(self.part.join([other.part for other in others]), log_prefix)


@dataclass(frozen=True, eq=False)
class TemperedStep:
    """Every continuation of a batch of prefixes."""

    part: Step
    log_symbols: Floats
    """(row, symbol) log p_T(prefix + symbol | x)."""

    def choose(self, symbols: Ids, rows: Ids | None = None) -> TemperedState:
        """The state after the given symbols, each continuing the prefix in `rows` (all, in order)."""
        if rows is None:
            rows = np.arange(len(symbols))
        return TemperedState(self.part.choose(symbols, rows), self.log_symbols[rows, symbols])


class Tempered:
    """A model whose every symbol has been given a temperature: above 1 it is less sure of itself, below 1 more."""

    def __init__(self, model: Model, temperature: float) -> None:
        """Any model: a network, a mixture, another engine."""
        if not 0 < temperature < math.inf:
            raise ConfigError(f"a temperature is a positive number, found {temperature}")
        self.model = model
        self.temperature = float(temperature)

    @property
    def backwards(self) -> bool:
        """As the model."""
        return bool(getattr(self.model, "backwards", False))

    def encode(self, sources: Sequence[Encoded]) -> TemperedMemory:
        """The sources as the model reads them."""
        return TemperedMemory(self.model.encode(sources), np.zeros(len(sources)))

    def start(self, memory: TemperedMemory) -> TemperedState:
        """The empty prefix of each source."""
        return TemperedState(self.model.start(memory.part), memory.log_start)

    def step(self, state: TemperedState, memory: TemperedMemory) -> TemperedStep:
        """Every continuation of every prefix by one symbol."""
        step = self.model.step(state.part, memory.part)
        # The model's own log p(prefix) is the same for all symbols of a row, so it drops out.
        log_conditional = log_softmax(step.log_symbols / self.temperature)
        return TemperedStep(step, state.log_prefix[:, None] + log_conditional)

    def log_probs(self, pairs: Sequence[Encoded]) -> NDArray[np.float64]:
        """Exact log p_T(y | x) of each pair, symbol by symbol: every step needs its own normaliser."""
        values = np.full(len(pairs), -math.inf)
        for rows, log_symbols, symbols, last in forced(self, pairs):
            values[rows[last]] = log_symbols[last, symbols[last]]
        return values

    def align(self, pairs: Sequence[Encoded]) -> list[Aligned]:
        """The model's own alignments, with p_T(y | x)."""
        found = zip(self.model.align(pairs), self.log_probs(pairs).tolist(), strict=True)
        return [replace(aligned, log_prob=log_prob) for aligned, log_prob in found]

    def sample_paths(self, pair: Encoded, count: int, seed: int | None = None) -> Ids:
        """Of the model itself."""
        return self.model.sample_paths(pair, count, seed)

    def each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """As the model does it."""
        return self.model.each(work, items)


def forced(model: Model, pairs: Sequence[Encoded]) -> Iterator[tuple[Ids, Floats, Ids, NDArray[np.bool_]]]:
    """The model along given targets: at each step (pairs still being written, their `log_symbols`, the symbols that
    follow, whether those are the last). A pair leaves where its target ends or its probability is 0.

    A model that writes backwards goes along targets from their ends."""
    backwards = getattr(model, "backwards", False)
    targets = [(pair.turned() if backwards else pair).target or () for pair in pairs]
    memory = model.encode(pairs)
    state, rows, length = model.start(memory), np.arange(len(pairs)), 0
    while len(rows):
        step = model.step(state, memory)
        symbols = np.array([targets[row][length] for row in rows])
        last = np.array([len(targets[row]) == length + 1 for row in rows])
        yield rows, step.log_symbols, symbols, last
        length += 1
        kept = np.flatnonzero(~last & (step.log_symbols[np.arange(len(rows)), symbols] > -math.inf))
        if not len(kept):
            return
        state, rows = step.choose(symbols[kept], kept), rows[kept]
        memory = memory.select(kept)


def log_softmax(values: Floats) -> NDArray[np.float64]:
    """Rows that sum to 1, in log space and in double precision; −inf stays, and so does a row that has nothing else."""
    wide = np.asarray(values, dtype=np.float64)
    peak = np.maximum(wide.max(1, keepdims=True), np.finfo(np.float64).min)
    with np.errstate(divide="ignore"):
        log_total = np.log(np.exp(wide - peak).sum(1, keepdims=True)) + peak
    return np.asarray(wide - np.maximum(log_total, np.finfo(np.float64).min))
