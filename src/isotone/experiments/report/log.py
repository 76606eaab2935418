"""train.log.csv, read back."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from isotone.errors import DataError
from isotone.training.log import LOG

__all__ = ["Epoch", "read_log"]


@dataclass(frozen=True)
class Epoch:
    """One row of the log."""

    epoch: int
    train_loss: float
    """Nats a target symbol; so is the next."""
    dev_loss: float
    metrics: Mapping[str, float]
    """On dev, by name."""
    best: bool
    """Was it the best so far?"""


def read_log(folder: Path) -> list[Epoch]:
    """The epochs of a model's training, in order; none where it has no log."""
    path = folder / LOG
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not valid UTF-8") from error
    reader = csv.DictReader(lines)
    found: dict[int, Epoch] = {}
    for row in reader:
        try:
            epoch = _epoch(row)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            expected = "expected epoch, train_loss, dev_loss, dev metrics, rate, seconds, best"
            raise DataError(f"{path}:{reader.line_num}: {expected}, found {lines[reader.line_num - 1]!r}") from error
        found[epoch.epoch] = epoch  # after a crash an epoch may be there twice: the later one counts
    return [found[number] for number in sorted(found)]


def _epoch(row: Mapping[str, str]) -> Epoch:
    metrics = {
        name.removeprefix("dev_"): float(value)
        for name, value in row.items()
        if name.startswith("dev_") and name != "dev_loss"
    }
    best = bool(int(row["best"]))
    return Epoch(int(row["epoch"]), float(row["train_loss"]), float(row["dev_loss"]), metrics, best)
