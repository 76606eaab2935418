"""What training tells the outside: callbacks for progress bars, logs, plots and notebooks."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BatchDone", "Callback", "EpochDone", "MixturePlan", "Plan", "duration"]


@dataclass(frozen=True)
class Plan:
    """Known before the first step."""

    aligner: str
    """Of the network that is about to be trained."""
    backwards: bool
    """Does it read and write strings from their ends?"""
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

    def __str__(self) -> str:
        """A line for people."""
        network = f"{self.aligner} backwards" if self.backwards else self.aligner
        return f"{network}, {self.parameters:,} parameters, {self.batches:,} batches per epoch"


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
    """After each epoch that is assessed: one row of train.log.csv."""

    epoch: int
    train_loss: float
    dev_loss: float
    metrics: dict[str, float]
    rate: float
    """At the epoch's last step."""
    seconds: float
    """Training since the last row, and evaluating."""
    best: bool
    """Is this the best epoch so far?"""


@dataclass(frozen=True)
class MixturePlan:
    """Known before the first of several networks is trained."""

    members: tuple[str, ...]
    """Those that are still to be trained, by the names of their folders."""
    pairs: int
    """Training pairs."""
    threads: int
    """CPU threads of each process."""
    seconds: float
    """About what all of it takes, from the time of a few steps."""

    def __str__(self) -> str:
        """A sentence for people."""
        count = "1 network" if len(self.members) == 1 else f"{len(self.members)} networks, one after another"
        cores = "1 thread" if self.threads == 1 else f"{self.threads} threads"
        took = f"about {duration(self.seconds)} on {cores} for {self.pairs:,} pairs"
        return f"{count} ({', '.join(self.members)}): {took}"


def duration(seconds: float) -> str:
    """In the unit that people would use; two digits, since it is an estimate."""
    if seconds < 90:
        return f"{max(1, round(seconds))} seconds" if seconds >= 1.5 else "1 second"
    if seconds < 90 * 60:
        return f"{round(seconds / 60)} minutes"
    return f"{seconds / 3600:.1f} hours"


class Callback:
    """Override what you need; everything here does nothing."""

    def on_mixture(self, plan: MixturePlan) -> None:
        """Before the first of several networks is trained."""

    def on_member(self, name: str) -> None:
        """One of several networks is begun, or gone on with."""

    def on_round(self, number: int) -> None:
        """Before anything else, where alignments are learnt first: a round of EM begins."""

    def on_start(self, plan: Plan) -> None:
        """Before the first step."""

    def on_batch(self, event: BatchDone) -> None:
        """After each optimiser step."""

    def on_epoch(self, event: EpochDone) -> None:
        """After each epoch that is assessed; where the dev set is large, that is not every one."""

    def on_end(self) -> None:
        """When training ends, however it ends."""
