"""Two models on one data set: is the difference more than the luck of its test words?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from statistics import fmean

from isotone.evaluation import fisher, mcnemar, paired_permutation_test
from isotone.experiments.intervals import SHARES
from isotone.experiments.results import Score

__all__ = ["WordTest", "word_tests"]

Groups = Mapping[tuple[str, str], Sequence[Score]]


@dataclass(frozen=True)
class WordTest:
    """A model against another over the words of one data set."""

    data: str
    model: str
    other: str
    difference: float
    """Of the metric: model − other."""
    n: int
    """Words."""
    p_value: float
    """Two-sided."""
    paired: bool
    """Word by word; else by the two counts alone, as if they were of different words, which is more careful."""


def word_tests(groups: Groups, metric: str) -> tuple[WordTest, ...]:
    """One test per data set and ordered pair of models that have it, where the number of words is known.

    Which words were right is known for results of sweeps: McNemar's exact test for one seed each, a permutation test
    of the words' means over seeds for more. For published figures it is not, which leaves Fisher's exact test.
    """
    if metric not in SHARES:
        return ()
    found: list[WordTest] = []
    for data in dict.fromkeys(data for data, _ in groups):
        for model, other in combinations([model for name, model in groups if name == data], 2):
            if (test := _word_test(data, model, other, groups, metric)) is not None:
                found += [test, replace(test, model=other, other=model, difference=-test.difference)]
    return tuple(found)


def _word_test(data: str, model: str, other: str, groups: Groups, metric: str) -> WordTest | None:
    mine, theirs = groups[data, model], groups[data, other]
    n = next((score.n for score in (*mine, *theirs) if score.n), None)
    if n is None or any(score.n not in (None, n) for score in (*mine, *theirs)):
        return None
    first, second = (fmean(score.metrics[metric] for score in several) for several in (mine, theirs))
    paired = all(score.right for score in (*mine, *theirs)) and len({score.test for score in (*mine, *theirs)}) == 1
    p_value = _paired(mine, theirs) if paired else fisher(round(first / 100 * n), round(second / 100 * n), n)
    return WordTest(data, model, other, first - second, n, p_value, paired)


def _paired(mine: Sequence[Score], theirs: Sequence[Score]) -> float:
    if len(mine) == len(theirs) == 1:
        outcomes = list(zip(mine[0].right, theirs[0].right, strict=True))
        return mcnemar(outcomes.count(("1", "0")), outcomes.count(("0", "1")))
    first, second = (
        [fmean(map(int, word)) for word in zip(*(score.right for score in several), strict=True)]
        for several in (mine, theirs)
    )
    return paired_permutation_test(first, second).p_value
