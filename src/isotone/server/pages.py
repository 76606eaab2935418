"""Pages for people and probes: the studio, the documentation, health, metrics. Nothing is fetched from elsewhere."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import APIRouter, FastAPI
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, Response
from starlette.staticfiles import StaticFiles

from isotone.server.documentation import documentation

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from isotone.server.metrics import Metrics

__all__ = ["STATIC", "SafeHeaders", "add_pages"]

STATIC = Path(__file__).parent / "static"

HEADERS = {
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'; object-src 'none'",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-cache",
}


def add_pages(app: FastAPI, metrics: Metrics) -> None:
    """Everything that asks no model."""
    router = APIRouter(include_in_schema=False)

    @router.api_route("/", methods=["GET", "HEAD"])
    async def studio() -> Response:
        return FileResponse(STATIC / "index.html")

    @router.api_route("/docs", methods=["GET", "HEAD"])
    async def docs() -> Response:
        return HTMLResponse(documentation(app.openapi()))

    @router.api_route("/healthz", methods=["GET", "HEAD"])
    async def healthz() -> Response:
        return JSONResponse({"status": "ok"})

    @router.api_route("/readyz", methods=["GET", "HEAD"])
    async def readyz() -> Response:
        return JSONResponse({"status": "ready"})

    @router.api_route("/metrics", methods=["GET", "HEAD"])
    async def prometheus() -> Response:
        return Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    app.include_router(router)
    app.mount("/static", StaticFiles(directory=STATIC))


class SafeHeaders:
    """ASGI middleware that tells browsers to load nothing from elsewhere and to run no inline script."""

    def __init__(self, app: ASGIApp) -> None:
        """All responses get the headers."""
        self._app = app
        self._headers = [(name.lower().encode(), value.encode()) for name, value in HEADERS.items()]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def add(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], *self._headers]
            await send(message)

        await self._app(scope, receive, add if scope["type"] == "http" else send)
