"""The parent of a run in several processes: callbacks, Ctrl-C, and what to do when a child is lost."""

from __future__ import annotations

import multiprocessing
import queue
import threading
from collections.abc import Callable, Sequence
from typing import Any

from isotone.errors import LostWorkerError
from isotone.training.events import Callback
from isotone.training.interrupt import Interrupts
from isotone.training.outcome import Outcome

__all__ = ["watch"]

POLL = 0.1
"""Seconds between two looks at Ctrl-C."""


def watch(
    run: Callable[[], object],
    callbacks: Sequence[Callback],
    channel: Any,
    stop: Any,
    *,
    lost: Callable[[str], str],
) -> Outcome:
    """Start the children with `run`, which ends when they do, and tell the callbacks what they say in `channel`.

    Ctrl-C sets `stop`, which the children look at before each step; a second one kills them.
    """
    others = {child.pid for child in multiprocessing.active_children()}
    home = _Home(callbacks)
    launcher = threading.Thread(target=home.launch, args=(run,), name="isotone-launch", daemon=True)
    with Interrupts() as interrupts:
        try:
            launcher.start()
            while launcher.is_alive():
                home.listen(channel, POLL)
                if interrupts.wanted or home.error is not None:
                    stop.set()
            while home.listen(channel, POLL):
                pass
        except KeyboardInterrupt:
            for child in multiprocessing.active_children():
                if child.pid not in others:
                    child.kill()
            launcher.join()
            raise
        finally:
            home.end()
    return home.outcome(lost, interrupted=interrupts.wanted)


class _Home:
    """What has come from the children so far."""

    def __init__(self, callbacks: Sequence[Callback]) -> None:
        self._callbacks = callbacks
        self._ended = False
        self._outcome: Outcome | None = None
        self._failure: BaseException | None = None
        self.error: BaseException | None = None
        """Of a callback, or the first that a child sent."""

    def launch(self, run: Callable[[], object]) -> None:
        """In a thread of its own: run the children."""
        try:
            run()
        except BaseException as error:
            self._failure = error

    def listen(self, channel: Any, seconds: float) -> bool:
        """Take the next message, if one comes in that time."""
        try:
            message = channel.get(timeout=seconds)
        except (queue.Empty, EOFError, OSError):
            return False
        if isinstance(message, BaseException):
            self.error = self.error or message
            return True
        if isinstance(message, Outcome):
            self._outcome = message
            return True
        name, arguments = message
        self._ended = self._ended or name == "on_end"
        self._tell(name, *arguments)
        return True

    def end(self) -> None:
        """The callbacks hear of the end once, even if the children could not say so."""
        if not self._ended:
            self._tell("on_end")

    def outcome(self, lost: Callable[[str], str], *, interrupted: bool) -> Outcome:
        """How the run ended, or its error."""
        if self.error is not None and not isinstance(self.error, KeyboardInterrupt):
            raise self.error
        if self._outcome is not None:
            return self._outcome
        if interrupted:
            raise KeyboardInterrupt
        from torch.multiprocessing.spawn import ProcessExitedException

        if isinstance(self._failure, ProcessExitedException):
            failure = self._failure
            how = getattr(failure, "signal_name", None) or f"exit code {failure.exit_code}"
            raise LostWorkerError(lost(f"process {failure.error_index} (pid {failure.error_pid}, {how})"))
        raise self._failure or RuntimeError("the processes of this run ended without a result")

    def _tell(self, name: str, *arguments: Any) -> None:
        try:
            for callback in self._callbacks:
                getattr(callback, name)(*arguments)
        except (Exception, KeyboardInterrupt) as error:
            self.error = self.error or error
