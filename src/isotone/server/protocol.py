"""uvicorn's HTTP/1.1 protocol with a limit on the time that the head of a request may take."""

from __future__ import annotations

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

__all__ = ["PatientProtocol"]


class PatientProtocol(H11Protocol):
    """Closes connections on which no whole request head has arrived in time: uvicorn would keep them for ever."""

    _head_timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start waiting for the first head."""
        super().connection_made(transport)
        self._head_timer = self.loop.call_later(self.timeout_keep_alive, self._close_if_silent)

    def data_received(self, data: bytes) -> None:
        """A head that begins on a connection kept alive has its time too."""
        super().data_received(data)
        if self._head_timer is None and (self.cycle is None or self.cycle.response_complete):
            self._head_timer = self.loop.call_later(self.timeout_keep_alive, self._close_if_silent)

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop waiting."""
        super().connection_lost(exc)
        if self._head_timer is not None:
            self._head_timer.cancel()

    def _close_if_silent(self) -> None:
        self._head_timer = None
        if self.cycle is None or self.cycle.response_complete:
            self.timeout_keep_alive_handler()
