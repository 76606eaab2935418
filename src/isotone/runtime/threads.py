"""Threads of the ONNX engine: batches side by side, one thread for each."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

__all__ = ["set_threads", "side_by_side", "threads"]

ITEMS = 3
"""For each worker at least: cores would stand idle while the last ones are done."""

Item = TypeVar("Item")
Result = TypeVar("Result")

_CHOSEN: list[int] = []


def set_threads(count: int) -> None:
    """How many batches may run at a time in this process."""
    _CHOSEN[:] = [count]


def threads() -> int:
    """As set, else OMP_NUM_THREADS, else the cores that this process may use."""
    if _CHOSEN:
        return _CHOSEN[0]
    asked = os.environ.get("OMP_NUM_THREADS", "")
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """`work` on every item, results in their order, as many at a time as there are threads."""
    workers = min(threads(), len(items) // ITEMS)
    if workers < 2:
        yield from map(work, items)
        return
    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from pool.map(work, items)
        finally:
            pool.shutdown(cancel_futures=True)
