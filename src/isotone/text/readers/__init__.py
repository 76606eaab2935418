"""Data files to examples: the table of formats, and the functions that read and guess them."""

from isotone.text.readers.columns import columns
from isotone.text.readers.format import SPACED_TARGET, Format, Sample
from isotone.text.readers.guess import guess_format
from isotone.text.readers.lines import MAX_LINE, MAX_TEXT
from isotone.text.readers.reading import Reading, read
from isotone.text.readers.table import FORMATS, DataFormat, format_named

__all__ = [
    "FORMATS",
    "MAX_LINE",
    "MAX_TEXT",
    "SPACED_TARGET",
    "DataFormat",
    "Format",
    "Reading",
    "Sample",
    "columns",
    "format_named",
    "guess_format",
    "read",
]
