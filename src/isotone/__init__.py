"""Isotone: exact hard monotonic attention for character transduction."""

__version__ = "0.1.0"
