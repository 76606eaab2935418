"""Hyperparameters of aligners; apart from their classes, so that they can be read without torch."""

from __future__ import annotations

from pydantic import Field

from isotone.models.parts import Options

__all__ = ["JumpOptions"]


class JumpOptions(Options):
    """Of the first-order aligners."""

    width: int = Field(default=4, ge=0, le=10_000)
    """w, the longest jump."""
