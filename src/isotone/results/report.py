"""An evaluation: each source with its prediction and references, and the metrics over all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NotRequired

from typing_extensions import TypedDict

from isotone.results.calibration import CalibrationJson, Reliability
from isotone.results.display import to_html
from isotone.results.lines import cell

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["MISTAKE_COLUMNS", "Judged", "Report", "ReportJson", "Symbols"]

Symbols = tuple[str, ...]

MISTAKE_COLUMNS = ("source", "tags", "prediction", "references", "edit_distance")
"""The header of a listing of mistakes."""


class ReportJson(TypedDict):
    """What `isotone evaluate --json` prints."""

    task: str
    n: int
    """Sources, each counted once."""
    metrics: dict[str, float | None]
    """Means over the sources; null where there is none, as for `nll` when no reference is possible."""
    intervals: dict[str, tuple[float | None, float | None]]
    """95 % bootstrap intervals, low and high; empty without resampling."""
    calibration: NotRequired[CalibrationJson]
    """With `--calibration`."""
    impossible: NotRequired[int]
    """Sources all of whose references have probability 0; `nll` is the mean over the others."""


@dataclass(frozen=True)
class Judged:
    """One source with what was predicted for it and what would have been right."""

    source: str
    tags: tuple[str, ...]
    prediction: Symbols
    references: tuple[Symbols, ...]
    logprob: float | None = None
    """log p(reference | source) in nats, of the most probable reference; gives `nll`."""
    confidence: float | None = None
    """log p(prediction | source) in nats."""

    @property
    def right(self) -> bool:
        """Is the prediction one of the references?"""
        return self.prediction in self.references

    def mistake_row(self, edits: int, separator: str) -> tuple[str, ...]:
        """A row of `MISTAKE_COLUMNS`; `separator` joins symbols: a blank for phones, nothing for characters."""
        references = " | ".join(separator.join(reference) for reference in self.references)
        cells = (self.source, ";".join(self.tags), separator.join(self.prediction), references, str(edits))
        return tuple(map(cell, cells))


@dataclass(frozen=True)
class Report:
    """Means over the sources, their 95 % intervals, and the values the means were taken of."""

    task: str
    n: int
    metrics: dict[str, float]
    """`nll` is the mean over sources with a possible reference; infinite where there is none."""
    intervals: dict[str, tuple[float, float]]
    values: dict[str, NDArray[np.float64]] = field(repr=False, compare=False)
    """By metric, one value for each source in order of first appearance: for paired tests and listings."""
    impossible: int = 0
    """Sources all of whose references have probability 0 under the model."""
    items: tuple[Judged, ...] = field(default=(), repr=False, compare=False)
    """What was judged, for listings."""
    calibration: Reliability | None = None
    """How far the predictions' probabilities can be trusted, where that was asked."""

    def _repr_html_(self) -> str:
        """A table of the metrics, for notebooks."""
        return to_html(self)

    def to_json(self) -> ReportJson:
        """What `isotone evaluate --json` prints; what is infinite is null, as JSON has no infinity."""
        values: ReportJson = {
            "task": self.task,
            "n": self.n,
            "metrics": {name: _finite(value) for name, value in self.metrics.items()},
            "intervals": {name: (_finite(low), _finite(high)) for name, (low, high) in self.intervals.items()},
        }
        if self.impossible:
            values["impossible"] = self.impossible
        if self.calibration is not None:
            values["calibration"] = self.calibration.to_json()
        return values

    def rows(self) -> tuple[list[str], list[list[str]]]:
        """The header and the rows of a table: metric, value and, where there are intervals, low and high."""
        columns = ["metric", "value", *(["low", "high"] if self.intervals else [])]
        rows = [
            [name, f"{value:.4f}", *(f"{bound:.4f}" for bound in self.intervals.get(name, ()))]
            for name, value in self.metrics.items()
        ]
        if self.calibration is not None:
            error, interval = self.calibration.expected_calibration_error, self.calibration.interval
            bounds = [f"{bound:.4f}" for bound in interval] if interval else [""] * (len(columns) - 2)
            rows.append(["ece", f"{error:.4f}", *bounds])
        if self.impossible:
            rows.append(["impossible", str(self.impossible), *([""] * (len(columns) - 2))])
        return columns, rows

    def remark(self) -> str | None:
        """What `nll` leaves out, in words; None where it leaves out nothing."""
        if not self.impossible:
            return None
        left = self.n - self.impossible
        mean = f"nll is the mean of the other {left:,}" if left else "so there is no nll"
        return f"{self.impossible:,} of {self.n:,} sources have no reference that the model can write; {mean}"


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
