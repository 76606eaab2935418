"""Several models as one: a mixture of distributions over strings is a distribution over strings."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.protocol import Aligned, Floats, Ids, Memory, Model, State, Step
from isotone.errors import ConfigError
from isotone.text.codec import Encoded

__all__ = ["Mixture", "MixtureMemory", "MixtureState", "MixtureStep", "log_sum", "shares"]

Item = TypeVar("Item")
Result = TypeVar("Result")


def shares(weights: Sequence[float] | None, count: int) -> tuple[float, ...]:
    """The weights of `count` models, scaled to sum to 1; equal where none are given.

    The one place where weights are checked: ConfigError unless there is a positive number for each model.
    """
    if count < 1:
        raise ConfigError("no model was given")
    given = [1.0] * count if weights is None else [float(weight) for weight in weights]
    if len(given) != count:
        raise ConfigError(f"{count} models need as many weights, found {len(given)}")
    if not all(0 < weight < math.inf for weight in given) or not math.isfinite(sum(given)):
        raise ConfigError(f"weights must be positive numbers, found {', '.join(map(str, given))}")
    scaled = tuple(weight / sum(given) for weight in given)
    if min(scaled) == 0:
        raise ConfigError(f"weights differ too much: {', '.join(map(str, given))}")
    return scaled


@dataclass(frozen=True, eq=False)
class MixtureMemory:
    """The sources as each model has encoded them."""

    parts: tuple[Memory, ...]
    possible: NDArray[np.bool_]
    """(row, model), all True: every model can write the empty prefix."""

    def select(self, rows: Ids) -> MixtureMemory:
        """The given rows, in the given order; a row may come several times."""
        return MixtureMemory(tuple(part.select(rows) for part in self.parts), self.possible[rows])


@dataclass(frozen=True, eq=False)
class MixtureState:
    """The same prefixes in every model."""

    parts: tuple[State, ...]
    possible: NDArray[np.bool_]
    """(row, model), False for a model that cannot write the prefix: it holds an UNK, and the model never emits that."""

    def join(self, others: Sequence[MixtureState]) -> MixtureState:
        """Its rows and then those of the others, in order."""
        parts = tuple(part.join([other.parts[place] for other in others]) for place, part in enumerate(self.parts))
        return MixtureState(parts, np.concatenate([self.possible, *(other.possible for other in others)]))


@dataclass(frozen=True, eq=False)
class MixtureStep:
    """The same continuations in every model."""

    parts: tuple[Step, ...]
    log_symbols: Floats
    """(row, symbol) log Σ_m w_m p_m(prefix + symbol | x)."""
    possible: NDArray[np.bool_]

    def choose(self, symbols: Ids, rows: Ids | None = None) -> MixtureState:
        """The state after the given symbols, each continuing the prefix in `rows` (all, in order)."""
        if rows is None:
            rows = np.arange(len(symbols))
        can = np.stack([part.log_symbols[rows, symbols] > -math.inf for part in self.parts], 1)
        return MixtureState(tuple(part.choose(symbols, rows) for part in self.parts), self.possible[rows] & can)


class Mixture:
    """p(y | x) = Σ_m w_m p_m(y | x), and the same of every prefix, so that every decoder works on it.

    The models share a vocabulary (the caller sees to that); sizes, aligners and even engines may differ.
    """

    def __init__(self, models: Sequence[Model], weights: Sequence[float] | None = None) -> None:
        """Equal weights by default; given ones are positive numbers of any scale."""
        self.models = tuple(models)
        self.weights = shares(weights, len(models))
        self._log_weights = np.log(self.weights)

    @property
    def backwards(self) -> bool:
        """Do its models write from the end? All do, or none (see `isotone.decoding.directions`)."""
        return bool(getattr(self.models[0], "backwards", False))

    def encode(self, sources: Sequence[Encoded]) -> MixtureMemory:
        """The sources as each model reads them."""
        possible = np.ones((len(sources), len(self.models)), dtype=bool)
        return MixtureMemory(tuple(model.encode(sources) for model in self.models), possible)

    def start(self, memory: MixtureMemory) -> MixtureState:
        """The empty prefix of each source."""
        pairs = zip(self.models, memory.parts, strict=True)
        return MixtureState(tuple(model.start(part) for model, part in pairs), memory.possible)

    def step(self, state: MixtureState, memory: MixtureMemory) -> MixtureStep:
        """Every continuation of every prefix by one symbol."""
        triples = zip(self.models, state.parts, memory.parts, strict=True)
        steps = tuple(model.step(part, read) for model, part, read in triples)
        log_parts = np.stack([step.log_symbols for step in steps], 1)
        log_weighted = log_parts + self._log_weights.astype(log_parts.dtype)[:, None]
        log_weighted[~state.possible] = -math.inf
        return MixtureStep(steps, log_sum(log_weighted, 1), state.possible)

    def log_probs(self, pairs: Sequence[Encoded]) -> NDArray[np.float64]:
        """Exact log p(y | x) of each pair, in nats."""
        log_parts = np.stack([model.log_probs(pairs) for model in self.models], 1)
        return log_sum(log_parts + self._log_weights, 1)

    def align(self, pairs: Sequence[Encoded]) -> list[Aligned]:
        """Posteriors weigh each model by its share of p(y | x); the path is that of the model with the largest."""
        return [self._mixed(parts) for parts in zip(*(model.align(pairs) for model in self.models), strict=True)]

    def sample_paths(self, pair: Encoded, count: int, seed: int | None = None) -> Ids:
        """Each alignment from a model drawn by its share of p(y | x)."""
        weighted = self._posterior_weights([float(model.log_probs([pair])[0]) for model in self.models])
        if weighted is None:
            return np.zeros((0, len(pair.target or ())), dtype=np.int64)
        random = np.random.default_rng(seed)
        chosen = random.choice(len(self.models), size=count, p=weighted)
        seeds = random.integers(2**62, size=len(self.models)).tolist()
        paths = np.zeros((count, len(pair.target or ())), dtype=np.int64)
        for place, model in enumerate(self.models):
            rows = np.flatnonzero(chosen == place)
            if len(rows):
                paths[rows] = model.sample_paths(pair, len(rows), seeds[place])
        return paths

    def each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        """As the first model's engine does it."""
        return self.models[0].each(work, items)

    def _mixed(self, parts: Sequence[Aligned]) -> Aligned:
        """One pair's alignments in all models, made one."""
        weighted = self._posterior_weights([part.log_prob for part in parts])
        if weighted is None:
            return parts[0]
        log_prob = float(log_sum(np.array([part.log_prob for part in parts]) + self._log_weights, 0))
        (posterior, stays, silence) = (
            _weighted_sum(weighted, tables)
            for tables in zip(*((part.posterior, part.stays, part.silence) for part in parts), strict=True)
        )
        assert posterior is not None  # every part has one
        return Aligned(log_prob, parts[int(weighted.argmax())].path, posterior, stays, silence)

    def _posterior_weights(self, log_probs: Sequence[float]) -> NDArray[np.float64] | None:
        """(model,) w_m p_m(y | x) / p(y | x); None for a pair of probability 0."""
        log_joint = np.array(log_probs) + self._log_weights
        if log_joint.max() == -math.inf:
            return None
        weighted = np.exp(log_joint - log_joint.max())
        return np.asarray(weighted / weighted.sum())


def _weighted_sum(weights: NDArray[np.float64], tables: Sequence[Any]) -> NDArray[np.float64] | None:
    """The tables' weighted sum; None where one of them is not known."""
    known = [table for table in tables if table is not None]
    if len(known) < len(tables):
        return None
    return np.asarray(sum(weight * table for weight, table in zip(weights, known, strict=True)))


def log_sum(values: Floats, axis: int) -> Floats:
    """log Σ exp along an axis; −inf where all are."""
    peak = np.maximum(values.max(axis, keepdims=True), np.finfo(values.dtype).min)
    with np.errstate(divide="ignore"):
        total: Floats = np.log(np.exp(values - peak).sum(axis)) + peak.squeeze(axis)
    return total
