"""Everything Isotone returns, and its JSON and TSV forms. No torch."""

from isotone.results.alignment import END, START, Alignment, AlignmentJson, Link
from isotone.results.audited import Audit
from isotone.results.display import to_html, to_text
from isotone.results.finding import FINDING_COLUMNS, Finding, FindingJson, Reason, Verdict
from isotone.results.lines import cell, json_line, tsv_line
from isotone.results.prediction import Candidate, CandidateJson, Prediction, PredictionJson
from isotone.results.report import MISTAKE_COLUMNS, Judged, Report, ReportJson, Symbols
from isotone.results.scored import Scored, ScoredJson

__all__ = [
    "END",
    "FINDING_COLUMNS",
    "MISTAKE_COLUMNS",
    "START",
    "Alignment",
    "AlignmentJson",
    "Audit",
    "Candidate",
    "CandidateJson",
    "Finding",
    "FindingJson",
    "Judged",
    "Link",
    "Prediction",
    "PredictionJson",
    "Reason",
    "Report",
    "ReportJson",
    "Scored",
    "ScoredJson",
    "Symbols",
    "Verdict",
    "cell",
    "json_line",
    "to_html",
    "to_text",
    "tsv_line",
]
