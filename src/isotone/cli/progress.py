"""The training progress bar: epoch, loss, dev metric, rate, time left."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from isotone.api.training import BatchDone, Callback, EpochDone, MixturePlan, Plan

__all__ = ["TrainingProgress"]


class TrainingProgress(Callback):
    """One bar for the whole run, and a line for each epoch; plain lines where stderr is not a terminal."""

    def __init__(self, console: Console, heading: str, notes: Sequence[str] = ()) -> None:
        """`notes` about the data are told when training starts: where it is refused, the reason is all there is."""
        self._console = console
        self._notes = notes
        self._heading = heading
        self._status = console.status("")
        self._progress = Progress(
            TextColumn("[bold]epoch {task.fields[epoch]}/{task.fields[epochs]}"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("loss {task.fields[loss]:.3f}  {task.fields[metric]}  rate {task.fields[rate]:.2g}"),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )

    def on_mixture(self, plan: MixturePlan) -> None:
        self._console.print(f"{plan}", soft_wrap=True, markup=False, highlight=False)

    def on_member(self, name: str) -> None:
        self._console.print(f"{name}:", style="bold", soft_wrap=True, markup=False, highlight=False)

    def on_round(self, number: int) -> None:
        if self._console.is_terminal:
            self._status.update(f"learning alignments to start from: round {number} of EM")
            self._status.start()

    def on_start(self, plan: Plan) -> None:
        self._status.stop()
        self._plan = plan
        done = (plan.first_epoch - 1) * plan.batches + plan.first_batch
        self._task = self._progress.add_task(
            "train",
            total=plan.epochs * plan.batches,
            completed=done,
            epoch=plan.first_epoch,
            epochs=plan.epochs,
            loss=float("nan"),
            metric=f"{plan.selection} –",
            rate=float("nan"),
        )
        self._progress.start()
        self._console.print(self._heading, style="dim", soft_wrap=True, markup=False)
        self._console.print(str(plan), style="dim", markup=False)
        for note in self._notes:
            self._console.print(f"isotone: {note}", soft_wrap=True, markup=False)
        self._notes = ()

    def on_batch(self, event: BatchDone) -> None:
        self._progress.update(self._task, advance=1, epoch=event.epoch, loss=event.loss, rate=event.rate)

    def on_epoch(self, event: EpochDone) -> None:
        metrics = "  ".join(f"{name} {value:.4g}" for name, value in event.metrics.items())
        best = "  [green]best[/green]" if event.best else ""
        self._progress.update(self._task, metric=f"{self._plan.selection} {event.metrics[self._plan.selection]:.4g}")
        self._console.print(
            f"epoch {event.epoch:>3}  train {event.train_loss:.4f}  dev {event.dev_loss:.4f}  {metrics}  "
            f"rate {event.rate:.2g}  {event.seconds:.1f} s{best}",
            soft_wrap=True,
        )

    def on_end(self) -> None:
        self._status.stop()
        self._progress.stop()
