"""The access log: one JSON object per request, without what was asked."""

from __future__ import annotations

import json
import logging
from collections.abc import Container
from datetime import UTC, datetime
from time import perf_counter
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from isotone.server.metrics import Metrics

__all__ = ["ACCESS", "AccessLog", "JsonLines", "log_config"]

ACCESS = logging.getLogger("isotone.server.access")
METHODS = {"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"}


class JsonLines(logging.Formatter):
    """A record as one JSON object on one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Its time, level and message, or for a request what `AccessLog` knows of it."""
        time = datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
        known: dict[str, Any] = {"time": time, "level": record.levelname.lower()}
        request = getattr(record, "request", None)
        known |= request if request is not None else {"message": record.getMessage()}
        if record.exc_info:
            known["traceback"] = self.formatException(record.exc_info)
        return json.dumps(known)


def log_config(file: str | None) -> dict[str, Any]:
    """For `logging.config`: requests and messages of a server as JSON lines, to a file or to standard error."""
    target: dict[str, Any] = {"class": "logging.StreamHandler"}
    if file is not None:  # WatchedFileHandler opens the file again after logrotate has moved it
        target = {"class": "logging.handlers.WatchedFileHandler", "filename": file, "encoding": "utf-8"}
    logger = {"handlers": ["lines"], "level": "INFO", "propagate": False}
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {"json": {"()": "isotone.server.log.JsonLines"}},
        "handlers": {"lines": {**target, "formatter": "json"}},
        "loggers": {"isotone": logger | {"level": "WARNING"}, "isotone.server": logger, "uvicorn": logger},
    }


class AccessLog:
    """ASGI middleware that logs and counts every request."""

    def __init__(self, app: ASGIApp, metrics: Metrics, paths: Container[str]) -> None:
        """Outermost, so that it sees refusals too. Metrics are kept for `paths`, not for whatever clients write."""
        self._app = app
        self._metrics = metrics
        self._paths = paths

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        started, status, sent = perf_counter(), 499, 0  # 499: the client left before an answer

        async def watch(message: Message) -> None:
            nonlocal status, sent
            if message["type"] == "http.response.start":
                status = message["status"]
            elif message["type"] == "http.response.body":
                sent += len(message.get("body", b""))
            await send(message)

        self._metrics.in_flight.inc()
        try:
            await self._app(scope, receive, watch)
        except BaseException:
            status = 500 if status == 499 else status
            raise
        finally:
            self._metrics.in_flight.dec()
            self._note(scope, status, sent, perf_counter() - started)

    def _note(self, scope: Scope, status: int, sent: int, seconds: float) -> None:
        path = scope["path"] if scope["path"] in self._paths else "other"
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._metrics.requests.labels(method, path, str(status)).inc()
        self._metrics.seconds.labels(path).observe(seconds)
        client = scope.get("client")
        request = {
            "method": scope["method"],
            "path": scope["path"],
            "status": status,
            "ms": round(1000 * seconds, 2),
            "bytes": sent,
            "client": client[0] if client else None,
            **scope.get("state", {}).get("asked", {}),
        }
        ACCESS.info("request", extra={"request": request})
