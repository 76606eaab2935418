"""What is decoded together, what waits, and who is told when something fails."""

import asyncio
import threading
from dataclasses import dataclass

import pytest

from isotone.errors import ConfigError
from isotone.server.batching import Batcher
from isotone.server.interrupt import Clock, TooSlowError, interruptible
from isotone.server.problems import ProblemError
from isotone.server.settings import ServerSettings
from isotone.text.example import Example
from server.running import run_async


class Gauge:
    def __init__(self):
        self.values = []

    def set(self, value):
        self.values.append(value)

    observe = set


class Metrics:
    def __init__(self):
        self.queue_depth = Gauge()
        self.batch_size = Gauge()


class Model:
    """Remembers its batches; `gate` holds the first one up."""

    def __init__(self):
        self.model = self
        self.batches = []
        self.gate = threading.Event()
        self.gate.set()
        self.entered = threading.Event()

    def decode(self, examples):
        self.entered.set()
        assert self.gate.wait(60)
        self.batches.append([example.source for example in examples])
        if any(example.source == "bad" for example in examples):
            raise ConfigError("this word is bad")
        if any(example.source == "slow" for example in examples):
            raise TooSlowError
        return [example.source.upper() for example in examples]


@dataclass(frozen=True)
class Shout:
    model: str
    kind: str = ""

    def answer(self, transducer, examples):
        return transducer.model._model.decode(examples)


def words(*texts):
    return [Example(text) for text in texts]


def run(scenario, **settings):
    """Run `scenario(batcher, model)` with a batcher; the model and its metrics."""
    model, metrics = Model(), Metrics()

    async def all_of_it():
        batcher = Batcher({"m": model}, ServerSettings(**settings), metrics)
        batcher.start()
        await scenario(batcher, model)
        await batcher.stop()

    run_async(all_of_it())
    assert not metrics.queue_depth.values or metrics.queue_depth.values[-1] == 0, "the queue is counted right"
    return model


async def while_busy(batcher, model, *asked):
    """Ask all of these while the model works on a first word; their answers or errors."""
    model.gate.clear()
    first = asyncio.create_task(batcher.ask(Shout("m"), words("first")))
    await asyncio.to_thread(model.entered.wait, 60)
    others = [asyncio.create_task(batcher.ask(question, examples)) for question, examples in asked]
    await asyncio.sleep(0.05)
    model.gate.set()
    assert await first == ["FIRST"]
    return await asyncio.gather(*others, return_exceptions=True)


def test_an_idle_server_starts_at_once():
    async def scenario(batcher, model):
        async with asyncio.timeout(60):  # less than the window
            for _ in range(3):
                assert await batcher.ask(Shout("m"), words("a")) == ["A"]

    assert run(scenario, window=1000.0).batches == [["a"], ["a"], ["a"]]


def test_requests_that_wait_are_answered_together():
    async def scenario(batcher, model):
        asked = [(Shout("m"), words(*pair)) for pair in ("ab", "cd", "e")]
        assert await while_busy(batcher, model, *asked) == [["A", "B"], ["C", "D"], ["E"]]

    assert run(scenario).batches == [["first"], [*"abcde"]]


def test_only_the_same_question_is_answered_together():
    async def scenario(batcher, model):
        asked = [(Shout("m"), words("a")), (Shout("m", "n_best=2"), words("b")), (Shout("m"), words("c"))]
        assert await while_busy(batcher, model, *asked) == [["A"], ["B"], ["C"]]

    assert run(scenario).batches == [["first"], ["a", "c"], ["b"]]


def test_a_long_request_lets_others_through():
    async def scenario(batcher, model):
        asked = [(Shout("m"), words(*"abcdefg")), (Shout("m", "other"), words("x"))]
        assert await while_busy(batcher, model, *asked) == [[*"ABCDEFG"], ["X"]]

    assert run(scenario, max_batch=3).batches == [["first"], [*"abc"], ["x"], [*"def"], ["g"]]


def test_batches_are_counted_in_symbols_too():
    async def scenario(batcher, model):
        await while_busy(batcher, model, (Shout("m"), words("aaaa", "bbbb", "c" * 50, "d")))

    assert run(scenario, max_batch_symbols=8).batches == [["first"], ["aaaa", "bbbb"], ["c" * 50], ["d"]]


def test_max_batch_1_answers_every_word_alone():
    async def scenario(batcher, model):
        await while_busy(batcher, model, (Shout("m"), words("a")), (Shout("m"), words("b")))

    assert run(scenario, max_batch=1).batches == [["first"], ["a"], ["b"]]


@pytest.mark.parametrize("culprit, error", [("bad", ConfigError), ("slow", ProblemError)])
def test_only_the_culprit_fails(culprit, error):
    async def scenario(batcher, model):
        asked = [(Shout("m"), words(text)) for text in ("a", culprit, "b")]
        first, failed, last = await while_busy(batcher, model, *asked)
        assert (first, last) == (["A"], ["B"]) and isinstance(failed, error)
        assert await batcher.ask(Shout("m"), words("c")) == ["C"]

    assert run(scenario).batches == [["first"], ["a", culprit, "b"], ["a"], [culprit], ["b"], ["c"]]


def test_no_more_than_max_queue_may_wait():
    async def scenario(batcher, model):
        asked = [(Shout("m"), words(*"abc")), (Shout("m"), words(*"def")), (Shout("m"), words("g"))]
        first, refused, last = await while_busy(batcher, model, *asked)
        assert (first, last) == ([*"ABC"], ["G"])
        assert (refused.status, refused.code, refused.headers) == (503, "busy", {"Retry-After": "1"})

    run(scenario, max_queue=5)


def test_whoever_waits_too_long_is_told_and_forgotten():
    async def scenario(batcher, model):
        model.gate.clear()
        first = asyncio.create_task(batcher.ask(Shout("m"), words("first")))
        await asyncio.to_thread(model.entered.wait, 60)
        with pytest.raises(ProblemError, match="no answer within"):
            await batcher.ask(Shout("m"), words("late"))
        with pytest.raises(ProblemError):
            await first
        model.gate.set()
        assert await batcher.ask(Shout("m"), words("c")) == ["C"]

    assert run(scenario, timeout=0.2).batches == [["first"], ["c"]]


def test_under_load_a_batch_waits_for_as_many_as_before():
    async def scenario(batcher, model):
        await while_busy(batcher, model, (Shout("m"), words("a")), (Shout("m"), words("b")))
        again = [asyncio.create_task(batcher.ask(Shout("m"), words("c")))]
        await asyncio.sleep(0.05)
        again.append(asyncio.create_task(batcher.ask(Shout("m"), words("d"))))
        async with asyncio.timeout(60):  # both are there: the window is over
            await asyncio.gather(*again)

    assert run(scenario, window=1000.0).batches == [["first"], ["a", "b"], ["c", "d"]]


def test_a_model_is_interrupted_between_steps():
    class Steps:
        model = property(lambda self: self)
        taken = 0

        def step(self, state, memory):
            self.taken += 1

    class Holder:
        def __init__(self, model):
            self.model = model

    clock, steps = Clock(), Steps()
    watched = interruptible({"m": Holder(steps)}, clock)["m"].model
    watched.step(None, None)
    clock.start(-1)
    with pytest.raises(TooSlowError):
        watched.step(None, None)
    clock.start(60)
    watched.step(None, None)
    assert steps.taken == 2
