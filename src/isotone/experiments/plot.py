"""A comparison as a plot: one row per data set, in it one dot per model with its interval."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from isotone.errors import ConfigError
from isotone.experiments.compare import Comparison
from isotone.experiments.intervals import Interval, of_average

__all__ = ["plot"]

DOTS = "osD^vPX*"
COLOURS = ("#2f7de1", "#f08c1d", "#16a06a", "#9b5de5", "#e5484d", "#0ea5b7", "#a9744f", "#7d8694")
"""Those of the report's charts."""
_LINE = 0.125
"""Inches for each model of a data set."""
_Row = dict[str, tuple[float, Interval | None]]


def plot(comparison: Comparison, path: Path) -> None:
    """Draws `comparison` into a file in the format of its suffix (.svg, .pdf, .png).

    The axis begins at 0 and, for percentages, ends at 100, so that distances are what they look like.
    """
    try:
        figures: Any = import_module("matplotlib.figure")
    except ImportError as error:
        raise ConfigError("--plot needs matplotlib: pip install isotone[plot]") from error
    rows = _rows(comparison)
    height = 1.3 + len(rows) * (0.12 + _LINE * len(comparison.models))
    figure = figures.Figure(figsize=(8, height), layout="constrained")
    kinds = figure.canvas.get_supported_filetypes()
    if path.suffix.removeprefix(".") not in kinds:
        raise ConfigError(f"--plot {path}: expected a file name that ends in .svg, .pdf or .png")
    if not path.resolve().parent.is_dir():
        raise ConfigError(f"--plot {path}: there is no folder {path.resolve().parent}")
    axes = figure.subplots()
    _draw(axes, comparison, list(rows.values()))
    axes.set_yticks(range(len(rows)), list(rows))
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.tick_params(axis="y", length=0)
    values = [number for row in rows.values() for value, found in row.values() for number in _reach(value, found)]
    top = 100.0 if comparison.measure.unit == "%" else max(values) * 1.05
    axes.set_xlim(min(0.0, *values), max(top, *values))
    axes.set_xlabel(_label(comparison, rows))
    axes.grid(axis="x", alpha=0.25)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    for row in range(1, len(rows)):
        axes.axhline(row - 0.5, color="black", alpha=0.12, linewidth=0.8)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path)


def _rows(comparison: Comparison) -> dict[str, _Row]:
    """By name, each model's value and interval; an average only where there is more than one set to average."""
    rows: dict[str, _Row] = {
        name: {model: (value, comparison.intervals.get((name, model))) for model, value in comparison.row(name).items()}
        for name in comparison.data
    }
    shared = comparison.complete
    if len(shared) > 1:
        over = "average" if len(shared) == len(comparison.data) else f"average of {len(shared)}"
        rows[over] = {
            model: (value, of_average([comparison.means[name, model] for name in shared]))
            for model, value in comparison.averages.items()
        }
    return rows


def _draw(axes: Any, comparison: Comparison, rows: list[_Row]) -> None:
    """Models of a row one under the other, so that no dot hides another."""
    models = comparison.models
    for place, model in enumerate(models):
        shift = (place - (len(models) - 1) / 2) * 0.7 / len(models)
        known = [(number, *row[model]) for number, row in enumerate(rows) if model in row]
        colour = COLOURS[place % len(COLOURS)]
        for number, value, found in known:
            if found is not None:
                axes.plot([found.low, found.high], [number + shift] * 2, color=colour, alpha=0.45, linewidth=3,
                          solid_capstyle="butt")  # fmt: skip
            axes.annotate(comparison.show(value), (max(_reach(value, found)), number + shift), (4, 0), va="center",
                          textcoords="offset points", fontsize=6.5, alpha=0.75)  # fmt: skip
        axes.plot([value for _, value, _ in known], [number + shift for number, _, _ in known],
                  DOTS[place % len(DOTS)], color=colour, label=model, markersize=4.5)  # fmt: skip


def _reach(value: float, found: Interval | None) -> tuple[float, ...]:
    return (value,) if found is None else (found.low, value, found.high)


def _label(comparison: Comparison, rows: dict[str, _Row]) -> str:
    """The metric, and what the bars are."""
    kinds = dict.fromkeys(found.kind for row in rows.values() for _, found in row.values() if found)
    direction = "higher is better" if comparison.measure.higher_is_better else "lower is better"
    bars = f"\nbars: {'; '.join(kinds)}" if kinds else ""
    return f"{comparison.measure.label}, {direction}{bars}"
