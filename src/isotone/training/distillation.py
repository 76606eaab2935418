"""The section of a request that says how one network learns what a mixture has learnt. Imports no torch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from isotone.errors import ConfigError

__all__ = ["SECTION", "Distillation", "distillation_with"]

SECTION = "distil."
"""In front of its fields, as after `--set`."""


class Distillation(BaseModel):
    """Sequence-level knowledge distillation (Kim & Rush 2016), with exact probabilities.

    The mixture's distribution is q(y | x) ∝ p(y | x) over its most probable strings; the network minimises
    −Σ_x Σ_y t(y | x) log p(y | x) with t = gold·[y is the pair's own target] + (1 − gold)·q, and t = q for sources
    without a target. Each epoch draws one y for each x from t, so that an epoch costs what it always costs.
    """

    model_config = ConfigDict(defer_build=True, frozen=True, extra="forbid", use_attribute_docstrings=True)

    n_best: int = Field(default=8, ge=1, le=1000)
    """The mixture's most probable strings for each source, at most: fewer where they have `mass` together."""
    mass: float = Field(default=0.99, gt=0, le=1)
    """Enough probability."""
    gold: float = Field(default=0.5, ge=0, le=1)
    """How often a training source comes with its own target; else with one of the mixture's."""
    invented: float = Field(default=2.0, ge=0, le=1000)
    """Sources made of the training pairs, at most this many times as many: lemmas with tags that others of their kind
    have, or, in data without tags, words that look like the training words."""
    keep_teacher: bool = False
    """Leave the mixture in the folder `teacher` beside the network?"""


def distillation_with(
    section: Distillation | None, *, wanted: bool | None, keep_teacher: bool | None, changes: Mapping[str, Any]
) -> dict[str, Any] | None:
    """The section with what the user said, not checked yet; `changes` are its fields by dotted name."""
    if keep_teacher is not None:
        changes = {**changes, f"{SECTION}keep_teacher": keep_teacher}
    if not (section is not None if wanted is None else wanted):
        if changes:
            raise ConfigError(f"{next(iter(changes))}: goes with --distil")
        return None
    given = {name.removeprefix(SECTION): value for name, value in changes.items()}
    return (section or Distillation()).model_dump() | given
