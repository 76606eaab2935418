"""Calibration: whether predictions with probability 0.8 are right 80 % of the time."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from isotone.errors import ConfigError, DataError
from isotone.results.calibration import Bin, Reliability
from isotone.results.report import Judged

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["Bin", "Reliability", "calibration_of", "reliability"]


def reliability(
    probabilities: Sequence[float], correct: Sequence[bool], *, bins: int = 10, bootstrap: int = 0, seed: int = 0
) -> Reliability:
    """The fraction of right predictions in equal-width bins of predicted probability.

    `bootstrap` resamples of the predictions give a 95 % percentile interval of the expected calibration error. Chance
    alone keeps that error above 0, the more so the fewer predictions a bin has, and resampling adds to it.
    """
    if bins < 1:
        raise ConfigError(f"expected at least one bin, found {bins}")
    if len(probabilities) != len(correct) or len(probabilities) == 0:
        raise DataError(f"found {len(probabilities)} probabilities for {len(correct)} outcomes")
    import numpy as np  # where it is used: help texts and refusals read this room without it

    confidence = np.asarray(probabilities, dtype=np.float64)
    if not ((confidence >= 0) & (confidence <= 1)).all():
        raise DataError("a probability lies outside [0, 1]")
    right = np.asarray(correct, dtype=np.float64)
    edges = np.linspace(0, 1, bins + 1)
    which = np.digitize(confidence, edges[1:-1])
    counts = np.bincount(which, minlength=bins)
    confidences = np.bincount(which, weights=confidence, minlength=bins)
    rights = np.bincount(which, weights=right, minlength=bins)
    error = float(np.abs(rights - confidences).sum() / len(confidence))
    table = tuple(
        Bin(
            lower=float(edges[index]),
            upper=float(edges[index + 1]),
            count=int(count),
            confidence=float(confidences[index] / count) if count else None,
            accuracy=float(rights[index] / count) if count else None,
        )
        for index, count in enumerate(counts)
    )
    interval = _interval(which, right - confidence, error, resamples=bootstrap, seed=seed) if bootstrap else None
    return Reliability(table, len(confidence), error, interval)


def calibration_of(items: Sequence[Judged], *, bins: int = 10, bootstrap: int = 0, seed: int = 0) -> Reliability:
    """The reliability of the predictions' exact probabilities."""
    if any(item.confidence is None for item in items):
        raise DataError("cannot measure calibration: a prediction has no probability")
    # Rounding may leave a log-probability a hair above 0.
    probabilities = [math.exp(min(item.confidence or 0.0, 0.0)) for item in items]
    return reliability(probabilities, [item.right for item in items], bins=bins, bootstrap=bootstrap, seed=seed)


def _interval(
    which: NDArray[np.int64], gaps: NDArray[np.float64], error: float, *, resamples: int, seed: int
) -> tuple[float, float]:
    """Percentiles of the error over resampled predictions; `gaps` are outcome minus probability."""
    import numpy as np

    generator, count, bins = np.random.default_rng(seed), len(gaps), int(which.max()) + 1
    errors = []
    for _ in range(resamples):
        drawn = generator.integers(count, size=count)
        errors.append(np.abs(np.bincount(which[drawn], weights=gaps[drawn], minlength=bins)).sum() / count)
    low, high = np.percentile(errors, [2.5, 97.5], method="inverted_cdf")
    return min(float(low), error), max(float(high), error)
