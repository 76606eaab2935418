"""A line of the log for each epoch: progress in notebooks and interactive sessions."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from isotone.training.events import Callback, EpochDone, MixturePlan, Plan

__all__ = ["EpochLog", "progress_log"]

_LOGGER = logging.getLogger("isotone.progress")


class EpochLog(Callback):
    """Tells of each epoch at level INFO of the logger `isotone.progress`."""

    def on_mixture(self, plan: MixturePlan) -> None:
        _LOGGER.info("%s", plan)

    def on_member(self, name: str) -> None:
        _LOGGER.info("%s", name)

    def on_start(self, plan: Plan) -> None:
        self._epochs = plan.epochs
        _LOGGER.info("%s", plan)

    def on_epoch(self, event: EpochDone) -> None:
        metrics = "  ".join(f"{name} {value:.4g}" for name, value in event.metrics.items())
        losses = f"train {event.train_loss:.4f}  dev {event.dev_loss:.4f}"
        best = "  best" if event.best else ""
        _LOGGER.info("epoch %d/%d  %s  %s  %.1f s%s", event.epoch, self._epochs, losses, metrics, event.seconds, best)


@contextmanager
def progress_log(notes: Sequence[str] = ()) -> Iterator[EpochLog]:
    """An `EpochLog` whose lines, and these notes, go to stderr, whatever logging is set up to do."""
    handler, level, up = logging.StreamHandler(), _LOGGER.level, _LOGGER.propagate
    _LOGGER.addHandler(handler)
    _LOGGER.setLevel(logging.INFO)
    _LOGGER.propagate = False
    try:
        for note in notes:
            _LOGGER.info("%s", note)
        yield EpochLog()
    finally:
        _LOGGER.removeHandler(handler)
        _LOGGER.setLevel(level)
        _LOGGER.propagate = up
