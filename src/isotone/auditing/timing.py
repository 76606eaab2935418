"""How long an audit will take, from the speed of training measured on this machine, with this lexicon."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

from isotone.auditing.entries import Lexicon
from isotone.auditing.fold import train_fold
from isotone.auditing.settings import Settings
from isotone.auditing.workers import MISTAKE, start_worker, write_job
from isotone.errors import IsotoneError
from isotone.threads import core_count
from isotone.training.log import read_log

__all__ = ["Estimate", "estimate", "measure"]

SAMPLE = 320
"""Training pairs of the measurement, each read twice."""
WORTH = 20_000
"""Training pairs, each as often as it is read, below which measuring would take as long as the audit."""
JUDGING = 2.0
"""Judging an entry takes about as long as training on this many."""
RATE = "rate.txt"


@dataclass(frozen=True)
class Estimate:
    """What was measured, and what follows from it."""

    rate: float
    """Training pairs per second in one process."""
    seconds: float
    """For all folds."""
    processes: int


def estimate(
    lexicon: Lexicon, settings: Settings, *, folds: int | None = None, processes: int | None = None
) -> Estimate | None:
    """Train for a moment in a process of its own, as the folds will, and scale up to `folds` of them (all).

    None where the audit itself takes hardly longer.
    """
    left = settings.folds if folds is None else folds
    if left * settings.epochs * len(lexicon.entries) < WORTH:
        return None
    count = min(left, processes or core_count())
    with tempfile.TemporaryDirectory(prefix="isotone-audit-") as temporary:
        folder = Path(temporary)
        sample = replace(lexicon, entries=lexicon.entries[:: max(1, len(lexicon.entries) // SAMPLE)][:SAMPLE])
        write_job(folder, sample, replace(settings, epochs=2, guided=0.0, batch_size=settings.batch_size))
        if start_worker("measure", folder, 0).wait():
            mistake = folder / f"fold-0-{MISTAKE}"
            raise IsotoneError(mistake.read_text(encoding="utf-8") if mistake.exists() else "a worker process failed")
        rate = float((folder / RATE).read_text(encoding="ascii"))
    rounds = -(-left // count)  # in which all processes work
    entries = len(lexicon.entries)
    pairs = settings.epochs * entries * (settings.folds - 1) / settings.folds + JUDGING * entries / settings.folds
    return Estimate(rate, rounds * pairs / rate, count)


def measure(folder: Path, lexicon: Lexicon, settings: Settings) -> None:
    """In a worker: leaves the rate in the folder."""
    pairs = [entry.example for entry in lexicon.entries]
    train_fold(lexicon, settings, pairs, folder / "model", seed=0)
    fastest = min(epoch.seconds for epoch in read_log(folder / "model"))
    (folder / RATE).write_text(f"{len(pairs) / fastest}\n", encoding="ascii")
