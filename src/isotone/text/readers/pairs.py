"""Any two strings: `source<TAB>target`."""

from isotone.text.readers.cells import describe, paired
from isotone.text.readers.format import Format
from isotone.text.readers.lines import by_line

__all__ = ["PAIRS"]

_NAMES = ("source", "target")

PAIRS = Format(name="pairs", expected=describe(_NAMES), parser=by_line(paired(_NAMES, spaced=False)))
