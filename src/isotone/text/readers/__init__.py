"""Data files to examples: one file for each format, one table of them all."""

from isotone.text.readers.columns import columns
from isotone.text.readers.format import Format
from isotone.text.readers.guess import guess_format
from isotone.text.readers.lines import MAX_LINE
from isotone.text.readers.reading import Reading, read
from isotone.text.readers.table import FORMATS, format_named

__all__ = ["FORMATS", "MAX_LINE", "Format", "Reading", "columns", "format_named", "guess_format", "read"]
