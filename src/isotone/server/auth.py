"""The token: whoever does not send it gets 401 and nothing else."""

from __future__ import annotations

import base64
import binascii
import hmac
from pathlib import Path
from typing import TYPE_CHECKING

from isotone.errors import ConfigError
from isotone.server.problems import problem_response

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["OPEN", "Auth", "read_token", "sent_token"]

OPEN = ("/healthz", "/readyz")
"""What probes may ask without a token: it tells nothing but that the server is there."""
VARIABLE = "ISOTONE_TOKEN"
CHALLENGES = ('Basic realm="isotone", charset="UTF-8"', 'Bearer realm="isotone"')
"""A header line each: browsers do not find the second challenge of a line."""


class Auth:
    """ASGI middleware that lets only requests with the token pass."""

    def __init__(self, app: ASGIApp, token: str | None) -> None:
        """Everything passes where `token` is None."""
        self._app = app
        self._token = None if token is None else token.encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or self._token is None or scope["path"] in OPEN:
            await self._app(scope, receive, send)
            return
        sent = sent_token(dict(scope["headers"]).get(b"authorization", b""))
        if sent is not None and hmac.compare_digest(sent, self._token):
            await self._app(scope, receive, send)
            return
        message = "send the token, as `Authorization: Bearer TOKEN` or as the password of HTTP Basic"
        response = problem_response(401, "unauthorized", message)
        for challenge in CHALLENGES:
            response.headers.append("WWW-Authenticate", challenge)
        await response(scope, receive, send)


def sent_token(header: bytes) -> bytes | None:
    """The token in an Authorization header: a bearer token, or a Basic password, which browsers can ask for."""
    scheme, _, value = header.strip().partition(b" ")
    if scheme.lower() == b"bearer":
        return value.strip()
    if scheme.lower() == b"basic":
        try:
            return base64.b64decode(value.strip(), validate=True).partition(b":")[2]
        except binascii.Error:
            return None
    return None


def read_token(file: str | None, environment: str | None) -> str | None:
    """The token in a file, else the one in the environment; None where there is neither."""
    where = file if file is not None else VARIABLE
    text = Path(file).read_text(encoding="utf-8") if file is not None else environment
    if text is None:
        return None
    token = text.strip()
    if not token:
        raise ConfigError(f"{where}: the token is empty")
    if not token.isascii() or any(character.isspace() or not character.isprintable() for character in token):
        raise ConfigError(f"{where}: a token is one word of printable ASCII characters")
    return token
