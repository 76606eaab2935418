"""How far a figure can be trusted: from an evaluation, from seeds, from the number of test words, or from data sets."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from isotone.experiments.results import Score

__all__ = ["SHARES", "Interval", "of_average", "of_scores"]

RESAMPLES = 2000
FEWEST = 3
"""Data sets that a bootstrap of their average needs."""
SHARES = ("acc", "wer")
"""Metrics that count words: each is right or wrong, and their number alone gives an interval."""
_Z = 1.959964


@dataclass(frozen=True)
class Interval:
    """Where the value may lie, and what says so."""

    low: float
    high: float
    kind: str


def of_scores(scores: Sequence[Score], metric: str) -> Interval | None:
    """The interval of a model on a data set.

    The range of its seeds where there are several; else what `isotone evaluate` found, else Wilson's interval where the
    metric is a share of a known number of words.
    """
    if len(scores) > 1:
        values = [score.metrics[metric] for score in scores]
        return Interval(min(values), max(values), "lowest to highest seed")
    (score,) = scores
    if metric in score.intervals:
        return Interval(*score.intervals[metric], "95 % bootstrap over words")
    if metric in SHARES and score.n:
        return Interval(*_wilson(score.metrics[metric] / 100, score.n), "95 % by the number of words (Wilson)")
    return None


def of_average(values: Sequence[float]) -> Interval | None:
    """The 95 % bootstrap interval of a mean over data sets; None for fewer than three of them."""
    if len(values) < FEWEST:
        return None
    import numpy as np  # a refusal of `isotone compare` does not wait for it

    table = np.asarray(values)
    drawn = np.random.default_rng(0).integers(len(table), size=(RESAMPLES, len(table)))
    low, high = np.percentile(table[drawn].mean(axis=1), [2.5, 97.5], method="inverted_cdf")
    return Interval(
        min(float(low), float(table.mean())), max(float(high), float(table.mean())), "average: over data sets"
    )


def _wilson(share: float, n: int) -> tuple[float, float]:
    """In per cent; unlike the normal interval it stays between 0 and 100 and has a width at both ends."""
    share = min(max(share, 0.0), 1.0)
    centre = (share + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    half = _Z / (1 + _Z**2 / n) * math.sqrt(share * (1 - share) / n + _Z**2 / (4 * n**2))
    return max(100 * (centre - half), 0.0), min(100 * (centre + half), 100.0)
