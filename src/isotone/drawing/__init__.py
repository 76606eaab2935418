"""Drawings of alignments for terminals, notebooks and web pages. Knows nothing else of the package."""

from isotone.drawing.alignment import END, START, Alignment, Link
from isotone.drawing.html import alignments_page
from isotone.drawing.svg import heat_map
from isotone.drawing.symbols import display_width, visible
from isotone.drawing.text import compact, grid

__all__ = [
    "END",
    "START",
    "Alignment",
    "Link",
    "alignments_page",
    "compact",
    "display_width",
    "grid",
    "heat_map",
    "visible",
]
