"""The training loop: one for every recipe, model and device."""

from __future__ import annotations

import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from isotone.data.batch import Batch
from isotone.data.loader import Loader
from isotone.decoding.decoders import decoder_named
from isotone.dp import NotANumberError
from isotone.errors import DivergedError
from isotone.evaluation import task_named
from isotone.store.folder import Member, save_member
from isotone.store.metrics import Metrics
from isotone.training.assess import Assessment, DevSet, standard_error
from isotone.training.events import BatchDone, Callback, EpochDone, Plan
from isotone.training.interrupt import Interrupts
from isotone.training.log import write_log
from isotone.training.outcome import Outcome
from isotone.training.ranks import Ranks
from isotone.training.request import Request
from isotone.training.schedule import schedule_for
from isotone.training.state import random_states, read_state, restore_state, save_state
from isotone.training.step import DIVERGED, optimizer_for, shared_step, train_step

__all__ = ["Loop"]

SAVE_EVERY = 600.0
"""Seconds between saved states within a long epoch."""


class Loop:
    """A model, its data and its folder. Its state can be saved after any step, and restored.

    In a run of several processes each has a loop, and all take the same steps; what goes to the folder and to the
    callbacks comes from rank 0.
    """

    def __init__(
        self,
        *,
        request: Request,
        member: Member,
        loader: Loader,
        dev: DevSet,
        ranks: Ranks,
        folder: Path,
        callbacks: Sequence[Callback] = (),
    ) -> None:
        self.request, self.member, self.loader, self.dev, self.folder = request, member, loader, dev, folder
        self.ranks, self.callbacks = ranks, callbacks
        self.recipe, self.task = request.recipe, task_named(request.task)
        self.epochs = self.recipe.epochs_for(loader.pairs)
        self._every = self.recipe.assessed_every(loader.pairs, dev.sources)
        self.schedule = schedule_for(self.recipe, epochs=self.epochs, steps_per_epoch=len(loader))
        optimizer = optimizer_for(member.network, self.recipe.rate, self.recipe.decay)
        self.network, self.optimizer = ranks.fabric.setup(member.network, optimizer)
        self.epoch, self.batch = 1, 0
        self.loss_sum, self.symbols, self.seconds = 0.0, 0, 0.0
        self.best: EpochDone | None = None
        self.log: list[EpochDone] = []
        self._stopped = False
        self._interrupts = Interrupts()
        self._saved_at = time.monotonic()
        self._said = (False, False)

    def restore(self) -> None:
        """Go on where the folder's saved state stands; from the beginning, if it has none yet."""
        found = self.ranks.once(lambda: read_state(self.folder))
        if found is None:
            return
        progress, tensors = found
        optimizer, rank = self.optimizer.optimizer, self.ranks.rank
        if not restore_state(self.folder, tensors, self.member.network, optimizer, rank=rank):
            self.ranks.seed(self.request.seed, progress["epoch"], progress["batch"])
        self.epoch, self.batch = progress["epoch"], progress["batch"]
        self.loss_sum, self.symbols = progress["loss_sum"], progress["symbols"]
        self.seconds = progress.get("seconds", 0.0)
        self.schedule.restore(progress["schedule"])
        self.best = EpochDone(**progress["best"]) if progress["best"] else None
        self.log = [EpochDone(**row) for row in progress["log"]]
        self._stopped = progress["stopped"]
        if self.log:
            self.ranks.once(lambda: write_log(self.folder, self.log))

    def fit(self) -> Outcome:
        """Train to the end of the recipe; on Ctrl-C leave a state to resume from."""
        config = self.member.config
        plan = Plan(
            aligner=config.architecture.aligner.name,
            backwards=config.backwards,
            epochs=self.epochs,
            batches=len(self.loader),
            parameters=self.member.network.parameter_count(),
            selection=self.task.selection,
            first_epoch=self.epoch,
            first_batch=self.batch,
        )
        with self._interrupts:
            try:
                self._each("on_start", plan)
                while not self._stopped and self.epoch <= self.epochs:
                    self._epoch()
                return self._outcome(finished=True)
            except KeyboardInterrupt:
                self._save_state()
                return self._outcome(finished=False)
            finally:
                self._each("on_end")

    def metrics(self, *, finished: bool) -> Metrics:
        """What metrics.json says of the best epoch so far."""
        best = self.best
        return Metrics(
            task=self.request.task,
            dev={**best.metrics, "loss": best.dev_loss} if best else {},
            best_epoch=best.epoch if best else 0,
            epochs=self.epoch - 1,
            finished=finished,
            pairs=self.loader.pairs,
            batch_size=self.loader.batch_size,
            seed=self.request.seed,
            recipe=self.recipe.model_dump(mode="json"),
        )

    def _outcome(self, *, finished: bool) -> Outcome:
        dev = {**self.best.metrics, "loss": self.best.dev_loss} if self.best else {}
        return Outcome(finished=finished, best=self.best, epochs=self.epoch - 1, dev=dev)

    def _epoch(self) -> None:
        """Train one epoch, and assess it if it is its turn."""
        started = time.monotonic()
        self.network.train()
        for batch in self.loader.epoch(self.epoch, skip=self.batch):
            self._step(batch)
            stop, save = self._said if self.ranks.count > 1 else self._wishes()
            if stop:
                raise KeyboardInterrupt
            if save:
                self._save_state()
        self.seconds += time.monotonic() - started
        if self.epoch % self._every == 0 or self.epoch == self.epochs:
            self._look()
        else:
            self.epoch, self.batch = self.epoch + 1, 0
            self._save_state()

    def _look(self) -> None:
        """Assess the epoch. The model is saved before the state: a kill in between repeats the epoch."""
        done = self._assess()
        self._stopped = not self.schedule.after_epoch(done.dev_loss)
        self.epoch, self.batch, self.loss_sum, self.symbols, self.seconds = self.epoch + 1, 0, 0.0, 0, 0.0
        self.log.append(done)
        if done.best:
            self.best = done
            self.ranks.once(self._save_model)
        self._save_state()
        self.ranks.once(lambda: write_log(self.folder, self.log))
        self._each("on_epoch", done)

    def _assess(self) -> EpochDone:
        started = time.monotonic()
        assessment = self.ranks.once(self._assessment)
        return EpochDone(
            epoch=self.epoch,
            train_loss=self.loss_sum / max(1, self.symbols),
            dev_loss=assessment.loss,
            metrics=assessment.metrics,
            rate=self.schedule.rate(self._steps_done() - 1),
            seconds=self.ranks.once(lambda: self.seconds + time.monotonic() - started),
            best=self._is_best(assessment.metrics, assessment.loss),
        )

    def _assessment(self) -> Assessment:
        with self._interrupts.at_once():  # the weights do not change here
            try:
                return self.dev.assess(self.member, decoder=decoder_named(self.recipe.decode))
            except NotANumberError as error:
                raise DivergedError(f"after epoch {self.epoch}: {DIVERGED}") from error

    def _step(self, batch: Batch) -> None:
        """One optimiser step at the schedule's rate."""
        rate = self.schedule.rate(self._steps_done())
        for group in self.optimizer.param_groups:
            group["lr"] = rate
        try:
            loss = self._loss(batch)
        except DivergedError as error:
            raise DivergedError(f"epoch {self.epoch}, batch {self.batch + 1}, rate {rate:.3g}: {error}") from error
        self.batch += 1
        self.loss_sum += loss * batch.target_symbols
        self.symbols += batch.target_symbols
        mean = self.loss_sum / self.symbols
        self._each("on_batch", BatchDone(epoch=self.epoch, batch=self.batch, loss=mean, rate=rate))

    def _loss(self, batch: Batch) -> float:
        """Take the step. Several ranks agree in it whether to stop or to save, so that all do so after the same one."""
        ranks, network, optimizer, clip = self.ranks, self.network, self.optimizer, self.recipe.clip
        if ranks.count == 1:
            return train_step(ranks.fabric, network, optimizer, batch, clip=clip)
        loss, (stop, save) = shared_step(ranks, network, optimizer, batch, clip=clip, asked=self._wishes())
        self._said = (stop, save)
        return loss

    def _wishes(self) -> tuple[bool, bool]:
        """Does this rank want to stop, and to save?"""
        stop = self._interrupts.wanted or self.ranks.told_to_stop()
        return stop, self.ranks.first and time.monotonic() - self._saved_at > SAVE_EVERY

    def _steps_done(self) -> int:
        return (self.epoch - 1) * len(self.loader) + self.batch

    def _is_best(self, metrics: dict[str, float], loss: float) -> bool:
        """By the task's metric, as the recipe says. No epoch of a guided start is kept in the end."""
        guided = self.loader.aligned_epochs or 0
        if self.best is None or self.best.epoch <= guided < self.epoch:
            return True
        new, old = metrics[self.task.selection], self.best.metrics[self.task.selection]
        if self.recipe.select == "later":
            rivals = [done for done in self.log if done.epoch > guided] or self.log
            return self._is_no_worse(new, [done.metrics[self.task.selection] for done in rivals])
        later_or_lower = self.recipe.ties == "later" or loss < self.best.dev_loss
        return self.task.improves(new, old) or (new == old and later_or_lower)

    def _is_no_worse(self, new: float, before: Sequence[float]) -> bool:
        """Not worse than the best of the epochs before, but for what chance explains (a share has a standard error).

        Compared with the kept epoch instead, many small steps down would add up.
        """
        peak = (max if self.task.higher_is_better else min)(before)
        noise = standard_error(peak, self.dev.sources) if self.task.selection_metric.unit == "%" else 0.0
        return not self.task.improves(peak, new) or abs(new - peak) <= noise

    def _save_model(self) -> None:
        save_member(self.folder, self.member, metrics=self.metrics(finished=False), run=self.request.to_json())

    def _save_state(self) -> None:
        own = random_states(self.member.network.device, self.ranks.rank)
        random = {name: state for states in self.ranks.gather(own) for name, state in states.items()}
        progress = {
            "epoch": self.epoch,
            "batch": self.batch,
            "loss_sum": self.loss_sum,
            "symbols": self.symbols,
            "seconds": self.seconds,
            "schedule": self.schedule.state(),
            "best": vars(self.best) if self.best else None,
            "log": [vars(epoch) for epoch in self.log],
            "stopped": self._stopped,
        }
        network, optimizer = self.member.network, self.optimizer.optimizer
        self.ranks.once(lambda: save_state(self.folder, network, optimizer, progress=progress, random=random))
        self._saved_at = time.monotonic()

    def _each(self, name: str, *arguments: Any) -> None:
        try:
            for callback in self.callbacks:
                getattr(callback, name)(*arguments)
        except KeyboardInterrupt:
            if self.ranks.count == 1:
                raise
            self._interrupts.want()  # after the next step, together with the other ranks
