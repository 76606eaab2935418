"""The dynamic program in numpy over exported factors: log-likelihood, best path, posteriors, samples, in fp64.

The twin of `isotone.dp`, which needs torch: the same answers, from recursions written out in place of gradients.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.protocol import Ids
from isotone.runtime.logspace import Array, log_sum
from isotone.runtime.transitions import Transition

__all__ = ["Chain"]


@dataclass(frozen=True, eq=False)
class Chain:
    """log p(y, a | x) in factors, one per target position, for rows sorted by target length, longest first.

    Position i has factors for the rows that are longer than i, which are the first ones.
    """

    transitions: tuple[Transition, ...]
    """log p(a_i | a_{i−1})."""
    log_emissions: tuple[Array, ...]
    """(row, state) log p(y_i | a_i = j) of the gold symbol."""

    @cached_property
    def log_beliefs(self) -> list[Array]:
        """α_i of every position: log p(y_1…y_i, a_i = j | x)."""
        belief = _start(self.log_emissions[0])
        found = []
        for transition, log_emission in zip(self.transitions, self.log_emissions, strict=True):
            belief = transition.move(belief[: len(log_emission)]) + log_emission
            found.append(belief)
        return found

    @cached_property
    def log_likelihood(self) -> NDArray[np.float64]:
        """(row,) log p(y | x)."""
        return np.concatenate(
            [log_sum(belief[rows]) for belief, rows in zip(self.log_beliefs, self._ends, strict=True)][::-1]
        )

    def posteriors(self) -> list[NDArray[np.float64]]:
        """(target, state) p(a_i = j | x, y) of every row; zeros for a pair of probability 0."""
        return self._by_row([self._share(b + v) for b, v in zip(self.log_beliefs, self._log_rests, strict=True)])

    def stays(self) -> list[NDArray[np.float64]]:
        """(target, state) p(a_{i−1} = a_i = j | x, y) of every row; zeros for the first position."""
        tables = [np.zeros_like(self.log_emissions[0])]
        for place in range(1, len(self.transitions)):
            log_emission = self.log_emissions[place]
            before = self.log_beliefs[place - 1][: len(log_emission)] + self.transitions[place].stay()
            tables.append(self._share(before + log_emission + self._log_rests[place]))
        return self._by_row(tables)

    def best_paths(self) -> list[Ids]:
        """(target,) the most probable alignment of every row; −1 everywhere for a pair of probability 0."""
        value = _start(self.log_emissions[0])
        values, previous = [], []
        for transition, log_emission in zip(self.transitions, self.log_emissions, strict=True):
            value, came_from = transition.best(value[: len(log_emission)])
            value = value + log_emission
            values.append(value)
            previous.append(came_from)
        paths: list[Ids] = []
        for row, length in enumerate(self._lengths):
            path = np.full(length, -1, dtype=np.int64)
            last = values[length - 1][row]
            if last.max() > -np.inf:
                path[-1] = last.argmax()
                for place in range(length - 1, 0, -1):
                    path[place - 1] = previous[place][row, path[place]]
            paths.append(path)
        return paths

    def sample(self, count: int, random: np.random.Generator) -> Ids:
        """(count, target) alignments of a chain with one row, drawn from p(a | x, y); it must be possible."""
        paths = np.zeros((count, len(self.transitions)), dtype=np.int64)
        log_weights = np.broadcast_to(self.log_beliefs[-1], (count, self.log_beliefs[-1].shape[1]))
        for place in range(len(self.transitions) - 1, -1, -1):
            paths[:, place] = _draw(log_weights, random)
            if place:
                log_weights = self.log_beliefs[place - 1] + self.transitions[place].into(paths[:, place])
        return paths

    @cached_property
    def _log_rests(self) -> list[Array]:
        """β_i of every position: log p(y_{i+1}… | a_i = j, x), 0 at a row's last position."""
        rest = np.zeros_like(self.log_emissions[-1])
        found = [rest]
        for place in range(len(self.transitions) - 1, 0, -1):
            pulled = self.transitions[place].back(self.log_emissions[place] + rest)
            rest = np.zeros_like(self.log_emissions[place - 1])
            rest[: len(pulled)] = pulled
            found.append(rest)
        return found[::-1]

    @property
    def _ends(self) -> list[slice]:
        """For each position, the rows that end there."""
        counts = [len(log_emission) for log_emission in self.log_emissions]
        return [slice(after, here) for here, after in zip(counts, [*counts[1:], 0], strict=True)]

    @property
    def _lengths(self) -> list[int]:
        """Target positions of every row."""
        lengths: list[int] = []
        for place, rows in reversed(list(enumerate(self._ends, 1))):
            lengths += [place] * (rows.stop - rows.start)
        return lengths

    def _share(self, log_joint: Array) -> NDArray[np.float64]:
        total = np.maximum(self.log_likelihood[: len(log_joint), None], np.finfo(np.float64).min)
        return np.asarray(np.exp(log_joint - total))

    def _by_row(self, tables: list[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
        return [np.stack([tables[place][row] for place in range(length)]) for row, length in enumerate(self._lengths)]


def _start(like: Array) -> Array:
    """All mass at position 0, the BOS, before the first step."""
    belief = np.full_like(like, -np.inf)
    belief[:, 0] = 0.0
    return belief


def _draw(log_weights: Array, random: np.random.Generator) -> Ids:
    """One column per row, in proportion; never one of weight 0."""
    mass = np.exp(log_weights - log_weights.max(1, keepdims=True)).cumsum(1)
    found: Ids = (mass > random.random((len(mass), 1)) * mass[:, -1:]).argmax(1)
    return found
