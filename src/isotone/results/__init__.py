"""Everything Isotone returns, and its JSON and TSV forms. No torch."""

from isotone.results.alignment import END, START, Alignment, AlignmentJson, Link
from isotone.results.dictionary import STYLES, Style, dictionary_lines, style_named
from isotone.results.display import to_html, to_text
from isotone.results.lines import cell, json_line, tsv_line
from isotone.results.prediction import Candidate, CandidateJson, Prediction, PredictionJson
from isotone.results.report import MISTAKE_COLUMNS, Judged, Report, ReportJson, Symbols
from isotone.results.scored import Scored, ScoredJson

__all__ = [
    "END",
    "MISTAKE_COLUMNS",
    "START",
    "STYLES",
    "Alignment",
    "AlignmentJson",
    "Candidate",
    "CandidateJson",
    "Judged",
    "Link",
    "Prediction",
    "PredictionJson",
    "Report",
    "ReportJson",
    "Scored",
    "ScoredJson",
    "Style",
    "Symbols",
    "cell",
    "dictionary_lines",
    "json_line",
    "style_named",
    "to_html",
    "to_text",
    "tsv_line",
]
