"""The queue of one source in best-first search: prefixes still to expand, finished strings, and when to stop."""

from __future__ import annotations

import bisect
import heapq
import math
from dataclasses import dataclass, field
from typing import NamedTuple

from isotone.decoding.hypothesis import Decoded, Hypothesis
from isotone.decoding.prefixes import Prefixes
from isotone.decoding.protocol import Step

__all__ = ["Agenda", "Entry"]


class Entry(NamedTuple):
    """A prefix not yet expanded: a row of an earlier step, and the symbol that continues it."""

    cost: float
    """−log of the prefix's mass."""
    number: int
    """Among equals, first come first served."""
    node: int
    """The prefix without its last symbol."""
    symbol: int
    step: Step
    row: int


@dataclass(eq=False)
class Agenda:
    """Best-first search in one source, for its `n_best` most probable strings and at least `mass` of probability.

    A prefix's mass bounds all its completions, so a finished string with no less than every waiting prefix is settled.
    """

    n_best: int
    mass: float | None
    budget: int
    """Expansions left; below zero where the first beam took more."""
    log_bound: float = -math.inf
    """The most that a string can have whose prefix was thrown away."""
    waiting: list[Entry] = field(default_factory=list)
    """A heap."""
    finished: list[tuple[float, int]] = field(default_factory=list)
    """(−log p, node) of complete strings, best first; no more than `n_best` unless a mass is to be covered."""
    settled: int = 0
    """How many of the finished strings are."""
    covered: float = 0.0
    """Their probability."""
    pushed: int = 0
    expanded: int = 0

    def expand(self, log_prob: float, node: int) -> None:
        """A prefix was expanded; ended here, it has probability `log_prob`."""
        self.budget -= 1
        self.expanded += 1
        if log_prob == -math.inf:
            return
        if self.n_best == 1 and self.mass is None and self.finished:  # the usual case: one string, the best so far
            if log_prob <= -self.finished[0][0]:
                self.log_bound = max(self.log_bound, log_prob)
                return
            self.drop(-self.finished.pop()[0])
        bisect.insort(self.finished, (-log_prob, node), lo=self.settled)
        if self.mass is None and len(self.finished) > self.n_best:
            self.drop(-self.finished.pop()[0])

    def push(self, log_mass: float, node: int, symbol: int, step: Step, row: int) -> None:
        """A prefix to expand when its turn comes."""
        self.pushed += 1
        heapq.heappush(self.waiting, Entry(-log_mass, self.pushed, node, symbol, step, row))

    def drop(self, log_mass: float) -> None:
        """A prefix was thrown away."""
        self.log_bound = max(self.log_bound, log_mass)

    def floor(self) -> float:
        """A prefix needs more than this: the log-probability of the n-th best string, or nothing for a mass."""
        return -math.inf if self.mass is not None or len(self.finished) < self.n_best else -self.finished[-1][0]

    def pop(self, count: int) -> list[Entry]:
        """The best prefixes, as many as wanted and affordable; none, and the queue emptied, when search is over."""
        self._settle()
        highest = -self.floor()
        entries: list[Entry] = []
        while self._goes_on(self.settled, self.covered) and len(entries) < min(count, self.budget):
            if not self.waiting or self.waiting[0].cost >= highest:
                break
            entries.append(heapq.heappop(self.waiting))
        if not entries and self.waiting:
            self.drop(-self.waiting[0].cost)
            self.waiting.clear()
        return entries

    def decoded(self, prefixes: Prefixes) -> Decoded:
        """The list, after the search; where the mass was not reached, what is settled, and `n_best` in any case."""
        count, total = 0, 0.0
        while count < min(len(self.finished), max(self.n_best, self.settled)) and self._goes_on(count, total):
            total += math.exp(-self.finished[count][0])
            count += 1
        listed, rest = self.finished[:count], self.finished[count:]
        bound = max([self.log_bound, *(-cost for cost, _ in rest[:1])])
        certified = bound == -math.inf or (not self._goes_on(count, total) and -listed[-1][0] >= bound)
        strings = sorted((cost, prefixes.string(node)) for cost, node in listed)
        hypotheses = tuple(Hypothesis(string, -cost) for cost, string in strings)
        return Decoded(hypotheses, certified, bound, self.expanded)

    def _goes_on(self, count: int, total: float) -> bool:
        """Are `count` strings with a probability of `total` too few?"""
        return count < self.n_best or (self.mass is not None and total < self.mass)

    def _settle(self) -> None:
        lowest = self.waiting[0].cost if self.waiting else math.inf
        while self.settled < len(self.finished) and self.finished[self.settled][0] <= lowest:
            self.covered += math.exp(-self.finished[self.settled][0])
            self.settled += 1
