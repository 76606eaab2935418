"""Models that stop in the middle of a search when its time is over: threads cannot be killed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from isotone.api import Transducer
    from isotone.decoding.protocol import Model

__all__ = ["Clock", "TooSlowError", "interruptible"]

Item = TypeVar("Item")
Result = TypeVar("Result")


class TooSlowError(Exception):
    """The model was interrupted."""


class Clock:
    """Until when models may work; shared by all of a server, since one call runs at a time."""

    def __init__(self) -> None:
        self.until = math.inf

    def start(self, seconds: float) -> None:
        """From now on models have this much time."""
        self.until = monotonic() + seconds

    def check(self) -> None:
        """Raises TooSlowError once the time is over."""
        if monotonic() > self.until:
            raise TooSlowError


def interruptible(models: Mapping[str, Transducer], clock: Clock) -> dict[str, Transducer]:
    """The same models, which look at the clock before every step of a search; nothing of them is copied."""
    from isotone.decoding.directions import change_engines

    watched = {}
    for name, transducer in models.items():
        watched[name] = copy(transducer)
        watched[name].model = change_engines(transducer.model, lambda model: _Watched(model, clock))
    return watched


class _Watched:
    """`isotone.decoding.Model` with a look at the clock before each call."""

    def __init__(self, model: Model, clock: Clock) -> None:
        self._model = model
        self._clock = clock

    def __getattr__(self, name: str) -> Any:
        return getattr(self._model, name)

    def encode(self, sources: Sequence[Any]) -> Any:
        self._clock.check()
        return self._model.encode(sources)

    def step(self, state: Any, memory: Any) -> Any:
        self._clock.check()
        return self._model.step(state, memory)

    def log_probs(self, pairs: Sequence[Any]) -> Any:
        self._clock.check()
        return self._model.log_probs(pairs)

    def align(self, pairs: Sequence[Any]) -> Any:
        self._clock.check()
        return self._model.align(pairs)

    def start(self, memory: Any) -> Any:
        return self._model.start(memory)

    def sample_paths(self, pair: Any, count: int, seed: int | None = None) -> Any:
        return self._model.sample_paths(pair, count, seed)

    def each(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        return self._model.each(work, items)
