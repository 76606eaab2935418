"""From judgements to numbers: how suspicious an entry is, and where."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from isotone.auditing.judgement import Judgement

__all__ = ["SHOWN", "score", "segment_of", "source_segment_of", "usual_for_length"]

DOUBT = 1.0
"""How much of the model's own doubt, −log p(best), is taken off the score: a model that is not sure of its own answer
is not sure that another one is wrong. Chosen on planted errors of other seeds than those reported (docs/audit.md)."""
SHOWN = 4.0
"""Score from which on an entry is reported as improbable."""
THRESHOLD = 2.0
"""Nats per symbol above which a symbol belongs to the suspicious segment."""
BINS, ROUNDS = 12, 20


def score(judgement: Judgement) -> float:
    """log p(best) − log p(target), less the model's own doubt, −log p(best); at least 0."""
    return max(0.0, judgement.log_ratio + DOUBT * min(0.0, judgement.best_logprob))


def usual_for_length(judgements: Mapping[int, Judgement]) -> dict[int, float]:
    """By entry, the surprisal's z-score: its distance from what is usual for its length, in robust deviations.

    What is usual is a straight line through the surprisals by length, fitted by least absolute deviations, so that bad
    entries do not bend it; the deviation is 1.4826 times the median distance from the line, at least 0.1 nats.
    """
    numbers = list(judgements)
    lengths = np.array([len(judgements[number].surprisal) for number in numbers], dtype=np.float64)
    totals = np.array([judgements[number].total for number in numbers])
    distances = totals - _line(lengths, totals)
    deviation = max(0.1, 1.4826 * float(np.median(np.abs(distances)))) if len(numbers) else 1.0
    return dict(zip(numbers, (distances / deviation).tolist(), strict=True))


def _line(x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
    """Values on the line of least absolute deviations, by reweighted least squares."""
    if len(x) == 0:
        return y
    design = np.stack([np.ones_like(x), x], 1)
    weights = np.ones_like(y)
    fitted = y
    for _ in range(ROUNDS):
        root = np.sqrt(weights)
        found, *_ = np.linalg.lstsq(design * root[:, None], y * root, rcond=None)
        fitted = design @ found
        weights = 1 / np.maximum(np.abs(y - fitted), 1e-3)
    return fitted


def segment_of(surprisal: Sequence[float]) -> tuple[int, int]:
    """[first, end) of the symbols that carry the surprise: the stretch with the largest sum above the threshold.

    At least the most surprising symbol; the end of the target is a symbol too.
    """
    best, first, total, start = -np.inf, 0, 0.0, 0
    end = 1
    for place, value in enumerate(surprisal):
        if total <= 0:
            total, start = 0.0, place
        total += value - THRESHOLD
        if total > best:
            best, first, end = total, start, place + 1
    return first, end


def source_segment_of(judgement: Judgement, segment: tuple[int, int]) -> tuple[int, int]:
    """[first, end) of the source symbols that the segment is aligned to, with the skipped ones just before it."""
    letters = max(0, len(judgement.coverage) - 2)
    if not judgement.path:
        return 0, letters
    first, end = segment
    positions = judgement.path[first:end]
    left, right = min(positions), max(positions) + 1
    before = judgement.path[first - 1] + 1 if first else 1
    while left > before and judgement.coverage[left - 1] < 0.5:
        left -= 1
    left, right = max(left, 1) - 1, min(right - 1, letters)  # without BOS and EOS
    return (left, right) if left < right else (max(0, min(left, letters) - 1), min(left, letters))
