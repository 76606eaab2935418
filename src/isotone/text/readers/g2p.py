"""Pronunciation lexica: `word<TAB>p h o n e s`."""

from isotone.text.readers.cells import describe, paired
from isotone.text.readers.format import SPACED_TARGET, Format
from isotone.text.readers.lines import by_line

__all__ = ["G2P"]

_NAMES = ("word", "spaced phones")

G2P = Format(name="g2p", expected=describe(_NAMES), parser=by_line(paired(_NAMES, spaced=True)), texts=SPACED_TARGET)
