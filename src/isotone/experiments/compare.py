"""Models side by side over data sets: means over seeds, averages, and the paper's paired permutation tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from statistics import fmean

from isotone.errors import ConfigError, DataError
from isotone.evaluation import METRICS, PairedTest, paired_permutation_test
from isotone.experiments.results import NAMES, Score

__all__ = ["MARKS", "SIGNIFICANT", "Comparison", "Contest", "compare", "higher_is_better", "remarks", "shown"]

PAPER = ("soft", "0-hard", "0-mono", "1-mono", "1-hard")
"""The paper's order of models; others follow in the order they come."""
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
    """Is the model's mean better, significant or not?"""

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
    """Over seeds, by data set and model; a combination that was not run is not there."""
    seeds: Mapping[tuple[str, str], int]
    contests: tuple[Contest, ...]
    """Every ordered pair of models that share a data set."""

    @property
    def complete(self) -> tuple[str, ...]:
        """Data sets that every model has: those the average is taken over."""
        return tuple(name for name in self.data if all((name, model) in self.means for model in self.models))

    @property
    def averages(self) -> dict[str, float]:
        """By model; empty where no data set has them all."""
        shared = self.complete
        return {model: fmean(self.means[name, model] for name in shared) for model in self.models} if shared else {}

    def mark(self, model: str) -> str:
        """The paper's markers of a model: which of the others it beats significantly."""
        beaten = {contest.other for contest in self.contests if contest.model == model and contest.won}
        return "".join(mark for other, mark in zip(self.models, MARKS, strict=False) if other in beaten)

    def best(self, values: Mapping[str, float]) -> set[str]:
        """The models with the best of these values, as they are shown."""
        shown = {model: self.show(value) for model, value in values.items()}
        choose = max if higher_is_better(self.metric) else min
        return {model for model in values if shown[model] == self.show(choose(values.values()))} if values else set()

    def row(self, name: str) -> dict[str, float]:
        """A data set's means by model."""
        return {model: self.means[name, model] for model in self.models if (name, model) in self.means}

    def show(self, value: float) -> str:
        """A value with as many digits as the paper gives it."""
        return shown(self.metric, value)


def higher_is_better(metric: str) -> bool:
    """Which way a metric improves."""
    return metric in METRICS and METRICS[metric].higher_is_better


def shown(metric: str, value: float) -> str:
    """A value of a metric with as many digits as the paper gives it."""
    return f"{value:.1f}" if metric in {"acc", "wer"} else f"{value:.3f}"


def compare(scores: Sequence[Score], metric: str | None = None) -> Comparison:
    """Put scores side by side; the metric is the first that all of them have, unless it is named.

    Where some tasks are scored by ACC and others by WER, all are compared by ACC = 100 − WER.
    """
    scores = _with_accuracy(scores, metric)
    chosen = _metric(scores, metric)
    values: dict[tuple[str, str], list[float]] = {}
    for score in scores:
        values.setdefault((score.data, score.model), []).append(score.metrics[chosen])
    means = {key: fmean(several) for key, several in values.items()}
    found = list(dict.fromkeys(score.model for score in scores))
    models = tuple(sorted(found, key=lambda model: PAPER.index(model) if model in PAPER else len(PAPER)))
    data = tuple(dict.fromkeys(score.data for score in scores))
    contests = [contest for pair in permutations(models, 2) if (contest := _contest(*pair, data, means, chosen))]
    seeds = {key: len(several) for key, several in values.items()}
    return Comparison(chosen, models, data, means, seeds, tuple(contests))


def remarks(comparison: Comparison) -> list[str]:
    """What a reader of the table should know."""
    found = []
    if len(comparison.complete) < len(comparison.data):
        shared, all_ = len(comparison.complete), len(comparison.data)
        found.append(f"the average is over the {shared} of {all_} data sets that all models have")
    most = max((contest.test.n for contest in comparison.contests), default=0)
    if most and 2 / 2**most >= SIGNIFICANT:
        least = 2 / 2**most
        found.append(f"over {most} data sets no p-value can be below {least:.4g}: too few for significance")
    return found


def _with_accuracy(scores: Sequence[Score], wanted: str | None) -> Sequence[Score]:
    """ACC for scores that have WER instead, where others have ACC or it is asked for."""
    if wanted != "acc" and not any("acc" in score.metrics for score in scores):
        return scores
    derived = [{"acc": 100 - score.metrics["wer"]} if "wer" in score.metrics else {} for score in scores]
    return [replace(s, metrics={**more, **s.metrics}) for s, more in zip(scores, derived, strict=True)]


def _metric(scores: Sequence[Score], wanted: str | None) -> str:
    if not scores:
        raise DataError("there is nothing to compare")
    shared = [name for name in NAMES if all(name in score.metrics for score in scores)]
    if not shared:
        raise DataError("there is no metric that all of the results have")
    if wanted is not None and wanted not in shared:
        raise ConfigError(f"--metric {wanted}: expected one that all of the results have: {', '.join(shared)}")
    return wanted or shared[0]


def _contest(
    model: str, other: str, data: Sequence[str], means: Mapping[tuple[str, str], float], metric: str
) -> Contest | None:
    """None where the two have no data set in common."""
    shared = [name for name in data if (name, model) in means and (name, other) in means]
    if not shared:
        return None
    test = paired_permutation_test([means[name, model] for name in shared], [means[name, other] for name in shared])
    better = test.difference > 0 if higher_is_better(metric) else test.difference < 0
    return Contest(model, other, test, better)
