"""Learning-rate schedules: the rate of each step, and when to stop. Their state is one small JSON object."""

from __future__ import annotations

import math
from typing import Any, Protocol

from isotone.training.recipe import Recipe

__all__ = ["Halving", "OneCycle", "Schedule", "schedule_for"]


class Schedule(Protocol):
    """Decides the rate before each step and, after each epoch, whether to go on."""

    def rate(self, step: int) -> float:
        """The learning rate of optimiser step `step`, counted from 0."""
        ...

    def after_epoch(self, dev_loss: float) -> bool:
        """Take note of an epoch's dev loss; False when training should stop."""
        ...

    def state(self) -> dict[str, Any]:
        """What `restore` needs."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        ...


class Halving:
    """The paper's: halve after every epoch whose dev loss is not the best so far; stop below the floor."""

    def __init__(self, rate: float, floor: float) -> None:
        self._rate, self._floor, self._best = rate, floor, math.inf

    def rate(self, step: int) -> float:
        """The same rate within an epoch."""
        return self._rate

    def after_epoch(self, dev_loss: float) -> bool:
        """Halve or keep."""
        if dev_loss < self._best:
            self._best = dev_loss
        else:
            self._rate /= 2
        return self._rate >= self._floor

    def state(self) -> dict[str, Any]:
        """The current rate and the best dev loss."""
        return {"rate": self._rate, "best": self._best if math.isfinite(self._best) else None}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from a saved state."""
        self._rate = state["rate"]
        self._best = math.inf if state["best"] is None else state["best"]


class OneCycle:
    """Climb linearly to the peak, then anneal along a cosine to a hundredth of it; ends with its last step."""

    def __init__(self, peak: float, steps: int, warmup: float) -> None:
        self._peak, self._steps, self._warmup = peak, max(1, steps), max(1, round(steps * warmup))

    def rate(self, step: int) -> float:
        """Depends on the step alone."""
        if step < self._warmup:
            return self._peak * (step + 1) / self._warmup
        done = min(1.0, (step - self._warmup) / max(1, self._steps - self._warmup))
        return self._peak * (0.01 + 0.99 * (1 + math.cos(math.pi * done)) / 2)

    def after_epoch(self, dev_loss: float) -> bool:
        """Never stops early."""
        return True

    def state(self) -> dict[str, Any]:
        """Nothing to remember."""
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to restore."""


def schedule_for(recipe: Recipe, *, epochs: int, steps_per_epoch: int) -> Schedule:
    """The schedule a recipe names."""
    if recipe.schedule == "halving":
        return Halving(recipe.rate, recipe.floor)
    return OneCycle(recipe.rate, epochs * steps_per_epoch, recipe.warmup)
