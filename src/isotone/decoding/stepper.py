"""What a decoder needs of a model: encode, start, step, choose. One model has it, and so has a mixture of several."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from torch import Tensor

from isotone.data.batch import Batch

__all__ = ["Memory", "Scorer", "State", "Step", "Stepper"]


class Memory(Protocol):
    """Encoded sources."""

    def select(self, rows: Tensor) -> Any:
        """The given rows."""
        ...


class State(Protocol):
    """A batch of prefixes."""

    def select(self, rows: Tensor) -> Any:
        """The given rows."""
        ...

    def join(self, others: Sequence[Any]) -> Any:
        """Its rows and then those of the others, in order."""
        ...


class Step(Protocol):
    """Every continuation of a batch of prefixes."""

    @property
    def log_symbols(self) -> Tensor:
        """(batch, symbol): log p(prefix + symbol | x) over vocabulary ids."""
        ...

    def choose(self, symbols: Tensor, rows: Tensor | None = None) -> Any:
        """The state after the given symbols, each continuing the prefix in `rows`."""
        ...


class Stepper(Protocol):
    """A distribution over strings, one symbol at a time."""

    def encode(self, batch: Batch) -> Any:
        """Memory of the sources."""
        ...

    def start(self, memory: Any) -> Any:
        """The empty prefix of each source."""
        ...

    def step(self, state: Any, memory: Any) -> Any:
        """Every continuation by one symbol."""
        ...


class Scorer(Stepper, Protocol):
    """A distribution over strings that also scores given pairs: a model, or a mixture of models."""

    def log_prob(self, batch: Batch) -> Tensor:
        """(batch,) exact log p(y | x) of each pair."""
        ...
