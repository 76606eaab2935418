"""What decoders return."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

__all__ = ["Candidate", "Decoded", "Hypothesis", "Prediction"]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished target string as ids, EOS left out, with its exact log p(y | x)."""

    symbols: tuple[int, ...]
    log_prob: float


@dataclass(frozen=True, slots=True)
class Decoded:
    """The hypotheses for one source, best first, each string once."""

    hypotheses: tuple[Hypothesis, ...]
    certified: bool = False
    """True where search has proved that no better string was missed."""
    log_bound: float | None = None
    """log of the most probability that any string not in the list can have, where search knows it."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """One predicted target."""

    target: str
    symbols: tuple[str, ...]
    logprob: float
    """log p(target | source) in nats, over all alignments."""
    rank: int
    """1 for the best."""

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

    def to_json(self) -> dict[str, Any]:
        """One line of `isotone predict --json`."""
        return {
            "source": self.source,
            "tags": list(self.tags),
            "predictions": [candidate.to_json() for candidate in self.candidates],
            "certified": self.certified,
            **({"lexicon": True} if self.from_lexicon else {}),
        }
