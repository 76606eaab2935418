"""train.log.csv: a row for each epoch that was assessed, written and read back; on request also for TensorBoard."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from isotone.errors import ConfigError, DataError
from isotone.files import atomic_text
from isotone.store.layout import LOG
from isotone.training.events import Callback, EpochDone

__all__ = ["TensorBoardLog", "count_epochs", "read_log", "write_log"]


def write_log(folder: Path, epochs: Sequence[EpochDone]) -> None:
    """epoch, train_loss, dev_loss, the task's metrics, rate, seconds, best; the whole file, atomically.

    The rows are part of a run's saved state, so a resumed run has all of them, wherever it was killed.
    """
    rows = [_row(epoch) for epoch in epochs]
    with atomic_text(folder / LOG) as file:
        writer = csv.DictWriter(file, fieldnames=list(rows[0]) if rows else [], lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def _row(event: EpochDone) -> dict[str, Any]:
    return {
        "epoch": event.epoch,
        "train_loss": f"{event.train_loss:.6f}",
        "dev_loss": f"{event.dev_loss:.6f}",
        **{f"dev_{name}": f"{value:.4f}" for name, value in event.metrics.items()},
        "rate": f"{event.rate:.3g}",
        "seconds": f"{event.seconds:.2f}",
        "best": int(event.best),
    }


def read_log(folder: Path) -> list[EpochDone]:
    """The epochs of a model's training, in order; none where it has no log."""
    path = folder / LOG
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    except UnicodeDecodeError as error:
        raise DataError(f"{path}: not valid UTF-8") from error
    reader = csv.DictReader(lines)
    found: dict[int, EpochDone] = {}
    for row in reader:
        try:
            epoch = _epoch(row)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            expected = "expected epoch, train_loss, dev_loss, dev metrics, rate, seconds, best"
            raise DataError(f"{path}:{reader.line_num}: {expected}, found {lines[reader.line_num - 1]!r}") from error
        found[epoch.epoch] = epoch  # after a crash an epoch may be there twice: the later one counts
    return [found[number] for number in sorted(found)]


def count_epochs(folder: Path) -> int:
    """Epochs up to the log's last row."""
    try:
        last = (folder / LOG).read_bytes().rstrip(b"\n").rpartition(b"\n")[2].partition(b",")[0]
    except FileNotFoundError:
        return 0
    return int(last) if last.isdigit() else 0


def _epoch(row: Mapping[str, str]) -> EpochDone:
    metrics = {
        name.removeprefix("dev_"): float(value)
        for name, value in row.items()
        if name.startswith("dev_") and name != "dev_loss"
    }
    return EpochDone(
        epoch=int(row["epoch"]),
        train_loss=float(row["train_loss"]),
        dev_loss=float(row["dev_loss"]),
        metrics=metrics,
        rate=float(row["rate"]),
        seconds=float(row["seconds"]),
        best=bool(int(row["best"])),
    )


class TensorBoardLog(Callback):
    """Scalars for TensorBoard, in `folder`."""

    def __init__(self, folder: Path) -> None:
        try:
            from torch.utils.tensorboard import SummaryWriter
        except ImportError as error:
            raise ConfigError("--tensorboard needs `pip install isotone[tensorboard]`") from error
        self._writer: Any = SummaryWriter(str(folder))

    def on_epoch(self, event: EpochDone) -> None:
        scalars = {"loss/train": event.train_loss, "loss/dev": event.dev_loss, "rate": event.rate}
        scalars |= {f"dev/{name}": value for name, value in event.metrics.items()}
        for name, value in scalars.items():
            self._writer.add_scalar(name, value, event.epoch)

    def on_end(self) -> None:
        self._writer.close()
