"""Turns predictions into a report: the task's metrics, their bootstrap intervals, and the values per source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from isotone.errors import DataError
from isotone.evaluation.calibration import calibration_of
from isotone.evaluation.metrics import METRICS, NLL
from isotone.evaluation.tasks import task_named
from isotone.results.report import Judged, Report

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["evaluate"]

Key = tuple[str, tuple[str, ...]]


def evaluate(
    items: Sequence[Judged], task: str, *, bootstrap: int = 1000, seed: int = 0, calibration: int | None = None
) -> Report:
    """The task's metrics over `items`; a source that occurs several times with the same tags counts once.

    `nll` (nats per source) is among them when every item has a logprob: the mean over the sources with a possible
    reference; the report says how many have none. `bootstrap` resamples of the sources give percentile intervals;
    0 gives none. `calibration` is the number of bins to measure the predictions' probabilities in; None: not at all.
    """
    import numpy as np  # where it is used: help texts and refusals read this room without it

    names = task_named(task).metrics
    sources = _merge(items)
    if not sources:
        raise DataError("there is nothing to evaluate")
    values = {}
    for name in names:
        best = METRICS[name].best
        column = [best(item.prediction, item.references) for item in sources]
        values[name] = np.array(column, dtype=np.float64)
    log_probabilities = [item.logprob for item in sources if item.logprob is not None]
    if len(log_probabilities) == len(sources):
        values[NLL.name] = -np.array(log_probabilities, dtype=np.float64) + 0.0  # + 0.0 turns −0 into 0
    metrics = {name: _mean(column) for name, column in values.items()}
    intervals = _intervals(values, resamples=bootstrap, seed=seed)
    impossible = int(np.isinf(values[NLL.name]).sum()) if NLL.name in values else 0
    measured = (
        None if calibration is None else calibration_of(sources, bins=calibration, bootstrap=bootstrap, seed=seed)
    )
    return Report(task, len(sources), metrics, intervals, values, impossible, tuple(items), measured)


def _merge(items: Sequence[Judged]) -> list[Judged]:
    """Repeated (source, tags) become one: first prediction, all references, the best reference's logprob."""
    merged: dict[Key, Judged] = {}
    for item in items:
        first = merged.setdefault((item.source, item.tags), item)
        if first is item:
            continue
        references = tuple(dict.fromkeys(first.references + item.references))
        known = [logprob for logprob in (first.logprob, item.logprob) if logprob is not None]
        logprob = max(known) if len(known) == 2 else None
        merged[item.source, item.tags] = replace(first, references=references, logprob=logprob)
    return list(merged.values())


def _intervals(values: dict[str, NDArray[np.float64]], *, resamples: int, seed: int) -> dict[str, tuple[float, float]]:
    """95 % percentile intervals; all metrics see the same resamples of the sources."""
    if resamples == 0:
        return {}
    import numpy as np

    table = np.stack(list(values.values()), axis=1)
    generator = np.random.default_rng(seed)
    count = len(table)
    centre = [_mean(column) for column in values.values()]
    # One resample at a time: 1,000 × 11,200 indices at once would be 90 MB for nothing gained.
    means = np.stack([_means(table[generator.integers(count, size=count)], centre) for _ in range(resamples)])
    # Order statistics, not interpolation between them.
    low, high = np.percentile(means, [2.5, 97.5], axis=0, method="inverted_cdf")
    # Of equal values the resampled means may differ from the mean in the last bit.
    low, high = np.minimum(low, centre), np.maximum(high, centre)
    return {name: (float(low[column]), float(high[column])) for column, name in enumerate(values)}


def _mean(column: NDArray[np.float64]) -> float:
    """Over the finite values; infinity where there is none."""
    import numpy as np

    finite = column[np.isfinite(column)]
    return float(finite.mean()) if len(finite) else float("inf")


def _means(table: NDArray[np.float64], otherwise: list[float]) -> NDArray[np.float64]:
    """Of each column over its finite values; `otherwise` where a resample has none."""
    import numpy as np

    finite = np.isfinite(table)
    if finite.all():
        return np.asarray(table.mean(axis=0))
    counts = finite.sum(axis=0)
    sums = np.where(finite, table, 0.0).sum(axis=0)
    return np.asarray(np.where(counts > 0, sums / np.maximum(counts, 1), otherwise))
