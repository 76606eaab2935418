"""Drawings of alignments and charts for terminals, notebooks and web pages. Knows nothing else of the package."""

from isotone.drawing.audit_page import audit_page
from isotone.drawing.audit_text import finding_line, finding_pieces
from isotone.drawing.curves import Curve, line_chart
from isotone.drawing.html import alignments_page
from isotone.drawing.reliability import ReliabilityBin, reliability_diagram
from isotone.drawing.svg import heat_map
from isotone.drawing.symbols import display_width, spelled, visible
from isotone.drawing.text import compact, grid

__all__ = [
    "Curve",
    "ReliabilityBin",
    "alignments_page",
    "audit_page",
    "compact",
    "display_width",
    "finding_line",
    "finding_pieces",
    "grid",
    "heat_map",
    "line_chart",
    "reliability_diagram",
    "spelled",
    "visible",
]
