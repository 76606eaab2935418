"""Ctrl-C at a place where it does no harm."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType, TracebackType

__all__ = ["Interrupts"]


class Interrupts:
    """Within the block Ctrl-C waits for the next `check`, so that a saved run is a whole number of steps.

    A second Ctrl-C does not wait. Only Python's own handler is replaced, and only in the main thread.
    """

    def __init__(self) -> None:
        self._wanted = False
        self._waits = True
        self._ours = False

    def __enter__(self) -> Interrupts:
        main = threading.current_thread() is threading.main_thread()
        if main and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._note)
            self._ours = True
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        if self._ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self._ours = False

    @property
    def wanted(self) -> bool:
        """Was Ctrl-C pressed, or `want` called?"""
        return self._wanted

    def want(self) -> None:
        """As if Ctrl-C had been pressed."""
        self._wanted = True

    def check(self) -> None:
        """Raise the KeyboardInterrupt that was asked for, if one was."""
        if self._wanted:
            raise KeyboardInterrupt

    @contextmanager
    def at_once(self) -> Iterator[None]:
        """Within this block there is nothing to wait for."""
        self.check()
        self._waits = False
        try:
            yield
        finally:
            self._waits = True

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self._wanted or not self._waits:
            raise KeyboardInterrupt
        self._wanted = True
