"""A small language model of targets: which symbol follows which, whatever the source."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence

__all__ = ["NGrams"]

_START, _END = "\x02", "\x03"


class NGrams:
    """Interpolated n-grams with Witten–Bell smoothing: an unseen symbol still has a small probability."""

    def __init__(self, strings: Iterable[Sequence[str]], order: int = 4) -> None:
        self._order = order
        self._counts: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
        for string in strings:
            padded = self._padded(string)
            for place in range(order - 1, len(padded)):
                for length in range(order):
                    self._counts[tuple(padded[place - length : place])][padded[place]] += 1
        self._totals = {history: sum(counts.values()) for history, counts in self._counts.items()}
        self._flat = 1 / (len(self._counts[()]) + 1)

    def surprisals(self, string: Sequence[str]) -> list[float]:
        """−log p of each symbol and of the end, given the symbols before it."""
        padded, first = self._padded(string), self._order - 1
        return [-math.log(self._probability(padded, place)) for place in range(first, len(padded))]

    def _padded(self, string: Sequence[str]) -> list[str]:
        return [_START] * (self._order - 1) + list(string) + [_END]

    def _probability(self, padded: Sequence[str], place: int) -> float:
        """From the shortest history to the longest, each with as much say as it has continuations."""
        value = self._flat
        for length in range(self._order):
            history = tuple(padded[place - length : place])
            if (total := self._totals.get(history)) is None:
                break
            counts = self._counts[history]
            value = (counts[padded[place]] + len(counts) * value) / (total + len(counts))
        return value
