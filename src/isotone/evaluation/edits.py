"""Edits between a prediction and its nearest reference, symbol by symbol."""

from __future__ import annotations

from collections.abc import Sequence

from rapidfuzz.distance import Levenshtein

from isotone.errors import DataError
from isotone.results.report import Judged, Symbols

__all__ = ["differences", "edits_between", "nearest"]

Change = tuple[str | None, str | None]
"""The symbol that was written and the one that should have been; None for nothing."""


def edits_between(prediction: Symbols, reference: Symbols) -> list[Change]:
    """The fewest edits that turn the prediction into the reference, in order."""
    found: list[Change] = []
    for step in Levenshtein.editops(prediction, reference):
        written = None if step.tag == "insert" else prediction[step.src_pos]
        expected = None if step.tag == "delete" else reference[step.dest_pos]
        found.append((written, expected))
    return found


def nearest(item: Judged) -> tuple[Symbols, int]:
    """The reference with the fewest edits to the prediction, the first of several, and how many edits."""
    if not item.references:
        raise DataError(f"{item.source!r} has no reference")
    distances = [Levenshtein.distance(item.prediction, reference) for reference in item.references]
    best = min(range(len(distances)), key=distances.__getitem__)
    return item.references[best], distances[best]


def differences(predicted: Sequence[str], expected: Sequence[str]) -> tuple[set[int], set[int]]:
    """Places of the symbols that fewest edits take away from the one, and put into the other."""
    left: set[int] = set()
    right: set[int] = set()
    for step in Levenshtein.opcodes(tuple(predicted), tuple(expected)):
        if step.tag != "equal":
            left.update(range(step.src_start, step.src_end))
            right.update(range(step.dest_start, step.dest_end))
    return left, right
