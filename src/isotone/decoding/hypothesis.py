"""What search returns: strings of ids with their exact log-probabilities."""

from __future__ import annotations

from dataclasses import dataclass, replace

__all__ = ["Decoded", "Hypothesis"]


@dataclass(frozen=True, slots=True)
class Hypothesis:
    """A finished target string as ids, EOS left out, with its exact log p(y | x)."""

    symbols: tuple[int, ...]
    log_prob: float


@dataclass(frozen=True, slots=True)
class Decoded:
    """The hypotheses for one source, best first, each string once."""

    hypotheses: tuple[Hypothesis, ...]
    certified: bool | None = None
    """True where search has proved that no better string was missed, False where it could not; None: it never tried."""
    log_bound: float | None = None
    """log of the most probability that any string not in the list can have, where search knows it."""
    expansions: int | None = None
    """Prefixes that exact search has continued, its first beam included."""
    cut: bool = False
    """True where greedy decoding ran into the length limit: the model did not end the string by itself."""

    def turned(self) -> Decoded:
        """The same with every string turned round."""
        return replace(self, hypotheses=tuple([Hypothesis(h.symbols[::-1], h.log_prob) for h in self.hypotheses]))
