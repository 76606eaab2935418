"""Entries that align badly: long stretches of the source without a target, or many target symbols in one place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np

from isotone.auditing.entries import Entry
from isotone.auditing.judgement import Judgement
from isotone.results.finding import Reason

__all__ = ["stretches"]

UNCOVERED = 0.2
"""Expected target symbols below which a source symbol counts as skipped."""
USUAL = 99.5
"""Percentile of all entries that is still usual."""
LEAST_SKIPPED, LEAST_WRITTEN = 3, 4
"""Stretches that are never reported, however unusual, are shorter than these."""


def stretches(
    entries: Mapping[int, Entry], judgements: Mapping[int, Judgement], symbols: Mapping[int, tuple[str, ...]]
) -> Iterator[tuple[int, Reason, float]]:
    """(entry, reason, excess) of each that skips more, or writes more in one place, than is usual in this lexicon.

    `symbols` are the source's; the excess is in symbols.
    """
    skipped = {number: _longest_gap(judgement.coverage[1:-1]) for number, judgement in judgements.items()}
    written = {number: max(judgement.coverage[1:-1], default=0.0) for number, judgement in judgements.items()}
    if not judgements:
        return
    most_skipped = max(LEAST_SKIPPED, float(np.percentile([end - first for first, end in skipped.values()], USUAL)) + 1)
    most_written = max(LEAST_WRITTEN, float(np.percentile(list(written.values()), USUAL)) + 0.5)
    for number in entries:
        if number not in judgements:
            continue
        first, end = skipped[number]
        if end - first >= most_skipped:
            text = f"{end - first} source symbols in a row have no target: {''.join(symbols[number][first:end])}"
            yield number, Reason("alignment", text), end - first - most_skipped + 1
        if written[number] >= most_written:
            place = int(np.argmax(judgements[number].coverage[1:-1]))
            text = f"about {written[number]:.0f} target symbols belong to {symbols[number][place]}"
            yield number, Reason("alignment", text), written[number] - most_written + 1


def _longest_gap(coverage: tuple[float, ...]) -> tuple[int, int]:
    """[first, end) of the longest stretch of skipped symbols."""
    best, start = (0, 0), None
    for place, value in enumerate((*coverage, 1.0)):
        if value < UNCOVERED:
            start = place if start is None else start
        elif start is not None:
            best, start = max(best, (start, place), key=lambda gap: gap[1] - gap[0]), None
    return best
