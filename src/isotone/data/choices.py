"""Pairs that stand for one another: every epoch one of each group is drawn, by probability."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

__all__ = ["Choices"]


@dataclass(frozen=True)
class Choices:
    """Groups of rows with weights. A loss on the rows that `epoch` draws is an unbiased estimate of the loss in which
    each group's rows are weighed by their probabilities, at the price of one row per group."""

    groups: Sequence[Sequence[int]]
    """Rows of a list of examples, at least one in each group."""
    weights: Sequence[Sequence[float]]
    """One for each of them, not negative and of any scale; a group's must not all be 0."""

    def __len__(self) -> int:
        return len(self.groups)

    def epoch(self, generator: random.Random) -> list[int]:
        """One row of each group, in the groups' order."""
        pairs = zip(self.groups, self.weights, strict=True)
        return [generator.choices(rows, cum_weights=list(accumulate(weights)))[0] for rows, weights in pairs]
