"""Everything Isotone gives back, and its JSON and TSV forms. No torch."""

from isotone.results.alignment import END, START, Alignment, Link
from isotone.results.display import to_html, to_text
from isotone.results.prediction import Candidate, Prediction
from isotone.results.report import Judged, Report, Symbols

__all__ = [
    "END",
    "START",
    "Alignment",
    "Candidate",
    "Judged",
    "Link",
    "Prediction",
    "Report",
    "Symbols",
    "to_html",
    "to_text",
]
