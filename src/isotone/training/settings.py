"""A run's choices besides its data."""

from __future__ import annotations

from dataclasses import dataclass, field

from isotone.errors import ConfigError
from isotone.evaluation import task_named
from isotone.models.aligners import ALIGNERS, check_copying
from isotone.text.config import Texts
from isotone.text.readers.selection import DataFormat
from isotone.training.recipe import Recipe

__all__ = ["Settings"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """A run's choices besides its data."""

    task: str
    aligner: str
    recipe: Recipe
    texts: Texts = field(default_factory=Texts)
    data_format: DataFormat | None = None
    """Remembered in the model folder, for files to come."""
    seed: int = 0
    device: str = "auto"
    threads: int | None = None
    """CPU threads; all cores by default."""
    resume: bool = False
    overwrite: bool = False

    def __post_init__(self) -> None:
        task_named(self.task)
        if self.aligner not in ALIGNERS:
            raise ConfigError(f"unknown model {self.aligner!r}: expected one of {', '.join(ALIGNERS)}")
        if self.recipe.copy_gate:
            check_copying(self.aligner)
