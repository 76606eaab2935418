"""The metrics of the three tasks, as pure functions on sequences of symbols.

A metric compares one candidate with one reference; a source with several references takes, metric by metric,
the value of the reference that suits the candidate best; a data set takes the mean over its sources.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import fsum

from rapidfuzz.distance import Levenshtein

from isotone.errors import ConfigError, DataError
from isotone.results.report import Symbols

__all__ = [
    "METRICS",
    "TASKS",
    "Metric",
    "Task",
    "accuracy",
    "edit_distance",
    "error_rate",
    "f_score",
    "mean_edit_distance",
    "mean_f_score",
    "phone_error_rate",
    "task_named",
    "word_error_rate",
]


def edit_distance(candidate: Symbols, reference: Symbols) -> int:
    """Fewest insertions, deletions and substitutions of whole symbols that turn one into the other."""
    return Levenshtein.distance(candidate, reference)


def error_rate(candidate: Symbols, reference: Symbols) -> float:
    """PER of one word: ED / |r|; an empty reference counts as one symbol long, so the rate stays finite."""
    return edit_distance(candidate, reference) / max(len(reference), 1)


def f_score(candidate: Symbols, reference: Symbols, *, substitution: int = 1) -> float:
    """F of one name: LCS = (|c| + |r| − ED)/2, R = LCS/|r|, P = LCS/|c|, F = 2RP/(R + P) = 2LCS/(|c|+|r|)."""
    # The paper's appendix and its code put the ordinary edit distance into this formula, and so do we: figures stay
    # comparable with the paper's. The scorer of the NEWS shared tasks counts a true common subsequence instead, where
    # a substitution costs 2 (a deletion plus an insertion) and F is never higher: `substitution=2` gives that scale.
    if not candidate or not reference:
        return float(candidate == reference)
    edits = Levenshtein.distance(candidate, reference, weights=(1, 1, substitution))
    return 1 - edits / (len(candidate) + len(reference))


@dataclass(frozen=True)
class Metric:
    """One comparison of a candidate with a reference, and which way is better."""

    name: str
    compare: Callable[[Symbols, Symbols], float]
    higher_is_better: bool

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
        Metric("acc", lambda candidate, reference: 100.0 * (candidate == reference), True),
        Metric("mld", edit_distance, False),
        Metric("wer", lambda candidate, reference: 100.0 * (candidate != reference), False),
        Metric("per", error_rate, False),
        # NEWS takes the reference with the fewest edits, we the one with the highest F: they part only where
        # references differ much in length.
        Metric("mfs", f_score, True),
    )
}


@dataclass(frozen=True)
class Task:
    """A task's metrics, and the one that picks the best epoch."""

    name: str
    metrics: tuple[str, ...]
    selection: str

    @property
    def higher_is_better(self) -> bool:
        """Which way the selection metric improves."""
        return METRICS[self.selection].higher_is_better

    def improves(self, new: float, old: float) -> bool:
        """Is `new` strictly better than `old` by the selection metric?"""
        return new > old if self.higher_is_better else new < old


TASKS: dict[str, Task] = {
    task.name: task
    for task in (
        Task("inflection", ("acc", "mld"), selection="acc"),
        Task("g2p", ("wer", "per"), selection="wer"),
        Task("transliteration", ("acc", "mfs"), selection="acc"),
        Task("transduction", ("acc", "mld"), selection="acc"),
    )
}


def task_named(name: str) -> Task:
    """The task of that name, or an error that lists those there are."""
    if name not in TASKS:
        raise ConfigError(f"unknown task {name!r}: expected one of {', '.join(TASKS)}")
    return TASKS[name]


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
