"""Threads of the ONNX engine: batches side by side, one thread for each, however many callers there are."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import Condition, local
from typing import TypeVar

from isotone.threads import thread_count

__all__ = ["side_by_side"]

ITEMS = 3
"""For each worker at least: cores would stand idle while the last ones are done."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Places:
    """As many threads of this process may compute as it has been given; the others wait for their turn."""

    def __init__(self) -> None:
        self._free = Condition()
        self._working = 0
        self._here = local()

    def is_taken_here(self) -> bool:
        """Has this thread a place? Work that asks for more work keeps it."""
        return getattr(self._here, "has_place", False)

    def work(self, work: Callable[[Item], Result], item: Item) -> Result:
        """The result of one item, as soon as there is a place."""
        if self.is_taken_here():
            return work(item)
        with self._free:
            self._free.wait_for(lambda: self._working < thread_count())
            self._working += 1
        self._here.has_place = True
        try:
            return work(item)
        finally:
            self._here.has_place = False
            with self._free:
                self._working -= 1
                self._free.notify()


_places = _Places()


def side_by_side(work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
    """`work` on every item, results in their order, as many at a time as there are threads."""
    workers = min(thread_count(), len(items) // ITEMS)
    if workers < 2 or _places.is_taken_here():
        yield from map(partial(_places.work, work), items)
        return
    with ThreadPoolExecutor(workers) as pool:
        try:
            yield from pool.map(partial(_places.work, work), items)
        finally:
            pool.shutdown(cancel_futures=True)


def _start_again() -> None:
    """In a forked process: those who had a place are not here."""
    global _places
    _places = _Places()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_again)
