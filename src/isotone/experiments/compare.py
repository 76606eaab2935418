"""Compares models over data sets: means over seeds, averages, and the paper's paired permutation tests."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from statistics import fmean

from isotone.errors import ConfigError, DataError
from isotone.evaluation import Measure, PairedTest, measure_named, measures, paired_permutation_test
from isotone.experiments.intervals import Interval, of_scores
from isotone.experiments.results import Score
from isotone.experiments.words import WordTest, word_tests

__all__ = ["MARKS", "SIGNIFICANT", "Comparison", "Contest", "compare", "remarks"]

PAPER = ("soft", "0-hard", "0-mono", "1-mono", "1-hard")
"""The paper's order of models; others follow in order of appearance."""
MARKS = "⋆×†‡§¶"
"""Significantly better than the first, the second, … model, as in the paper's second table."""
SIGNIFICANT = 0.05


@dataclass(frozen=True)
class Contest:
    """A model against another over all data sets that both have."""

    model: str
    other: str
    test: PairedTest
    better: bool
    """Whether the model's mean is better, significantly or not."""

    @property
    def won(self) -> bool:
        """Significantly better."""
        return self.better and self.test.p_value < SIGNIFICANT


@dataclass(frozen=True)
class Comparison:
    """A metric of several models on several data sets."""

    metric: str
    models: tuple[str, ...]
    data: tuple[str, ...]
    means: Mapping[tuple[str, str], float]
    """Means over seeds by (data set, model); combinations that were not run are missing."""
    seeds: Mapping[tuple[str, str], int]
    contests: tuple[Contest, ...]
    """One per ordered pair of models that share a data set."""
    intervals: Mapping[tuple[str, str], Interval] = field(default_factory=dict)
    """By (data set, model), where something is known of the value's uncertainty."""
    word_tests: tuple[WordTest, ...] = ()
    """One per data set and ordered pair of models that have it, where words are counted and their number is known."""

    @property
    def measure(self) -> Measure:
        """The record of the metric."""
        return measure_named(self.metric)

    @property
    def complete(self) -> tuple[str, ...]:
        """Data sets that every model has; averages are over these."""
        return tuple(name for name in self.data if all((name, model) in self.means for model in self.models))

    @property
    def averages(self) -> dict[str, float]:
        """Averages by model; empty if no data set has all models."""
        shared = self.complete
        return {model: fmean(self.means[name, model] for name in shared) for model in self.models} if shared else {}

    def mark(self, model: str) -> str:
        """The paper's markers for the models that this one beats significantly."""
        beaten = {contest.other for contest in self.contests if contest.model == model and contest.won}
        return self._signs(beaten)

    def word_mark(self, name: str, model: str) -> str:
        """Markers for the models that this one beats significantly on the words of one data set."""
        beaten = {
            test.other
            for test in self.word_tests
            if (test.data, test.model) == (name, model)
            and test.p_value < SIGNIFICANT
            and self.measure.better(test.difference, 0)
        }
        return self._signs(beaten)

    def _signs(self, beaten: Collection[str]) -> str:
        return "".join(mark for other, mark in zip(self.models, MARKS, strict=False) if other in beaten)

    def best(self, values: Mapping[str, float]) -> set[str]:
        """The models whose value, as shown, is the best."""
        shown = {model: self.show(value) for model, value in values.items()}
        choose = max if self.measure.higher_is_better else min
        return {model for model in values if shown[model] == self.show(choose(values.values()))} if values else set()

    def row(self, name: str) -> dict[str, float]:
        """A data set's means by model."""
        return {model: self.means[name, model] for model in self.models if (name, model) in self.means}

    def show(self, value: float) -> str:
        """A value with the metric's number of digits."""
        return self.measure.show(value)


def compare(scores: Sequence[Score], metric: str | None = None) -> Comparison:
    """Compares models over data sets by `metric`, or by the first metric that all scores have.

    If some tasks are scored by ACC and others by WER, all are compared by ACC = 100 − WER.
    """
    scores = _with_accuracy(scores, metric)
    chosen = _metric(scores, metric)
    groups: dict[tuple[str, str], list[Score]] = {}
    for score in scores:
        groups.setdefault((score.data, score.model), []).append(score)
    means = {key: fmean(score.metrics[chosen] for score in several) for key, several in groups.items()}
    found = list(dict.fromkeys(score.model for score in scores))
    models = tuple(sorted(found, key=lambda model: PAPER.index(model) if model in PAPER else len(PAPER)))
    data = tuple(dict.fromkeys(score.data for score in scores))
    contests = [contest for pair in permutations(models, 2) if (contest := _contest(*pair, data, means, chosen))]
    seeds = {key: len(several) for key, several in groups.items()}
    intervals = {key: known for key, several in groups.items() if (known := of_scores(several, chosen))}
    return Comparison(chosen, models, data, means, seeds, tuple(contests), intervals, word_tests(groups, chosen))


def remarks(comparison: Comparison) -> list[str]:
    """Notes that belong under the table."""
    found = []
    if len(comparison.complete) < len(comparison.data):
        shared, all_ = len(comparison.complete), len(comparison.data)
        found.append(f"the average is over the {shared} of {all_} data sets that all models have")
    most = max((contest.test.n for contest in comparison.contests), default=0)
    if most and 2 / 2**most >= SIGNIFICANT:
        least = 2 / 2**most
        sets = f"{most} data sets" if most > 1 else "one data set"
        found.append(f"over {sets} no p-value can be below {least:.4g}: too few for significance")
    return found


def _with_accuracy(scores: Sequence[Score], wanted: str | None) -> Sequence[Score]:
    """Adds ACC to scores that have only WER, if other scores have ACC or it was asked for."""
    if wanted != "acc" and not any("acc" in score.metrics for score in scores):
        return scores
    return [_accurate(score) if "wer" in score.metrics else score for score in scores]


def _accurate(score: Score) -> Score:
    low, high = score.intervals.get("wer", (None, None))
    interval = {} if low is None or high is None else {"acc": (100 - high, 100 - low)}
    metrics = {"acc": 100 - score.metrics["wer"], **score.metrics}
    return replace(score, metrics=metrics, intervals={**interval, **score.intervals})


def _metric(scores: Sequence[Score], wanted: str | None) -> str:
    if not scores:
        raise DataError("there is nothing to compare")
    shared = [name for name in measures() if all(name in score.metrics for score in scores)]
    if not shared:
        raise DataError("the results have no metric in common")
    if wanted is not None and wanted not in shared:
        raise ConfigError(f"--metric {wanted}: expected one that all results have: {', '.join(shared)}")
    return wanted or shared[0]


def _contest(
    model: str, other: str, data: Sequence[str], means: Mapping[tuple[str, str], float], metric: str
) -> Contest | None:
    """The test between two models; None if they have no data set in common."""
    shared = [name for name in data if (name, model) in means and (name, other) in means]
    if not shared:
        return None
    test = paired_permutation_test([means[name, model] for name in shared], [means[name, other] for name in shared])
    better = measure_named(metric).better(test.difference, 0)
    return Contest(model, other, test, better)
