"""CoNLL-SIGMORPHON 2017 to 2020: `lemma<TAB>form<TAB>V;PST;3;SG`."""

from isotone.text.readers.cells import describe, tagged
from isotone.text.readers.format import Format
from isotone.text.readers.lines import by_line

__all__ = ["CONLL2017"]

_NAMES = ("lemma", "form", "tags")

CONLL2017 = Format(name="conll2017", expected=describe(_NAMES), parser=by_line(tagged(_NAMES, ";")), has_tags=True)
