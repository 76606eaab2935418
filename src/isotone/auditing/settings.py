"""How the models of an audit are trained: short, with a small network, chosen by the size of the lexicon."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from hashlib import blake2b

from isotone import __version__
from isotone.auditing.entries import Lexicon
from isotone.errors import ConfigError
from isotone.models.config import SIZES
from isotone.training.recipe import Recipe

__all__ = ["Settings", "digest", "settings_for"]


@dataclass(frozen=True, kw_only=True)
class Settings:
    """What the judgements of an audit depend on, besides the lexicon."""

    folds: int
    """Parts of the lexicon, each judged by a model trained on the others; 0 trains nothing."""
    epochs: int
    batch_size: int
    rate: float
    """The highest learning rate of the one-cycle schedule."""
    size: str
    """A name in the table of network sizes."""
    model: str = "1-mono"
    """A name in the table of aligners."""
    dropout: float = 0.2
    copy_gate: bool = False
    """May the model copy source symbols? It then knows that a stem is not to be changed."""
    guided: float = 0.3
    """The share of epochs along alignments found by EM."""
    seed: int = 0

    def recipe(self) -> Recipe:
        """For training. Dev pairs are few and decoded greedily: a one-cycle schedule is best in its last epoch."""
        return Recipe(
            name="audit",
            schedule="one-cycle",
            rate=self.rate,
            epochs=self.epochs,
            batch_size=self.batch_size,
            guided=self.guided,
            decode="greedy",
            ties="later",
        )


def settings_for(
    entries: int,
    *,
    folds: int = 5,
    epochs: int | None = None,
    size: str | None = None,
    copies: bool = False,
    seed: int = 0,
) -> Settings:
    """Settings for a lexicon of this size: the smaller it is, the more often and in smaller batches it is read.

    `copies` says whether targets are made of source symbols (docs/audit.md has what a copy gate gains there).
    """
    if folds < 0 or folds == 1:
        raise ConfigError(f"folds: expected 0 (no models) or at least 2, found {folds}")
    if size is not None and size not in SIZES:
        raise ConfigError(f"unknown size {size!r}: expected one of {', '.join(SIZES)}")
    if entries < 3_000:
        own, batch_size, rate = 30, 16, 0.005
    elif entries < 30_000:
        own, batch_size, rate = 10, 64, 0.008
    else:
        own, batch_size, rate = 5, 64, 0.008
    return Settings(
        folds=folds,
        epochs=epochs or own,
        batch_size=batch_size,
        rate=rate,
        size=size or "tiny",
        copy_gate=copies,
        seed=seed,
    )


def digest(lexicon: Lexicon, settings: Settings) -> str:
    """What tells the judgements of this lexicon with these settings from all others."""
    found = blake2b(digest_size=12)
    head = [__version__, lexicon.task, lexicon.texts.model_dump(mode="json"), asdict(settings)]
    found.update(json.dumps(head, sort_keys=True).encode("ascii"))
    for entry in lexicon.entries:
        example = entry.example
        found.update(json.dumps([example.source, example.target, example.tags]).encode("ascii") + b"\n")
    return found.hexdigest()
