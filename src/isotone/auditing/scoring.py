"""From judgements to numbers: how suspicious an entry is, and where."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from isotone.auditing.channel import Channel
from isotone.auditing.judgement import Judgement

__all__ = ["SHOWN", "UNUSUAL", "Scorer", "segment_of", "source_segment_of", "surprisal_if_right", "usual_for_length"]

IRREGULAR = 0.02
"""Share of symbols, and of whole entries, for which a right entry may follow the language instead of the model:
irregular forms, names. Chosen on planted errors of other seeds than those reported (docs/audit.md)."""
SHOWN, UNUSUAL = 2.2, 3.0
"""Score and z-score from which on an entry is reported as improbable. log 9 = 2.2: if one entry in ten is wrong, this
one is more probably wrong than right; in a better lexicon, it is worth a look."""
THRESHOLD = 2.0
"""Nats per symbol above which a symbol belongs to the suspicious segment."""
ROUNDS = 20
"""Of reweighted least squares."""


class Scorer:
    """How suspicious entries are: log-odds that a target is a corruption of what belongs there, not what belongs there.

    What belongs there: p(y | x) of the model, mixed with the language model of targets symbol by symbol and as a whole,
    since right entries may be irregular in part or altogether. A corruption: one of the model's answers after mistakes
    in typing (`Channel`), or the target of some other word in the lexicon.
    """

    def __init__(self, targets: Sequence[Sequence[str]], symbols: Callable[[str], Sequence[str]]) -> None:
        """`targets` are all of the lexicon, in symbols; `symbols` cuts an answer."""
        self._split = symbols
        self._counts = Counter(map(tuple, targets))
        self._channel = Channel(targets)
        self._entries = max(1, len(targets))

    def score(self, judgement: Judgement, target: Sequence[str], same: int = 1) -> float:
        """The log-odds, without a prior; `same` entries of the same word have this very target."""
        written = tuple(target)
        ways = [
            logprob - self._channel.surprisal(meant, written)
            for meant, logprob in ((tuple(self._split(answer)), value) for answer, value in judgement.answers)
            if meant != written
        ]
        if (elsewhere := self._counts[written] - same) > 0:
            ways.append(math.log(elsewhere / self._entries))
        if not ways:
            return -self._channel.least
        peak = max(ways)
        return peak + math.log(sum(math.exp(way - peak) for way in ways)) + surprisal_if_right(judgement)


def surprisal_if_right(judgement: Judgement) -> float:
    """−log p of the target as a right entry, irregular ones included."""
    pairs = zip(judgement.surprisal, judgement.language, strict=True)
    in_part = math.fsum(
        math.log((1 - IRREGULAR) * math.exp(-own) + IRREGULAR * math.exp(-language)) for own, language in pairs
    )
    wholly = -math.fsum(judgement.language)
    return -float(np.logaddexp(math.log(1 - IRREGULAR) + in_part, math.log(IRREGULAR) + wholly))


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
