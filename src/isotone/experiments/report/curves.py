"""The second section: loss and dev metric over epochs, a pair of charts for each data set."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape

from isotone.drawing import Curve, line_chart
from isotone.drawing.chart import key
from isotone.drawing.report import Section, charts, note
from isotone.evaluation import task_named
from isotone.experiments.report.missing import grouped, missing
from isotone.experiments.report.runs import Run
from isotone.store.layout import LOG
from isotone.training.events import EpochDone
from isotone.training.log import read_log

__all__ = ["curves_section"]

HOW = (
    "Loss in nats per target symbol: dots are train (with dropout), lines are dev. The mark is the best epoch, whose "
    "weights were kept. One line for each seed."
)


def curves_section(runs: Sequence[Run]) -> Section:
    """Charts from every model's train.log.csv."""
    logs = {run: log for run in runs if (log := read_log(run.folder))}
    models = list(dict.fromkeys(run.model for run in runs))
    parts = [note(HOW), key(models)] if logs else []
    groups = grouped(list(logs))
    for data, members in groups.items():
        heading = f"<h3>{escape(data or 'without test data')}</h3>" if len(groups) > 1 else ""
        parts.append(heading + charts(_charts(members, logs, models)))
    parts.append(missing({run: f"there is no {LOG} in its folder" for run in runs if run not in logs}))
    return Section("curves", "Learning curves", "".join(parts))


def _charts(runs: Sequence[Run], logs: Mapping[Run, Sequence[EpochDone]], models: Sequence[str]) -> list[str]:
    losses = []
    for run in runs:
        log, place = logs[run], models.index(run.model)
        losses.append(Curve(f"{run.name}, train", tuple((e.epoch, e.train_loss) for e in log), place, dashed=True))
        dev = tuple((epoch.epoch, epoch.dev_loss) for epoch in log if math.isfinite(epoch.dev_loss))
        losses.append(Curve(f"{run.name}, dev", dev, place, marked=_best(log)))
    drawn = [line_chart(losses, title="train and dev loss", log=True)]
    for metric in dict.fromkeys(task_named(run.task).selection for run in runs):
        curves = [
            Curve(run.name, points, models.index(run.model), marked=_best(logs[run]))
            for run in runs
            if (points := tuple((e.epoch, e.metrics[metric]) for e in logs[run] if metric in e.metrics))
        ]
        drawn.append(line_chart(curves, title=f"dev {metric.upper()}"))
    return drawn


def _best(log: Sequence[EpochDone]) -> int | None:
    return next((epoch.epoch for epoch in reversed(log) if epoch.best), None)
