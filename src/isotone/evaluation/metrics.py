"""Metrics as records: how a prediction is compared with a reference, and how the number is shown to people.

A metric compares one candidate with one reference; a source with several references takes, metric by metric,
the value of the reference that suits the candidate best; a data set takes the mean over its sources.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

from isotone.errors import ConfigError, DataError
from isotone.results.report import Symbols

__all__ = [
    "METRICS",
    "NLL",
    "Measure",
    "Metric",
    "accuracy",
    "edit_distance",
    "error_rate",
    "f_score",
    "mean_edit_distance",
    "mean_f_score",
    "measure_named",
    "measures",
    "phone_error_rate",
    "word_error_rate",
]


def edit_distance(candidate: Symbols, reference: Symbols) -> int:
    """The smallest number of insertions, deletions and substitutions of whole symbols between the two."""
    from rapidfuzz.distance import Levenshtein  # here: help texts and refusals read this table without it

    return Levenshtein.distance(candidate, reference)


def error_rate(candidate: Symbols, reference: Symbols) -> float:
    """PER of one word: ED / |r|. An empty reference counts as one symbol long, so that the rate stays finite."""
    return edit_distance(candidate, reference) / max(len(reference), 1)


def f_score(candidate: Symbols, reference: Symbols, *, substitution: int = 1) -> float:
    """F of one name: LCS = (|c| + |r| − ED)/2, R = LCS/|r|, P = LCS/|c|, F = 2RP/(R + P) = 2LCS/(|c|+|r|)."""
    # The paper's appendix and its code put the ordinary edit distance into this formula, and so do we: figures stay
    # comparable with the paper's. The scorer of the NEWS shared tasks counts a true common subsequence instead, where
    # a substitution costs 2 (a deletion plus an insertion) and F is never higher: `substitution=2` gives that scale.
    if not candidate or not reference:
        return float(candidate == reference)
    from rapidfuzz.distance import Levenshtein

    edits = Levenshtein.distance(candidate, reference, weights=(1, 1, substitution))
    return 1 - edits / (len(candidate) + len(reference))


_NOT_FINITE = {"nan": "–", "inf": "∞", "-inf": "−∞"}


@dataclass(frozen=True, kw_only=True)
class Measure:
    """A number that describes a model on a data set, and everything that tables need to show it."""

    name: str
    """Its key in JSON, CSV and `--metric`."""
    title: str
    """Its name for people."""
    unit: str
    """"%", "edits", "nats", or nothing for a plain number."""
    digits: int
    """Decimal places in tables, as many as the paper gives."""
    higher_is_better: bool
    summary: str
    """One line for help texts."""

    @property
    def label(self) -> str:
        """A table heading: "ACC (%)"."""
        return f"{self.name.upper()} ({self.unit})" if self.unit else self.name.upper()

    def show(self, value: float, *, unit: bool = False) -> str:
        """A value for people: "41.0", or "41.0 %" with its unit."""
        text = f"{value:.{self.digits}f}" if math.isfinite(value) else _NOT_FINITE[str(value)]
        return f"{text} {self.unit}" if unit and self.unit else text

    def better(self, new: float, old: float) -> bool:
        """Whether `new` is strictly better than `old`."""
        return new > old if self.higher_is_better else new < old


@dataclass(frozen=True, kw_only=True)
class Metric(Measure):
    """A measure that compares predictions with references. A new one is a record and a line in `METRICS`."""

    compare: Callable[[Symbols, Symbols], float]
    """The value of one candidate against one reference."""

    def best(self, candidate: Symbols, references: Sequence[Symbols]) -> float:
        """The value against the reference that suits the candidate best."""
        if not references:
            raise DataError(f"cannot compute {self.name}: a source has no reference")
        choose = max if self.higher_is_better else min
        return choose(self.compare(candidate, reference) for reference in references)

    def mean(self, candidates: Sequence[Symbols], references: Sequence[Sequence[Symbols]]) -> float:
        """The mean over all sources, each with its own references."""
        if not candidates:
            raise DataError(f"cannot compute {self.name}: there is nothing to evaluate")
        pairs = zip(candidates, references, strict=True)
        return fsum(self.best(candidate, several) for candidate, several in pairs) / len(candidates)


METRICS: dict[str, Metric] = {
    metric.name: metric
    for metric in (
        Metric(
            name="acc",
            title="accuracy",
            unit="%",
            digits=1,
            higher_is_better=True,
            summary="share of sources whose prediction equals a reference",
            compare=lambda candidate, reference: 100.0 * (candidate == reference),
        ),
        Metric(
            name="mld",
            title="mean edit distance",
            unit="edits",
            digits=3,
            higher_is_better=False,
            summary="mean edit distance to the nearest reference",
            compare=edit_distance,
        ),
        Metric(
            name="wer",
            title="word error rate",
            unit="%",
            digits=1,
            higher_is_better=False,
            summary="share of sources whose prediction equals no reference",
            compare=lambda candidate, reference: 100.0 * (candidate != reference),
        ),
        Metric(
            name="per",
            title="phone error rate",
            unit="",
            digits=3,
            higher_is_better=False,
            summary="edit distance divided by reference length, mean over sources",
            compare=error_rate,
        ),
        # NEWS takes the reference with the fewest edits, we the one with the highest F: they differ only where
        # references differ much in length.
        Metric(
            name="mfs",
            title="mean F-score",
            unit="",
            digits=3,
            higher_is_better=True,
            summary="F-score of common symbols, mean over sources (NEWS)",
            compare=f_score,
        ),
    )
}
"""Metrics by name."""

NLL = Measure(
    name="nll",
    title="negative log-likelihood",
    unit="nats",
    digits=3,
    higher_is_better=False,
    summary="minus log p of the most probable reference, mean over sources",
)
"""The one measure that needs the model's probabilities instead of its predictions."""


def measures() -> dict[str, Measure]:
    """Every measure by name: the metrics in the order of their table, then `nll`."""
    return {**METRICS, NLL.name: NLL}


def measure_named(name: str) -> Measure:
    """The measure called `name`; raises ConfigError listing the known measures."""
    known = measures()
    if name not in known:
        raise ConfigError(f"unknown metric {name!r}: expected one of {', '.join(known)}")
    return known[name]


def accuracy(candidates: Sequence[Symbols], references: Sequence[Sequence[Symbols]]) -> float:
    """ACC: percentage of sources whose candidate equals a reference."""
    return METRICS["acc"].mean(candidates, references)


def mean_edit_distance(candidates: Sequence[Symbols], references: Sequence[Sequence[Symbols]]) -> float:
    """MLD: mean edit distance to the nearest reference."""
    return METRICS["mld"].mean(candidates, references)


def word_error_rate(candidates: Sequence[Symbols], references: Sequence[Sequence[Symbols]]) -> float:
    """WER: percentage of sources whose candidate equals no reference."""
    return METRICS["wer"].mean(candidates, references)


def phone_error_rate(candidates: Sequence[Symbols], references: Sequence[Sequence[Symbols]]) -> float:
    """PER: mean over words of edit distance / reference length, a fraction that may exceed 1."""
    return METRICS["per"].mean(candidates, references)


def mean_f_score(candidates: Sequence[Symbols], references: Sequence[Sequence[Symbols]]) -> float:
    """MFS: mean F-score, in [0, 1]."""
    return METRICS["mfs"].mean(candidates, references)
