"""Batches side by side, a core for each: torch's own threads share every small operation and wait for each other.

However many threads of the user's ask at once, no more of torch's compute than it has been given: a caller who is alone
gets all of them; several callers, or one with many batches, share workers with one each.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from threading import Barrier, Condition, Lock, local
from typing import Any, TypeVar

import torch

from isotone.threads import chosen_threads, lost_threads

__all__ = ["apply_threads", "keep_to_one_after_fork", "side_by_side"]

_LOGGER = logging.getLogger("isotone")

ITEMS = 3
"""For each worker at least: with two, 300 words by beam search took longer than one after the other."""

Item = TypeVar("Item")
Result = TypeVar("Result")


class _Cores:
    """Who computes in this process: one caller with all of torch's threads, or workers with one each."""

    def __init__(self) -> None:
        self._free = Condition()
        self._taken = False
        self._queued = 0
        self._pools: dict[int, ThreadPoolExecutor] = {}
        self._making = Lock()

    def take_all(self, *, wait: bool) -> bool:
        """True, if nobody else computes or waits: the caller may, until `give_back`. With `wait`, it gets its turn."""
        with self._free:
            if wait:
                self._free.wait_for(lambda: not self._taken)
            elif self._taken or self._queued:
                return False
            self._taken = True
            return True

    def give_back(self) -> None:
        """The caller that took all has done its work."""
        with self._free:
            self._taken = False
            self._free.notify_all()

    def submit(self, threads: int, work: Callable[[Item], Result], item: Item) -> Future[Result]:
        """The result to be, from one of as many workers as torch has threads."""
        with self._free:
            self._queued += 1
        future = self._pool(threads).submit(self._wait_and_work, work, item)
        future.add_done_callback(self._count_down)  # also of what is cancelled before its turn
        return future

    def _wait_and_work(self, work: Callable[[Item], Result], item: Item) -> Result:
        with self._free:
            self._free.wait_for(lambda: not self._taken)
        return work(item)

    def _count_down(self, _: Future[Any]) -> None:
        with self._free:
            self._queued -= 1

    def _pool(self, threads: int) -> ThreadPoolExecutor:
        with self._making:
            if threads not in self._pools:
                ready = Barrier(threads + 1)
                pool = ThreadPoolExecutor(threads, "isotone", initializer=_begin_worker, initargs=(ready,))
                for _ in range(threads):  # a worker that waits in its initializer is not idle: each call starts one
                    pool.submit(int)
                ready.wait()
                torch.set_num_threads(threads)  # the last number set, a worker's, is what new threads would begin with
                self._pools[threads] = pool
            return self._pools[threads]


_cores = _Cores()
_here = local()


def side_by_side(
    work: Callable[[Item], Result], items: Sequence[Item], device: torch.device | str = "cpu"
) -> Iterator[Result]:
    """`work` on every item, results in their order; on a CPU as many at a time as torch has threads.

    Few items are worked on one after the other, with all of torch's threads where no other caller wants them: cores
    would stand idle while the last ones are done.
    """
    if torch.device(device).type != "cpu" or getattr(_here, "computing", False):
        yield from map(work, items)
        return
    keep_to_one_after_fork()
    threads = torch.get_num_threads()
    if min(threads, len(items) // ITEMS) < 2:
        for item in items:
            with _alone(threads) as alone:
                result = work(item) if alone else _cores.submit(threads, work, item).result()
            yield result
        return
    futures = [_cores.submit(threads, work, item) for item in items]
    try:
        yield from (future.result() for future in futures)
    finally:
        for future in futures:
            future.cancel()
        wait(futures)


@contextmanager
def _alone(threads: int) -> Iterator[bool]:
    """True where the caller may work here with all of torch's threads; False where a worker is to do it."""
    # A single thread would gain nothing from a worker, and handing over a word takes a tenth of a small model's time.
    if not _cores.take_all(wait=threads == 1):
        yield False
        return
    _here.computing = True  # whatever the work asks for in its turn has its place already
    try:
        yield True
    finally:
        _here.computing = False
        _cores.give_back()


def _begin_worker(ready: Barrier) -> None:
    _here.computing = True
    torch.get_num_threads()  # set lazily per thread: read it first so that our value is not overwritten
    torch.set_num_threads(1)
    ready.wait()


def apply_threads(threads: int | None = None) -> None:
    """Give torch that many threads, or as many as were chosen (`isotone.threads`); else leave it those it has."""
    threads = chosen_threads() if threads is None else threads
    if threads is not None and threads > 1 and lost_threads():
        _LOGGER.warning("torch's threads do not survive a fork: 1 thread in this process, not %d", threads)
    elif threads is not None:
        torch.set_num_threads(threads)
    keep_to_one_after_fork()


def keep_to_one_after_fork() -> None:
    """In a process that was forked after torch was loaded, limit torch to one thread; with more it would hang.

    The number belongs to the thread that calls this; a process may have several, so it is checked before every use.
    """
    if lost_threads() and torch.get_num_threads() > 1:
        torch.set_num_threads(1)


def _start_again() -> None:
    """In a forked process: its parent's workers are not here, and whatever its threads held stays held."""
    global _cores
    _cores = _Cores()
    _here.__dict__.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_start_again)
