"""A prediction: the targets of one source, best first, with true probabilities."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NotRequired, SupportsIndex, overload

from typing_extensions import TypedDict

from isotone.results.display import to_html
from isotone.results.lines import cell

__all__ = ["Candidate", "CandidateJson", "Prediction", "PredictionJson", "Predictions"]


class CandidateJson(TypedDict):
    """One of the predictions of a source."""

    target: str
    logprob: float | None
    """log p(target | source) in nats; null where the probability is 0, as it may be for a lexicon's answer."""
    probability: float
    rank: int
    """1 for the best."""


class PredictionJson(TypedDict):
    """One line of `isotone predict --json`."""

    source: str
    tags: list[str]
    predictions: list[CandidateJson]
    """Best first, each string once."""
    certified: bool | None
    """True: no string outside the list is more probable than those in it. Null: nobody tried to prove it."""
    bound: NotRequired[float | None]
    """Where `certified` is false: log of the most probability that any other string can have."""
    lexicon: NotRequired[bool]
    """True where the answer was looked up."""
    unseen: NotRequired[list[str]]
    """Source symbols never seen in training."""
    long: NotRequired[bool]
    """True where the source is much longer than any in training."""


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


@dataclass(frozen=True, slots=True)
class Prediction:
    """The predicted targets of one source, best first."""

    source: str
    tags: tuple[str, ...]
    candidates: tuple[Candidate, ...]
    certified: bool | None = None
    """True where search has proved that these are the most probable strings, False where it could not; None where
    nobody tried (greedy decoding, lexicons)."""
    from_lexicon: bool = False
    """True where the answer was looked up, not predicted; the probabilities are the model's all the same."""
    log_bound: float | None = None
    """log of the most probability that any string not listed can have; None where search does not know."""
    unseen: tuple[str, ...] = ()
    """Source symbols never seen in training."""
    long: bool = False
    """True where the source is much longer than any in training."""

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

    def _repr_html_(self) -> str:
        """A table of the candidates, for notebooks."""
        return to_html(self)

    def to_json(self) -> PredictionJson:
        """One line of `isotone predict --json`."""
        values: PredictionJson = {
            "source": self.source,
            "tags": list(self.tags),
            "predictions": [
                {
                    "target": candidate.target,
                    "logprob": candidate.logprob if math.isfinite(candidate.logprob) else None,
                    "probability": candidate.probability,
                    "rank": candidate.rank,
                }
                for candidate in self.candidates
            ],
            "certified": self.certified,
        }
        if self.log_bound is not None and not self.certified:
            values["bound"] = self.log_bound if math.isfinite(self.log_bound) else None
        if self.from_lexicon:
            values["lexicon"] = True
        if self.unseen:
            values["unseen"] = list(self.unseen)
        if self.long:
            values["long"] = True
        return values

    def rows(self, *, several: bool, probability: bool | None = None) -> Iterator[list[str]]:
        """source, tags (if any), target; for `several` candidates source, tags, rank, log-probability, target.

        Behind the target stands its probability, where wanted (by default for several candidates), and then `lexicon`
        where it was looked up. A source without any candidate has one row all the same.
        """
        shown = several if probability is None else probability
        start = [cell(self.source), *([cell(";".join(self.tags))] if self.tags else [])]
        for candidate in self.candidates or (self.best,):
            middle = [str(candidate.rank), f"{candidate.logprob:.4f}"] if several else []
            end = [f"{candidate.probability:.4f}"] if shown else []
            yield [*start, *middle, cell(candidate.target), *end, *(["lexicon"] if self.from_lexicon else [])]


class Predictions(list[Prediction]):
    """A list of predictions that shows itself as a table in notebooks; slices do too."""

    @overload
    def __getitem__(self, place: SupportsIndex) -> Prediction: ...

    @overload
    def __getitem__(self, place: slice) -> Predictions: ...

    def __getitem__(self, place: Any) -> Any:
        found = super().__getitem__(place)
        return Predictions(found) if isinstance(place, slice) else found

    def _repr_html_(self) -> str:
        """A row per source, for notebooks."""
        return to_html(self)
