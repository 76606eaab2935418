"""UniMorph: `lemma<TAB>form<TAB>N;ACC;PL`, with blank lines between paradigms and the odd comment."""

from isotone.text.example import Example
from isotone.text.readers.cells import describe, tagged
from isotone.text.readers.format import Format
from isotone.text.readers.lines import by_line

__all__ = ["UNIMORPH"]

_NAMES = ("lemma", "form", "tags")
_full_line = tagged(_NAMES, ";")


def _parse(line: str, targets: bool) -> Example | None:
    # Only a line without columns is a comment: "#" may well be somebody's lemma.
    if line.startswith("#") and "\t" not in line:
        return None
    return _full_line(line, targets)


UNIMORPH = Format(name="unimorph", expected=describe(_NAMES), parser=by_line(_parse), has_tags=True)
