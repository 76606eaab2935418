"""The application: routes, limits, token, metrics and pages around loaded models."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware

from isotone import __version__
from isotone.errors import ConfigError, IsotoneError
from isotone.server.auth import Auth
from isotone.server.batching import Batcher
from isotone.server.limits import Limits
from isotone.server.log import AccessLog
from isotone.server.metrics import Metrics
from isotone.server.pages import SafeHeaders, add_pages
from isotone.server.problems import ProblemError, problem_response
from isotone.server.routes import api_routes
from isotone.server.settings import ServerSettings

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from isotone.api import Transducer

__all__ = ["create_app"]

_LOGGER = logging.getLogger("isotone.server")
DESCRIPTION = "Exact hard monotonic attention for character transduction. The JSON is that of the command line."
PATHS = {"/", "/docs", "/openapi.json", "/healthz", "/readyz", "/metrics"}


def create_app(models: Mapping[str, Transducer], settings: ServerSettings | None = None) -> FastAPI:
    """An ASGI application that serves the models, by name; the first is the default."""
    if not models:
        raise ConfigError("a server needs at least one model")
    chosen = settings or ServerSettings()
    metrics = Metrics(models)
    batcher = Batcher(models, chosen, metrics)
    routes = api_routes(models, chosen, batcher)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        batcher.start()
        yield
        await batcher.stop()

    paths = PATHS | {getattr(route, "path", "") for route in routes.routes}
    app = FastAPI(
        title="Isotone",
        version=__version__,
        description=DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        exception_handlers=HANDLERS,
        middleware=[
            Middleware(AccessLog, metrics, paths),
            Middleware(SafeHeaders),
            Middleware(Auth, chosen.token),
            Middleware(Limits, chosen),
        ],
    )
    app.include_router(routes)
    add_pages(app, metrics)
    return app


async def _problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, ProblemError)
    return error.response()


async def _invalid(_: Request, error: Exception) -> Response:
    """The first mistake in a body, with its place; never the value, which may be anything."""
    assert isinstance(error, RequestValidationError)
    mistake = error.errors()[0]
    if mistake["type"] == "json_invalid":
        return problem_response(400, "invalid_json", f"the body is no JSON (near character {mistake['loc'][-1]})")
    place = ".".join(str(part) for part in mistake["loc"] if part != "body")
    message = mistake["msg"].removeprefix("Value error, ")
    return problem_response(422, "invalid", f"{place}: {message}" if place else message)


async def _refused(_: Request, error: Exception) -> Response:
    return problem_response(422, "refused", str(error))


async def _http(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    codes = {400: "invalid_json", 404: "not_found", 405: "method_not_allowed"}
    return problem_response(error.status_code, codes.get(error.status_code, "refused"), error.detail, error.headers)


async def _broken(_: Request, error: Exception) -> Response:
    _LOGGER.error("a request failed", exc_info=error)
    return problem_response(500, "internal", "the server has made a mistake; its log says more")


HANDLERS: dict[Any, Any] = {
    ProblemError: _problem,
    RequestValidationError: _invalid,
    IsotoneError: _refused,
    HTTPException: _http,
    Exception: _broken,
}
