"""Fair times on a noisy machine: contestants take turns, the median counts."""

from __future__ import annotations

import gc
import math
import statistics
from collections.abc import Callable, Mapping, Sequence
from time import monotonic, perf_counter


def alternate(
    contestants: Mapping[str, Callable[[], object]],
    repeats: int,
    *,
    warm_up: bool = True,
    seconds: float = math.inf,
    progress: str = "",
) -> dict[str, float]:
    """Median seconds of each contestant: turn by turn, so that a slow minute hits all alike.

    One warm-up each, unless they are warm; after `seconds` no new round begins, so that a slow machine gets fewer.
    """
    times: dict[str, list[float]] = {name: [] for name in contestants}
    if warm_up:
        for contestant in contestants.values():
            contestant()
    started = monotonic()
    for round_ in range(repeats):
        if round_ and monotonic() - started > seconds:
            break
        for name, contestant in contestants.items():
            times[name].append(once(contestant))
        if progress:
            print(f"{progress}: round {round_ + 1}/{repeats}", flush=True)
    return {name: statistics.median(measured) for name, measured in times.items()}


def once(work: Callable[[], object]) -> float:
    """Seconds that one call takes."""
    gc.collect()
    start = perf_counter()
    work()
    return perf_counter() - start


def exponent(sizes: Sequence[int], seconds: Sequence[float]) -> float:
    """b of seconds ≈ c·size^b, by least squares on logarithms."""
    slope, _ = statistics.linear_regression([math.log(size) for size in sizes], [math.log(time) for time in seconds])
    return slope
