"""Several sources of one target: p(y | x_1, …, x_n) = 1/n Σ_k p(y | x_k), again a distribution over strings.

The same of every prefix, so every decoder works on it, exact search with its certificate included. The mean of log p
would be no distribution: it does not sum to 1, and nothing could be certified without adding up all strings.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.mixture import log_sum
from isotone.decoding.protocol import Aligned, Floats, Ids, Memory, Model, State, Step
from isotone.text.codec import Encoded

__all__ = ["SeveralSources"]

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class _Memory:
    """Each row is `width` rows of the model: its sources, and then its first one again, with no weight."""

    part: Memory
    log_weights: NDArray[np.float64]
    """(row, source) −log n, −inf past a row's n sources."""

    def select(self, rows: Ids) -> _Memory:
        return _Memory(self.part.select(_spread(rows, self.log_weights.shape[1])), self.log_weights[rows])


@dataclass(frozen=True, eq=False)
class _State:
    part: State

    def join(self, others: Sequence[_State]) -> _State:
        return _State(self.part.join([other.part for other in others]))


@dataclass(frozen=True, eq=False)
class _Step:
    part: Step
    log_symbols: Floats
    """(row, symbol) log 1/n Σ_k p(prefix + symbol | x_k)."""
    width: int

    def choose(self, symbols: Ids, rows: Ids | None = None) -> _State:
        chosen = np.arange(len(symbols)) if rows is None else rows
        return _State(self.part.choose(np.repeat(symbols, self.width), _spread(chosen, self.width)))


class SeveralSources:
    """A model that reads the `others` of its sources too. Alignments are those of the first source alone."""

    def __init__(self, model: Model) -> None:
        """Any model: a network, a mixture, another engine; without a copy gate, whose ids are those of one source."""
        self.model = model

    @property
    def backwards(self) -> bool:
        """As the model."""
        return bool(getattr(self.model, "backwards", False))

    def encode(self, sources: Sequence[Encoded]) -> _Memory:
        """All sources of every row."""
        groups = [(replace(source, others=()), *source.others) for source in sources]
        width = max(map(len, groups))
        flat = [source for group in groups for source in (*group, *group[:1] * (width - len(group)))]
        weights = np.full((len(groups), width), -math.inf)
        for row, group in enumerate(groups):
            weights[row, : len(group)] = -math.log(len(group))
        return _Memory(self.model.encode(flat), weights)

    def start(self, memory: _Memory) -> _State:
        """The empty prefix of each row."""
        return _State(self.model.start(memory.part))

    def step(self, state: _State, memory: _Memory) -> _Step:
        """Every continuation of every prefix by one symbol."""
        step, width = self.model.step(state.part, memory.part), memory.log_weights.shape[1]
        log_parts = step.log_symbols.reshape(-1, width, step.log_symbols.shape[1])
        log_weighted = log_parts + memory.log_weights.astype(log_parts.dtype)[:, :, None]
        return _Step(step, log_sum(log_weighted, 1), width)

    def log_probs(self, pairs: Sequence[Encoded]) -> NDArray[np.float64]:
        """Exact log p(y | x_1, …, x_n) of each pair, in nats."""
        groups = [(replace(pair, others=()), *(replace(o, target=pair.target) for o in pair.others)) for pair in pairs]
        values = np.asarray(self.model.log_probs([pair for group in groups for pair in group]), dtype=np.float64)
        ends = np.cumsum([len(group) for group in groups])
        return np.array([log_sum(part, 0) - math.log(len(part)) for part in np.split(values, ends[:-1])])

    def align(self, pairs: Sequence[Encoded]) -> list[Aligned]:
        """Of the first sources."""
        return self.model.align([replace(pair, others=()) for pair in pairs])

    def sample_paths(self, pair: Encoded, count: int, seed: int | None = None) -> Ids:
        """Of the first source."""
        return self.model.sample_paths(replace(pair, others=()), count, seed)

    def each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """As the model does it."""
        return self.model.each(work, items)


def _spread(rows: Ids, width: int) -> Ids:
    """The model's rows of these rows."""
    return np.asarray((np.asarray(rows)[:, None] * width + np.arange(width)).reshape(-1))
