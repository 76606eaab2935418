"""Bodies that are too large or come too slowly are refused before anything else looks at them."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from isotone.server.problems import ProblemError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from isotone.server.settings import ServerSettings

__all__ = ["Limits"]

DISCARDED = 32 << 20
"""Bytes of a refused body that are read all the same: a client that is still sending would not see the answer."""


class Limits:
    """ASGI middleware that reads the whole body, within `max_body` bytes and `body_seconds`."""

    def __init__(self, app: ASGIApp, settings: ServerSettings) -> None:
        """The app gets the body in one piece."""
        self._app = app
        self._settings = settings

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        try:
            body = await self._body(dict(scope["headers"]), receive)
        except ProblemError as problem:
            await problem.response()(scope, receive, send)
            return
        if body is not None:
            await self._app(scope, _replaying(body, receive), send)

    async def _body(self, headers: dict[bytes, bytes], receive: Receive) -> bytes | None:
        """The body; None where the client has gone."""
        largest = self._settings.max_body
        too_large = ProblemError(
            413, "body_too_large", f"the body has more than {largest:,} bytes", {"Connection": "close"}
        )
        announced = headers.get(b"content-length", b"0")
        if int(announced) > largest and (b"expect" in headers or int(announced) > DISCARDED):
            raise too_large
        body, size = bytearray(), 0
        try:
            async with asyncio.timeout(self._settings.body_seconds):
                more = True
                while more:
                    message = await receive()
                    if message["type"] == "http.disconnect":
                        return None
                    piece = message.get("body", b"")
                    size += len(piece)
                    if size <= largest:
                        body += piece
                    elif size > DISCARDED:
                        break
                    more = message.get("more_body", False)
        except TimeoutError:
            message_ = f"the body did not arrive within {self._settings.body_seconds:g} s"
            raise ProblemError(408, "body_too_slow", message_, {"Connection": "close"}) from None
        if size > largest:
            raise too_large
        return bytes(body)


def _replaying(body: bytes, receive: Receive) -> Receive:
    """A `receive` that gives the body first."""
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
