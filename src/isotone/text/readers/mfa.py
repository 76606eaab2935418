"""Dictionaries of the Montreal Forced Aligner: `word  0.99  0.2  1.0  1.0  p h o n e s`, with numbers or without."""

import re

from isotone.text.example import Example
from isotone.text.readers.format import Sample
from isotone.text.readers.lines import MisfitError

__all__ = ["is_mfa", "parse_mfa"]

NUMBERS = 4
"""At most: the pronunciation's probability, and three of the silences around it."""

_NUMBER = re.compile(r"\d+\.\d+(?:[eE][-+]?\d+)?|1")


def parse_mfa(line: str, targets: bool) -> Example:
    """One pronunciation; its probabilities are left out."""
    word, *cells = line.split()
    if not targets:
        return Example(word)
    phones = _phones(cells)
    if not phones:
        raise MisfitError(
            f"expected a word, probabilities if there are any, and its phones, found only {line.strip()!r}"
        )
    return Example(word, " ".join(phones))


def is_mfa(sample: Sample) -> bool:
    """A probability after every word, and phones behind it; only when the task is g2p."""
    rows = [line.split()[1:] for line in sample.lines]
    return sample.task == "g2p" and all(row and "." in row[0] and 0 < len(_phones(row)) < len(row) for row in rows)


def _phones(cells: list[str]) -> list[str]:
    """What follows the leading numbers."""
    count = 0
    while count < min(NUMBERS, len(cells)) and _NUMBER.fullmatch(cells[count]):
        count += 1
    return cells[count:]
