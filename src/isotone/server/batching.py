"""Requests that wait at the same time are decoded together: a batch takes far less time per word than one word alone.

One thread decodes. While it works, requests gather; when it is free, it takes the oldest and everything that asks the
same of the same model. An idle server starts at once. After a batch of several requests, whose senders are likely to
ask again, the next one waits up to `window` seconds until as many have come.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from time import monotonic
from typing import TYPE_CHECKING, Any

from isotone.server.interrupt import Clock, TooSlowError, interruptible
from isotone.server.problems import ProblemError

if TYPE_CHECKING:
    from isotone.api import Transducer
    from isotone.server.metrics import Metrics
    from isotone.server.questions import Question
    from isotone.server.settings import ServerSettings
    from isotone.text.example import Example

__all__ = ["Batcher"]


@dataclass(eq=False)
class _Job:
    """A request in the queue. A long one is answered piece by piece, with others in between."""

    question: Question
    examples: Sequence[Example]
    future: asyncio.Future[list[Any]]
    answers: list[Any] = field(default_factory=list)
    alone: bool = False
    """It has failed among others: decode it on its own, so that only the culprit fails."""

    @property
    def rest(self) -> Sequence[Example]:
        return self.examples[len(self.answers) :]


class Batcher:
    """The queue of a server and the thread that works on it."""

    def __init__(self, models: Mapping[str, Transducer], settings: ServerSettings, metrics: Metrics) -> None:
        """Nothing runs before `start` or the first question."""
        self._clock = Clock()
        self._models = interruptible(models, self._clock)
        self._settings = settings
        self._metrics = metrics
        self._queue: deque[_Job] = deque()
        self._arrived = asyncio.Event()
        self._depth = 0
        self._last_size, self._last_end = 0, 0.0
        self._thread = ThreadPoolExecutor(1, "decoding")
        self._loop: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Begin to work; call it in the event loop. The first question does, where nobody has."""
        if self._loop is None:
            self._loop = asyncio.create_task(self._run())

    async def stop(self) -> None:
        """Stop working; requests that still wait are not answered, so stop accepting them first."""
        if self._loop is not None:
            self._loop.cancel()
            with suppress(asyncio.CancelledError):
                await self._loop
        self._thread.shutdown(wait=True, cancel_futures=True)

    async def ask(self, question: Question, examples: Sequence[Example]) -> list[Any]:
        """The answers to the question for each example; raises ProblemError where there is no room or no time."""
        if self._depth + len(examples) > self._settings.max_queue:
            raise ProblemError(503, "busy", "too many words are waiting; try again in a moment", {"Retry-After": "1"})
        self.start()  # in an application mounted in another one, nobody else has
        job = _Job(question, examples, asyncio.get_running_loop().create_future())
        self._queue.append(job)
        self._count(len(examples))
        self._arrived.set()
        try:
            async with asyncio.timeout(self._settings.timeout):
                return await job.future
        except TimeoutError:
            message = f"no answer within {self._settings.timeout:g} s; ask for fewer words or try again later"
            raise ProblemError(503, "timeout", message, {"Retry-After": "5"}) from None
        finally:
            self._count(-len(job.rest))

    def _count(self, change: int) -> None:
        self._depth += change
        self._metrics.queue_depth.set(self._depth)

    async def _run(self) -> None:
        while True:
            self._arrived.clear()
            if not self._queue:
                await self._arrived.wait()
            await self._gather()
            if batch := self._take():
                await self._work(batch)

    async def _gather(self) -> None:
        """Under load, wait for those who are likely to ask again."""
        end = self._last_end + self._settings.window
        while 1 < self._last_size > len(self._queue) and (left := end - monotonic()) > 0:
            self._arrived.clear()
            with suppress(TimeoutError):
                async with asyncio.timeout(left):
                    await self._arrived.wait()

    def _take(self) -> list[tuple[_Job, int]]:
        """The oldest job and others that ask the same, with how many examples of each are to be answered now."""
        batch: list[tuple[_Job, int]] = []
        kept: deque[_Job] = deque()
        items = symbols = 0
        full = False
        while self._queue and not full:
            job = self._queue.popleft()
            if job.future.done():  # timed out, or its client has gone
                continue
            first = batch[0][0] if batch else job
            if job is not first and (job.alone or first.alone or job.question != first.question):
                kept.append(job)
                continue
            count = 0
            for example in job.rest:
                size = len(example.source) + len(example.target or "")
                full = items > 0 and (
                    items >= self._settings.max_batch or symbols + size > self._settings.max_batch_symbols
                )
                if full:
                    break
                count, items, symbols = count + 1, items + 1, symbols + size
            if count:
                batch.append((job, count))
            else:
                kept.append(job)
        self._queue.extendleft(reversed(kept))
        return batch

    async def _work(self, batch: list[tuple[_Job, int]]) -> None:
        """Answer a batch; if that fails, the jobs in it are tried again one by one."""
        question = batch[0][0].question
        examples = [example for job, count in batch for example in job.rest[:count]]
        self._metrics.batch_size.observe(len(examples))
        try:
            answers = await asyncio.get_running_loop().run_in_executor(self._thread, self._answer, question, examples)
        except Exception as error:
            self._failed(batch, error)
        else:
            self._answered(batch, answers)
        self._last_size, self._last_end = len(batch), monotonic()

    def _answer(self, question: Question, examples: Sequence[Example]) -> list[Any]:
        self._clock.start(self._settings.work_seconds)
        return question.answer(self._models[question.model], examples)

    def _answered(self, batch: list[tuple[_Job, int]], answers: list[Any]) -> None:
        start = 0
        for job, count in batch:
            job.answers += answers[start : start + count]
            start += count
            if job.future.done():
                continue
            self._count(-count)
            if job.rest:
                self._queue.append(job)
            else:
                job.future.set_result(job.answers)

    def _failed(self, batch: list[tuple[_Job, int]], error: Exception) -> None:
        if len(batch) > 1:
            for job, _ in batch:
                job.alone = True
            self._queue.extendleft(job for job, _ in reversed(batch))
            return
        job = batch[0][0]
        if isinstance(error, TooSlowError):
            seconds = f"{self._settings.work_seconds:g}"
            error = ProblemError(
                422, "too_slow", f"decoding took longer than {seconds} s; ask for fewer or shorter words"
            )
        if not job.future.done():
            job.future.set_exception(error)
