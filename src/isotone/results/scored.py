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
    surprisal: NotRequired[list[float | None]]
    """−log p(symbol | symbols before it, source) of each target symbol and of the end, where asked for: they add up to
    −logprob. null from the first symbol on that the model cannot write."""


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
    surprisal: tuple[float, ...] | None = None
    """−log p(symbol | symbols before it, source) of each target symbol and of the end, in nats; None if not asked for.

    Infinite from the first symbol on that the model cannot write."""

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
        if self.surprisal is not None:
            values["surprisal"] = [value if math.isfinite(value) else None for value in self.surprisal]
        return values

    def row(self, *, probability: bool = False) -> list[str]:
        """source, tags (if any), target, log-probability; the probability if wanted; surprisals with spaces between
        them (if any)."""
        tags = [cell(";".join(self.tags))] if self.tags else []
        wanted = [f"{self.probability:.4g}"] if probability else []
        symbols = [] if self.surprisal is None else [" ".join(f"{value:.4f}" for value in self.surprisal)]
        return [cell(self.source), *tags, cell(self.target), f"{self.logprob:.6f}", *wanted, *symbols]
