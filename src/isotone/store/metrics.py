"""metrics.json: how a model was trained and what it reached on dev."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from isotone.errors import ModelError
from isotone.files import read_json
from isotone.store.layout import METRICS

__all__ = ["Metrics", "parse_metrics", "read_metrics_file"]


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


Dev = dict[str, Annotated[float | None, BeforeValidator(_finite)]]


class Metrics(BaseModel):
    """metrics.json of a single model or of a mixture; what does not apply or is not known is None."""

    model_config = ConfigDict(defer_build=True, frozen=True, extra="ignore")

    task: str
    """inflection, g2p, …"""
    dev: Dev = Field(default_factory=dict)
    """Metrics and loss on the dev set, of the best epoch or of the mixture; None where infinite."""
    best_epoch: int | None = None
    """The epoch whose weights were kept."""
    epochs: int | None = None
    """Epochs trained so far."""
    finished: bool = False
    """False while training, and where it was interrupted."""
    pairs: int | None = None
    """Training pairs."""
    batch_size: int | None = None
    """Pairs per batch."""
    seed: int | None = None
    """Random seed of a single model."""
    recipe: dict[str, Any] = Field(default_factory=dict)
    """Every field of the training recipe."""
    members: dict[str, Dev | None] | None = None
    """Mixtures: each member's own dev metrics."""
    teacher: Dev | None = None
    """Distilled models: the dev metrics of the mixture that it learnt from."""

    def to_json(self) -> dict[str, Any]:
        """What metrics.json holds: fields that do not apply are left out."""
        return {name: value for name, value in self.model_dump(mode="json").items() if value is not None}


def parse_metrics(value: Any) -> Metrics | None:
    """Metrics as read from JSON; None where there are none that can be understood, since a model works without."""
    try:
        return Metrics.model_validate(value)
    except ValidationError:
        return None


def read_metrics_file(folder: Path) -> Metrics | None:
    """metrics.json of a folder of format 1, where it is not a copy; None where there is none that can be read."""
    try:
        return parse_metrics(read_json(folder / METRICS))
    except ModelError:
        return None
