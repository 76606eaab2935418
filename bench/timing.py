"""Fair times on a noisy machine: contestants take turns, the median counts."""

from __future__ import annotations

import gc
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from time import perf_counter


def alternate(contestants: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Median seconds of each contestant; one warm-up each, then turn by turn, so that a slow minute hits all alike."""
    seconds: dict[str, list[float]] = {name: [] for name in contestants}
    for contestant in contestants.values():
        contestant()
    for _ in range(repeats):
        for name, contestant in contestants.items():
            gc.collect()
            start = perf_counter()
            contestant()
            seconds[name].append(perf_counter() - start)
    return {name: statistics.median(times) for name, times in seconds.items()}


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """b of seconds ≈ c·size^b, by least squares on logarithms."""
    slope, _ = statistics.linear_regression([math.log(size) for size in sizes], [math.log(time) for time in seconds])
    return slope
