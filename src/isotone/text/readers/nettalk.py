"""NETtalk (UCI): `aardvark<TAB>a-rdvark<TAB>1<<<>2<<<TAB>0`, one phoneme character per letter.

The target becomes spaced phones; "-" marks a silent letter and is left out, stress and class are not used.
"""

from isotone.text.example import Example
from isotone.text.readers.cells import describe, filled
from isotone.text.readers.lines import MisfitError

__all__ = ["NETTALK_COLUMNS", "parse_nettalk"]

NETTALK_COLUMNS = ("word", "phonemes", "stress", "class")
_SILENT = "-"


def parse_nettalk(line: str, targets: bool) -> Example:
    """One line; for prediction the word alone will do."""
    cells = line.split("\t")
    word = filled(cells[0], "word")
    if not targets:
        return Example(word)
    if len(cells) != len(NETTALK_COLUMNS):
        raise MisfitError(f"expected {describe(NETTALK_COLUMNS)}, found {len(cells)}")
    phonemes = cells[1]
    if len(phonemes) != len(word):
        raise MisfitError(f"expected one phoneme for each of {len(word)} letters, found {len(phonemes)}")
    return Example(word, filled(" ".join(phonemes.replace(_SILENT, "")), "phonemes", spaced=True))
