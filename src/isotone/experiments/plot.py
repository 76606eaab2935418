"""A comparison as a plot: one row per data set, one dot per model."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

from isotone.errors import ConfigError
from isotone.experiments.compare import Comparison

__all__ = ["plot"]

DOTS = "osD^vPX*"


def plot(comparison: Comparison, path: Path) -> None:
    """Draws `comparison` into a file in the format of its suffix (.svg, .pdf, .png)."""
    try:
        figures: Any = import_module("matplotlib.figure")
    except ImportError as error:
        raise ConfigError("--plot needs matplotlib: pip install isotone[plot]") from error
    rows = [(name, comparison.row(name)) for name in comparison.data]
    if comparison.averages:
        rows.append(("average", comparison.averages))
    figure = figures.Figure(figsize=(7, 1.2 + 0.3 * len(rows)), layout="constrained")
    kinds = figure.canvas.get_supported_filetypes()
    if path.suffix.removeprefix(".") not in kinds:
        raise ConfigError(f"--plot {path}: expected a file name that ends in .svg, .pdf or .png")
    if not path.resolve().parent.is_dir():
        raise ConfigError(f"--plot {path}: there is no folder {path.resolve().parent}")
    axes = figure.subplots()
    for place, model in enumerate(comparison.models):
        points = [(values[model], -row) for row, (_, values) in enumerate(rows) if model in values]
        marker = DOTS[place % len(DOTS)]
        axes.plot(*zip(*points, strict=True), marker, label=model, alpha=0.8, markersize=5)
    axes.set_yticks([-row for row in range(len(rows))], [name for name, _ in rows])
    axes.set_xlabel(comparison.measure.label)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(loc="center left", bbox_to_anchor=(1, 0.5), frameon=False)
    figure.savefig(path)
