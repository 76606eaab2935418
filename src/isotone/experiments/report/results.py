"""The first section: the paper's table for each metric, its tests, and every run by itself."""

from __future__ import annotations

from collections.abc import Mapping
from html import escape
from math import isfinite

from isotone.drawing.report import Section, fold, note, table
from isotone.evaluation import measure_named, measures
from isotone.experiments.compare import Comparison, compare, remarks
from isotone.experiments.report.assess import Assessment
from isotone.experiments.report.missing import Pairs, untested
from isotone.experiments.report.runs import Run
from isotone.experiments.results import Score
from isotone.experiments.styles import cells, legend, p_values
from isotone.training.log import read_log

__all__ = ["results_section"]

FEW = 12
"""Runs that are shown at once; more are folded away."""


def results_section(pairs: Pairs) -> Section:
    """Data sets × models for every metric that all runs have, then the runs."""
    scores = [Score(run.data, run.model, values) for run, found in pairs if (values := _metrics(run, found))]
    shared = [name for name in measures() if scores and all(name in score.metrics for score in scores)]
    tables = "".join(f"<div>{_table(compare(scores, name))}</div>" for name in shared)
    parts = [f'<div class="tables">{tables}</div>'] if tables else []
    if pairs and not scores:
        parts.append(untested(pairs))
    elif not shared:
        parts.append(note("The models' tasks have no metric in common; each is listed below."))
    runs = table("", *_runs(pairs), stacked=True)
    parts.append(fold("Every model by itself", runs, open=len(pairs) <= FEW))
    return Section("results", "Results", "".join(parts))


def _metrics(run: Run, found: Assessment | None) -> dict[str, float]:
    """A sweep's own figures, which are about all of the test data; else those of the predictions."""
    values: Mapping[str, float | None] = run.metrics or (found.report.metrics if found else {})
    return {name: value for name, value in values.items() if value is not None and isfinite(value)}


def _table(comparison: Comparison) -> str:
    """A metric as in the paper; with one data set there is nothing to average or to test."""
    several = len(comparison.data) > 1
    rows = cells(comparison, bold=_bold, mark=lambda signs: f"<sup>{signs}</sup>" if signs else "", empty="–")
    rows = [[escape(row[0]), *row[1:]] for row in rows]
    seeds = max(comparison.seeds.values())
    over = f", mean over {seeds} seeds" if seeds > 1 else ""
    averaged = several and bool(comparison.averages)
    parts = [table(f"{comparison.measure.label} on test{over}", ["", *comparison.models], rows, last=averaged)]
    if not several:
        return "".join(parts)
    parts += [note(text) for text in (legend(comparison), *remarks(comparison)) if text]
    if comparison.contests:
        square = [[escape(row[0]), *row[1:]] for row in p_values(comparison, bold=_bold)]
        parts.append(table("p-values of paired permutation tests over data sets", ["", *comparison.models], square))
    return "".join(parts)


def _bold(text: str) -> str:
    return f"<strong>{text}</strong>"


def _runs(pairs: Pairs) -> tuple[list[str], list[list[str]]]:
    """Head and rows: test metrics (with 95 % intervals for models outside sweeps), then training."""
    logs = [read_log(run.folder) for run, _ in pairs]
    known = {name for run, found in pairs for name in (run.metrics or (found.report.metrics if found else ()))}
    names = [name for name in measures() if name in known]
    trained = {name for log in logs for epoch in log for name in epoch.metrics}
    dev = [name for name in measures() if name in trained]
    head = ["", "test words", *(name.upper() for name in names), *(f"dev {name.upper()}" for name in dev)]
    rows = []
    for (run, found), log in zip(pairs, logs, strict=True):
        best = next((epoch for epoch in reversed(log) if epoch.best), None)
        words = run.n or (found.report.n if found else None)
        row = [escape(run.name), "–" if words is None else f"{words:,}"]
        row += [_value(run, found, name) for name in names]
        row += [_shown(name, best.metrics[name]) if best and name in best.metrics else "–" for name in dev]
        rows.append([*row, f"{best.epoch} of {len(log)}" if best else "–"])
    return [*head, "best epoch"], rows


def _value(run: Run, found: Assessment | None, name: str) -> str:
    values: Mapping[str, float | None] = run.metrics or (found.report.metrics if found else {})
    value = values.get(name)
    if value is None or not isfinite(value):
        return "∞" if name == "nll" and name in values else "–"
    if run.metrics or not found or name not in found.report.intervals:
        return _shown(name, value)
    low, high = found.report.intervals[name]
    return f"{_shown(name, value)} <small>[{_shown(name, low)}, {_shown(name, high)}]</small>"


def _shown(name: str, value: float) -> str:
    return measure_named(name).show(value)
