"""Predictions as columns of a pandas or polars frame."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from isotone.results.prediction import Candidate, Prediction
from isotone.text.frames import with_columns

__all__ = ["with_candidates", "with_predictions"]


def with_predictions(frame: Any, predictions: Sequence[Prediction]) -> Any:
    """The frame with the best candidate of each row: columns `prediction`, `logprob` and `probability`."""
    return with_columns(frame, _columns([prediction.best for prediction in predictions]))


def with_candidates(frame: Any, predictions: Sequence[Prediction]) -> Any:
    """Each row once for each of its candidates, with `rank` to tell them apart."""
    listed = [(row, candidate) for row, prediction in enumerate(predictions) for candidate in prediction.candidates]
    candidates = [candidate for _, candidate in listed]
    ranks = np.array([candidate.rank for candidate in candidates], dtype=np.int64)
    return with_columns(frame, {"rank": ranks, **_columns(candidates)}, rows=[row for row, _ in listed])


def _columns(candidates: Sequence[Candidate]) -> dict[str, Any]:
    values = np.array([candidate.logprob for candidate in candidates], dtype=np.float64)
    return {
        "prediction": [candidate.target for candidate in candidates],
        "logprob": values,
        "probability": np.exp(values),
    }
