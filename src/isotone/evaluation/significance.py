"""Whether one system is better than another over the same languages, or over the same words."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from isotone.errors import DataError
from isotone.extras import require

__all__ = ["PairedTest", "fisher", "mcnemar", "paired_permutation_test"]

EXACT_UP_TO = 16
"""Pairs for which all 2ⁿ sign flips are enumerated."""


@dataclass(frozen=True)
class PairedTest:
    """The outcome of a paired test."""

    difference: float
    """Mean of first − second."""
    p_value: float
    """Two-sided: how often random signs give a mean difference at least this far from 0."""
    n: int
    exact: bool
    """Whether all 2ⁿ sign flips were tried, so that the p-value is exact."""


def paired_permutation_test(
    first: Sequence[float], second: Sequence[float], *, resamples: int = 9_999, seed: int = 0
) -> PairedTest:
    """Two-sided sign-flip test on the differences of paired scores, one pair per language or data set.

    Exact up to 16 pairs; beyond that `resamples` random flips. Under the null hypothesis swapping the two
    systems' scores of one language changes nothing: p = #{flips with |mean| ≥ |observed mean|} / #flips.
    """
    if len(first) != len(second) or len(first) == 0:
        raise DataError(f"a paired test needs pairs: found {len(first)} and {len(second)} scores")
    import numpy as np  # where it is used: help texts and refusals read this room without it

    # 94.4 − 93.8 and 0.6 differ in the last bits: without rounding, ties between flips would be lost.
    differences = np.round(np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64), 9)
    if not np.isfinite(differences).all():
        raise DataError("a paired test needs finite scores")
    n = len(differences)
    observed = float(differences.mean())
    if n == 1:  # both flips are equally far from 0; scipy needs two observations
        return PairedTest(observed, 1.0, n, exact=True)
    require("scipy", extra="train", what="the permutation test")
    from scipy import stats  # takes a second to import, and only this needs it

    exact = n <= EXACT_UP_TO
    outcome: Any = stats.permutation_test(
        (differences,),
        np.mean,
        permutation_type="samples",  # of a single sample: flips signs
        vectorized=True,
        n_resamples=2**n if exact else resamples,
        batch=max(1, 2**22 // n),
        alternative="two-sided",
        rng=np.random.default_rng(seed),
    )
    return PairedTest(observed, float(outcome.pvalue), n, exact)


def mcnemar(fixed: int, broken: int) -> float:
    """Two-sided exact McNemar test: how often a fair coin splits the differing items at least this unevenly.

    `fixed` and `broken` are the items that only the one system, or only the other, has right; the p-value is
    min(1, 2 · P(Binomial(fixed + broken, ½) ≤ min(fixed, broken))), computed with whole numbers.
    """
    if min(fixed, broken) < 0:
        raise DataError(f"counts cannot be negative: {fixed} and {broken}")
    n, fewer = fixed + broken, min(fixed, broken)
    ways = total = 1
    for k in range(1, fewer + 1):
        ways = ways * (n - k + 1) // k
        total += ways
    return min(1.0, 2 * total / (1 << n))


def fisher(first: int, second: int, n: int) -> float:
    """Fisher's two-sided exact test on how many of n words each system got right, when it is not known which ones.

    It treats the two counts as coming from different words. Systems tend to get the same words right, so a paired test,
    if there were one, would usually detect more.
    """
    if not 0 <= min(first, second) <= max(first, second) <= n:
        raise DataError(f"expected at most {n} of {n} to be right: found {first} and {second}")
    require("scipy", extra="train", what="Fisher's exact test")
    from scipy import stats

    outcome: Any = stats.fisher_exact([[first, n - first], [second, n - second]])
    return float(outcome.pvalue)
