"""How far a model's probabilities can be trusted: the numbers of a reliability diagram, and a temperature's record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

__all__ = ["Bin", "BinJson", "CalibrationJson", "Reliability", "TemperatureJson"]


class BinJson(TypedDict):
    """Predictions of about the same probability."""

    lower: float
    upper: float
    count: int
    confidence: float | None
    """Mean probability; null in an empty bin."""
    accuracy: float | None
    """Fraction that was right; null in an empty bin."""


class CalibrationJson(TypedDict):
    """What `isotone evaluate --calibration --json` prints under "calibration"."""

    n: int
    ece: float
    """Expected calibration error: mean distance between accuracy and mean probability, weighted by the bins' counts."""
    interval: NotRequired[tuple[float, float]]
    """95 % bootstrap interval of `ece`."""
    binning: str
    """Always "equal width": bins of the same width between 0 and 1."""
    bins: list[BinJson]


class TemperatureJson(TypedDict):
    """What `isotone calibrate --json` prints; what was not fitted or measured is left out."""

    value: float
    """p_T(symbol | prefix) ∝ p(symbol | prefix)^(1/T)."""
    fitted_on: NotRequired[int]
    fitted_nll_before: NotRequired[float]
    fitted_nll_after: NotRequired[float]
    measured_on: NotRequired[int]
    measured_nll_before: NotRequired[float]
    measured_nll_after: NotRequired[float]
    measured_ece_before: NotRequired[float]
    measured_ece_after: NotRequired[float]
    bins: NotRequired[int]


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
    interval: tuple[float, float] | None = None
    """95 % bootstrap interval of the error; None where nothing was resampled."""

    def to_json(self) -> CalibrationJson:
        """Lists and numbers for JSON; null for the means of an empty bin."""
        values: CalibrationJson = {
            "n": self.n,
            "ece": self.expected_calibration_error,
            "binning": "equal width",
            "bins": [
                {
                    "lower": each.lower,
                    "upper": each.upper,
                    "count": each.count,
                    "confidence": each.confidence,
                    "accuracy": each.accuracy,
                }
                for each in self.bins
            ],
        }
        if self.interval is not None:
            values["interval"] = self.interval
        return values
