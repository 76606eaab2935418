"""A string and a sequence of symbols: `source<TAB>t a r g e t`."""

from isotone.text.readers.cells import describe, paired
from isotone.text.readers.format import SPACED_TARGET, Format
from isotone.text.readers.lines import by_line

__all__ = ["PAIRS_SPACED"]

_NAMES = ("source", "spaced target")

PAIRS_SPACED = Format(
    name="pairs-spaced",
    expected=describe(_NAMES),
    parser=by_line(paired(_NAMES, spaced=True)),
    texts=SPACED_TARGET,
)
