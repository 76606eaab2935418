"""Everything Isotone returns, and its JSON and TSV forms. No torch.

Names are imported on first use, so that the command line can name the styles of dictionaries without loading them all.
"""

from typing import TYPE_CHECKING

from isotone.lazy import lazy_names

if TYPE_CHECKING:
    from isotone.results.alignment import END, START, Alignment, AlignmentJson, Link
    from isotone.results.audited import Audit
    from isotone.results.calibration import Bin, CalibrationJson, Reliability, TemperatureJson
    from isotone.results.correspondences import (
        CORRESPONDENCE_COLUMNS,
        Correspondences,
        CorrespondencesJson,
        Emission,
        SourceSymbol,
    )
    from isotone.results.dictionary import STYLES, Style, dictionary_lines, style_named
    from isotone.results.display import to_html, to_text
    from isotone.results.errors import (
        ERROR_COLUMNS,
        ITEM_COLUMNS,
        Edit,
        ErrorReport,
        ErrorReportJson,
        Group,
        HeadToHead,
    )
    from isotone.results.finding import FINDING_COLUMNS, Finding, FindingJson, Reason, Verdict
    from isotone.results.lines import cell, json_line, tsv_line
    from isotone.results.prediction import Candidate, CandidateJson, Prediction, PredictionJson, Predictions
    from isotone.results.report import MISTAKE_COLUMNS, Judged, Report, ReportJson, Symbols
    from isotone.results.scored import Scored, ScoredJson

__all__ = [
    "CORRESPONDENCE_COLUMNS",
    "END",
    "ERROR_COLUMNS",
    "FINDING_COLUMNS",
    "ITEM_COLUMNS",
    "MISTAKE_COLUMNS",
    "START",
    "STYLES",
    "Alignment",
    "AlignmentJson",
    "Audit",
    "Bin",
    "CalibrationJson",
    "Candidate",
    "CandidateJson",
    "Correspondences",
    "CorrespondencesJson",
    "Edit",
    "Emission",
    "ErrorReport",
    "ErrorReportJson",
    "Finding",
    "FindingJson",
    "Group",
    "HeadToHead",
    "Judged",
    "Link",
    "Prediction",
    "PredictionJson",
    "Predictions",
    "Reason",
    "Reliability",
    "Report",
    "ReportJson",
    "Scored",
    "ScoredJson",
    "SourceSymbol",
    "Style",
    "Symbols",
    "TemperatureJson",
    "Verdict",
    "cell",
    "dictionary_lines",
    "json_line",
    "style_named",
    "to_html",
    "to_text",
    "tsv_line",
]

__getattr__ = lazy_names(
    __name__,
    {
        ".alignment": (
            "END",
            "START",
            "Alignment",
            "AlignmentJson",
            "Link",
        ),
        ".audited": ("Audit",),
        ".calibration": (
            "Bin",
            "CalibrationJson",
            "Reliability",
            "TemperatureJson",
        ),
        ".correspondences": (
            "CORRESPONDENCE_COLUMNS",
            "Correspondences",
            "CorrespondencesJson",
            "Emission",
            "SourceSymbol",
        ),
        ".dictionary": (
            "STYLES",
            "Style",
            "dictionary_lines",
            "style_named",
        ),
        ".display": (
            "to_html",
            "to_text",
        ),
        ".errors": (
            "ERROR_COLUMNS",
            "ITEM_COLUMNS",
            "Edit",
            "ErrorReport",
            "ErrorReportJson",
            "Group",
            "HeadToHead",
        ),
        ".finding": (
            "FINDING_COLUMNS",
            "Finding",
            "FindingJson",
            "Reason",
            "Verdict",
        ),
        ".lines": (
            "cell",
            "json_line",
            "tsv_line",
        ),
        ".prediction": (
            "Candidate",
            "CandidateJson",
            "Prediction",
            "PredictionJson",
            "Predictions",
        ),
        ".report": (
            "MISTAKE_COLUMNS",
            "Judged",
            "Report",
            "ReportJson",
            "Symbols",
        ),
        ".scored": (
            "Scored",
            "ScoredJson",
        ),
    },
)
