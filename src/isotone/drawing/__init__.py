"""Drawings of alignments and charts for terminals, notebooks and web pages. Knows nothing else of the package."""

from isotone.drawing.audit_page import audit_page
from isotone.drawing.audit_text import finding_line, finding_pieces
from isotone.drawing.correspondences import correspondence_map, correspondence_rows, correspondences_page
from isotone.drawing.curves import Curve, line_chart
from isotone.drawing.errors import error_tables
from isotone.drawing.errors_page import errors_page
from isotone.drawing.html import alignments_page
from isotone.drawing.notebook import facts_table
from isotone.drawing.reliability import ReliabilityBin, reliability_diagram, reliability_file, reliability_text
from isotone.drawing.svg import heat_map
from isotone.drawing.symbols import display_width, spelled, visible
from isotone.drawing.text import compact, grid

__all__ = [
    "Curve",
    "ReliabilityBin",
    "alignments_page",
    "audit_page",
    "compact",
    "correspondence_map",
    "correspondence_rows",
    "correspondences_page",
    "display_width",
    "error_tables",
    "errors_page",
    "facts_table",
    "finding_line",
    "finding_pieces",
    "grid",
    "heat_map",
    "line_chart",
    "reliability_diagram",
    "reliability_file",
    "reliability_text",
    "spelled",
    "visible",
]
