"""A small language model of targets: which symbol follows which, and which stretches of the source are copied."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence

__all__ = ["NGrams"]

_START, _END = "\x02", "\x03"
_COPYING = (0.5, 0.8, 0.9)
"""How probable it is that a stretch of one, two, or three and more symbols copied from the source goes on."""


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

    def surprisals(self, string: Sequence[str], source: Sequence[str] | None = None) -> list[float]:
        """−log p of each symbol and of the end, given the symbols before it.

        With a `source`, stretches may be copied from it, in any order: what follows there on the longest stretch that
        the string so far ends with is more probable than elsewhere.
        """
        padded, first = self._padded(string), self._order - 1
        values = [self._probability(padded, place) for place in range(first, len(padded))]
        if source is not None:
            for place, (length, following) in enumerate(_copied(source, string)):
                share = _COPYING[min(length, len(_COPYING)) - 1] if length else 0.0
                symbol = padded[first + place]
                values[place] = share * (symbol in following) / max(1, len(following)) + (1 - share) * values[place]
        return [-math.log(value) for value in values]

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


def _copied(source: Sequence[str], string: Sequence[str]) -> Iterator[tuple[int, set[str]]]:
    """Before each symbol of the string and before its end: how long the longest stretch of the source is that the
    string so far ends with, its start counted, and which symbols follow on such a stretch there."""
    before, after = [_START, *source], [*source, _END]
    lengths = [1] + [0] * len(source)
    for symbol in (*string, _END):
        longest = max(lengths)
        yield longest, {after[place] for place, length in enumerate(lengths) if length == longest > 0}
        lengths = [0] + [length + 1 if at == symbol else 0 for length, at in zip(lengths[:-1], before[1:], strict=True)]
