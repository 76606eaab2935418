"""Fits a temperature: the one under which given pairs are most probable."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from isotone.decoding.batches import in_batches
from isotone.decoding.protocol import Model
from isotone.decoding.tempered import forced
from isotone.errors import DataError
from isotone.text.codec import Encoded

__all__ = ["HIGHEST", "LOWEST", "Fit", "fit_temperature"]

LOWEST, HIGHEST = 0.1, 10.0
"""Temperatures that may be found. Pairs whose every symbol is the most probable one would ask for 0."""
HALVINGS = 60
ROUNDS = 12
"""Of EM, for a mixture of both directions."""

Margins = NDArray[np.float32]
"""(symbol of a target, symbol of the alphabet): log p of every symbol minus log p of the right one."""


@dataclass(frozen=True)
class Fit:
    """A temperature, and the mean −log p of the pairs it was fitted on, in nats, without and with it."""

    temperature: float
    pairs: int
    nll_before: float
    nll_after: float


def fit_temperature(model: Model, pairs: Sequence[Encoded]) -> Fit:
    """The temperature with the least mean −log p_T(y | x) over the possible pairs.

    In β = 1/T the cost of a target is a sum of log-sum-exps of linear functions, so convex with one minimum, found by
    bisecting its derivative. A mixture of both directions has the temperature in each of them: by turns each pair is
    shared out among the directions by their posteriors, and β minimises the costs weighted so (EM: the mixture's cost
    never rises). Keeps a number for each symbol of each target and each symbol of the alphabet: 4 · |y| · |Σ| bytes
    per pair.
    """
    possible = [pair for pair in pairs if not pair.unseen]
    ways = getattr(model, "ways", (model,))
    log_weights = np.log(model.weights if len(ways) > 1 else (1.0,))[:, None]  # type: ignore[attr-defined]
    tables = [_Table.of(way, possible) for way in ways]

    def log_joint(beta: float) -> NDArray[np.float64]:
        return log_weights - np.stack([table.costs(beta) for table in tables])

    log_before = np.logaddexp.reduce(log_joint(1.0))
    counted = log_before > -math.inf
    if not counted.any():
        raise DataError("cannot fit a temperature: no pair is possible under the model")
    beta = 1.0
    for _ in range(1 if len(ways) == 1 else ROUNDS):
        log_shares = log_joint(beta)[:, counted]
        shares = np.zeros((len(ways), len(possible)))
        shares[:, counted] = np.exp(log_shares - np.logaddexp.reduce(log_shares))
        beta = _lowest(list(zip(tables, shares, strict=True)))
    before, after = (float(-values[counted].mean()) for values in (log_before, np.logaddexp.reduce(log_joint(beta))))
    return Fit(1 / beta, int(counted.sum()), before, after)


def _lowest(weighted: Sequence[tuple[_Table, NDArray[np.float64]]]) -> float:
    """The β at which costs with these weights have the least sum, by bisecting its derivative."""
    low, high = math.log(1 / HIGHEST), math.log(1 / LOWEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if sum(table.slope(math.exp(middle), shares) for table, shares in weighted) > 0:
            high = middle
        else:
            low = middle
    return math.exp((low + high) / 2)


@dataclass(frozen=True, eq=False)
class _Table:
    """The margins of all pairs under one model, one after another."""

    margins: Margins
    pair: NDArray[np.intp]
    """(symbol of a target,) the pair that it belongs to."""
    possible: NDArray[np.bool_]
    """(pair,) False for one of probability 0, which has no margins."""

    @classmethod
    def of(cls, model: Model, pairs: Sequence[Encoded]) -> _Table:
        found = [table for _, table in in_batches(model, pairs, lambda batch: _margins(model, batch))]
        lengths = np.array([len(table) for table in found], dtype=np.intp)
        width = max((table.shape[1] for table in found), default=1)  # a copy gate's alphabet grows with the source
        wide = [np.pad(table, ((0, 0), (0, width - table.shape[1])), constant_values=-math.inf) for table in found]
        margins = np.concatenate([np.zeros((0, width), dtype=np.float32), *wide])
        return cls(margins, np.repeat(np.arange(len(found)), lengths), lengths > 0)

    def costs(self, beta: float) -> NDArray[np.float64]:
        """(pair,) −log p_T of each target: Σ_i log Σ_v exp(β d_iv), infinite for an impossible one."""
        scaled = beta * self.margins.astype(np.float64)
        peak = scaled.max(1, keepdims=True)
        each = np.log(np.exp(scaled - peak).sum(1)) + peak[:, 0]
        return np.where(self.possible, np.bincount(self.pair, each, minlength=len(self.possible)), math.inf)

    def slope(self, beta: float, shares: NDArray[np.float64]) -> float:
        """The derivative in β of their sum with these weights: Σ_i Σ_v p_T(v) d_iv for each."""
        wide = self.margins.astype(np.float64)
        weights = np.exp(beta * (wide - wide.max(1, keepdims=True)))
        weights /= weights.sum(1, keepdims=True)
        return float(((weights * np.where(weights > 0, wide, 0.0)).sum(1) * shares[self.pair]).sum())


def _margins(model: Model, pairs: Sequence[Encoded]) -> list[Margins]:
    """The margins of each pair; none for one of probability 0."""
    steps: list[list[Margins]] = [[] for _ in pairs]
    done = [False] * len(pairs)
    for rows, log_symbols, symbols, last in forced(model, pairs):
        right = log_symbols[np.arange(len(rows)), symbols][:, None]
        with np.errstate(invalid="ignore"):  # −inf − −inf, of a pair that is left out
            margins = (log_symbols - right).astype(np.float32)
        for place, row in enumerate(rows.tolist()):
            steps[row].append(margins[place])
            done[row] = bool(last[place]) and float(right[place, 0]) > -math.inf
    nothing = np.zeros((0, 1), dtype=np.float32)
    return [np.stack(own) if whole else nothing for own, whole in zip(steps, done, strict=True)]
