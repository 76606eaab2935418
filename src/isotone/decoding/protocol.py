"""What search needs of a model: encode, start, step, choose, with numpy arrays in and out.

The torch network (`isotone.models.inference`) and `Mixture` implement `Model`; another engine only has to do the same.
What an engine keeps in its memories and states is its own business: search passes them back and never looks inside.
An engine may have a method `trails` besides (see `isotone.decoding.shortcut`), which search can do without.
A model whose `backwards` is true writes from the end, and one with `ways` is a mixture of both directions: see
`isotone.decoding.directions`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from isotone.text.codec import Encoded

__all__ = ["Aligned", "Floats", "Ids", "Memory", "Model", "State", "Step", "Trail"]

Ids = NDArray[np.int64]
"""Rows of a batch, or vocabulary ids."""
Floats = NDArray[Any]
"""Log-probabilities in the engine's own precision, 32 or 64 bits."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(frozen=True, eq=False)
class Aligned:
    """The alignments of one pair over its source positions (BOS is 0)."""

    log_prob: float
    """log p(y | x), −inf where no alignment is possible."""
    path: Ids
    """(target,) the most probable alignment; −1 everywhere for a pair of probability 0."""
    posterior: NDArray[np.float64]
    """(target, state) p(a_i = j | x, y); all zeros for a pair of probability 0."""
    stays: NDArray[np.float64] | None = None
    """(target, state) p(a_{i−1} = a_i = j | x, y): both symbols come from j; None where the engine does not know."""
    silence: NDArray[np.float64] | None = None
    """(state,) p(no symbol but the final EOS comes from j | x, y); None where it is not known exactly."""


@dataclass(frozen=True, eq=False, slots=True)
class Trail:
    """The greedy string of one source, and the three most probable continuations of every prefix on its way.

    It ends with the first EOS, or where the engine gave up; what comes behind an EOS means nothing.
    """

    symbols: list[list[int]]
    """(target, rank) best first; the first one is taken."""
    probabilities: list[list[float]]
    """(target, rank) p(prefix + symbol | x)."""
    negligible: float
    """The most that the engine may have left out at a step, as a share of p(prefix | x)."""


class Memory(Protocol):
    """Encoded sources."""

    def select(self, rows: Ids) -> Any:
        """The given rows, in the given order; a row may come several times."""
        ...


class State(Protocol):
    """A batch of prefixes."""

    def join(self, others: Sequence[Any]) -> Any:
        """Its rows and then those of the others, in order."""
        ...


class Step(Protocol):
    """Every continuation of a batch of prefixes."""

    @property
    def log_symbols(self) -> Floats:
        """(row, symbol): log p(prefix + symbol | x) over vocabulary ids. Callers may not write to it."""
        ...

    def choose(self, symbols: Ids, rows: Ids | None = None) -> Any:
        """The state after the given symbols, each continuing the prefix in `rows` (all, in order)."""
        ...


class Model(Protocol):
    """A distribution over strings given a source."""

    def encode(self, sources: Sequence[Encoded]) -> Any:
        """The memory of the sources."""
        ...

    def start(self, memory: Any) -> Any:
        """The state of the empty prefix of each source."""
        ...

    def step(self, state: Any, memory: Any) -> Any:
        """Every continuation by one symbol, as a `Step`."""
        ...

    def log_probs(self, pairs: Sequence[Encoded]) -> NDArray[np.float64]:
        """(pair,) exact log p(y | x) in nats."""
        ...

    def align(self, pairs: Sequence[Encoded]) -> list[Aligned]:
        """The best alignment and the posteriors of each pair."""
        ...

    def sample_paths(self, pair: Encoded, count: int, seed: int | None = None) -> Ids:
        """(count, target) alignments drawn from p(a | x, y); none (0, target) for a pair of probability 0."""
        ...

    def each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """`work` on every item, results in order; side by side where the engine gains by it."""
        ...
