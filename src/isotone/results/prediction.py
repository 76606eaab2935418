"""A prediction: the targets of one source, best first, with true probabilities."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

__all__ = ["Candidate", "Prediction"]


@dataclass(frozen=True, slots=True)
class Candidate:
    """One predicted target."""

    target: str
    symbols: tuple[str, ...]
    logprob: float
    """log p(target | source) in nats, over all alignments."""
    rank: int
    """1 for the best."""

    @property
    def probability(self) -> float:
        """p(target | source)."""
        return math.exp(self.logprob)

    def to_json(self) -> dict[str, Any]:
        """As in `isotone predict --json`."""
        return {"target": self.target, "logprob": self.logprob, "rank": self.rank}


@dataclass(frozen=True, slots=True)
class Prediction:
    """The predicted targets of one source, best first."""

    source: str
    tags: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    certified: bool = False
    """True where search has proved that these are the most probable strings."""
    from_lexicon: bool = False
    """True where the answer was looked up, not predicted; the probabilities are the model's all the same."""
    log_bound: float | None = None
    """log of the most probability that any string not listed can have; None where search does not know."""

    @property
    def best(self) -> Candidate:
        """The first candidate; where a constraint left none, the empty string with probability 0."""
        return self.candidates[0] if self.candidates else Candidate("", (), -math.inf, 1)

    @property
    def target(self) -> str:
        """The best target's text."""
        return self.best.target

    @property
    def logprob(self) -> float:
        """The best target's log-probability."""
        return self.best.logprob

    @property
    def probability(self) -> float:
        """The best target's probability."""
        return self.best.probability

    def __str__(self) -> str:
        """A line for each candidate, and what is certain of them."""
        source = " ".join([self.source, *([f"({';'.join(self.tags)})"] if self.tags else [])])
        note = "  from the lexicon" if self.from_lexicon else "  certified" if self.certified else ""
        lines = [f"{source} → {c.target}  {c.probability:.4f}" for c in self.candidates]
        return "\n".join(lines or [f"{source} → nothing allowed"]) + note

    def to_json(self) -> dict[str, Any]:
        """One line of `isotone predict --json`."""
        return {
            "source": self.source,
            "tags": list(self.tags),
            "predictions": [candidate.to_json() for candidate in self.candidates],
            "certified": self.certified,
            **({"bound": self.log_bound} if self.log_bound is not None and not self.certified else {}),
            **({"lexicon": True} if self.from_lexicon else {}),
        }
