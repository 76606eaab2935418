"""The plots of docs/speed.md, drawn from the results of `scaling`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from bench.scaling import BATCH

FIGURES = Path(__file__).parents[1] / "docs" / "figures"
LABELS = {"length": f"|x| = |y|, batch {BATCH}", "batch": "batch size, German pairs"}
"""The horizontal axis of each plot."""

Point = Mapping[str, str | int | float]
"""A row of the results: against, model, value, examples/s."""


def draw(rows: Sequence[Point]) -> None:
    """One figure for each kind of row."""
    for against, label in LABELS.items():
        _plot([row for row in rows if row["against"] == against], label, FIGURES / f"speed-{against}.svg")


def _plot(rows: Iterable[Point], label: str, path: Path) -> None:
    """One line for each model, both axes logarithmic."""
    import matplotlib

    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "isotone"  # the same numbers give the same file
    from matplotlib import pyplot

    lines: dict[str, tuple[list[float], list[float]]] = {}
    for row in rows:
        xs, ys = lines.setdefault(str(row["model"]), ([], []))
        xs.append(float(row["value"]))
        ys.append(float(row["examples/s"]))
    figure, axes = pyplot.subplots(figsize=(6, 3.8), layout="constrained")
    for name, (xs, ys) in lines.items():
        axes.plot(xs, ys, marker="o", markersize=4, label=name, linestyle="--" if "twin" in name else "-")
    axes.set(xscale="log", yscale="log", xlabel=label, ylabel="training examples/s")
    ticks = sorted({x for xs, _ in lines.values() for x in xs})
    axes.set_xticks(ticks, [f"{x:g}" for x in ticks])
    axes.minorticks_off()
    axes.grid(visible=True, alpha=0.3)
    axes.legend()
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)
