"""The training loop: one for every recipe, model and device."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from isotone.data.batch import Batch
from isotone.data.loader import Loader
from isotone.dp import NotANumberError
from isotone.errors import DivergedError
from isotone.evaluation import task_named
from isotone.store.folder import Member, save_member
from isotone.training.assess import DevSet
from isotone.training.events import BatchDone, Callback, EpochDone, Plan
from isotone.training.interrupt import Interrupts
from isotone.training.recipe import Recipe
from isotone.training.schedule import schedule_for
from isotone.training.state import load_state, save_state
from isotone.training.step import NO_NUMBERS, optimizer_for, train_step

if TYPE_CHECKING:
    from lightning_fabric import Fabric

__all__ = ["Outcome", "Run"]

SAVE_EVERY = 600.0
"""Seconds between saved states within a long epoch."""


@dataclass(frozen=True)
class Outcome:
    """How a run ended."""

    best: EpochDone | None
    """The epoch that the model folder holds; None if not one was finished."""
    epochs: int
    finished: bool
    """False where Ctrl-C ended it; `--resume` goes on."""


class Run:
    """One training run: a model, its data, its folder. Its state can be saved and restored at any step."""

    def __init__(
        self,
        *,
        bundle: Member,
        loader: Loader,
        dev: DevSet,
        recipe: Recipe,
        fabric: Fabric,
        folder: Path,
        callbacks: Sequence[Callback] = (),
    ) -> None:
        self.bundle, self.loader, self.dev, self.recipe, self.folder = bundle, loader, dev, recipe, folder
        self.fabric, self.callbacks = fabric, callbacks
        self.task = task_named(bundle.config.task)
        self.epochs = recipe.epochs_for(len(loader.examples))
        self.schedule = schedule_for(recipe, epochs=self.epochs, steps_an_epoch=len(loader))
        self.network, self.optimizer = fabric.setup(bundle.network, optimizer_for(bundle.network, recipe.rate))
        self.epoch, self.batch = 1, 0
        self.loss_sum, self.symbols = 0.0, 0
        self.best: EpochDone | None = None
        self._interrupts = Interrupts()
        self._saved_at = time.monotonic()

    def resume(self) -> None:
        """Go on where the folder's saved state stands."""
        progress = load_state(self.folder, self.bundle.network, self.optimizer.optimizer)
        self.epoch, self.batch = progress["epoch"], progress["batch"]
        self.loss_sum, self.symbols = progress["loss_sum"], progress["symbols"]
        self.schedule.restore(progress["schedule"])
        self.best = EpochDone(**progress["best"]) if progress["best"] else None

    def fit(self) -> Outcome:
        """Train to the end of the recipe; on Ctrl-C leave a usable model and a state to resume from."""
        plan = Plan(
            epochs=self.epochs,
            batches=len(self.loader),
            parameters=self.bundle.network.parameter_count(),
            selection=self.task.selection,
            first_epoch=self.epoch,
            first_batch=self.batch,
        )
        with self._interrupts:
            try:
                self._each("on_start", plan)
                going_on = True
                while going_on and self.epoch <= self.epochs:
                    going_on = self._epoch()
                return Outcome(self.best, self.epoch - 1, finished=True)
            except KeyboardInterrupt:
                if self.best is None:
                    save_member(self.folder, self.bundle)
                self._save_state()
                return Outcome(self.best, self.epoch - 1, finished=False)
            finally:
                self._each("on_end")

    def _epoch(self) -> bool:
        """Train and assess one epoch; False when the schedule says stop."""
        started = time.monotonic()
        self.network.train()
        for batch in self.loader.epoch(self.epoch, skip=self.batch):
            self._step(batch)
            self._interrupts.check()
            if time.monotonic() - self._saved_at > SAVE_EVERY:
                self._save_state()
        with self._interrupts.at_once():  # the weights do not change here
            try:
                assessment = self.dev.assess(self.bundle)
            except NotANumberError as error:
                raise DivergedError(f"after epoch {self.epoch}: {NO_NUMBERS}") from error
        rate = self.schedule.rate(self._steps_done() - 1)
        done = EpochDone(
            epoch=self.epoch,
            train_loss=self.loss_sum / max(1, self.symbols),
            dev_loss=assessment.loss,
            metrics=assessment.metrics,
            rate=rate,
            seconds=time.monotonic() - started,
            best=self._is_best(assessment.metrics[self.task.selection], assessment.loss),
        )
        going_on = self.schedule.after_epoch(done.dev_loss)
        self.epoch, self.batch, self.loss_sum, self.symbols = self.epoch + 1, 0, 0.0, 0
        if done.best:
            self.best = done
            if self.fabric.is_global_zero:
                save_member(self.folder, self.bundle)
        self._save_state()
        self._each("on_epoch", done)
        return going_on

    def _step(self, batch: Batch) -> None:
        """One optimiser step at the schedule's rate."""
        rate = self.schedule.rate(self._steps_done())
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        try:
            loss = train_step(self.fabric, self.network, self.optimizer, batch, clip=self.recipe.clip)
        except DivergedError as error:
            raise DivergedError(f"epoch {self.epoch}, batch {self.batch + 1}, rate {rate:.3g}: {error}") from error
        self.batch += 1
        self.loss_sum += loss * batch.target_symbols
        self.symbols += batch.target_symbols
        mean = self.loss_sum / self.symbols
        self._each("on_batch", BatchDone(epoch=self.epoch, batch=self.batch, loss=mean, rate=rate))

    def _steps_done(self) -> int:
        return (self.epoch - 1) * len(self.loader) + self.batch

    def _is_best(self, metric: float, loss: float) -> bool:
        """Better by the task's metric; ties as the recipe says. No epoch of a guided start is kept in the end."""
        guided = self.loader.aligned_epochs or 0
        if self.best is None or self.best.epoch <= guided < self.epoch:
            return True
        old = self.best.metrics[self.task.selection]
        later_or_lower = self.recipe.ties == "later" or loss < self.best.dev_loss
        return self.task.improves(metric, old) or (metric == old and later_or_lower)

    def _save_state(self) -> None:
        if not self.fabric.is_global_zero:
            return
        progress = {
            "epoch": self.epoch,
            "batch": self.batch,
            "loss_sum": self.loss_sum,
            "symbols": self.symbols,
            "schedule": self.schedule.state(),
            "best": vars(self.best) if self.best else None,
        }
        save_state(self.folder, self.bundle.network, self.optimizer.optimizer, progress)
        self._saved_at = time.monotonic()

    def _each(self, name: str, *arguments: Any) -> None:
        for callback in self.callbacks:
            getattr(callback, name)(*arguments)
