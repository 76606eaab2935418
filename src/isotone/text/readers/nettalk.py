"""NETtalk (UCI): `aardvark<TAB>a-rdvark<TAB>1<<<>2<<<TAB>0`, one phoneme character for each letter.

The target becomes spaced phones; "-" marks a silent letter and is left out, stress and class are not used.
"""

from isotone.text.example import Example
from isotone.text.readers.cells import describe, filled
from isotone.text.readers.format import SPACED_TARGET, Format
from isotone.text.readers.lines import MisfitError, by_line

__all__ = ["NETTALK"]

_NAMES = ("word", "phonemes", "stress", "class")
_SILENT = "-"


def _parse(line: str, targets: bool) -> Example:
    cells = line.split("\t")
    word = filled(cells[0], "word")
    if not targets:
        return Example(word)
    if len(cells) != len(_NAMES):
        raise MisfitError(f"expected {describe(_NAMES)}, found {len(cells)}")
    phonemes = cells[1]
    if len(phonemes) != len(word):
        raise MisfitError(f"expected one phoneme for each of {len(word)} letters, found {len(phonemes)}")
    return Example(word, filled(" ".join(phonemes.replace(_SILENT, "")), "phonemes", spaced=True))


NETTALK = Format(name="nettalk", expected=describe(_NAMES), parser=by_line(_parse), texts=SPACED_TARGET)
