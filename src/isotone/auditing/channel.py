"""How probable it is that one string was meant and another one written: a channel of typing mistakes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence

__all__ = ["Channel"]

KINDS = 1.0
"""Nats for which kind of mistake it is: a little less than log 4, as the four kinds are not equally frequent.
Chosen on planted errors of other seeds than those reported (docs/audit.md)."""


class Channel:
    """Mistakes at random places: a symbol left out, put in, put in place of another, or two neighbours swapped.

    A place costs log(mean length + 1) nats, the kind of mistake 1 nat, and a symbol that was written by mistake its own
    surprisal in the lexicon: frequent symbols are written by mistake more often.
    """

    def __init__(self, targets: Sequence[Sequence[str]]) -> None:
        """`targets` are those of the lexicon, in symbols."""
        self._counts = Counter(symbol for target in targets for symbol in target)
        self._symbols = sum(self._counts.values())
        self._mistake = math.log(self._symbols / max(1, len(targets)) + 1) + KINDS

    @property
    def least(self) -> float:
        """The cost of the cheapest mistake."""
        return self._mistake

    def surprisal(self, meant: Sequence[str], written: Sequence[str]) -> float:
        """−log p of the most probable mistakes that turn `meant` into `written`; 0 where they are the same."""
        spurious = [self._mistake + self._written(symbol) for symbol in written]
        before: list[float] = []
        row = [0.0]
        for cost in spurious:
            row.append(row[-1] + cost)
        for i, symbol in enumerate(meant, 1):
            before, row, two_before = row, [row[0] + self._mistake], before
            for j, other in enumerate(written, 1):
                cost = spurious[j - 1]
                best = min(before[j - 1] + (0.0 if symbol == other else cost), before[j] + self._mistake)
                best = min(best, row[j - 1] + cost)
                if i > 1 and j > 1 and symbol == written[j - 2] != other == meant[i - 2]:
                    best = min(best, two_before[j - 2] + self._mistake)
                row.append(best)
        return row[-1]

    def _written(self, symbol: str) -> float:
        """The surprisal of a symbol by its frequency, with half a count for those never seen."""
        return -math.log((self._counts[symbol] + 0.5) / (self._symbols + 0.5 * (len(self._counts) + 1)))
