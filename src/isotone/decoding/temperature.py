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
from isotone.errors import ConfigError, DataError
from isotone.text.codec import Encoded

__all__ = ["HIGHEST", "LOWEST", "Fit", "fit_temperature"]

LOWEST, HIGHEST = 0.1, 10.0
"""Temperatures that may be found. Pairs whose every symbol is the most probable one would ask for 0."""
HALVINGS = 60

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

    In β = 1/T that is a sum of log-sum-exps of linear functions, so convex with one minimum, found by bisecting its
    derivative. Keeps a number for each symbol of each target and each symbol of the alphabet: 4 · |y| · |Σ| bytes per
    pair.
    """
    if hasattr(model, "ways"):
        raise ConfigError("a mixture of both directions has no steps to temper: calibrate its members, one by one")
    possible = [pair for pair in pairs if not pair.unseen]
    tables = [table for _, table in in_batches(model, possible, lambda batch: _margins(model, batch)) if len(table)]
    if not tables:
        raise DataError("cannot fit a temperature: no pair is possible under the model")
    low, high = math.log(1 / HIGHEST), math.log(1 / LOWEST)
    for _ in range(HALVINGS):
        middle = (low + high) / 2
        if sum(_slope(table, math.exp(middle)) for table in tables) > 0:
            high = middle
        else:
            low = middle
    beta = math.exp((low + high) / 2)
    before, after = (sum(_cost(table, b) for table in tables) / len(tables) for b in (1.0, beta))
    return Fit(1 / beta, len(tables), before, after)


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


def _cost(margins: Margins, beta: float) -> float:
    """−log p_T of one target: Σ_i log Σ_v exp(β d_iv)."""
    scaled = beta * margins.astype(np.float64)
    peak = scaled.max(1, keepdims=True)
    return float((np.log(np.exp(scaled - peak).sum(1)) + peak[:, 0]).sum())


def _slope(margins: Margins, beta: float) -> float:
    """Its derivative in β: Σ_i Σ_v p_T(v) d_iv."""
    wide = margins.astype(np.float64)
    weights = np.exp(beta * (wide - wide.max(1, keepdims=True)))
    weights /= weights.sum(1, keepdims=True)
    return float((weights * np.where(weights > 0, wide, 0.0)).sum())
