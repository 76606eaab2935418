"""JSON Schemas of everything that `--json` prints, generated from the types beside the results."""

from __future__ import annotations

from typing import Any

from pydantic import TypeAdapter

from isotone.results.alignment import AlignmentJson
from isotone.results.calibration import TemperatureJson
from isotone.results.correspondences import CorrespondencesJson
from isotone.results.errors import ErrorReportJson
from isotone.results.finding import FindingJson
from isotone.results.prediction import PredictionJson
from isotone.results.report import ReportJson
from isotone.results.scored import ScoredJson

__all__ = ["SCHEMAS", "json_schemas"]

SCHEMAS: dict[str, Any] = {
    "predict": PredictionJson,
    "score": ScoredJson,
    "align": AlignmentJson,
    "evaluate": ReportJson,
    "calibrate": TemperatureJson,
    "correspondences": CorrespondencesJson,
    "errors": ErrorReportJson,
    "audit": FindingJson,
}
"""By command, the type of the object it prints."""


def json_schemas() -> dict[str, Any]:
    """By command, the JSON Schema of the object that it prints: one per line, for `evaluate` one altogether."""
    return {command: TypeAdapter(shape).json_schema() for command, shape in SCHEMAS.items()}
