"""SIGMORPHON 2016: `lemma<TAB>pos=V,tense=PST<TAB>form`."""

from isotone.text.readers.cells import describe, tagged
from isotone.text.readers.format import Format
from isotone.text.readers.lines import by_line

__all__ = ["SIGMORPHON2016"]

_NAMES = ("lemma", "tags", "form")

SIGMORPHON2016 = Format(
    name="sigmorphon2016", expected=describe(_NAMES), parser=by_line(tagged(_NAMES, ",")), has_tags=True
)
