"""Wall-clock to a dev accuracy: our default recipe against the paper's, one after the other on the same data."""

from __future__ import annotations

import tempfile
from itertools import accumulate
from pathlib import Path
from typing import Any

import isotone
from bench.german import German, german
from bench.report import Result
from bench.trained import Lines
from bench.workload import all_cores
from isotone.api.training import Callback, EpochDone

CODE = {"1-mono": (76.2, 22.0)}
"""The paper's own code on German medium: its best dev ACC, and the minutes of its whole run on one thread of ANOTHER
machine (TARGETS.md)."""

Row = tuple[str | int | float, ...]


class Curve(Callback):
    """Every epoch of a run."""

    def __init__(self) -> None:
        self.epochs: list[EpochDone] = []

    def on_epoch(self, event: EpochDone) -> None:
        self.epochs.append(event)

    def seconds_to(self, accuracy: float) -> float | None:
        """Wall-clock until dev ACC was first as good, evaluations included; None if it never was."""
        clock = accumulate(epoch.seconds for epoch in self.epochs)
        return next((t for t, e in zip(clock, self.epochs, strict=True) if e.metrics["acc"] >= accuracy), None)

    @property
    def best(self) -> float:
        return max(epoch.metrics["acc"] for epoch in self.epochs)

    @property
    def seconds(self) -> float:
        return sum(epoch.seconds for epoch in self.epochs)


def _train(data: German, aligner: str, recipe: str, *, quick: bool) -> Curve:
    curve = Curve()
    print(f"{aligner}, {recipe}", flush=True)
    limits: dict[str, Any] = {"epochs": 1, "size": "tiny"} if quick else {}
    with tempfile.TemporaryDirectory() as folder:
        isotone.train(
            train=data.medium,
            dev=data.dev[:20] if quick else data.dev,
            out=Path(folder) / "model",
            task="inflection",
            model=aligner,
            recipe=recipe,
            callbacks=[Lines(), curve],
            **limits,
        )
    return curve


def run(quick: bool) -> Result:
    """For each aligner both recipes, and how long each took to the dev ACC that both reached."""
    threads = all_cores()
    data = german()
    ours = "small"  # the default for inflection takes twice as long
    rows: list[Row] = []
    headline: dict[str, float] = {}
    for aligner, (code_best, minutes) in CODE.items():
        curves = {recipe: _train(data, aligner, recipe, quick=quick) for recipe in ("paper", ours)}
        goal = min(curve.best for curve in curves.values())
        times = {recipe: curve.seconds_to(goal) or curve.seconds for recipe, curve in curves.items()}
        for recipe, curve in curves.items():
            to_code = curve.seconds_to(code_best)
            rows.append((aligner, recipe, curve.best, curve.seconds, goal, times[recipe], to_code or "not reached"))
            if recipe == ours and to_code:
                headline[f"{aligner}: CROSS-MACHINE × the paper's code's run, to its dev ACC"] = 60 * minutes / to_code
        headline[f"{aligner}: {ours} × paper, to the same dev ACC"] = times["paper"] / times[ours]
        headline[f"{aligner}: {ours} × paper, whole run"] = curves["paper"].seconds / curves[ours].seconds
    return Result(
        title=f"Recipes, {data.name} medium ({len(data.medium):,} pairs), {threads} threads",
        columns=(
            *("aligner", "recipe", "best dev ACC", "whole run, s", "a dev ACC both reached", "seconds to it"),
            "seconds to the paper's code's best",
        ),
        rows=tuple(rows),
        headline=headline,
        notes=(
            "one run each, seed 0, one after the other; every epoch with its evaluation on the whole dev set",
            "`paper` is the paper's recipe in our engine, itself several times the speed of the paper's code",
            f"the paper's code: best dev ACC {CODE['1-mono'][0]}, about 22 minutes per run on "
            "one thread of another machine: the ratio to it is cross-machine, and its own time to it is not known",
        ),
    )
