"""Calibration: whether predictions with probability 0.8 are right 80 % of the time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isotone.errors import ConfigError, DataError

__all__ = ["Bin", "Reliability", "reliability"]


@dataclass(frozen=True)
class Bin:
    """Predictions whose probability lies in [lower, upper), the last bin closed."""

    lower: float
    upper: float
    count: int
    confidence: float | None
    """Mean predicted probability; None in an empty bin."""
    accuracy: float | None
    """Fraction that was right; None in an empty bin."""


@dataclass(frozen=True)
class Reliability:
    """The numbers of a reliability diagram."""

    bins: tuple[Bin, ...]
    n: int
    expected_calibration_error: float
    """Σ_b n_b/n · |accuracy_b − confidence_b|; 0 is perfect calibration."""

    def to_json(self) -> dict[str, Any]:
        """Lists and numbers for JSON; null for the means of an empty bin."""
        bins = [vars(each).copy() for each in self.bins]
        return {"n": self.n, "ece": self.expected_calibration_error, "bins": bins}


def reliability(probabilities: Sequence[float], correct: Sequence[bool], *, bins: int = 10) -> Reliability:
    """The fraction of right predictions in equal-width bins of predicted probability."""
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
    return Reliability(table, len(confidence), error)
