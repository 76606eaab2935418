"""An evaluation: each source with its prediction and references, and the metrics over all of them."""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Judged", "Report", "Symbols"]

Symbols = tuple[str, ...]


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


@dataclass(frozen=True)
class Report:
    """Means over the sources, their 95 % intervals, and the values the means were taken of."""

    task: str
    n: int
    metrics: dict[str, float]
    intervals: dict[str, tuple[float, float]]
    values: dict[str, NDArray[np.float64]] = field(repr=False, compare=False)
    """By metric, one value for each source in order of first appearance: for paired tests and listings."""

    def to_json(self) -> dict[str, Any]:
        """What `isotone evaluate --json` prints; an infinite nll is null, as JSON has no infinity."""
        metrics = {name: _finite(value) for name, value in self.metrics.items()}
        intervals = {name: [_finite(low), _finite(high)] for name, (low, high) in self.intervals.items()}
        return {"task": self.task, "n": self.n, "metrics": metrics, "intervals": intervals}


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None
