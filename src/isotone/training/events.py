"""What training tells the outside: callbacks for progress bars, logs, plots and notebooks."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BatchDone", "Callback", "EpochDone", "Plan"]


@dataclass(frozen=True)
class Plan:
    """Known before the first step."""

    epochs: int
    batches: int
    """In an epoch."""
    parameters: int
    selection: str
    """The metric that picks the best epoch."""
    first_epoch: int
    """1, or later in a resumed run."""
    first_batch: int
    """0, or later in a run resumed in the middle of an epoch."""


@dataclass(frozen=True)
class BatchDone:
    """After each optimiser step."""

    epoch: int
    batch: int
    loss: float
    """Nats per target symbol, mean over the epoch so far."""
    rate: float


@dataclass(frozen=True)
class EpochDone:
    """After each epoch: one row of train.log.csv."""

    epoch: int
    train_loss: float
    dev_loss: float
    metrics: dict[str, float]
    rate: float
    """At the epoch's last step."""
    seconds: float
    """Training and evaluating this epoch."""
    best: bool
    """Is this the best epoch so far?"""


class Callback:
    """Override what you need; everything here does nothing."""

    def on_round(self, number: int) -> None:
        """Before anything else, where alignments are learnt first: a round of EM begins."""

    def on_start(self, plan: Plan) -> None:
        """Before the first step."""

    def on_batch(self, event: BatchDone) -> None:
        """After each optimiser step."""

    def on_epoch(self, event: EpochDone) -> None:
        """After each epoch's evaluation."""

    def on_end(self) -> None:
        """When training ends, however it ends."""
