"""SIGMORPHON 2021 to 2023: `lemma<TAB>V;PST;3;SG<TAB>form`."""

from isotone.text.readers.cells import describe, tagged
from isotone.text.readers.format import Format
from isotone.text.readers.lines import by_line

__all__ = ["SIGMORPHON2023"]

_NAMES = ("lemma", "tags", "form")

SIGMORPHON2023 = Format(
    name="sigmorphon2023", expected=describe(_NAMES), parser=by_line(tagged(_NAMES, ";")), has_tags=True
)
