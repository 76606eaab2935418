"""How a run ended."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from isotone.training.events import EpochDone

__all__ = ["Outcome"]


@dataclass(frozen=True)
class Outcome:
    """How a run ended, and what the model in its folder reached on dev."""

    finished: bool
    """False where Ctrl-C ended it; `--resume` goes on."""
    best: EpochDone | None
    """The epoch that the folder holds; None for a mixture, or where not one epoch has ended."""
    epochs: int
    """Epochs trained."""
    dev: Mapping[str, float | None]
    """Dev metrics and loss of the model in the folder; empty where there is none yet."""
    teacher: Mapping[str, float | None] | None = None
    """Those of the mixture that it learnt from, if there is one."""
