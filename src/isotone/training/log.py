"""train.log.csv: one row an epoch, appended as it happens; and the same to TensorBoard on request."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from isotone.errors import ConfigError
from isotone.training.events import Callback, EpochDone

__all__ = ["LOG", "CsvLog", "TensorBoardLog"]

LOG = "train.log.csv"


class CsvLog(Callback):
    """epoch, train_loss, dev_loss, the task's metrics, rate, seconds, best."""

    def __init__(self, path: Path, *, resume: bool = False) -> None:
        self._path = path
        if not resume:
            path.unlink(missing_ok=True)

    def on_epoch(self, event: EpochDone) -> None:
        row: dict[str, Any] = {
            "epoch": event.epoch,
            "train_loss": f"{event.train_loss:.6f}",
            "dev_loss": f"{event.dev_loss:.6f}",
            **{f"dev_{name}": f"{value:.4f}" for name, value in event.metrics.items()},
            "rate": f"{event.rate:.3g}",
            "seconds": f"{event.seconds:.2f}",
            "best": int(event.best),
        }
        new = not self._path.exists()
        with self._path.open("a", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(row))
            if new:
                writer.writeheader()
            writer.writerow(row)


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
