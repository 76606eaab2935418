"""A pair with its exact log-probability."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NotRequired

from typing_extensions import TypedDict

from isotone.results.lines import cell

__all__ = ["Scored", "ScoredJson"]


class ScoredJson(TypedDict):
    """One line of `isotone score --json`."""

    source: str
    target: str
    tags: list[str]
    logprob: float | None
    """log p(target | source) in nats; null where the probability is 0."""
    probability: float
    reason: NotRequired[str]
    """Why the probability is 0."""


@dataclass(frozen=True, slots=True)
class Scored:
    """A pair and log p(target | source)."""

    source: str
    target: str
    tags: tuple[str, ...]
    logprob: float
    """In nats, over all alignments; −inf where the pair is impossible."""
    reason: str | None = None
    """Why the pair is impossible; None where it is not."""

    @property
    def probability(self) -> float:
        """p(target | source)."""
        return math.exp(self.logprob)

    def to_json(self) -> ScoredJson:
        """One line of `isotone score --json`."""
        values: ScoredJson = {
            "source": self.source,
            "target": self.target,
            "tags": list(self.tags),
            "logprob": self.logprob if math.isfinite(self.logprob) else None,
            "probability": self.probability,
        }
        if self.reason is not None:
            values["reason"] = self.reason
        return values

    def row(self, *, probability: bool = False) -> list[str]:
        """source, tags (if any), target, log-probability and, if wanted, probability."""
        tags = [cell(";".join(self.tags))] if self.tags else []
        more = [f"{self.probability:.4g}"] if probability else []
        return [cell(self.source), *tags, cell(self.target), f"{self.logprob:.6f}", *more]
