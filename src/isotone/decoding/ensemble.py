"""Several models as one: a mixture of distributions over strings is a distribution over strings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from isotone.data.batch import Batch
from isotone.decoding.stepper import Memory, Scorer, State, Step
from isotone.dp import LogSemiring
from isotone.errors import ConfigError
from isotone.shapes import Bool, Float, Int

__all__ = ["Mixture", "MixtureMemory", "MixtureState", "MixtureStep"]


@dataclass(frozen=True, eq=False)
class MixtureMemory:
    """The sources as each model has encoded them."""

    parts: tuple[Memory, ...]
    possible: Bool[Tensor, "batch model"]
    """True: every model can write the empty prefix."""

    def select(self, rows: Int[Tensor, "row"]) -> MixtureMemory:
        """The given rows, in the given order; a row may come several times."""
        return MixtureMemory(tuple(part.select(rows) for part in self.parts), self.possible[rows])


@dataclass(frozen=True, eq=False)
class MixtureState:
    """The same prefixes in every model."""

    parts: tuple[State, ...]
    possible: Bool[Tensor, "batch model"]
    """False for a model that cannot write the prefix: it holds an UNK, and the model never emits that."""

    def select(self, rows: Int[Tensor, "row"]) -> MixtureState:
        """The given rows, in the given order; a row may come several times."""
        return MixtureState(tuple(part.select(rows) for part in self.parts), self.possible[rows])

    def join(self, others: Sequence[MixtureState]) -> MixtureState:
        """Its rows and then those of the others, in order."""
        parts = tuple(part.join([other.parts[place] for other in others]) for place, part in enumerate(self.parts))
        return MixtureState(parts, torch.cat([self.possible, *(other.possible for other in others)]))


@dataclass(frozen=True, eq=False)
class MixtureStep:
    """The same continuations in every model."""

    parts: tuple[Step, ...]
    log_symbols: Float[Tensor, "batch symbol"]
    """log Σ_m w_m p_m(prefix + symbol | x)."""
    possible: Bool[Tensor, "batch model"]

    def choose(self, symbols: Int[Tensor, "row"], rows: Int[Tensor, "row"] | None = None) -> MixtureState:
        """The state after the given symbols, each continuing the prefix in `rows` (all, in order)."""
        if rows is None:
            rows = torch.arange(symbols.shape[0], device=symbols.device)
        can = torch.stack([part.log_symbols[rows, symbols] > -torch.inf for part in self.parts], 1)
        return MixtureState(tuple(part.choose(symbols, rows) for part in self.parts), self.possible[rows] & can)


class Mixture:
    """p(y | x) = Σ_m w_m p_m(y | x), and the same of every prefix, so that every decoder works on it.

    The models share a vocabulary (the caller sees to that); sizes and aligners may differ.
    """

    def __init__(self, models: Sequence[Scorer], weights: Sequence[float] | None = None) -> None:
        """Equal weights by default; given ones must be positive and sum to 1."""
        if not models:
            raise ConfigError("a mixture needs at least one model")
        self.models = tuple(models)
        self.weights = (1 / len(models),) * len(models) if weights is None else tuple(map(float, weights))
        if len(self.weights) != len(models):
            raise ConfigError(f"{len(self.weights)} weights for {len(models)} models")
        if min(self.weights) <= 0 or not math.isclose(sum(self.weights), 1, abs_tol=1e-6):
            raise ConfigError(f"weights must be positive and sum to 1, not {', '.join(map(str, self.weights))}")

    def encode(self, batch: Batch) -> MixtureMemory:
        """The sources as each model reads them."""
        possible = torch.ones(len(batch), len(self.models), dtype=torch.bool, device=batch.source.device)
        return MixtureMemory(tuple(model.encode(batch) for model in self.models), possible)

    def start(self, memory: MixtureMemory) -> MixtureState:
        """The empty prefix of each source."""
        pairs = zip(self.models, memory.parts, strict=True)
        return MixtureState(tuple(model.start(part) for model, part in pairs), memory.possible)

    def step(self, state: MixtureState, memory: MixtureMemory) -> MixtureStep:
        """Every continuation of every prefix by one symbol."""
        triples = zip(self.models, state.parts, memory.parts, strict=True)
        steps = tuple(model.step(part, read) for model, part, read in triples)
        log_parts = torch.stack([step.log_symbols for step in steps], 1)
        log_weighted = (log_parts + self._log_weights(log_parts)[:, None]).masked_fill(
            ~state.possible[:, :, None], -torch.inf
        )
        return MixtureStep(steps, LogSemiring().sum(log_weighted, 1), state.possible)

    def log_prob(self, batch: Batch) -> Float[Tensor, "batch"]:
        """Exact log p(y | x) of each pair, in nats."""
        log_parts = torch.stack([model.log_prob(batch) for model in self.models], 1)
        return LogSemiring().sum(log_parts + self._log_weights(log_parts), 1)

    def _log_weights(self, like: Tensor) -> Float[Tensor, "model"]:
        total = sum(self.weights)
        return like.new_tensor([math.log(weight / total) for weight in self.weights])
