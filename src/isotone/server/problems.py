"""Refusals: every answer that is no success has the same JSON form."""

from __future__ import annotations

import json
from collections.abc import Mapping

from starlette.responses import Response
from typing_extensions import TypedDict

__all__ = ["ProblemError", "ProblemJson", "ProblemResponse", "problem_response"]


class ProblemJson(TypedDict):
    """Why a request was refused."""

    code: str
    """A word for programs; docs/deploy.md lists them."""
    message: str
    """A sentence for people."""


class ProblemResponse(TypedDict):
    """The body of every answer that is no success."""

    error: ProblemJson


class ProblemError(Exception):
    """A request that is refused, with its HTTP status."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        """`headers` are added to the response."""
        super().__init__(message)
        self.status = status
        self.code = code
        self.message = message
        self.headers = dict(headers or {})

    def response(self) -> Response:
        """What the client gets."""
        return problem_response(self.status, self.code, self.message, self.headers)


def problem_response(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Response:
    """The JSON of a refusal; plain ASCII, so that no message can fail to be encoded."""
    body: ProblemResponse = {"error": {"code": code, "message": message}}
    return Response(json.dumps(body) + "\n", status, dict(headers or {}), media_type="application/json")
