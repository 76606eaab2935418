"""Batches side by side, a core for each: torch's own threads share every small operation and wait for each other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import TypeVar

import torch

__all__ = ["side_by_side"]

ITEMS = 3
"""For each worker at least: with two, 300 words by beam search took longer than one after the other."""

Item = TypeVar("Item")
Result = TypeVar("Result")


def side_by_side(
    work: Callable[[Item], Result], items: Sequence[Item], device: torch.device | str = "cpu"
) -> Iterator[Result]:
    """`work` on every item, results in their order; on a CPU as many at a time as torch has threads.

    One after the other where there are few for every worker: cores would stand idle while the last ones are done.
    """
    threads = torch.get_num_threads()
    workers = min(threads, len(items) // ITEMS)
    if workers < 2 or torch.device(device).type != "cpu":
        yield from map(work, items)
        return
    ready = Barrier(workers + 1)
    pool = ThreadPoolExecutor(workers, initializer=_share, initargs=(threads // workers, ready))
    try:
        results = pool.map(work, items)
        ready.wait()
        torch.set_num_threads(threads)  # the last number set, a worker's, is what new threads would begin with
        yield from results
    finally:
        ready.abort()
        pool.shutdown(cancel_futures=True)


def _share(threads: int, ready: Barrier) -> None:
    torch.get_num_threads()  # set lazily per thread: read it first so that our value is not overwritten
    torch.set_num_threads(threads)
    ready.wait()
